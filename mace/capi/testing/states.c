// States of engines, in C.
// SPDX-License-Identifier: Apache-2.0

#include <string.h>

#include "mace/capi/testing/c_test.h"

static const int64_t kShape[1] = {2};

static mace_engine_t* MakeEngine(void) {
  const SampleModel* s = StatefulSample();
  mace_model_t* model = NULL;
  mace_config_t* config = NULL;
  mace_engine_t* engine = NULL;
  EXPECT_OK(mace_model_load(s->graph_file, s->data_file, NULL, &model));
  EXPECT_OK(mace_config_create(MACE_CPU, MACE_VERSION_NUMBER, &config));
  EXPECT_OK(mace_engine_create(model, config, NULL, 0, NULL, 0, &engine));
  mace_config_destroy(config);
  mace_model_destroy(model);
  return engine;
}

static void ExpectSum(const mace_tensors_t* tensors, const char* name,
                      float expected) {
  const float* values =
      (const float*)mace_tensor_data(mace_tensors_find(tensors, name));
  EXPECT(values != NULL && values[0] == expected && values[1] == expected);
}

static void TestRuns(mace_engine_t* engine) {
  float ones[2] = {1, 1}, tens[2] = {10, 10};
  mace_tensors_t *inputs = NULL, *outputs = NULL, *states = NULL;
  mace_tensor_infos_t* infos = NULL;
  EXPECT_OK(mace_tensors_create(&inputs));
  EXPECT_OK(mace_tensors_create(&outputs));
  EXPECT_OK(mace_tensors_create(&states));
  EXPECT_OK(mace_tensors_set(inputs, "x", MACE_FLOAT32, kShape, 1, ones,
                             sizeof(ones)));
  EXPECT_OK(mace_engine_run(engine, inputs, outputs, NULL));
  EXPECT_OK(mace_engine_run(engine, inputs, outputs, NULL));
  ExpectSum(outputs, "y", 2);
  EXPECT_OK(mace_engine_get_state(engine, states));
  EXPECT(mace_tensors_count(states) == 1);
  ExpectSum(states, "sum", 2);
  EXPECT_OK(mace_tensors_set(states, "sum", MACE_FLOAT32, kShape, 1, tens,
                             sizeof(tens)));
  EXPECT_OK(mace_engine_set_state(engine, states));
  EXPECT_OK(mace_engine_run(engine, inputs, outputs, NULL));
  ExpectSum(outputs, "y", 11);
  EXPECT_OK(mace_engine_reset_state(engine));
  EXPECT_OK(mace_engine_run(engine, inputs, outputs, NULL));
  ExpectSum(outputs, "y", 1);
  EXPECT_OK(mace_engine_states(engine, &infos));
  EXPECT(mace_tensor_infos_count(infos) == 1);
  EXPECT(strcmp(mace_tensor_infos_name(infos, 0), "sum") == 0);
  mace_tensor_infos_destroy(infos);
  EXPECT_BAD(mace_engine_set_state(engine, inputs), "no state named 'x'");
  mace_tensors_destroy(inputs);
  mace_tensors_destroy(outputs);
  mace_tensors_destroy(states);
}

static void TestErrors(mace_engine_t* engine) {
  mace_tensor_infos_t* infos = NULL;
  mace_tensors_t* states = NULL;
  EXPECT_OK(mace_tensors_create(&states));
  EXPECT_BAD(mace_engine_states(NULL, &infos), "engine is null");
  EXPECT_BAD(mace_engine_states(engine, NULL), "infos is null");
  EXPECT_BAD(mace_engine_reset_state(NULL), "engine is null");
  EXPECT_BAD(mace_engine_get_state(NULL, states), "engine is null");
  EXPECT_BAD(mace_engine_get_state(engine, NULL), "states is null");
  EXPECT_BAD(mace_engine_set_state(NULL, states), "engine is null");
  EXPECT_BAD(mace_engine_set_state(engine, NULL), "states is null");
  mace_tensors_destroy(states);
}

void TestStates(void) {
  mace_engine_t* engine = MakeEngine();
  TestRuns(engine);
  TestErrors(engine);
  mace_engine_destroy(engine);
}
