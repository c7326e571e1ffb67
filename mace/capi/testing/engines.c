// Engines and their runs, in C.
// SPDX-License-Identifier: Apache-2.0

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mace/capi/testing/c_test.h"

static const int64_t kShape[4] = {1, 4, 4, 1};
static const int64_t kWide[4] = {1, 4, 6, 1};
static const char* const kX[1] = {"x"};
static const char* const kP[1] = {"p"};

typedef struct Things {
  mace_model_t* model;
  mace_config_t* config;
  mace_engine_t* engine;
  mace_tensors_t* inputs;
  mace_tensors_t* outputs;
  float x[24];
} Things;

static void Make(Things* t) {
  const SampleModel* s = Sample();
  size_t i;
  memset(t, 0, sizeof(*t));
  for (i = 0; i < 24; ++i) t->x[i] = (float)i;
  EXPECT_OK(mace_model_load(s->graph_file, s->data_file, NULL, &t->model));
  EXPECT_OK(mace_config_create(MACE_CPU, MACE_VERSION_NUMBER, &t->config));
  EXPECT_OK(mace_engine_create(t->model, t->config, kX, 1, kP, 1, &t->engine));
  EXPECT_OK(mace_tensors_create(&t->inputs));
  EXPECT_OK(mace_tensors_create(&t->outputs));
  EXPECT_OK(mace_tensors_set(t->inputs, "x", MACE_FLOAT32, kShape, 4, t->x,
                             kInputs * sizeof(float)));
}

static void Destroy(Things* t) {
  mace_tensors_destroy(t->inputs);
  mace_tensors_destroy(t->outputs);
  mace_engine_destroy(t->engine);
  mace_config_destroy(t->config);
  mace_model_destroy(t->model);
}

// The sums of the two channels of each pixel, which softmax makes 1.
static void ExpectProbabilities(const mace_tensor_t* p, size_t count) {
  const float* values = (const float*)mace_tensor_data(p);
  size_t i;
  EXPECT(values != NULL && mace_tensor_bytes(p) == count * sizeof(float));
  for (i = 0; values != NULL && i < count; i += 2) {
    EXPECT(fabs(values[i] + values[i + 1] - 1) < 1e-6);
    EXPECT(values[i] > values[i + 1]);
  }
}

static void TestRuns(Things* t) {
  float p[kOutputs] = {0};
  static const int64_t shape[4] = {1, 2, 2, 2};
  const int64_t* found;
  size_t rank = 0;
  // The engine makes the memory of what is missing, and uses it again.
  const void* memory;
  EXPECT_OK(mace_engine_run(t->engine, t->inputs, t->outputs, NULL));
  EXPECT(mace_tensors_count(t->outputs) == 1);
  ExpectProbabilities(mace_tensors_find(t->outputs, "p"), kOutputs);
  found = mace_tensor_shape(mace_tensors_find(t->outputs, "p"), &rank);
  EXPECT(rank == 4 && memcmp(found, shape, sizeof(shape)) == 0);
  memory = mace_tensor_data(mace_tensors_find(t->outputs, "p"));
  EXPECT_OK(mace_engine_run(t->engine, t->inputs, t->outputs, NULL));
  EXPECT(mace_tensor_data(mace_tensors_find(t->outputs, "p")) == memory);
  memcpy(p, memory, sizeof(p));
  // Or writes to the caller's, the same numbers.
  EXPECT_OK(
      mace_tensors_set(t->outputs, "p", MACE_FLOAT32, shape, 4, p, sizeof(p)));
  memset(p, 0, sizeof(p));
  EXPECT_OK(mace_engine_run(t->engine, t->inputs, t->outputs, NULL));
  ExpectProbabilities(mace_tensors_find(t->outputs, "p"), kOutputs);
  EXPECT(p[0] > 0.5f);
  // Another shape: the output that was given does not fit, and is named.
  EXPECT_OK(mace_tensors_set(t->inputs, "x", MACE_FLOAT32, kWide, 4, t->x,
                             sizeof(t->x)));
  EXPECT_BAD(mace_engine_run(t->engine, t->inputs, t->outputs, NULL),
             "output 'p': expected [1,2,3,2], the tensor given has [1,2,2,2]");
  EXPECT_OK(mace_tensors_set(t->outputs, "p", MACE_FLOAT32, shape, 4, NULL, 0));
  EXPECT_OK(mace_engine_run(t->engine, t->inputs, t->outputs, NULL));
  ExpectProbabilities(mace_tensors_find(t->outputs, "p"), 12);
}

static void TestProperties(Things* t) {
  mace_tensor_infos_t* infos = NULL;
  char* text = NULL;
  const int64_t* shape;
  size_t rank = 0;
  EXPECT_OK(mace_engine_inputs(t->engine, &infos));
  shape = mace_tensor_infos_shape(infos, 0, &rank);
  EXPECT(rank == 4 && memcmp(shape, kWide, sizeof(kWide)) == 0);
  mace_tensor_infos_destroy(infos);
  EXPECT_OK(mace_engine_outputs(t->engine, &infos));
  EXPECT(mace_tensor_infos_count(infos) == 1);
  shape = mace_tensor_infos_shape(infos, 0, &rank);
  EXPECT(rank == 4 && shape[2] == 3);
  mace_tensor_infos_destroy(infos);
  mace_tensor_infos_destroy(NULL);

  EXPECT_OK(mace_engine_dump(t->engine, "plan", &text));
  EXPECT(text != NULL && strstr(text, "Softmax") != NULL);
  mace_free(text);
  mace_free(NULL);
  EXPECT_BAD(mace_engine_dump(t->engine, "nothing", &text), "nothing");
  EXPECT(text == NULL);
  EXPECT_BAD(mace_engine_dump(t->engine, "trace", &text), "setting tracing");
}

// The engine needs neither its model nor its settings, nor an arena more than
// it says.
static void TestArena(Things* t) {
  size_t bytes = 0, wide = 0;
  mace_engine_t* engine = NULL;
  unsigned char* memory;
  mace_tensors_t* shapes = NULL;
  EXPECT_OK(mace_tensors_create(&shapes));
  EXPECT_OK(mace_tensors_set(shapes, "x", MACE_FLOAT32, kWide, 4, NULL, 0));
  EXPECT_OK(mace_engine_query_arena_bytes(t->model, t->config, NULL, 0, NULL,
                                          &bytes));
  EXPECT_OK(
      mace_engine_query_arena_bytes(t->model, t->config, kP, 1, shapes, &wide));
  EXPECT(bytes > 0 && wide >= bytes);
  memory = malloc(wide + 64);
  EXPECT_OK(mace_config_set_arena(t->config, memory + 64 - (size_t)memory % 64,
                                  wide));
  EXPECT_OK(mace_engine_create(t->model, t->config, NULL, 0, NULL, 0, &engine));
  mace_model_destroy(t->model);
  mace_config_destroy(t->config);
  t->model = NULL;
  t->config = NULL;
  EXPECT_OK(mace_tensors_remove(t->outputs, "p"));
  EXPECT_OK(mace_engine_run(engine, t->inputs, t->outputs, NULL));
  ExpectProbabilities(mace_tensors_find(t->outputs, "p"), 12);
  mace_engine_destroy(engine);
  mace_tensors_destroy(shapes);
  free(memory);
}

void TestCancellation(void) {
  Things t;
  mace_cancellation_t* c = NULL;
  mace_run_metadata_t* metadata = NULL;
  Make(&t);
  EXPECT_BAD(mace_cancellation_create(NULL), "cancellation is null");
  EXPECT_BAD(mace_cancellation_cancel(NULL), "cancellation is null");
  EXPECT_NOTHING(mace_cancellation_is_cancelled(NULL), false,
                 "cancellation is null");
  EXPECT_OK(mace_cancellation_create(&c));
  EXPECT(!mace_cancellation_is_cancelled(c));
  EXPECT_OK(mace_engine_run_until(t.engine, t.inputs, t.outputs, c, NULL));
  ExpectProbabilities(mace_tensors_find(t.outputs, "p"), kOutputs);
  EXPECT_OK(mace_run_metadata_create(&metadata));
  EXPECT_OK(mace_engine_run_until(t.engine, t.inputs, t.outputs, c, metadata));
  EXPECT(mace_run_metadata_count(metadata) == 3);

  EXPECT_OK(mace_cancellation_cancel(c));
  EXPECT(mace_cancellation_is_cancelled(c));
  EXPECT_ERROR(mace_engine_run_until(t.engine, t.inputs, t.outputs, c, NULL),
               MACE_CANCELLED, "");
  EXPECT_OK(mace_engine_run(t.engine, t.inputs, t.outputs, NULL));
  ExpectProbabilities(mace_tensors_find(t.outputs, "p"), kOutputs);

  EXPECT_BAD(mace_engine_run_until(NULL, t.inputs, t.outputs, c, NULL),
             "mace_engine_run_until: engine is null");
  EXPECT_BAD(mace_engine_run_until(t.engine, NULL, t.outputs, c, NULL),
             "inputs is null");
  EXPECT_BAD(mace_engine_run_until(t.engine, t.inputs, NULL, c, NULL),
             "outputs is null");
  EXPECT_BAD(mace_engine_run_until(t.engine, t.inputs, t.outputs, NULL, NULL),
             "cancellation is null");
  mace_cancellation_destroy(c);
  EXPECT_BAD(mace_cancellation_set_deadline(NULL, 1), "cancellation is null");
  EXPECT_OK(mace_cancellation_create(&c));
  EXPECT_OK(mace_cancellation_set_deadline(c, 3600000000));
  EXPECT(!mace_cancellation_is_cancelled(c));
  EXPECT_OK(mace_engine_run_until(t.engine, t.inputs, t.outputs, c, NULL));
  EXPECT_OK(mace_cancellation_set_deadline(c, 0));
  EXPECT(mace_cancellation_is_cancelled(c));
  EXPECT_ERROR(mace_engine_run_until(t.engine, t.inputs, t.outputs, c, NULL),
               MACE_CANCELLED, "deadline, which was 0 us after it was set");
  mace_cancellation_destroy(c);
  mace_cancellation_destroy(NULL);
  mace_run_metadata_destroy(metadata);
  Destroy(&t);
}

static double Allocated(const mace_engine_t* engine) {
  mace_memory_usage_t* usage = NULL;
  double bytes;
  EXPECT_OK(mace_engine_memory_usage(engine, &usage));
  bytes = mace_memory_usage_number(usage, MACE_MEMORY_ALLOCATED_ARENA_BYTES);
  EXPECT(mace_memory_usage_number(usage, MACE_MEMORY_ALLOCATED_IMAGE_BYTES) ==
         0);
  mace_memory_usage_destroy(usage);
  return bytes;
}

void TestSharing(void) {
  Things t;
  mace_engine_t *second = NULL, *third = NULL;
  unsigned char* memory = malloc(1 << 16);
  Make(&t);
  EXPECT_OK(mace_engine_run(t.engine, t.inputs, t.outputs, NULL));
  EXPECT(Allocated(t.engine) > 0);
  EXPECT_OK(mace_engine_release_intermediate_buffer(t.engine));
  EXPECT(Allocated(t.engine) == 0);
  EXPECT_OK(mace_engine_run(t.engine, t.inputs, t.outputs, NULL));
  ExpectProbabilities(mace_tensors_find(t.outputs, "p"), kOutputs);

  EXPECT_OK(mace_config_share_memory_with(t.config, t.engine));
  EXPECT_OK(mace_engine_create(t.model, t.config, NULL, 0, NULL, 0, &second));
  EXPECT_OK(mace_engine_run(second, t.inputs, t.outputs, NULL));
  ExpectProbabilities(mace_tensors_find(t.outputs, "p"), kOutputs);
  EXPECT_OK(mace_engine_release_intermediate_buffer(second));
  EXPECT(Allocated(t.engine) == 0);

  EXPECT_OK(mace_config_share_memory_with(t.config, NULL));
  EXPECT_OK(mace_config_set_arena(t.config, memory + 64 - (size_t)memory % 64,
                                  (1 << 16) - 64));
  EXPECT_OK(mace_engine_create(t.model, t.config, NULL, 0, NULL, 0, &third));
  EXPECT_BAD(mace_config_share_memory_with(t.config, third), "arena");
  EXPECT_BAD(mace_config_share_memory_with(NULL, third), "config is null");
  EXPECT_BAD(mace_engine_release_intermediate_buffer(NULL), "engine is null");
  EXPECT_OK(mace_engine_expect_run(third));
  EXPECT_BAD(mace_engine_expect_run(NULL), "engine is null");
  mace_engine_destroy(third);
  mace_engine_destroy(second);
  Destroy(&t);
  free(memory);
}

void TestEngines(void) {
  Things t;
  Make(&t);
  TestRuns(&t);
  TestProperties(&t);
  TestArena(&t);
  Destroy(&t);
  mace_engine_destroy(NULL);
}

static void TestCreateErrors(Things* t) {
  static const char* const none[1] = {"none"};
  static const char* const null[2] = {"x", NULL};
  mace_engine_t* engine = t->engine;
  mace_config_t* other = NULL;
  EXPECT_BAD(mace_engine_create(t->model, t->config, none, 1, NULL, 0, &engine),
             "no input named 'none'");
  EXPECT(engine == NULL);
  EXPECT_BAD(mace_engine_create(t->model, t->config, NULL, 0, none, 1, &engine),
             "no output named 'none'");
  EXPECT_BAD(mace_engine_create(t->model, t->config, null, 2, NULL, 0, &engine),
             "mace_engine_create: input_names[1] is null");
  EXPECT_BAD(mace_engine_create(t->model, t->config, NULL, 1, NULL, 0, &engine),
             "input_names is null");
  EXPECT_BAD(mace_engine_create(t->model, t->config, kX, 1, NULL, 2, &engine),
             "output_names is null");
  EXPECT_BAD(
      mace_engine_create(t->model, t->config, kX, (size_t)-1, NULL, 0, &engine),
      "input_names cannot have");
  EXPECT_BAD(mace_engine_create(NULL, t->config, NULL, 0, NULL, 0, &engine),
             "model is null");
  EXPECT_BAD(mace_engine_create(t->model, NULL, NULL, 0, NULL, 0, &engine),
             "config is null");
  EXPECT_BAD(mace_engine_create(t->model, t->config, NULL, 0, NULL, 0, NULL),
             "engine is null");
  // The headers of another version.
  EXPECT_OK(mace_config_create(MACE_CPU, MACE_VERSION_NUMBER + 1000, &other));
  EXPECT_BAD(mace_engine_create(t->model, other, NULL, 0, NULL, 0, &engine),
             "compiled with the headers of MACE");
  mace_config_destroy(other);
  // Without a DSP the CPU takes over.
  EXPECT_OK(mace_config_create(MACE_HEXAGON, MACE_VERSION_NUMBER, &other));
  EXPECT_OK(mace_engine_create(t->model, other, NULL, 0, NULL, 0, &engine));
  mace_engine_destroy(engine);
  mace_config_destroy(other);
}

static void TestRunErrors(Things* t) {
  mace_tensors_t* none = NULL;
  EXPECT_OK(mace_tensors_create(&none));
  EXPECT_BAD(mace_engine_run(NULL, t->inputs, t->outputs, NULL),
             "mace_engine_run: engine is null");
  EXPECT_BAD(mace_engine_run(t->engine, NULL, t->outputs, NULL),
             "inputs is null");
  EXPECT_BAD(mace_engine_run(t->engine, t->inputs, NULL, NULL),
             "outputs is null");
  EXPECT_BAD(mace_engine_run(t->engine, t->inputs, t->inputs, NULL),
             "inputs and outputs are the same object");
  EXPECT_BAD(mace_engine_run(t->engine, none, t->outputs, NULL),
             "input 'x' is not given");
  EXPECT_OK(mace_tensors_set(none, "x", MACE_FLOAT32, kShape, 4, NULL, 0));
  EXPECT_BAD(mace_engine_run(t->engine, none, t->outputs, NULL),
             "input 'x' has no data");
  EXPECT_OK(mace_tensors_set(none, "x", MACE_INT32, kShape, 4, t->x,
                             kInputs * sizeof(float)));
  EXPECT_BAD(mace_engine_run(t->engine, none, t->outputs, NULL),
             "input 'x' must be");
  EXPECT_OK(mace_tensors_set_gpu(none, "x", MACE_GPU_BUFFER, kShape, 4, t->x));
  EXPECT(mace_engine_run(t->engine, none, t->outputs, NULL) != MACE_SUCCESS);
  EXPECT_OK(mace_tensors_set(t->outputs, "q", MACE_FLOAT32, NULL, 0, NULL, 0));
  EXPECT_BAD(mace_engine_run(t->engine, t->inputs, t->outputs, NULL),
             "there is no output named 'q'");
  EXPECT_OK(mace_tensors_remove(t->outputs, "q"));
  // The engine is still right.
  EXPECT_OK(mace_engine_run(t->engine, t->inputs, t->outputs, NULL));
  ExpectProbabilities(mace_tensors_find(t->outputs, "p"), kOutputs);
  mace_tensors_destroy(none);
}

static void TestQueryErrors(Things* t) {
  static const char* const none[1] = {"none"};
  size_t bytes = 9;
  mace_tensors_t* shapes = NULL;
  EXPECT_OK(mace_tensors_create(&shapes));
  EXPECT_OK(mace_tensors_set(shapes, "y", MACE_FLOAT32, kWide, 4, NULL, 0));
  EXPECT_BAD(mace_engine_query_arena_bytes(t->model, t->config, NULL, 0, shapes,
                                           &bytes),
             "no input named 'y'");
  EXPECT(bytes == 0);
  EXPECT_BAD(
      mace_engine_query_arena_bytes(t->model, t->config, none, 1, NULL, &bytes),
      "no output named 'none'");
  EXPECT_BAD(
      mace_engine_query_arena_bytes(t->model, t->config, NULL, 1, NULL, &bytes),
      "output_names is null");
  EXPECT_BAD(
      mace_engine_query_arena_bytes(NULL, t->config, NULL, 0, NULL, &bytes),
      "model is null");
  EXPECT_BAD(
      mace_engine_query_arena_bytes(t->model, NULL, NULL, 0, NULL, &bytes),
      "config is null");
  EXPECT_BAD(
      mace_engine_query_arena_bytes(t->model, t->config, NULL, 0, NULL, NULL),
      "bytes is null");
  mace_tensors_destroy(shapes);
}

static void TestPropertyErrors(Things* t) {
  mace_tensor_infos_t* infos = NULL;
  mace_memory_usage_t* usage = NULL;
  int64_t counts[MACE_DEVICE_COUNTS];
  char* text = NULL;
  void *context = t, *device = t;
  EXPECT_BAD(mace_engine_inputs(NULL, &infos), "engine is null");
  EXPECT_BAD(mace_engine_inputs(t->engine, NULL), "infos is null");
  EXPECT_BAD(mace_engine_outputs(NULL, &infos), "engine is null");
  EXPECT_BAD(mace_engine_outputs(t->engine, NULL), "infos is null");
  EXPECT_BAD(mace_engine_memory_usage(NULL, &usage), "engine is null");
  EXPECT_BAD(mace_engine_memory_usage(t->engine, NULL), "usage is null");
  EXPECT_BAD(mace_engine_device_counts(NULL, counts, MACE_DEVICE_COUNTS),
             "engine is null");
  EXPECT_BAD(mace_engine_device_counts(t->engine, NULL, 1), "counts is null");
  EXPECT_BAD(mace_engine_dump(NULL, "plan", &text), "engine is null");
  EXPECT_BAD(mace_engine_dump(t->engine, NULL, &text), "stage is null");
  EXPECT_BAD(mace_engine_dump(t->engine, "plan", NULL), "text is null");
  EXPECT_BAD(mace_engine_gpu_handles(NULL, &context, &device),
             "engine is null");
  EXPECT_BAD(mace_engine_gpu_handles(t->engine, NULL, &device),
             "cl_context is null");
  EXPECT_BAD(mace_engine_gpu_handles(t->engine, &context, NULL),
             "cl_device_id is null");
  EXPECT_ERROR(mace_engine_gpu_handles(t->engine, &context, &device),
               MACE_UNSUPPORTED, "GPU");
  EXPECT(context == NULL && device == NULL);
}

static void TestImportErrors(Things* t) {
  mace_tensors_t* tensors = NULL;
  const int64_t wrong[] = {-1};
  EXPECT_OK(mace_tensors_create(&tensors));
  EXPECT_BAD(mace_engine_import_dma_buf(NULL, tensors, "x", kShape, 4, 0),
             "engine is null");
  EXPECT_BAD(mace_engine_import_dma_buf(t->engine, NULL, "x", kShape, 4, 0),
             "tensors is null");
  EXPECT_BAD(mace_engine_import_dma_buf(t->engine, tensors, NULL, kShape, 4, 0),
             "name is null");
  EXPECT_BAD(mace_engine_import_dma_buf(t->engine, tensors, "x", NULL, 4, 0),
             "shape is null");
  EXPECT_BAD(mace_engine_import_dma_buf(t->engine, tensors, "x", wrong, 1, 0),
             "no tensor has the shape [-1]");
  EXPECT_BAD(mace_engine_import_dma_buf(t->engine, tensors, "x", kShape, 4, -1),
             "set either dma_buf or hardware_buffer");
  EXPECT_BAD(
      mace_engine_import_hardware_buffer(NULL, tensors, "x", kShape, 4, t),
      "engine is null");
  EXPECT_BAD(
      mace_engine_import_hardware_buffer(t->engine, NULL, "x", kShape, 4, t),
      "tensors is null");
  EXPECT_BAD(mace_engine_import_hardware_buffer(t->engine, tensors, NULL,
                                                kShape, 4, t),
             "name is null");
  EXPECT_BAD(mace_engine_import_hardware_buffer(t->engine, tensors, "x", kShape,
                                                4, NULL),
             "hardware_buffer is null");
  EXPECT_ERROR(
      mace_engine_import_hardware_buffer(t->engine, tensors, "x", kShape, 4, t),
      MACE_UNSUPPORTED, "AHardwareBuffer_lock");
  EXPECT(mace_tensors_count(tensors) == 0);
  mace_tensors_destroy(tensors);
}

void TestEngineErrors(void) {
  Things t;
  Make(&t);
  TestCreateErrors(&t);
  TestRunErrors(&t);
  TestQueryErrors(&t);
  TestPropertyErrors(&t);
  TestImportErrors(&t);
  Destroy(&t);
}
