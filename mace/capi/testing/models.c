// Models from files, memory and streams, in C.
// SPDX-License-Identifier: Apache-2.0

#include <stdlib.h>
#include <string.h>

#include "mace/capi/testing/c_test.h"

static int released = 0;

static void Release(void* user) { *(int*)user += 1; }

static void ExpectDimensions(const mace_model_t* model) {
  const char* name = NULL;
  int64_t extent = 9, largest = 9;
  EXPECT_OK(mace_model_input_dimension(model, 0, 1, &name, &extent, &largest));
  EXPECT(strcmp(name, "") == 0 && extent == 4 && largest == 4);
  EXPECT_BAD(mace_model_input_dimension(model, 1, 0, &name, &extent, &largest),
             "mace_model_input_dimension: index is 1, but there are only 1");
  EXPECT(name == NULL);
  EXPECT_BAD(mace_model_input_dimension(model, 0, 4, &name, &extent, &largest),
             "axis is 4, but there are only 4");
  EXPECT_BAD(mace_model_input_dimension(NULL, 0, 0, &name, &extent, &largest),
             "model is null");
  EXPECT_BAD(mace_model_input_dimension(model, 0, 0, NULL, &extent, &largest),
             "name is null");
  EXPECT_BAD(mace_model_input_dimension(model, 0, 0, &name, NULL, &largest),
             "extent is null");
  EXPECT_BAD(mace_model_input_dimension(model, 0, 0, &name, &extent, NULL),
             "largest is null");
}

static void ExpectSample(const mace_model_t* model) {
  mace_tensor_infos_t* infos = NULL;
  const int64_t* shape;
  size_t rank = 9;
  EXPECT(strcmp(mace_model_name(model), "test") == 0);
  EXPECT_OK(mace_model_inputs(model, &infos));
  EXPECT(mace_tensor_infos_count(infos) == 1);
  EXPECT(strcmp(mace_tensor_infos_name(infos, 0), "x") == 0);
  EXPECT(mace_tensor_infos_data_type(infos, 0) == MACE_FLOAT32);
  EXPECT(mace_tensor_infos_data_format(infos, 0) == MACE_NHWC);
  EXPECT(mace_tensor_infos_scale(infos, 0) == 0);
  EXPECT(mace_tensor_infos_zero_point(infos, 0) == 0);
  shape = mace_tensor_infos_shape(infos, 0, &rank);
  EXPECT(rank == 4 && shape[0] == 1 && shape[1] == 4 && shape[3] == 1);

  ExpectDimensions(model);

  EXPECT_NOTHING(mace_tensor_infos_count(NULL), 0, "infos is null");
  EXPECT_NOTHING(mace_tensor_infos_name(infos, 1), NULL,
                 "mace_tensor_infos_name: index is 1, but there are only 1");
  EXPECT_NOTHING(mace_tensor_infos_name(NULL, 0), NULL, "infos is null");
  EXPECT_NOTHING(mace_tensor_infos_data_type(infos, (size_t)-1),
                 MACE_INVALID_TYPE, "mace_tensor_infos_data_type: index is");
  EXPECT_NOTHING(mace_tensor_infos_data_format(infos, 1), MACE_FORMAT_NONE,
                 "mace_tensor_infos_data_format: index is");
  EXPECT_NOTHING(mace_tensor_infos_scale(infos, 1), 0, "index is 1");
  EXPECT_NOTHING(mace_tensor_infos_zero_point(NULL, 0), 0, "infos is null");
  EXPECT_NOTHING(mace_tensor_infos_shape(infos, 0, NULL), NULL, "rank is null");
  EXPECT_NOTHING(mace_tensor_infos_shape(infos, 1, &rank), NULL, "index is 1");
  EXPECT(rank == 0);
  mace_tensor_infos_destroy(infos);

  EXPECT_OK(mace_model_outputs(model, &infos));
  EXPECT(strcmp(mace_tensor_infos_name(infos, 0), "p") == 0);
  mace_tensor_infos_destroy(infos);

  EXPECT_NOTHING(mace_model_name(NULL), NULL, "mace_model_name: model is null");
  EXPECT_BAD(mace_model_inputs(model, NULL), "infos is null");
  EXPECT_BAD(mace_model_inputs(NULL, &infos), "model is null");
  EXPECT(infos == NULL);
  EXPECT_BAD(mace_model_outputs(model, NULL), "infos is null");
  EXPECT_BAD(mace_model_outputs(NULL, &infos), "model is null");
  mace_tensor_infos_destroy(infos);
}

static void TestOptions(void) {
  const SampleModel* s = Sample();
  mace_model_options_t* options = NULL;
  mace_model_t* model = NULL;
  unsigned char* broken = malloc(s->data_bytes);
  memcpy(broken, s->data, s->data_bytes);
  broken[0] ^= 1;
  EXPECT_ERROR(mace_model_load_memory(s->graph, s->graph_bytes, broken,
                                      s->data_bytes, NULL, NULL, NULL, &model),
               MACE_INVALID_MODEL, "checksum");
  EXPECT(model == NULL);
  EXPECT_BAD(mace_model_options_create(NULL), "options is null");
  EXPECT_BAD(mace_model_options_set_verify_checksum(NULL, true),
             "options is null");
  EXPECT_OK(mace_model_options_create(&options));
  EXPECT_OK(mace_model_options_set_verify_checksum(options, false));
  EXPECT_OK(mace_model_load_memory(s->graph, s->graph_bytes, broken,
                                   s->data_bytes, NULL, NULL, options, &model));
  mace_model_destroy(model);
  EXPECT_BAD(mace_model_options_set_into_memory(NULL, true), "options is null");
  EXPECT_OK(mace_model_options_set_verify_checksum(options, true));
  EXPECT_OK(mace_model_options_set_into_memory(options, true));
  EXPECT_OK(mace_model_load(s->graph_file, s->data_file, options, &model));
  EXPECT(model != NULL);
  mace_model_options_destroy(options);
  mace_model_options_destroy(NULL);
  mace_model_destroy(model);
  mace_model_destroy(NULL);
  free(broken);
}

static void TestMemory(void) {
  const SampleModel* s = Sample();
  mace_model_t* model = NULL;
  unsigned char* copy = malloc(s->data_bytes + 128);
  unsigned char* odd = copy + 64 - (size_t)copy % 64 + 4;
  memcpy(odd, s->data, s->data_bytes);

  released = 0;
  EXPECT_OK(mace_model_load_memory(s->graph, s->graph_bytes, s->data,
                                   s->data_bytes, Release, &released, NULL,
                                   &model));
  ExpectSample(model);
  EXPECT(released == 0);
  mace_model_destroy(model);
  EXPECT(released == 1);
  // Weights that are copied are released at once.
  EXPECT_OK(mace_model_load_memory(s->graph, s->graph_bytes, odd, s->data_bytes,
                                   Release, &released, NULL, &model));
  EXPECT(released == 2);
  mace_model_destroy(model);
  free(copy);
  // And so are those of a call that fails, whatever its reason.
  EXPECT_ERROR(mace_model_load_memory("?", 1, s->data, s->data_bytes, Release,
                                      &released, NULL, &model),
               MACE_INVALID_MODEL, "");
  EXPECT(released == 3 && model == NULL);
  EXPECT_BAD(mace_model_load_memory(NULL, 0, s->data, s->data_bytes, Release,
                                    &released, NULL, &model),
             "graph is null");
  EXPECT(released == 4);
  EXPECT_BAD(mace_model_load_memory(s->graph, s->graph_bytes, NULL, 1, Release,
                                    &released, NULL, &model),
             "data is null");
  EXPECT(released == 5);
  EXPECT_BAD(
      mace_model_load_memory(s->graph, s->graph_bytes, s->data, s->data_bytes,
                             Release, &released, NULL, NULL),
      "model is null");
  EXPECT(released == 6);
  EXPECT_ERROR(mace_model_load_memory(s->graph, s->graph_bytes, NULL, 0, NULL,
                                      NULL, NULL, &model),
               MACE_INVALID_ARGS, "");
}

void TestModels(void) {
  const SampleModel* s = Sample();
  mace_model_t* model = NULL;
  EXPECT_OK(mace_model_load(s->graph_file, s->data_file, NULL, &model));
  ExpectSample(model);
  mace_model_destroy(model);
  EXPECT_OK(mace_model_load_memory_and_file(s->graph, s->graph_bytes,
                                            s->data_file, NULL, &model));
  ExpectSample(model);
  mace_model_destroy(model);

  EXPECT_BAD(mace_model_load(NULL, s->data_file, NULL, &model),
             "mace_model_load: graph_file is null");
  EXPECT(model == NULL);
  EXPECT_BAD(mace_model_load(s->graph_file, s->data_file, NULL, NULL),
             "mace_model_load: model is null");
  EXPECT_BAD(mace_model_load("none.pb", NULL, NULL, &model), "none.pb");
  EXPECT_BAD(mace_model_load(s->data_file, s->graph_file, NULL, &model),
             "swapped");
  EXPECT(mace_model_load(s->graph_file, NULL, NULL, &model) != MACE_SUCCESS);
  EXPECT_BAD(mace_model_load_memory_and_file(s->graph, s->graph_bytes,
                                             "none.data", NULL, &model),
             "none.data");
  EXPECT_BAD(mace_model_load_memory_and_file(NULL, 0, NULL, NULL, &model),
             "graph is null");
  EXPECT_BAD(mace_model_load_memory_and_file(s->graph, s->graph_bytes, NULL,
                                             NULL, NULL),
             "model is null");
  TestMemory();
  TestOptions();
}

static int32_t Seven(void* user, const char* key_name, uint8_t* key) {
  EXPECT(strcmp(key_name, "seven") == 0);
  memset(key, *(int*)user, 32);
  return 0;
}

static int32_t NoKey(void* user, const char* key_name, uint8_t* key) {
  (void)user, (void)key_name, (void)key;
  return -5;
}

void TestSealed(void) {
  const SampleModel* s = Sample();
  mace_model_t* model = NULL;
  int right = 7, wrong = 8;
  EXPECT_OK(
      mace_model_load_sealed(s->sealed_file, Seven, &right, NULL, &model));
  ExpectSample(model);
  mace_model_destroy(model);
  EXPECT_OK(mace_model_load_sealed_memory(s->sealed, s->sealed_bytes, Seven,
                                          &right, NULL, &model));
  ExpectSample(model);
  mace_model_destroy(model);

  EXPECT_BAD(
      mace_model_load_sealed(s->sealed_file, Seven, &wrong, NULL, &model),
      "the app gave another key than the key 'seven'");
  EXPECT(model == NULL);
  EXPECT_BAD(mace_model_load_sealed(s->sealed_file, NoKey, NULL, NULL, &model),
             "its callback returned -5, not 0");
  EXPECT_ERROR(mace_model_load_sealed_memory(s->sealed, s->sealed_bytes - 1,
                                             Seven, &right, NULL, &model),
               MACE_INVALID_MODEL, "cut short");
  EXPECT_ERROR(
      mace_model_load_sealed(s->graph_file, Seven, &right, NULL, &model),
      MACE_INVALID_MODEL, "not a sealed model");
  EXPECT_BAD(mace_model_load(s->sealed_file, NULL, NULL, &model),
             "the model is sealed: load it by");
  EXPECT_BAD(mace_model_load_sealed("none", Seven, &right, NULL, &model),
             "none");
  EXPECT_BAD(mace_model_load_sealed(NULL, Seven, &right, NULL, &model),
             "sealed_file is null");
  EXPECT_BAD(mace_model_load_sealed(s->sealed_file, NULL, NULL, NULL, &model),
             "get_key is null");
  EXPECT_BAD(mace_model_load_sealed(s->sealed_file, Seven, &right, NULL, NULL),
             "model is null");
  EXPECT_BAD(
      mace_model_load_sealed_memory(NULL, 0, Seven, &right, NULL, &model),
      "sealed is null");
  EXPECT_BAD(mace_model_load_sealed_memory(s->sealed, s->sealed_bytes, NULL,
                                           NULL, NULL, &model),
             "get_key is null");
  EXPECT_BAD(mace_model_load_sealed_memory(s->sealed, s->sealed_bytes, Seven,
                                           &right, NULL, NULL),
             "model is null");
}

// A stream that gives at most three bytes at a time.
typedef struct Pieces {
  const unsigned char* at;
  size_t left;
} Pieces;

static int64_t Read(void* user, void* buffer, size_t bytes) {
  Pieces* pieces = (Pieces*)user;
  size_t n = bytes < 3 ? bytes : 3;
  if (n > pieces->left) n = pieces->left;
  memcpy(buffer, pieces->at, n);
  pieces->at += n;
  pieces->left -= n;
  return (int64_t)n;
}

static int64_t Fail(void* user, void* buffer, size_t bytes) {
  (void)user, (void)buffer, (void)bytes;
  return -7;
}

void TestStreams(void) {
  const SampleModel* s = Sample();
  Pieces graph = {s->graph, s->graph_bytes}, data = {s->data, s->data_bytes};
  mace_model_t* model = NULL;
  EXPECT_OK(mace_model_load_streams(Read, &graph, s->graph_bytes, Read, &data,
                                    s->data_bytes, NULL, &model));
  ExpectSample(model);
  EXPECT(graph.left == 0 && data.left == 0);
  mace_model_destroy(model);

  EXPECT_BAD(mace_model_load_streams(Fail, NULL, s->graph_bytes, NULL, NULL, 0,
                                     NULL, &model),
             "its Read returned -7");
  EXPECT(model == NULL);
  EXPECT_BAD(mace_model_load_streams(Read, &graph, s->graph_bytes, NULL, NULL,
                                     0, NULL, &model),
             "the stream of the graph reported");
  EXPECT_BAD(
      mace_model_load_streams(NULL, NULL, 1, NULL, NULL, 0, NULL, &model),
      "read_graph is null");
  EXPECT_BAD(
      mace_model_load_streams(Read, &graph, 1, NULL, NULL, 1, NULL, &model),
      "read_data is null");
  EXPECT_BAD(
      mace_model_load_streams(Read, &graph, 1, Read, &data, 1, NULL, NULL),
      "model is null");
}
