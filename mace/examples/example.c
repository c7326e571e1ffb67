// How an app in C runs a model: the steps of the user guide, in order.
// SPDX-License-Identifier: Apache-2.0
//
// Usage: example_c MODEL.pb MODEL.data
// runs the model once on zeros and prints the first numbers of every output.
// Compile with -DMACE_EXAMPLE_FROM_CODE to link a model built with
// `build_type: code` instead; MODEL.pb is then the model's tag, and MODEL.data
// the file of its weights if they are not compiled in.

#include <stdio.h>
#include <stdlib.h>

// Include the headers
#include "mace/public/mace_c.h"
// If the build_type is code
#ifdef MACE_EXAMPLE_FROM_CODE
#include "mace/public/mace_c_engine_factory.h"
#endif

enum { kMaxInputs = 16 };

// The objects of the app. All are null until they are created, so that
// DestroyAll fits whatever became of Run.
typedef struct App {
  mace_config_t* config;
  mace_model_t* model;
  mace_engine_t* engine;
  mace_tensor_infos_t* infos;
  mace_tensors_t* inputs;
  mace_tensors_t* outputs;
  void* memory[kMaxInputs];
} App;

static void DestroyAll(App* app) {
  int i;
  mace_tensors_destroy(app->inputs);
  mace_tensors_destroy(app->outputs);
  mace_tensor_infos_destroy(app->infos);
  mace_engine_destroy(app->engine);
  mace_model_destroy(app->model);
  mace_config_destroy(app->config);
  for (i = 0; i < kMaxInputs; ++i) free(app->memory[i]);
}

// Returns from a function that returns a status unless the call succeeds.
#define TRY(call)                              \
  do {                                         \
    const mace_status_t status = (call);       \
    if (status != MACE_SUCCESS) return status; \
  } while (0)

static mace_status_t CreateEngine(const char* graph, const char* data,
                                  App* app) {
  // 1. Choose the device and how to run
  TRY(mace_config_create(MACE_CPU, MACE_VERSION_NUMBER, &app->config));
  TRY(mace_config_set_cpu_thread_policy(app->config, 2,
                                        MACE_AFFINITY_HIGH_PERFORMANCE));
  // 2. Create the engine
#ifdef MACE_EXAMPLE_FROM_CODE
  return mace_engine_create_from_code(graph, data, app->config, NULL, 0, NULL,
                                      0, &app->engine);
#else
  TRY(mace_model_load(graph, data, NULL, &app->model));
  return mace_engine_create(app->model, app->config, NULL, 0, NULL, 0,
                            &app->engine);
#endif
}

// 3. Give each input its memory
static mace_status_t SetInputs(App* app) {
  size_t i;
  TRY(mace_tensors_create(&app->inputs));
  TRY(mace_engine_inputs(app->engine, &app->infos));
  for (i = 0; i < mace_tensor_infos_count(app->infos); ++i) {
    const mace_data_type_t type = mace_tensor_infos_data_type(app->infos, i);
    size_t rank, d, bytes = mace_element_bytes(type);
    const int64_t* shape = mace_tensor_infos_shape(app->infos, i, &rank);
    for (d = 0; d < rank; ++d) bytes *= (size_t)shape[d];
    if (i == kMaxInputs) {
      return mace_set_last_error(MACE_UNSUPPORTED, "the inputs are too many");
    }
    app->memory[i] = calloc(1, bytes);
    if (app->memory[i] == NULL) {
      return mace_set_last_error(MACE_OUT_OF_RESOURCES, "no memory is left");
    }
    // Load the input here
    TRY(mace_tensors_set(app->inputs, mace_tensor_infos_name(app->infos, i),
                         type, shape, rank, app->memory[i], bytes));
  }
  return MACE_SUCCESS;
}

// 5. Read the outputs
static void Print(const mace_tensors_t* outputs) {
  size_t i, k;
  for (i = 0; i < mace_tensors_count(outputs); ++i) {
    const char* name = mace_tensors_name(outputs, i);
    const mace_tensor_t* tensor = mace_tensors_find(outputs, name);
    const float* values = (const float*)mace_tensor_data(tensor);
    const size_t count = mace_tensor_bytes(tensor) / sizeof(float);
    printf("%s:", name);
    if (mace_tensor_data_type(tensor) != MACE_FLOAT32) {
      printf(" not float32\n");
      continue;
    }
    for (k = 0; k < count && k < 10; ++k) printf(" %g", values[k]);
    printf("\n");
  }
}

static mace_status_t Run(const char* graph, const char* data, App* app) {
  TRY(CreateEngine(graph, data, app));
  TRY(SetInputs(app));
  // 4. Run the model, which makes the memory of the outputs
  TRY(mace_tensors_create(&app->outputs));
  TRY(mace_engine_run(app->engine, app->inputs, app->outputs, NULL));
  Print(app->outputs);
  return MACE_SUCCESS;
}

int main(int argc, char** argv) {
  App app = {NULL, NULL, NULL, NULL, NULL, NULL, {NULL}};
  mace_status_t status;
  if (argc < 2) {
    fprintf(stderr, "usage: example_c MODEL.pb [MODEL.data]\n");
    return 2;
  }
  status = Run(argv[1], argc > 2 ? argv[2] : NULL, &app);
  if (status != MACE_SUCCESS) fprintf(stderr, "ERROR: %s\n", mace_last_error());
  DestroyAll(&app);
  return status == MACE_SUCCESS ? 0 : 1;
}
