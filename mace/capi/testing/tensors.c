// Tensors by name, in C.
// SPDX-License-Identifier: Apache-2.0

#include <string.h>

#include "mace/capi/testing/c_test.h"

static void TestElements(void) {
  static const struct {
    mace_data_type_t type;
    size_t bytes;
  } types[] = {{MACE_FLOAT32, 4}, {MACE_UINT8, 1},    {MACE_INT32, 4},
               {MACE_FLOAT16, 2}, {MACE_BFLOAT16, 2}, {MACE_INT16, 2},
               {MACE_INT8, 1},    {MACE_BOOL, 1},     {MACE_INT64, 8}};
  static double memory[6];
  static const int64_t shape[2] = {2, 3};
  mace_tensors_t* tensors = NULL;
  size_t i;
  EXPECT_OK(mace_tensors_create(&tensors));
  for (i = 0; i < sizeof(types) / sizeof(types[0]); ++i) {
    const mace_tensor_t* t;
    EXPECT(mace_element_bytes(types[i].type) == types[i].bytes);
    EXPECT_OK(mace_tensors_set(tensors, "t", types[i].type, shape, 2, memory,
                               6 * types[i].bytes));
    t = mace_tensors_find(tensors, "t");
    EXPECT(mace_tensor_data_type(t) == types[i].type);
    EXPECT(mace_tensor_bytes(t) == 6 * types[i].bytes);
    EXPECT(mace_tensor_data(t) == memory);
    EXPECT(mace_tensor_memory(t) == MACE_HOST_MEMORY);
    EXPECT_BAD(mace_tensors_set(tensors, "t", types[i].type, shape, 2, memory,
                                6 * types[i].bytes - 1),
               "'t' of shape [2, 3] has ");
  }
  EXPECT(mace_tensors_count(tensors) == 1);
  EXPECT_NOTHING(mace_element_bytes(MACE_INVALID_TYPE), 0, "element type 0");
  EXPECT_NOTHING(mace_element_bytes(99), 0, "element type 99");
  mace_tensors_destroy(tensors);
}

void TestTensors(void) {
  float scalar = 1;
  int mem = 0;
  static const int64_t shape[3] = {2, 0, 3};
  mace_tensors_t* tensors = NULL;
  const int64_t* found;
  size_t rank = 9;
  TestElements();
  EXPECT_OK(mace_tensors_create(&tensors));
  EXPECT(mace_tensors_count(tensors) == 0);
  EXPECT_OK(mace_tensors_set(tensors, "scalar", MACE_FLOAT32, NULL, 0, &scalar,
                             sizeof(scalar)));
  EXPECT_OK(mace_tensors_set(tensors, "empty", MACE_INT64, shape, 3, NULL, 0));
  EXPECT_OK(
      mace_tensors_set_gpu(tensors, "gpu", MACE_GPU_IMAGE, shape, 1, &mem));
  EXPECT(mace_tensors_count(tensors) == 3);
  EXPECT(strcmp(mace_tensors_name(tensors, 0), "empty") == 0);
  EXPECT(strcmp(mace_tensors_name(tensors, 2), "scalar") == 0);

  found = mace_tensor_shape(mace_tensors_find(tensors, "scalar"), &rank);
  EXPECT(found == NULL && rank == 0);
  EXPECT(mace_tensor_bytes(mace_tensors_find(tensors, "scalar")) == 4);
  found = mace_tensor_shape(mace_tensors_find(tensors, "empty"), &rank);
  EXPECT(rank == 3 && memcmp(found, shape, sizeof(shape)) == 0);
  EXPECT(mace_tensor_bytes(mace_tensors_find(tensors, "empty")) == 0);
  EXPECT(mace_tensor_data(mace_tensors_find(tensors, "gpu")) == &mem);
  EXPECT(mace_tensor_memory(mace_tensors_find(tensors, "gpu")) ==
         MACE_GPU_IMAGE);
  EXPECT(mace_tensor_bytes(mace_tensors_find(tensors, "gpu")) == 0);

  EXPECT_OK(mace_tensors_remove(tensors, "gpu"));
  EXPECT_BAD(mace_tensors_remove(tensors, "gpu"), "there is no tensor 'gpu'");
  EXPECT_NOTHING(mace_tensors_find(tensors, "gpu"), NULL,
                 "there is no tensor 'gpu'");
  EXPECT_NOTHING(mace_tensors_name(tensors, 2), NULL,
                 "index is 2, but there are only 2");
  mace_tensors_destroy(tensors);
  mace_tensors_destroy(NULL);
}

static void TestNulls(mace_tensors_t* tensors) {
  const int64_t one = 1;
  float x = 0;
  size_t rank = 9;
  EXPECT_BAD(mace_tensors_create(NULL), "mace_tensors_create: tensors is null");
  EXPECT_BAD(mace_tensors_set(NULL, "x", MACE_FLOAT32, &one, 1, &x, 4),
             "mace_tensors_set: tensors is null");
  EXPECT_BAD(mace_tensors_set(tensors, NULL, MACE_FLOAT32, &one, 1, &x, 4),
             "name is null");
  EXPECT_BAD(mace_tensors_set(tensors, "x", MACE_FLOAT32, NULL, 1, &x, 4),
             "shape is null");
  EXPECT_BAD(mace_tensors_set(tensors, "x", MACE_FLOAT32, &one, 1, NULL, 4),
             "data is null");
  EXPECT_BAD(mace_tensors_set_gpu(NULL, "x", MACE_GPU_BUFFER, &one, 1, &x),
             "tensors is null");
  EXPECT_BAD(mace_tensors_set_gpu(tensors, NULL, MACE_GPU_BUFFER, &one, 1, &x),
             "name is null");
  EXPECT_BAD(mace_tensors_set_gpu(tensors, "x", MACE_GPU_BUFFER, NULL, 1, &x),
             "shape is null");
  EXPECT_BAD(mace_tensors_set_gpu(tensors, "x", MACE_GPU_BUFFER, &one, 1, NULL),
             "cl_mem is null");
  EXPECT_BAD(mace_tensors_remove(NULL, "x"), "tensors is null");
  EXPECT_BAD(mace_tensors_remove(tensors, NULL), "name is null");
  EXPECT_NOTHING(mace_tensors_count(NULL), 0, "tensors is null");
  EXPECT_NOTHING(mace_tensors_name(NULL, 0), NULL, "tensors is null");
  EXPECT_NOTHING(mace_tensors_find(NULL, "x"), NULL, "tensors is null");
  EXPECT_NOTHING(mace_tensors_find(tensors, NULL), NULL, "name is null");
  EXPECT_NOTHING(mace_tensor_data(NULL), NULL, "tensor is null");
  EXPECT_NOTHING(mace_tensor_bytes(NULL), 0, "tensor is null");
  EXPECT_NOTHING(mace_tensor_data_type(NULL), MACE_INVALID_TYPE,
                 "tensor is null");
  EXPECT_NOTHING(mace_tensor_memory(NULL), MACE_HOST_MEMORY, "tensor is null");
  EXPECT_NOTHING(mace_tensor_shape(NULL, &rank), NULL, "tensor is null");
  EXPECT(rank == 0);
}

void TestTensorErrors(void) {
  static const int64_t negative[2] = {2, -1};
  static const int64_t huge[3] = {INT64_MAX, INT64_MAX, 2};
  static int64_t many[64];
  const int64_t one = 1;
  float x = 0;
  mace_tensors_t* tensors = NULL;
  EXPECT_OK(mace_tensors_create(&tensors));
  TestNulls(tensors);
  EXPECT_BAD(mace_tensors_set(tensors, "x", 3, &one, 1, &x, 4),
             "mace_tensors_set: there is no element type 3");
  EXPECT_BAD(mace_tensors_set(tensors, "x", -1, &one, 1, &x, 4),
             "element type -1");
  EXPECT_BAD(mace_tensors_set(tensors, "x", MACE_FLOAT32, negative, 2, &x, 4),
             "no tensor has the shape [2, -1]");
  EXPECT_BAD(mace_tensors_set(tensors, "x", MACE_FLOAT32, huge, 3, &x, 4),
             "no tensor has the shape [9223372036854775807, ");
  EXPECT_BAD(mace_tensors_set(tensors, "x", MACE_FLOAT32, many, 64, &x, 4),
             "rank is 64, more than 32");
  EXPECT_BAD(
      mace_tensors_set(tensors, "x", MACE_FLOAT32, many, (size_t)-1, &x, 4),
      "more than 32");
  EXPECT_BAD(mace_tensors_set_gpu(tensors, "x", MACE_HOST_MEMORY, &one, 1, &x),
             "memory is 0, not MACE_GPU_BUFFER or MACE_GPU_IMAGE");
  EXPECT_BAD(mace_tensors_set_gpu(tensors, "x", MACE_GPU_IMAGE, huge, 3, &x),
             "no tensor has the shape");
  EXPECT_NOTHING(mace_tensor_shape(NULL, NULL), NULL, "rank is null");
  EXPECT(mace_tensors_count(tensors) == 0);
  mace_tensors_destroy(tensors);
}
