// Settings of the process, stores of programs and the version, in C.
// SPDX-License-Identifier: Apache-2.0

#include <string.h>

#include "mace/capi/testing/c_test.h"

static void TestLastError(void) {
  EXPECT(strcmp(mace_version(), MACE_VERSION_STRING) == 0);
  EXPECT(mace_set_last_error(MACE_UNSUPPORTED, "why") == MACE_UNSUPPORTED);
  EXPECT(mace_last_status() == MACE_UNSUPPORTED);
  EXPECT(strcmp(mace_last_error(), "why") == 0);
  EXPECT(mace_set_last_error(MACE_RUNTIME_ERROR, NULL) == MACE_RUNTIME_ERROR);
  EXPECT(strcmp(mace_last_error(), "") == 0);
  EXPECT(mace_set_last_error(MACE_SUCCESS, "x") == MACE_SUCCESS);
  EXPECT(mace_last_status() == MACE_SUCCESS);
  EXPECT(strcmp(mace_last_error(), "") == 0);
}

static void TestThreads(void) {
  int32_t big[64], little[64];
  size_t num_big = 64, num_little = 64, none = 0, one = 1;
  static const int32_t zero = 0;
  EXPECT_OK(mace_get_big_little_core_ids(big, &num_big, little, &num_little));
  EXPECT(num_big > 0 && num_little > 0 && big[0] >= 0);
  EXPECT_OK(mace_get_big_little_core_ids(NULL, &none, little, &one));
  EXPECT(none == num_big && one == num_little);
  EXPECT_BAD(mace_get_big_little_core_ids(NULL, &num_big, little, &one),
             "big is null");
  EXPECT_BAD(mace_get_big_little_core_ids(big, &num_big, NULL, &one),
             "little is null");
  EXPECT_BAD(mace_get_big_little_core_ids(big, NULL, little, &one),
             "num_big is null");
  EXPECT_BAD(mace_get_big_little_core_ids(big, &num_big, little, NULL),
             "num_little is null");

  EXPECT_OK(mace_set_cpu_thread_affinity(1, &zero, 1));
  EXPECT_BAD(mace_set_cpu_thread_affinity(1, NULL, 1), "core_ids is null");
  EXPECT_OK(mace_set_cpu_thread_policy(1, MACE_AFFINITY_NONE));
  EXPECT_BAD(mace_set_cpu_thread_policy(2000, MACE_AFFINITY_NONE),
             "2000 threads");
  EXPECT_BAD(mace_set_cpu_thread_policy(1, 5), "policy is 5");
  EXPECT_OK(mace_set_gpu_hints(MACE_PERF_NORMAL, MACE_PRIORITY_NORMAL));
  EXPECT_OK(mace_set_gpu_hints(MACE_PERF_DEFAULT, MACE_PRIORITY_DEFAULT));
  EXPECT_BAD(mace_set_gpu_hints(4, 0), "perf is 4");
  EXPECT_BAD(mace_set_gpu_hints(0, -1), "priority is -1");
}

static void Progress(void* user, int32_t done, int32_t total) {
  (void)user, (void)done, (void)total;
}

static void TestGpuContexts(void) {
  static const char* const paths[2] = {"a.bin", NULL};
  mace_gpu_context_builder_t* builder = NULL;
  mace_gpu_context_t* context = NULL;
  int x = 0;
  EXPECT_OK(mace_gpu_context_builder_create(&builder));
  EXPECT_OK(mace_gpu_context_builder_set_storage_path(builder, "folder"));
  EXPECT_OK(
      mace_gpu_context_builder_set_opencl_binary_paths(builder, paths, 1));
  EXPECT_OK(
      mace_gpu_context_builder_set_opencl_parameter_path(builder, "tuned"));
  EXPECT_OK(mace_gpu_context_builder_set_progress(builder, Progress, NULL));
  EXPECT_OK(mace_gpu_context_builder_set_progress(builder, NULL, NULL));
  EXPECT_OK(mace_gpu_context_builder_build(builder, &context));
  EXPECT(context != NULL);
  mace_gpu_context_destroy(context);

  EXPECT_BAD(mace_gpu_context_builder_create(NULL), "builder is null");
  EXPECT_BAD(mace_gpu_context_builder_set_storage_path(NULL, "folder"),
             "builder is null");
  EXPECT_BAD(mace_gpu_context_builder_set_storage_path(builder, NULL),
             "folder is null");
  EXPECT_BAD(mace_gpu_context_builder_set_opencl_binary_paths(NULL, paths, 1),
             "builder is null");
  EXPECT_BAD(
      mace_gpu_context_builder_set_opencl_binary_paths(builder, paths, 2),
      "paths[1] is null");
  EXPECT_BAD(mace_gpu_context_builder_set_opencl_parameter_path(NULL, "tuned"),
             "builder is null");
  EXPECT_BAD(mace_gpu_context_builder_set_opencl_parameter_path(builder, NULL),
             "path is null");
  EXPECT_BAD(mace_gpu_context_builder_set_progress(NULL, Progress, NULL),
             "builder is null");
  EXPECT_BAD(mace_gpu_context_builder_set_opencl_context(NULL, &x, &x),
             "builder is null");
  EXPECT_BAD(mace_gpu_context_builder_set_opencl_context(builder, NULL, &x),
             "cl_context is null");
  EXPECT_BAD(mace_gpu_context_builder_set_opencl_context(builder, &x, NULL),
             "cl_device_id is null");
  EXPECT_BAD(mace_gpu_context_builder_build(NULL, &context), "builder is null");
  EXPECT(context == NULL);
  EXPECT_BAD(mace_gpu_context_builder_build(builder, NULL), "context is null");
  mace_gpu_context_builder_destroy(builder);

  EXPECT_OK(mace_set_opencl_binary_paths(paths, 1));
  EXPECT_OK(mace_set_opencl_binary_paths(NULL, 0));
  EXPECT_BAD(mace_set_opencl_binary_paths(NULL, 1), "paths is null");
  EXPECT_BAD(mace_set_opencl_binary_paths(paths, 2), "paths[1] is null");
}

void TestProcess(void) {
  TestLastError();
  TestThreads();
  TestGpuContexts();
}

void TestCapability(void) {
  bool supported = false;
  float cpu = -1, again = -1, quantized = -1;
  EXPECT_OK(mace_get_capability(MACE_CPU, 1, &supported, &cpu, &quantized));
  EXPECT(supported && cpu > 0 && quantized > 0);
  EXPECT_OK(mace_get_capability(MACE_CPU, cpu, NULL, &again, NULL));
  EXPECT(again > 0);
  EXPECT_OK(mace_get_capability(MACE_HEXAGON, 1, &supported, NULL, NULL));
  EXPECT(!supported);
  EXPECT_BAD(mace_get_capability(1, 1, &supported, &cpu, &quantized),
             "there is no device 1");
}

typedef struct Lines {
  int count;
  mace_log_level_t level;
  char last[256];
} Lines;

static void Keep(void* user, mace_log_level_t level, const char* message) {
  Lines* lines = (Lines*)user;
  ++lines->count;
  lines->level = level;
  strncpy(lines->last, message, sizeof(lines->last) - 1);
}

// Loads the sample from weights that are not aligned, which is reported.
static void LoadUnaligned(void) {
  const SampleModel* s = Sample();
  static unsigned char bytes[4096];
  unsigned char* odd = bytes + 64 - (size_t)bytes % 64 + 4;
  mace_model_t* model = NULL;
  EXPECT(s->data_bytes < sizeof(bytes) - 128);
  memcpy(odd, s->data, s->data_bytes);
  EXPECT_OK(mace_model_load_memory(s->graph, s->graph_bytes, odd, s->data_bytes,
                                   NULL, NULL, NULL, &model));
  mace_model_destroy(model);
}

void TestLog(void) {
  Lines lines;
  memset(&lines, 0, sizeof(lines));
  EXPECT_OK(mace_set_log(Keep, &lines, MACE_LEVEL_INFO));
  LoadUnaligned();
  EXPECT(lines.count == 1 && lines.level == MACE_LEVEL_INFO);
  EXPECT(strstr(lines.last, "64-byte boundary") != NULL);
  EXPECT_OK(mace_set_log(Keep, &lines, MACE_LEVEL_WARNING));
  LoadUnaligned();
  EXPECT(lines.count == 1);
  EXPECT_BAD(mace_set_log(Keep, &lines, 7), "least_important is 7");
  EXPECT_BAD(mace_set_log(Keep, &lines, -1), "least_important is -1");
  EXPECT_OK(mace_set_log(NULL, NULL, MACE_LEVEL_INFO));
  LoadUnaligned();
  EXPECT(lines.count == 1);
}

static int released = 0;

static void* Open(void* user, const char* name) {
  (void)name;
  return user;
}
static int Load(void* storage) {
  (void)storage;
  return 0;
}
static int Insert(void* storage, const char* key, const void* value,
                  size_t bytes) {
  (void)storage, (void)key, (void)value, (void)bytes;
  return 0;
}
static int Find(void* storage, const char* key, const void** value,
                size_t* bytes) {
  (void)storage, (void)key, (void)value, (void)bytes;
  return 0;
}
static void Close(void* storage) { (void)storage; }
static void Release(void* user) { *(int*)user += 1; }

// mace/testing/gpu_capi_test.cc has engines that use a store.
void TestStorage(void) {
  mace_kv_storage_t storage, broken;
  memset(&storage, 0, sizeof(storage));
  storage.user = &released;
  storage.open = Open;
  storage.load = Load;
  storage.insert = Insert;
  storage.find = Find;
  storage.flush = Load;
  storage.close = Close;
  storage.release = Release;
  EXPECT_BAD(mace_set_kv_storage(&storage),
             "set it to sizeof(mace_kv_storage_t)");
  EXPECT(released == 0);
  storage.struct_bytes = sizeof(storage);
  EXPECT_OK(mace_set_kv_storage(&storage));
  EXPECT(released == 0);
  EXPECT_OK(mace_set_kv_storage(&storage));  // in place of the former
  EXPECT(released == 1);
  EXPECT_OK(mace_set_kv_storage(NULL));
  EXPECT(released == 2);

#define WITHOUT(function) \
  broken = storage;       \
  broken.function = NULL; \
  EXPECT_BAD(mace_set_kv_storage(&broken), "->" #function " is null")
  WITHOUT(open);
  WITHOUT(load);
  WITHOUT(insert);
  WITHOUT(find);
  WITHOUT(flush);
  WITHOUT(close);
#undef WITHOUT
  EXPECT(released == 8);
  storage.release = NULL;
  EXPECT_OK(mace_set_kv_storage(&storage));
  EXPECT_OK(mace_set_kv_storage_folder("."));
  EXPECT_OK(mace_set_kv_storage_folder(NULL));
  EXPECT(released == 8);
}
