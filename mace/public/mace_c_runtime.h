// Settings of the process, and of the GPU for several engines.
// SPDX-License-Identifier: Apache-2.0
//
// The functions mace_set_... for CPU threads and GPU hints set the defaults of
// each mace_config_t that is created afterwards; those for stores and
// precompiled programs hold for engines that are created afterwards. A
// mace_config_t overrides them for its engines.
#ifndef MACE_PUBLIC_MACE_C_RUNTIME_H_
#define MACE_PUBLIC_MACE_C_RUNTIME_H_

#include "mace/public/mace_c_status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef int32_t mace_gpu_perf_t;
enum {
  MACE_PERF_DEFAULT = 0,
  MACE_PERF_LOW = 1,
  MACE_PERF_NORMAL = 2,
  MACE_PERF_HIGH = 3
};

typedef int32_t mace_gpu_priority_t;
enum {
  MACE_PRIORITY_DEFAULT = 0,
  MACE_PRIORITY_LOW = 1,
  MACE_PRIORITY_NORMAL = 2,
  MACE_PRIORITY_HIGH = 3
};

// Which cores the worker threads of an engine may run on.
typedef int32_t mace_cpu_affinity_t;
enum {
  MACE_AFFINITY_NONE = 0,
  MACE_AFFINITY_BIG_ONLY = 1,          // the cores of the highest frequency
  MACE_AFFINITY_LITTLE_ONLY = 2,       // the cores of the lowest frequency
  MACE_AFFINITY_HIGH_PERFORMANCE = 3,  // the cores above the average frequency
  MACE_AFFINITY_POWER_SAVE = 4         // the others
};

// Sets the number of CPU threads and the cores they may run on.
// `num_threads` <= 0: one for each core of the policy. Errors:
// MACE_INVALID_ARGS for an unknown policy or more than 1024 threads. Threads:
// any.
MACE_API mace_status_t mace_set_cpu_thread_policy(int32_t num_threads,
                                                  mace_cpu_affinity_t policy);

// Sets the number of CPU threads and the exact cores they run on.
// `num_threads` <= 0: one for each core. `count` 0: the cores of the policy.
// Cores that the process may not use are left out, with a warning in the log;
// if none remains, all that it may use are taken. Creating an engine fails with
// MACE_INVALID_ARGS for more than 1024 threads or a core that cannot exist.
// Threads: any.
MACE_API mace_status_t mace_set_cpu_thread_affinity(int32_t num_threads,
                                                    const int32_t* core_ids,
                                                    size_t count);

// Stores the online cores with the highest and with the lowest maximum
// frequency; if all have the same, or it is unknown, both arrays get all of
// them. Each count is the capacity of its array before the call, and the number
// of cores after it: if that is more, the array is full and the rest is left
// out. An array may be null where its count is 0, to ask for the number.
// Threads: any.
MACE_API mace_status_t mace_get_big_little_core_ids(int32_t* big,
                                                    size_t* num_big,
                                                    int32_t* little,
                                                    size_t* num_little);

// Sets hints for Qualcomm Adreno GPUs. Others ignore them; the GPU keeps the
// hints of the first engine of the process that uses it. Errors:
// MACE_INVALID_ARGS for an unknown hint. Threads: any.
MACE_API mace_status_t mace_set_gpu_hints(mace_gpu_perf_t perf,
                                          mace_gpu_priority_t priority);

// The kinds of messages, from the most important to the least. All of them only
// add to what functions return: every error is a mace_status_t.
typedef int32_t mace_log_level_t;
enum {
  MACE_LEVEL_ERROR = 0,
  MACE_LEVEL_WARNING = 1,    // not as asked, such as a fallback to the CPU
  MACE_LEVEL_INFO = 2,       // a stored result or plan is not used, and why
  MACE_LEVEL_VERBOSE_1 = 3,  // each engine, plan and run, with its latency
  MACE_LEVEL_VERBOSE_2 = 4,  // each op of each run, which takes a little longer
  MACE_LEVEL_VERBOSE_3 = 5,  // what plans decided, the kernel of each op
  MACE_LEVEL_VERBOSE_4 = 6   // the offsets of the tensors of each op
};

// `message` is a text without a line end behind it, valid until the function
// returns. It is one line, unless a name in it (of a node or a file) has line
// ends.
typedef void (*mace_log_t)(void* user, mace_log_level_t level,
                           const char* message);

// Passes the messages from MACE_LEVEL_ERROR to `least_important` to `log`,
// instead of writing them to stderr, and drops the others. Null `log` restores
// stderr, for errors, warnings and information, and for the verbose levels up
// to the number in the environment variable MACE_CPP_MIN_VLOG_LEVEL.
//
// Several threads may call `log` at once. It may call functions of MACE; what
// those write goes to stderr. When mace_set_log returns, the function set
// before has returned on all other threads and is not called any more, so that
// its `user` may be freed; mace_set_log does not wait if `log` itself calls it.
// Errors: MACE_INVALID_ARGS for a level that does not exist. Threads: any.
MACE_API mace_status_t mace_set_log(mace_log_t log, void* user,
                                    mace_log_level_t least_important);

// Sets the files of precompiled OpenCL programs, which are searched in this
// order and before the store of mace_set_kv_storage; files that do not exist
// are ignored. The names are copied. Threads: any.
MACE_API mace_status_t mace_set_opencl_binary_paths(const char* const* paths,
                                                    size_t count);

// Caches compiled OpenCL programs, results of tuning, and results of tests of
// micro-kernels and drivers in files of `folder`, which must exist, or in the
// file of this name (and others beside it) if it is no folder, so that an
// engine compiles nothing when the app starts for the second time. Null ends
// that. Without the component `interfaces`, nothing is kept, which the log
// tells. Threads: any.
MACE_API mace_status_t mace_set_kv_storage_folder(const char* folder);

// The same for an app that stores them itself. What each function does:
//   open     Returns the store of that name, which may not exist yet, for
//            `storage` below; null if the app has none. Several may be open
//            for one name.
//   load     Reads what was flushed earlier. 0, or -1 on an error.
//   insert   Copies a value, which replaces that of the same key. 0, or -1.
//   find     Stores where the value is and its size, and returns 1; returns 0
//            if the key is not there. The value must be valid until the next
//            call for this store.
//   flush    Makes all insertions durable. 0, or -1 on an error.
//   close    The store is not used any more.
//   release  None of the functions is called any more with `user`, which may be
//            freed; `release` may be null.
// `key` and `name` end with 0. Calls for the same `storage` never overlap, but
// may come from any thread; those for different ones may overlap. No function
// may call one of MACE.
typedef struct mace_kv_storage {
  size_t struct_bytes;  // sizeof(mace_kv_storage_t): more may follow one day
  void* user;
  void* (*open)(void* user, const char* name);
  int (*load)(void* storage);
  int (*insert)(void* storage, const char* key, const void* value,
                size_t bytes);
  int (*find)(void* storage, const char* key, const void** value,
              size_t* bytes);
  int (*flush)(void* storage);
  void (*close)(void* storage);
  void (*release)(void* user);
} mace_kv_storage_t;

// Sets the storage of what mace_set_kv_storage_folder describes; the struct is
// copied. Null ends that. `release` is called when another storage or none is
// set and all engines that use the stores are destroyed, or before this call
// returns if a function is null. Errors: MACE_INVALID_ARGS for a function other
// than `release` that is null, or for another struct_bytes, with which
// `release` is not called. Threads: any.
MACE_API mace_status_t mace_set_kv_storage(const mace_kv_storage_t* storage);

// Tries the driver of a device, "gpu" or "dsp", in a helper program of
// mace_config_set_driver_probe, and writes the result to stdout. The program's
// main returns what this returns: 0 if the device is right; 1 if it is not; 2,
// with nothing on stdout, if it cannot be tried. Threads: any.
MACE_API int32_t mace_run_driver_probe(const char* device);

// The GPU settings that engines share; immutable.
typedef struct mace_gpu_context mace_gpu_context_t;
// What a mace_gpu_context_t is made from.
typedef struct mace_gpu_context_builder mace_gpu_context_builder_t;

// Stores a builder without settings in `*builder`. Threads: any.
MACE_API mace_status_t
mace_gpu_context_builder_create(mace_gpu_context_builder_t** builder);

// Null does nothing. Threads: any, once no other call uses `builder`.
MACE_API void mace_gpu_context_builder_destroy(
    mace_gpu_context_builder_t* builder);

// Caches compiled programs in this folder, which must exist, or in this file.
// Without one, the store of mace_set_kv_storage is used if there is one.
// Threads: one at a time for `builder`.
MACE_API mace_status_t mace_gpu_context_builder_set_storage_path(
    mace_gpu_context_builder_t* builder, const char* folder);

// Files of precompiled programs, which are searched in this order and before
// the cache; they override those of mace_set_opencl_binary_paths. Programs of
// another driver or another version of the library are ignored. Threads: one at
// a time for `builder`.
MACE_API mace_status_t mace_gpu_context_builder_set_opencl_binary_paths(
    mace_gpu_context_builder_t* builder, const char* const* paths,
    size_t count);

// The file of tuning results for engines for which mace_config_set_tuning names
// no file. Threads: one at a time for `builder`.
MACE_API mace_status_t mace_gpu_context_builder_set_opencl_parameter_path(
    mace_gpu_context_builder_t* builder, const char* path);

// `progress` is called while a plan is made, as an engine is created or runs
// with new shapes, after each program, with the number of programs that are
// done and the number that are loaded or compiled for this plan. It may be
// called from any thread, but never by two threads at once, and must not call
// functions of MACE. `user` must be valid while engines of the context exist.
// Null ends that. Threads: one at a time for `builder`.
MACE_API mace_status_t mace_gpu_context_builder_set_progress(
    mace_gpu_context_builder_t* builder,
    void (*progress)(void* user, int32_t done, int32_t total), void* user);

// The app's own cl_context and its cl_device_id, such as a context that shares
// textures with OpenGL; it is retained while engines use it. All engines of the
// process that use the GPU share one context: creating an engine fails with
// MACE_INVALID_ARGS while others use another one, and for a context that is not
// one of the device. Threads: one at a time for `builder`.
MACE_API mace_status_t mace_gpu_context_builder_set_opencl_context(
    mace_gpu_context_builder_t* builder, void* cl_context, void* cl_device_id);

// Stores a context with the settings that the builder has now in `*context`.
// Threads: one at a time for `builder`.
MACE_API mace_status_t mace_gpu_context_builder_build(
    mace_gpu_context_builder_t* builder, mace_gpu_context_t** context);

// Null does nothing. Threads: any, once no other call uses `context`.
MACE_API void mace_gpu_context_destroy(mace_gpu_context_t* context);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // MACE_PUBLIC_MACE_C_RUNTIME_H_
