// The settings of engines, in C.
// SPDX-License-Identifier: Apache-2.0

#include <string.h>

#include "mace/capi/testing/c_test.h"

static unsigned char arena[1 << 20];

static void TestSetters(mace_config_t* c) {
  static const int32_t plan[4] = {1, 0, 1, 0};
  static const char* const nodes[2] = {"c", "c"};
  mace_gpu_context_builder_t* builder = NULL;
  mace_gpu_context_t* context = NULL;
  EXPECT_OK(mace_config_set(c, "memory_savings", "views,concat"));
  EXPECT_OK(mace_config_set_cpu_thread_policy(c, 2, MACE_AFFINITY_BIG_ONLY));
  EXPECT_OK(mace_config_set_memory_strategy(c, "GREEDY_BY_SIZE"));
  EXPECT_OK(mace_config_set_memory_savings(c, MACE_SAVE_ALL));
  EXPECT_OK(mace_config_set_offline_memory_plan(c, plan, 4));
  EXPECT_OK(mace_config_set_offline_memory_plan(c, NULL, 0));
  EXPECT_OK(mace_config_set_arena(c, arena + 64 - (size_t)arena % 64, 64));
  EXPECT_OK(mace_config_set_memory_limit(c, 1 << 20));
  EXPECT_OK(mace_config_set_winograd(c, 2));
  EXPECT_OK(mace_gpu_context_builder_create(&builder));
  EXPECT_OK(mace_gpu_context_builder_build(builder, &context));
  EXPECT_OK(mace_config_set_gpu_context(c, context));
  mace_gpu_context_destroy(context);
  mace_gpu_context_destroy(NULL);
  mace_gpu_context_builder_destroy(builder);
  mace_gpu_context_builder_destroy(NULL);
  EXPECT_OK(mace_config_set_gpu_hints(c, MACE_PERF_HIGH, MACE_PRIORITY_LOW));
  EXPECT_OK(mace_config_set_gpu_data_type(c, "fp32_fp32"));
  EXPECT_OK(mace_config_set_float32_nodes(c, nodes, 2));
  EXPECT_OK(mace_config_set_float32_nodes(c, NULL, 0));
  EXPECT_OK(mace_config_set_numeric_check(c, true));
  EXPECT_OK(mace_config_set_gpu_limits(c, 1000, 4));
  EXPECT_OK(
      mace_config_set_hexagon_power(c, MACE_HEXAGON_CORNER_SVS2, false, 0));
  EXPECT_OK(mace_config_set_hexagon_to_unsigned_pd(c));
  EXPECT_OK(mace_config_set_tuning(c, 0, NULL));
  EXPECT_OK(mace_config_set_tuning(c, 0, "tuned.bin"));
  EXPECT_OK(mace_config_set_guard(c, true));
}

static void TestRefused(mace_config_t* c) {
  static const int32_t plan[3] = {1, 0, 7};
  static const char* const nodes[2] = {"c", NULL};
  EXPECT_BAD(mace_config_set(c, "speed", "high"), "speed");
  EXPECT_BAD(mace_config_set(c, "num_threads", "many"), "many");
  EXPECT_BAD(mace_config_set_cpu_thread_policy(c, 1, 5),
             "policy is 5; it must be from 0 to 4");
  EXPECT_BAD(mace_config_set_cpu_thread_policy(c, 1, -1), "policy is -1");
  EXPECT_BAD(mace_config_set_cpu_thread_policy(c, 5000, 0), "5000 threads");
  EXPECT_BAD(mace_config_set_memory_strategy(c, "BEST"), "BEST");
  EXPECT_BAD(mace_config_set_offline_memory_plan(c, plan, 3),
             "the third number says how many offsets follow");
  EXPECT_BAD(mace_config_set_offline_memory_plan(c, plan, (size_t)-1),
             "words cannot have");
  EXPECT_BAD(mace_config_set_arena(c, arena + 65 - (size_t)arena % 64, 64),
             "64-byte boundary");
  EXPECT_BAD(mace_config_set_winograd(c, 3), "3");
  EXPECT_BAD(mace_config_set_require(c, MACE_GPU, 1.5), "1.5");
  EXPECT_BAD(mace_config_set_require(c, 1, 0.5), "device type 1");
  EXPECT_BAD(mace_config_set_driver_probe(c, "", 0), "driver_probe_ms");
  EXPECT(mace_run_driver_probe("npu") == 2);
  EXPECT(mace_run_driver_probe(NULL) == 2);
  EXPECT_BAD(mace_config_set_gpu_hints(c, 4, 0), "perf is 4");
  EXPECT_BAD(mace_config_set_gpu_hints(c, 0, 9), "priority is 9");
  EXPECT_BAD(mace_config_set_gpu_data_type(c, "fp64"), "fp64");
  EXPECT_BAD(mace_config_set_float32_nodes(c, nodes, 2), "names[1] is null");
  EXPECT_BAD(mace_config_set_gpu_limits(c, -1, 0), "-1");
  EXPECT_BAD(mace_config_set_hexagon_power(c, 7, true, 0), "corner is 7");
  EXPECT_BAD(mace_config_set_hexagon_power(c, -1, true, 0), "corner is -1");
  EXPECT_BAD(mace_config_set_hexagon_power(c, 0, true, -1), "-1");
  EXPECT_BAD(mace_config_set_tuning(c, -1, NULL), "-1");
}

static void TestNulls(mace_config_t* c) {
  mace_config_t* out = c;
  EXPECT_BAD(mace_config_create(MACE_CPU, MACE_VERSION_NUMBER, NULL),
             "mace_config_create: config is null");
  EXPECT_BAD(mace_config_create(1, MACE_VERSION_NUMBER, &out),
             "there is no device 1");
  EXPECT(out == NULL);
  out = c;
  EXPECT_BAD(mace_config_copy(NULL, &out), "config is null");
  EXPECT(out == NULL);
  EXPECT_BAD(mace_config_copy(c, NULL), "copy is null");
  EXPECT_BAD(mace_config_set(NULL, "guard", "1"), "config is null");
  EXPECT_BAD(mace_config_set(c, NULL, "1"), "name is null");
  EXPECT_BAD(mace_config_set(c, "guard", NULL), "value is null");
  EXPECT_BAD(mace_config_set_cpu_thread_policy(NULL, 1, 0), "config is null");
  EXPECT_BAD(mace_config_set_memory_strategy(NULL, "AUTO"), "config is null");
  EXPECT_BAD(mace_config_set_memory_strategy(c, NULL), "strategy is null");
  EXPECT_BAD(mace_config_set_memory_savings(NULL, 0), "config is null");
  EXPECT_BAD(mace_config_set_offline_memory_plan(NULL, NULL, 0),
             "config is null");
  EXPECT_BAD(mace_config_set_offline_memory_plan(c, NULL, 3), "words is null");
  EXPECT_BAD(mace_config_set_arena(NULL, arena, 64), "config is null");
  EXPECT_BAD(mace_config_set_arena(c, NULL, 64), "data is null");
  EXPECT_BAD(mace_config_set_memory_limit(NULL, 0), "config is null");
  EXPECT_BAD(mace_config_set_winograd(NULL, 0), "config is null");
  EXPECT_BAD(mace_config_set_require(NULL, MACE_GPU, 1), "config is null");
  EXPECT_BAD(mace_config_set_driver_probe(NULL, "", 1), "config is null");
  EXPECT_BAD(mace_config_set_driver_probe(c, NULL, 1), "program is null");
  EXPECT_BAD(mace_config_set_gpu_context(NULL, NULL), "config is null");
  EXPECT_BAD(mace_config_set_gpu_context(c, NULL), "context is null");
  EXPECT_BAD(mace_config_set_gpu_hints(NULL, 0, 0), "config is null");
  EXPECT_BAD(mace_config_set_gpu_data_type(NULL, "fp32_fp32"),
             "config is null");
  EXPECT_BAD(mace_config_set_gpu_data_type(c, NULL), "data_type is null");
  EXPECT_BAD(mace_config_set_float32_nodes(NULL, NULL, 0), "config is null");
  EXPECT_BAD(mace_config_set_float32_nodes(c, NULL, 1), "names is null");
  EXPECT_BAD(mace_config_set_numeric_check(NULL, true), "config is null");
  EXPECT_BAD(mace_config_set_gpu_limits(NULL, 0, 0), "config is null");
  EXPECT_BAD(mace_config_set_hexagon_power(NULL, 1, true, 0), "config is null");
  EXPECT_BAD(mace_config_set_hexagon_to_unsigned_pd(NULL), "config is null");
  EXPECT_BAD(mace_config_set_tuning(NULL, 0, NULL), "config is null");
  EXPECT_BAD(mace_config_set_guard(NULL, true), "config is null");
}

void TestConfigs(void) {
  static const mace_device_t devices[3] = {MACE_CPU, MACE_GPU, MACE_HEXAGON};
  size_t i;
  for (i = 0; i < 3; ++i) {
    mace_config_t* c = NULL;
    EXPECT_OK(mace_config_create(devices[i], MACE_VERSION_NUMBER, &c));
    TestSetters(c);
    TestRefused(c);
    TestNulls(c);
    mace_config_destroy(c);
  }
  mace_config_destroy(NULL);
}

// The bytes of the arena of an engine with these settings.
static double Arena(const mace_config_t* c) {
  const SampleModel* s = Sample();
  mace_model_t* model = NULL;
  mace_engine_t* engine = NULL;
  mace_memory_usage_t* usage = NULL;
  double bytes;
  EXPECT_OK(mace_model_load(s->graph_file, s->data_file, NULL, &model));
  EXPECT_OK(mace_engine_create(model, c, NULL, 0, NULL, 0, &engine));
  EXPECT_OK(mace_engine_memory_usage(engine, &usage));
  bytes = mace_memory_usage_number(usage, MACE_MEMORY_HEAD_BYTES);
  mace_memory_usage_destroy(usage);
  mace_engine_destroy(engine);
  mace_model_destroy(model);
  return bytes;
}

// What creating an engine with these settings fails with.
static void ExpectRefused(const mace_config_t* c, mace_status_t status,
                          const char* text) {
  const SampleModel* s = Sample();
  mace_model_t* model = NULL;
  mace_engine_t* engine = NULL;
  EXPECT_OK(mace_model_load(s->graph_file, s->data_file, NULL, &model));
  EXPECT_ERROR(mace_engine_create(model, c, NULL, 0, NULL, 0, &engine), status,
               text);
  mace_model_destroy(model);
}

void TestSettingsReachEngines(void) {
  mace_config_t *c = NULL, *copy = NULL;
  double preserved, shared;
  static const char* const nodes[1] = {"nothing"};
  static const int32_t plan[4] = {1, 0, 1, 0};
  EXPECT_OK(mace_config_create(MACE_CPU, MACE_VERSION_NUMBER, &c));
  EXPECT_OK(mace_config_copy(c, &copy));
  EXPECT_OK(mace_config_set_memory_strategy(copy, "PRESERVE_ALL"));
  shared = Arena(c);
  preserved = Arena(copy);
  EXPECT(shared > 0 && shared < preserved);
  mace_config_destroy(copy);

  // Without any saving an engine needs no less; all but some are some.
  EXPECT_OK(mace_config_copy(c, &copy));
  EXPECT_OK(mace_config_set_memory_savings(copy, 0));
  EXPECT(Arena(copy) >= shared);
  EXPECT_OK(mace_config_set_memory_savings(
      copy, MACE_SAVE_ORDER | MACE_SAVE_VIEWS | MACE_SAVE_IN_PLACE |
                MACE_SAVE_CONCAT | MACE_SAVE_OVERLAP));
  EXPECT(Arena(copy) == shared);
  mace_config_destroy(copy);

  EXPECT_OK(mace_config_copy(c, &copy));
  EXPECT_OK(mace_config_set_memory_limit(copy, 1));
  ExpectRefused(copy, MACE_OUT_OF_RESOURCES, "bytes");
  EXPECT_OK(mace_config_set_memory_limit(copy, 0));
  EXPECT_OK(mace_config_set_arena(copy, arena + 64 - (size_t)arena % 64, 0));
  ExpectRefused(copy, MACE_OUT_OF_RESOURCES, "the arena given has 0 bytes");
  mace_config_destroy(copy);

  EXPECT_OK(mace_config_copy(c, &copy));
  EXPECT_OK(mace_config_set_float32_nodes(copy, nodes, 1));
  ExpectRefused(copy, MACE_INVALID_ARGS, "nothing");
  EXPECT_OK(mace_config_set_float32_nodes(copy, NULL, 0));
  EXPECT_OK(mace_config_set_offline_memory_plan(copy, plan, 4));
  ExpectRefused(copy, MACE_INVALID_ARGS, "");
  mace_config_destroy(copy);
  mace_config_destroy(c);
}
