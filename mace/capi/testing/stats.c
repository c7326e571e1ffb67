// What an engine did and holds, in C.
// SPDX-License-Identifier: Apache-2.0

#include <string.h>

#include "mace/capi/testing/c_test.h"

static float x[kInputs];

// Makes an engine and runs it once.
static mace_engine_t* Ran(mace_run_metadata_t* metadata) {
  static const int64_t shape[4] = {1, 4, 4, 1};
  const SampleModel* s = Sample();
  mace_model_t* model = NULL;
  mace_config_t* config = NULL;
  mace_engine_t* engine = NULL;
  mace_tensors_t *inputs = NULL, *outputs = NULL;
  EXPECT_OK(mace_model_load(s->graph_file, s->data_file, NULL, &model));
  EXPECT_OK(mace_config_create(MACE_CPU, MACE_VERSION_NUMBER, &config));
  EXPECT_OK(mace_config_set_memory_strategy(config, "PRESERVE_ALL"));
  EXPECT_OK(mace_engine_create(model, config, NULL, 0, NULL, 0, &engine));
  EXPECT_OK(mace_tensors_create(&inputs));
  EXPECT_OK(mace_tensors_create(&outputs));
  EXPECT_OK(
      mace_tensors_set(inputs, "x", MACE_FLOAT32, shape, 4, x, sizeof(x)));
  EXPECT_OK(mace_engine_run(engine, inputs, outputs, metadata));
  mace_tensors_destroy(inputs);
  mace_tensors_destroy(outputs);
  mace_config_destroy(config);
  mace_model_destroy(model);
  return engine;
}

static void ExpectText(const mace_run_metadata_t* m, size_t op,
                       mace_stat_text_t which, const char* text) {
  const char* found = mace_run_metadata_text(m, op, which);
  EXPECT(found != NULL && strcmp(found, text) == 0);
}

static void TestOps(const mace_run_metadata_t* m) {
  int64_t list[4] = {0};
  const int64_t* shape;
  size_t count = 4, rank = 0;
  EXPECT(mace_run_metadata_count(m) == 3);
  ExpectText(m, 0, MACE_STAT_NAME, "c");
  ExpectText(m, 1, MACE_STAT_TYPE, "Pooling");
  ExpectText(m, 2, MACE_STAT_DEVICE, "CPU");
  EXPECT(mace_run_metadata_text(m, 0, MACE_STAT_VARIANT)[0] != '\0');
  EXPECT(mace_run_metadata_text(m, 0, MACE_STAT_CHOSEN_BY) != NULL);
  EXPECT(mace_run_metadata_number(m, 1, MACE_STAT_START_MICROS) >=
         mace_run_metadata_number(m, 0, MACE_STAT_END_MICROS));
  EXPECT(mace_run_metadata_number(m, 0, MACE_STAT_MACS) == 16 * 9 * 2);
  EXPECT(mace_run_metadata_number(m, 0, MACE_STAT_COST_MACS) > 0);
  EXPECT(mace_run_metadata_number(m, 0, MACE_STAT_BYTES) ==
         4 * (16 + 2 * 9 + 32));
  EXPECT(mace_run_metadata_number(m, 0, MACE_STAT_OUTPUTS) == 1);
  EXPECT(mace_run_metadata_number(m, 0, MACE_STAT_PADDING_TYPE) == 1);
  EXPECT(mace_run_metadata_number(m, 2, MACE_STAT_PADDING_TYPE) == -1);
  EXPECT(mace_run_metadata_number(m, 0, MACE_STAT_TUNED_MICROS) == 0);
  EXPECT(mace_run_metadata_number(m, 0, MACE_STAT_MODEL_MICROS) == 0);
  shape = mace_run_metadata_output_shape(m, 1, 0, &rank);
  EXPECT(rank == 4 && shape[1] == 2 && shape[2] == 2 && shape[3] == 2);

  EXPECT_OK(mace_run_metadata_list(m, 1, MACE_STAT_STRIDES, list, &count));
  EXPECT(count == 2 && list[0] == 2 && list[1] == 2);
  count = 1;
  list[1] = 77;
  EXPECT_OK(mace_run_metadata_list(m, 1, MACE_STAT_KERNELS, list, &count));
  EXPECT(count >= 2 && list[1] == 77);  // of which one fitted
  count = 0;
  EXPECT_OK(mace_run_metadata_list(m, 0, MACE_STAT_DILATIONS, NULL, &count));
  EXPECT(count == 2);
  count = 4;
  EXPECT_OK(mace_run_metadata_list(m, 2, MACE_STAT_PADDINGS, list, &count));
  EXPECT(count == 0);
}

static void TestMemory(const mace_engine_t* engine) {
  mace_memory_usage_t* usage = NULL;
  int64_t used = -1, requested = -1, objects = -1, weights = 0;
  size_t i, count;
  double available, limit;
  EXPECT_OK(mace_engine_memory_usage(engine, &usage));
  EXPECT(mace_memory_usage_number(usage, MACE_MEMORY_HEAD_BYTES) > 0);
  EXPECT(mace_memory_usage_number(usage, MACE_MEMORY_TEMPORARY_BYTES) >= 0);
  EXPECT(mace_memory_usage_number(usage, MACE_MEMORY_TAIL_BYTES) >= 0);
  EXPECT(mace_memory_usage_number(usage, MACE_MEMORY_LOWER_BOUND_BYTES) > 0);
  EXPECT(mace_memory_usage_number(usage, MACE_MEMORY_PEAK_BYTES) > 0);
  EXPECT(mace_memory_usage_number(usage, MACE_MEMORY_FRAGMENTATION) < 1);
  EXPECT(mace_memory_usage_number(usage, MACE_MEMORY_IMAGE_BYTES) == 0);
  EXPECT(mace_memory_usage_number(usage, MACE_MEMORY_IMAGE_LOWER_BOUND_BYTES) ==
         0);
  EXPECT(mace_memory_usage_number(usage, MACE_MEMORY_IMAGE_PEAK_BYTES) == 0);
  EXPECT(mace_memory_usage_peak_node(usage)[0] != '\0');
  EXPECT(mace_memory_usage_number(usage, MACE_MEMORY_ANONYMOUS_BYTES) >=
         mace_memory_usage_number(usage, MACE_MEMORY_HEAD_BYTES));
  EXPECT(mace_memory_usage_number(usage, MACE_MEMORY_MAPPED_BYTES) > 0);
  // Three quarters, rounded.
  available = mace_memory_usage_number(usage, MACE_MEMORY_AVAILABLE_BYTES);
  limit = mace_memory_usage_number(usage, MACE_MEMORY_LIMIT_BYTES);
  EXPECT(limit <= available / 4 * 3 && limit > available / 4 * 3 - 4);
  EXPECT(mace_memory_usage_number(usage, MACE_MEMORY_TAKEN_BYTES) > 0);

  count = mace_memory_usage_count(usage, MACE_MEMORY_CATEGORIES);
  EXPECT(count >= 9);
  for (i = 0; i < count; ++i) {
    const char* name = mace_memory_usage_entry(usage, MACE_MEMORY_CATEGORIES, i,
                                               &used, &requested, &objects);
    EXPECT(name != NULL && used >= 0 && requested >= 0 && objects >= 0);
    if (name != NULL && strcmp(name, "weights") == 0) weights = requested;
  }
  EXPECT(weights > 0);
  EXPECT(mace_memory_usage_count(usage, MACE_MEMORY_PEAK_HOLDERS) > 0);
  EXPECT(mace_memory_usage_entry(usage, MACE_MEMORY_PEAK_HOLDERS, 0, &used,
                                 NULL, &objects)[0] != '\0');
  EXPECT(used > 0 && objects == 1);

  EXPECT_NOTHING(mace_memory_usage_number(NULL, 0), 0, "usage is null");
  EXPECT_NOTHING(mace_memory_usage_number(usage, 999), 0,
                 "which is 999; it must be from 0 to ");
  EXPECT_NOTHING(mace_memory_usage_peak_node(NULL), NULL, "usage is null");
  EXPECT_NOTHING(mace_memory_usage_count(NULL, 0), 0, "usage is null");
  EXPECT_NOTHING(mace_memory_usage_count(usage, 2), 0, "list is 2");
  EXPECT_NOTHING(mace_memory_usage_entry(NULL, 0, 0, NULL, NULL, NULL), NULL,
                 "usage is null");
  EXPECT_NOTHING(mace_memory_usage_entry(usage, -1, 0, &used, NULL, NULL), NULL,
                 "list is -1");
  EXPECT(used == 0);
  EXPECT_NOTHING(
      mace_memory_usage_entry(usage, 0, count, NULL, &requested, &objects),
      NULL, "but there are only");
  EXPECT(requested == 0 && objects == 0);
  mace_memory_usage_destroy(usage);
  mace_memory_usage_destroy(NULL);
}

static void TestPlacement(const mace_engine_t* engine) {
  mace_records_t* nodes = NULL;
  size_t i, count;
  int64_t macs = 0;
  EXPECT_OK(mace_engine_placement(engine, &nodes));
  count = mace_records_count(nodes);
  EXPECT(count > 0);
  for (i = 0; i < count; ++i) {
    EXPECT(mace_records_text(nodes, i, MACE_PLACEMENT_NODE)[0] != '\0');
    EXPECT(mace_records_text(nodes, i, MACE_PLACEMENT_TYPE)[0] != '\0');
    EXPECT(strcmp(mace_records_text(nodes, i, MACE_PLACEMENT_DEVICE), "CPU") ==
           0);
    EXPECT(strcmp(mace_records_text(nodes, i, MACE_PLACEMENT_DATA_TYPE),
                  "f32") == 0);
    EXPECT(mace_records_text(nodes, i, MACE_PLACEMENT_KERNEL)[0] != '\0');
    EXPECT(mace_records_text(nodes, i, MACE_PLACEMENT_REASON)[0] == '\0');
    macs += mace_records_macs(nodes, i);
  }
  EXPECT(macs > 0);
  EXPECT_NOTHING(mace_records_text(nodes, count, 0), NULL,
                 "but there are only");
  EXPECT_NOTHING(mace_records_text(nodes, 0, 6), NULL,
                 "which is 6; it must be from 0 to 5");
  EXPECT_NOTHING(mace_records_text(nodes, 0, -1), NULL, "which is -1");
  EXPECT_NOTHING(mace_records_macs(nodes, count), 0, "but there are only");
  EXPECT_NOTHING(mace_records_text(NULL, 0, 0), NULL, "records is null");
  EXPECT_NOTHING(mace_records_macs(NULL, 0), 0, "records is null");
  EXPECT_NOTHING(mace_records_count(NULL), 0, "records is null");
  mace_records_destroy(nodes);
  mace_records_destroy(NULL);
  EXPECT_BAD(mace_engine_placement(NULL, &nodes), "engine is null");
  EXPECT_BAD(mace_engine_placement(engine, NULL), "records is null");
}

static void TestKernelTests(void) {
  mace_records_t* tests = NULL;
  size_t i, count;
  EXPECT_OK(mace_kernel_tests(&tests));
  count = mace_records_count(tests);
  EXPECT(count > 0);
  for (i = 0; i < count; ++i) {
    EXPECT(mace_records_text(tests, i, MACE_KERNEL_NAME)[0] != '\0');
    EXPECT(mace_records_text(tests, i, MACE_KERNEL_REASON)[0] == '\0');
    EXPECT(mace_records_text(tests, i, MACE_KERNEL_FALLBACK)[0] == '\0');
  }
  EXPECT_NOTHING(mace_records_text(tests, 0, 3), NULL, "which is 3");
  mace_records_destroy(tests);
  EXPECT_BAD(mace_kernel_tests(NULL), "records is null");
}

void TestStatistics(void) {
  mace_run_metadata_t* m = NULL;
  mace_engine_t* engine;
  int64_t counts[MACE_DEVICE_COUNTS + 2];
  EXPECT_OK(mace_run_metadata_create(&m));
  EXPECT(mace_run_metadata_count(m) == 0);
  engine = Ran(m);
  TestOps(m);
  TestMemory(engine);
  TestPlacement(engine);
  TestKernelTests();
  memset(counts, -1, sizeof(counts));
  EXPECT_OK(mace_engine_device_counts(engine, counts, MACE_DEVICE_COUNTS + 1));
  EXPECT(counts[MACE_COMPILED_PROGRAMS] == 0);
  EXPECT(counts[MACE_BYTES_TO_HOST] == 0);
  EXPECT(counts[MACE_DEVICE_COUNTS] == 0);
  EXPECT(counts[MACE_DEVICE_COUNTS + 1] == -1);
  EXPECT_OK(mace_engine_device_counts(engine, NULL, 0));
  mace_run_metadata_destroy(m);
  mace_run_metadata_destroy(NULL);
  mace_engine_destroy(engine);
}

void TestStatisticsErrors(void) {
  mace_run_metadata_t* m = NULL;
  mace_engine_t* engine;
  int64_t list[4];
  size_t count = 4, rank = 9;
  EXPECT_BAD(mace_run_metadata_create(NULL), "metadata is null");
  EXPECT_OK(mace_run_metadata_create(&m));
  engine = Ran(m);
  EXPECT_NOTHING(mace_run_metadata_count(NULL), 0, "metadata is null");
  EXPECT_NOTHING(mace_run_metadata_text(NULL, 0, 0), NULL, "metadata is null");
  EXPECT_NOTHING(mace_run_metadata_text(m, 3, 0), NULL,
                 "op is 3, but there are only 3");
  EXPECT_NOTHING(mace_run_metadata_text(m, 0, 99), NULL, "which is 99");
  EXPECT_NOTHING(mace_run_metadata_number(NULL, 0, 0), 0, "metadata is null");
  EXPECT_NOTHING(mace_run_metadata_number(m, 3, 0), 0, "op is 3");
  EXPECT_NOTHING(mace_run_metadata_number(m, 0, -1), 0, "which is -1");
  EXPECT_NOTHING(mace_run_metadata_output_shape(NULL, 0, 0, &rank), NULL,
                 "metadata is null");
  EXPECT(rank == 0);
  EXPECT_NOTHING(mace_run_metadata_output_shape(m, 0, 1, &rank), NULL,
                 "output is 1");
  EXPECT_NOTHING(mace_run_metadata_output_shape(m, 3, 0, &rank), NULL,
                 "op is 3");
  EXPECT_NOTHING(mace_run_metadata_output_shape(m, 0, 0, NULL), NULL,
                 "rank is null");
  EXPECT_BAD(mace_run_metadata_list(NULL, 0, 0, list, &count),
             "metadata is null");
  EXPECT_BAD(mace_run_metadata_list(m, 3, 0, list, &count), "op is 3");
  EXPECT_BAD(mace_run_metadata_list(m, 0, 4, list, &count), "which is 4");
  EXPECT_BAD(mace_run_metadata_list(m, 0, 0, NULL, &count), "values is null");
  EXPECT_BAD(mace_run_metadata_list(m, 0, 0, list, NULL), "count is null");
  mace_run_metadata_destroy(m);
  mace_engine_destroy(engine);
}
