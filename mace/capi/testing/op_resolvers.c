// Which ops engines may run, in C. mace/runtime/custom_op_test.cc runs ops.
// SPDX-License-Identifier: Apache-2.0

#include "mace/capi/testing/c_test.h"

static int released = 0;

static int32_t Prepare(void* user, void* state, mace_op_prepare_args_t* args,
                       mace_op_error_t* error) {
  (void)user, (void)state, (void)args, (void)error;
  return 0;
}

static int32_t Invoke(void* user, void* state,
                      const mace_op_invoke_args_t* args,
                      mace_op_error_t* error) {
  (void)user, (void)state, (void)args, (void)error;
  return 0;
}

static void Release(void* user) { ++*(int*)user; }

static mace_op_registration_t OwnOp(void) {
  mace_op_registration_t op = {0};
  op.struct_size = sizeof(op);
  op.name = "com.acme.Own";
  op.user = &released;
  op.prepare = Prepare;
  op.invoke = Invoke;
  op.release = Release;
  return op;
}

// Expects that an engine of the sample model can be created if `error` is null,
// and fails with it otherwise.
static void ExpectEngine(const mace_op_resolver_t* resolver,
                         const char* error) {
  const SampleModel* s = Sample();
  mace_model_t* model = NULL;
  mace_config_t* config = NULL;
  mace_engine_t* engine = NULL;
  EXPECT_OK(mace_model_load(s->graph_file, s->data_file, NULL, &model));
  EXPECT_OK(mace_config_create(MACE_CPU, MACE_VERSION_NUMBER, &config));
  EXPECT_OK(mace_config_set_op_resolver(config, resolver));
  if (error == NULL) {
    EXPECT_OK(mace_engine_create(model, config, NULL, 0, NULL, 0, &engine));
  } else {
    EXPECT_ERROR(mace_engine_create(model, config, NULL, 0, NULL, 0, &engine),
                 MACE_UNSUPPORTED, error);
  }
  mace_engine_destroy(engine);
  mace_config_destroy(config);
  mace_model_destroy(model);
}

void TestOpResolvers(void) {
  mace_op_registration_t op = OwnOp();
  mace_op_resolver_t* resolver = NULL;
  mace_config_t* config = NULL;
  EXPECT_OK(mace_op_resolver_create(&resolver));
  ExpectEngine(resolver, NULL);
  EXPECT_OK(mace_op_resolver_add_builtin(resolver, "Conv2d"));
  ExpectEngine(resolver, "resolver.AddBuiltin(\"Pooling\");");
  EXPECT_OK(mace_op_resolver_add_builtin(resolver, "Pooling"));
  EXPECT_OK(mace_op_resolver_add_builtin(resolver, "Softmax"));
  ExpectEngine(resolver, NULL);
  EXPECT_OK(mace_op_resolver_add_custom(resolver, &op));
  ExpectEngine(resolver, NULL);
  EXPECT_BAD(mace_op_resolver_add_custom(resolver, &op),
             "'com.acme.Own' is registered already");
  op.name = "com.acme.Other";
  op.invoke = NULL;
  EXPECT_BAD(mace_op_resolver_add_custom(resolver, &op), "invoke is null");
  EXPECT_BAD(mace_op_resolver_add_builtin(resolver, "Convv"), "no op 'Convv'");
  EXPECT_BAD(mace_op_resolver_create(NULL), "resolver is null");
  EXPECT_BAD(mace_op_resolver_add_custom(NULL, &op), "resolver is null");
  EXPECT_BAD(mace_op_resolver_add_custom(resolver, NULL), "op is null");
  EXPECT_BAD(mace_op_resolver_add_builtin(NULL, "Conv2d"), "resolver is null");
  EXPECT_BAD(mace_op_resolver_add_builtin(resolver, NULL), "name is null");
  EXPECT_BAD(mace_config_set_op_resolver(NULL, resolver), "config is null");
  EXPECT_OK(mace_config_create(MACE_CPU, MACE_VERSION_NUMBER, &config));
  EXPECT_BAD(mace_config_set_op_resolver(config, NULL), "resolver is null");
  mace_config_destroy(config);
  EXPECT(released == 0);
  mace_op_resolver_destroy(resolver);
  EXPECT(released == 1);
  mace_op_resolver_destroy(NULL);
}
