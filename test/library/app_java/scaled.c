// com.acme.Scaled, an operator of an app in Java: x * w * factor, w by columns.
// SPDX-License-Identifier: Apache-2.0

#include "mace/public/mace_c.h"
#include "mace/public/mace_c_op_resolver.h"

static float factor = 1;

static int32_t Init(void* user, const mace_op_init_args_t* args, void** state,
                    mace_op_error_t* error) {
  const mace_op_attribute_t* found = mace_op_find_attribute(args, "factor");
  (void)user, (void)error;
  if (found != NULL) factor = found->floats[0];
  *state = &factor;
  return 0;
}

static int32_t Prepare(void* user, void* state, mace_op_prepare_args_t* args,
                       mace_op_error_t* error) {
  const mace_op_tensor_t* x = args->inputs[0];
  mace_op_output_t* y = args->outputs[0];
  (void)user, (void)state, (void)error;
  y->data_type = x->data_type;
  y->rank = x->rank;
  for (int32_t i = 0; i < x->rank; ++i) y->shape[i] = x->shape[i];
  return 0;
}

static int32_t Invoke(void* user, void* state,
                      const mace_op_invoke_args_t* args,
                      mace_op_error_t* error) {
  const float *x = args->inputs[0]->data, *w = args->inputs[1]->data;
  float* y = args->outputs[0]->data;
  const size_t columns = args->inputs[1]->bytes / sizeof(float);
  const size_t count = args->inputs[0]->bytes / sizeof(float);
  (void)user, (void)error;
  for (size_t i = 0; i < count; ++i) {
    y[i] = x[i] * w[i % columns] * *(const float*)state;
  }
  return 0;
}

mace_status_t mace_register_ops(mace_op_resolver_t* resolver) {
  mace_op_registration_t op = {0};
  op.struct_size = sizeof(op);
  op.name = "com.acme.Scaled";
  op.init = Init;
  op.prepare = Prepare;
  op.invoke = Invoke;
  return mace_op_resolver_add_custom(resolver, &op);
}
