// How an engine runs: its device, threads and memory.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PUBLIC_MACE_C_CONFIG_H_
#define MACE_PUBLIC_MACE_C_CONFIG_H_

#include "mace/public/mace_c_runtime.h"
#include "mace/public/mace_c_status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef int32_t mace_device_t;
enum { MACE_CPU = 0, MACE_GPU = 2, MACE_HEXAGON = 3 };

// A model that is prepared to run; mace_c.h has its functions.
typedef struct mace_engine mace_engine_t;

// The settings of engines to come. A setter returns MACE_INVALID_ARGS for what
// it refuses and then changes nothing.
//
// A converted model carries settings of its deployment file: all on which its
// results depend, and how memory is planned. A setting of the caller has
// priority over the model's.
typedef struct mace_config mace_config_t;

// Stores settings for an engine on `device` in `*config`; they start from the
// defaults set with the functions of mace_c_runtime.h. `header_version` is
// always MACE_VERSION_NUMBER: it tells the library with which headers the app
// was compiled, and creating an engine fails with MACE_INVALID_ARGS where they
// do not fit. Errors: MACE_INVALID_ARGS for a number that is none of the above.
// Threads: any.
MACE_API mace_status_t mace_config_create(mace_device_t device,
                                          int32_t header_version,
                                          mace_config_t** config);

// Stores an independent copy in `*copy`. Threads: any, while no call changes
// `config`.
MACE_API mace_status_t mace_config_copy(const mace_config_t* config,
                                        mace_config_t** copy);

// Engines do not need it any more. Null does nothing. Threads: any, once no
// other call uses `config`.
MACE_API void mace_config_destroy(mace_config_t* config);

// Sets any setting, by its name and in the words of docs/converter.md:
// mace_config_set(config, "memory_savings", "views,concat"). The error for a
// name that does not exist lists all names. Threads: one at a time for
// `config`.
MACE_API mace_status_t mace_config_set(mace_config_t* config, const char* name,
                                       const char* value);

// `num_threads` <= 0: one thread for each core of the policy. At most 1024.
// Threads: one at a time for `config`.
MACE_API mace_status_t mace_config_set_cpu_thread_policy(
    mace_config_t* config, int32_t num_threads, mace_cpu_affinity_t policy);

// How tensors share memory, as MaceEngineConfig::SetMemoryStrategy explains:
// "AUTO" (the default), another one such as "GREEDY_BY_SIZE", or
// "PRESERVE_ALL", which keeps every tensor for debugging. The error for a name
// that does not exist lists all names. Threads: one at a time for `config`.
MACE_API mace_status_t mace_config_set_memory_strategy(mace_config_t* config,
                                                       const char* strategy);

// Ways to save memory beyond reusing the bytes of tensors that are no longer
// needed. They are used only where the least bytes that any plan needs do not
// rise, and none changes a result.
enum {
  MACE_SAVE_ORDER = 1,     // run the ops in the order that needs least
  MACE_SAVE_VIEWS = 2,     // reshapes and outermost slices copy nothing
  MACE_SAVE_IN_PLACE = 4,  // an output in the bytes of an input that dies there
  MACE_SAVE_CONCAT = 8,    // inputs of a concat written in place
  MACE_SAVE_OVERLAP = 16,  // an output over the part of an input already read
  MACE_SAVE_ALL = 0x7fffffff
};

// Turns on the ways in `savings`, a sum of the numbers above, and turns off the
// others: MACE_SAVE_ALL & ~MACE_SAVE_ORDER keeps all but one. Numbers that this
// library does not know are ignored, so that MACE_SAVE_ALL includes those of
// later versions. Threads: one at a time for `config`.
MACE_API mace_status_t mace_config_set_memory_savings(mace_config_t* config,
                                                      uint32_t savings);

// Sets offsets that were planned elsewhere, in the words of TensorFlow Lite
// Micro's OfflineMemoryAllocation, as MaceEngineConfig::SetOfflineMemoryPlan
// explains. Copies `words`; `count` 0 means that there is no such plan.
// Threads: one at a time for `config`.
MACE_API mace_status_t mace_config_set_offline_memory_plan(
    mace_config_t* config, const int32_t* words, size_t count);

// Places the memory of the engine in this buffer, which stays the caller's,
// must start at a 64-byte boundary, outlive the engine, and hold no other
// engine that lives then, which is not checked: create one engine with
// `config`. Nothing is allocated after creation as long as the inputs keep
// their shapes, the caller gives the memory of the outputs, and the model has
// no states, no shapes that depend on data and no quantized input or output
// that is given as float32.
// mace_engine_query_arena_bytes computes how much is needed; creation, and a
// run with new shapes, fail with MACE_OUT_OF_RESOURCES and that number if the
// buffer is too small. Threads: one at a time for `config`.
MACE_API mace_status_t mace_config_set_arena(mace_config_t* config, void* data,
                                             size_t bytes);

// Lets the new engine and `engine` use the same memory for their runs: the
// arena, and the images of the GPU. The arena is as large as the engine that
// needs most requires; images take more where their sizes differ much. Runs of
// engines that share take turns. Any number of engines may share, of different
// models and devices, and they may be destroyed in any order. Null `engine`: no
// sharing (the default). Errors: MACE_INVALID_ARGS if `engine` uses an arena of
// the caller's. Creating an engine fails with the same status if
// mace_config_set_arena was called too. Threads: one at a time for `config`.
MACE_API mace_status_t mace_config_share_memory_with(
    mace_config_t* config, const mace_engine_t* engine);

// Sets the maximum of bytes that an engine may allocate for tensors; mapped
// weights do not count. Calls that need more fail with MACE_OUT_OF_RESOURCES,
// and the message has the purpose. 0, the default: three quarters of what is
// available when the engine is created (in the machine, in the process's
// control group, in its address space), and bytes beyond that if they are
// available when they are needed. Threads: one at a time for `config`.
MACE_API mace_status_t mace_config_set_memory_limit(mace_config_t* config,
                                                    size_t bytes);

// Sets the minimum share of the model's multiply-adds (of its nodes, if it has
// none) that must run on a device, from 0 to 1: creating an engine, and a run
// with new shapes, fail with MACE_UNSUPPORTED if a smaller share runs there,
// and the message has the nodes and the reasons. Threads: one at a time for
// `config`.
MACE_API mace_status_t mace_config_set_require(mace_config_t* config,
                                               mace_device_t device,
                                               double share);

// Sets a helper program that tries the driver of the GPU or DSP before its
// first use in this process; the program's main returns
// mace_run_driver_probe(argv[1]). A driver that crashes there, does not answer
// within `timeout_ms` (at least 1) or computes wrongly is not used
// (MaceEngineConfig::SetDriverProbe). "": none. Threads: one at a time for
// `config`.
MACE_API mace_status_t mace_config_set_driver_probe(mace_config_t* config,
                                                    const char* program,
                                                    int32_t timeout_ms);

// Sets the largest tile of Winograd convolutions: 0 (none), 1 (the device's
// choice), 2, 4 or, on the CPU, 6. Larger tiles are faster and less exact, as
// MaceEngineConfig::SetWinograd explains. Threads: one at a time for `config`.
MACE_API mace_status_t mace_config_set_winograd(mace_config_t* config,
                                                int32_t largest_tile);

// The GPU settings that engines share. `config` and its engines hold what they
// need of `context`, which may be destroyed. Threads: one at a time for
// `config`.
MACE_API mace_status_t mace_config_set_gpu_context(
    mace_config_t* config, const mace_gpu_context_t* context);

// Sets hints for Qualcomm Adreno GPUs. Others ignore them; the GPU keeps the
// hints of the first engine of the process that uses it. Threads: one at a time
// for `config`.
MACE_API mace_status_t mace_config_set_gpu_hints(mace_config_t* config,
                                                 mace_gpu_perf_t perf,
                                                 mace_gpu_priority_t priority);

// "fp16_fp32" (the default): activations and weights of the GPU as fp16,
// computed in float32; "fp32_fp32": all float32. Threads: one at a time for
// `config`.
MACE_API mace_status_t mace_config_set_gpu_data_type(mace_config_t* config,
                                                     const char* data_type);

// Names the nodes of the model that stay in float32 where others use fp16 (on a
// GPU with "fp16_fp32", and on a CPU with fp16 arithmetic), because their
// weights or outputs do not fit: fp16 ends at 65504. Creating an engine fails
// with MACE_INVALID_ARGS for a name that the model does not have. `count` 0
// keeps none, whatever the model's deployment file has. Threads: one at a time
// for `config`.
MACE_API mace_status_t mace_config_set_float32_nodes(mace_config_t* config,
                                                     const char* const* names,
                                                     size_t count);

// For debugging: a run looks at its inputs and at every tensor that it
// computes, and fails at the first with NaN or infinity: MACE_INVALID_ARGS for
// an input, MACE_RUNTIME_ERROR for another tensor. Such runs fail with
// MACE_UNSUPPORTED if inputs or outputs are in GPU memory. Slow. Threads: one
// at a time for `config`.
MACE_API mace_status_t mace_config_set_numeric_check(mace_config_t* config,
                                                     bool check);

// Keeps a screen drawn by the same GPU smooth: kernels are split so that each
// part takes at most `kernel_micros` as measured (0: not split), and at most
// `queue_window` parts wait or run (0: any number, or 16 if kernels are split).
// Threads: one at a time for `config`.
MACE_API mace_status_t mace_config_set_gpu_limits(mace_config_t* config,
                                                  int32_t kernel_micros,
                                                  int32_t queue_window);

// How fast a Hexagon DSP runs, from the fastest to the most saving. RELEASE
// asks for nothing.
typedef int32_t mace_hexagon_corner_t;
enum {
  MACE_HEXAGON_CORNER_RELEASE = 0,
  MACE_HEXAGON_CORNER_TURBO = 1,
  MACE_HEXAGON_CORNER_NOMPLUS = 2,
  MACE_HEXAGON_CORNER_NOMINAL = 3,
  MACE_HEXAGON_CORNER_SVSPLUS = 4,
  MACE_HEXAGON_CORNER_SVS = 5,
  MACE_HEXAGON_CORNER_SVS2 = 6
};

// Sets, for engines on the DSP, how fast it runs (the default: TURBO), whether
// it may change its clock by its load (yes), and within how many microseconds
// it must wake up (100; 0: as the corner has it). An emulator has none of
// these, and the log tells that. Threads: one at a time for `config`.
MACE_API mace_status_t mace_config_set_hexagon_power(
    mace_config_t* config, mace_hexagon_corner_t corner, bool dcvs_enable,
    int32_t latency_us);

// Runs the DSP's code in an unsigned process domain, which needs no signature.
// The first engine of a process on the DSP decides for all. Threads: one at a
// time for `config`.
MACE_API mace_status_t
mace_config_set_hexagon_to_unsigned_pd(mace_config_t* config);

// Measures which kernels are fastest on this CPU or GPU, for about `budget_ms`
// milliseconds whenever a plan is made (0, the default: does not measure), and
// keeps the results in `file`; without a file (null), in the store of compiled
// programs. Threads: one at a time for `config`.
MACE_API mace_status_t mace_config_set_tuning(mace_config_t* config,
                                              int32_t budget_ms,
                                              const char* file);

// For debugging: while the engine runs, fills bytes of the arena that hold
// nothing live with NaN, so that a wrong plan shows in the outputs. Slow.
// Threads: one at a time for `config`.
MACE_API mace_status_t mace_config_set_guard(mace_config_t* config, bool guard);

// Measures a device: whether it can run models, and the milliseconds that it
// takes for a small network of convolutions, divided by
// `cpu_float32_exec_time`. A time is infinity if the device does not run the
// network in this type (float32 is for CPU and GPU, int8 for the DSP). To
// compare, ask for the CPU with 1, and for another device with the CPU's time:
// less than 1 is faster. A `cpu_float32_exec_time` that is not above 0 counts
// as 1. Each of the last three arguments may be null. Without the component
// `diagnostics`, `*supported` is false. Without the op Conv2d, a time is
// infinity, or NaN if `cpu_float32_exec_time` is infinity. The call takes some
// tens of milliseconds, and longer on a GPU that compiles programs first;
// measure while nothing else runs. Errors: MACE_INVALID_ARGS for a number that
// is none of mace_device_t. Threads: any.
MACE_API mace_status_t mace_get_capability(mace_device_t device,
                                           float cpu_float32_exec_time,
                                           bool* supported,
                                           float* float32_exec_time,
                                           float* quantized8_exec_time);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // MACE_PUBLIC_MACE_C_CONFIG_H_
