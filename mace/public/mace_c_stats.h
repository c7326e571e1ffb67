// What an engine did in a run, and the memory that it holds.
// SPDX-License-Identifier: Apache-2.0
//
// The enumerations for `which` and `list` get further values in later versions.
// For a value that the library does not know, getters return 0 or null, as for
// an index that is not below the count (an error).
#ifndef MACE_PUBLIC_MACE_C_STATS_H_
#define MACE_PUBLIC_MACE_C_STATS_H_

#include "mace/public/mace_c_status.h"

#ifdef __cplusplus
extern "C" {
#endif

// A record for each op of one run, in the order in which they ran. What getters
// return is valid until the object is given to a run again or destroyed.
typedef struct mace_run_metadata mace_run_metadata_t;

// Stores an empty object in `*metadata`, for any number of runs. Threads: any.
MACE_API mace_status_t mace_run_metadata_create(mace_run_metadata_t** metadata);

// Null does nothing. Threads: any, once no other call uses `metadata`.
MACE_API void mace_run_metadata_destroy(mace_run_metadata_t* metadata);

// Returns how many ops ran. Threads: any, while no run writes to `metadata`.
MACE_API size_t mace_run_metadata_count(const mace_run_metadata_t* metadata);

typedef int32_t mace_stat_text_t;
enum {
  MACE_STAT_NAME = 0,
  MACE_STAT_TYPE = 1,
  MACE_STAT_DEVICE = 2,   // "CPU", "GPU" or "DSP"
  MACE_STAT_VARIANT = 3,  // the kernel chosen
  // How the kernel was chosen: "model" (by the cost model; always so on a GPU
  // or DSP), "tuned" (measured when the plan was made) or "kept" (measured
  // earlier).
  MACE_STAT_CHOSEN_BY = 4
};

// Returns a text of op number `op`, or null (an error). Threads: any, while no
// run writes to `metadata`.
MACE_API const char* mace_run_metadata_text(const mace_run_metadata_t* metadata,
                                            size_t op, mace_stat_text_t which);

typedef int32_t mace_stat_number_t;
enum {
  MACE_STAT_START_MICROS = 0,  // of a monotonic clock
  MACE_STAT_END_MICROS = 1,
  MACE_STAT_MACS = 2,  // multiply-adds; 0 for ops that have none
  // The predicted cost of the chosen algorithm: its time, expressed as the
  // multiply-adds that the CPU could do in it; 0 for ops without a cost model.
  MACE_STAT_COST_MACS = 3,
  MACE_STAT_BYTES = 4,    // of the inputs, weights and outputs
  MACE_STAT_OUTPUTS = 5,  // their number
  // 0: VALID, 1: SAME, 2: FULL, 3: SAME with an odd rest at the top and left,
  // 4: MACE_STAT_PADDINGS; -1: the op has none.
  MACE_STAT_PADDING_TYPE = 6,
  // The measured time of the chosen kernel and of the cost model's choice, or 0
  // if the kernel was not measured.
  MACE_STAT_TUNED_MICROS = 7,
  MACE_STAT_MODEL_MICROS = 8
};

// Returns a number of op number `op`, or 0 (an error); integers are exact.
// Threads: any, while no run writes to `metadata`.
MACE_API double mace_run_metadata_number(const mace_run_metadata_t* metadata,
                                         size_t op, mace_stat_number_t which);

// Returns the shape of output number `output` of op number `op`, and its rank
// in `*rank`; null and 0 (an error) if there is none. The shape may also be
// null if the rank is 0. Threads: any, while no run writes to `metadata`.
MACE_API const int64_t* mace_run_metadata_output_shape(
    const mace_run_metadata_t* metadata, size_t op, size_t output,
    size_t* rank);

typedef int32_t mace_stat_list_t;
enum {
  MACE_STAT_STRIDES = 0,
  MACE_STAT_PADDINGS = 1,
  MACE_STAT_DILATIONS = 2,
  MACE_STAT_KERNELS = 3  // [height, width] of a pool; of a filter OIHW, or
                         // MIHW if it is depthwise
};

// Stores an attribute of the window of a convolution or a pooling op; it is
// empty if the node does not have it, as is the case for most other ops.
// `*count` is the capacity of `values` before the call, and the number of
// numbers after it: if that is more, `values` is full and the rest is left out.
// `values` may be null where `*count` is 0. Errors: MACE_INVALID_ARGS for an op
// or a `which` that does not exist. Threads: any, while no run writes to
// `metadata`.
MACE_API mace_status_t
mace_run_metadata_list(const mace_run_metadata_t* metadata, size_t op,
                       mace_stat_list_t which, int64_t* values, size_t* count);

// The memory that an engine held when mace_engine_memory_usage was called.
// Immutable; what getters return is valid as long as the object.
typedef struct mace_memory_usage mace_memory_usage_t;

// Null does nothing. Threads: any, once no other call uses `usage`.
MACE_API void mace_memory_usage_destroy(mace_memory_usage_t* usage);

typedef int32_t mace_memory_number_t;
enum {
  // Of the arena: planned tensors and scratch of the latest plan; the maximum
  // that was needed at a time while plans were made; what all plans keep, which
  // is in the arena if that is the caller's.
  MACE_MEMORY_HEAD_BYTES = 0,
  MACE_MEMORY_TEMPORARY_BYTES = 1,
  MACE_MEMORY_TAIL_BYTES = 2,
  MACE_MEMORY_LOWER_BOUND_BYTES = 3,  // no plan of these tensors takes less
  MACE_MEMORY_PEAK_BYTES = 4,         // of the arena, live at the peak step
  // The share of the arena that is not live at the peak, from 0 to 1.
  MACE_MEMORY_FRAGMENTATION = 5,
  // Of the images, which are no part of the arena: all of them, a lower bound
  // of any plan of them, and the maximum that is live at a time.
  MACE_MEMORY_IMAGE_BYTES = 6,
  MACE_MEMORY_IMAGE_LOWER_BOUND_BYTES = 7,
  MACE_MEMORY_IMAGE_PEAK_BYTES = 8,
  // Allocated now for runs: the arena (0 if it is the caller's) and images.
  // Engines that share memory all report the same bytes, which exist once. 0
  // after mace_engine_release_intermediate_buffer.
  MACE_MEMORY_ALLOCATED_ARENA_BYTES = 9,
  MACE_MEMORY_ALLOCATED_IMAGE_BYTES = 10,
  // What only this process holds: the arena, images, packed and copied weights,
  // constants, states, tables, and the app's weights with a `release`. And what
  // is mapped from files: weights, whose pages the system may drop at any time.
  // The app's arena, and its weights without a `release`, count in neither.
  MACE_MEMORY_ANONYMOUS_BYTES = 11,
  MACE_MEMORY_MAPPED_BYTES = 12,
  // The limit of anonymous bytes, what was available when the engine was
  // created (0 if the app chose the limit), and what counts for the limit.
  MACE_MEMORY_LIMIT_BYTES = 13,
  MACE_MEMORY_AVAILABLE_BYTES = 14,
  MACE_MEMORY_TAKEN_BYTES = 15
};

// Returns a number of `usage`, or 0 (an error); integers are exact. Threads:
// any.
MACE_API double mace_memory_usage_number(const mace_memory_usage_t* usage,
                                         mace_memory_number_t which);

// Returns the op and the name of the node at which most of the arena is live,
// such as "Conv2d 'c'"; "" if there is none, null for null (an error). Threads:
// any.
MACE_API const char* mace_memory_usage_peak_node(
    const mace_memory_usage_t* usage);

// What is counted by name: the categories of memory ("activations", "scratch",
// "images", "persistent", "weights", "packed_weights", "device_weights",
// "variables", "op_data", "plan"), or the largest tensors at the peak step, at
// most 5.
typedef int32_t mace_memory_list_t;
enum { MACE_MEMORY_CATEGORIES = 0, MACE_MEMORY_PEAK_HOLDERS = 1 };

// Returns how many entries a list has, or 0 (an error). Threads: any.
MACE_API size_t mace_memory_usage_count(const mace_memory_usage_t* usage,
                                        mace_memory_list_t list);

// Returns the name of entry number `index`, or null (an error), and stores in
// `*used_bytes`, `*requested_bytes` and `*objects` (each may be null) the
// memory that it takes up, the sum of its objects' sizes and their number.
// Threads: any.
MACE_API const char* mace_memory_usage_entry(const mace_memory_usage_t* usage,
                                             mace_memory_list_t list,
                                             size_t index, int64_t* used_bytes,
                                             int64_t* requested_bytes,
                                             int64_t* objects);

// Records of texts and numbers: the placement of an engine's nodes, or the
// tests of micro-kernels. Immutable; what getters return is valid as long as
// the object.
typedef struct mace_records mace_records_t;

// Null does nothing. Threads: any, once no other call uses `records`.
MACE_API void mace_records_destroy(mace_records_t* records);

// Returns how many there are, or 0 (an error). Threads: any.
MACE_API size_t mace_records_count(const mace_records_t* records);

// The texts of mace_engine_placement and of mace_kernel_tests.
typedef int32_t mace_record_text_t;
enum {
  MACE_PLACEMENT_NODE = 0,       // of several nodes in one kernel "a + b"
  MACE_PLACEMENT_TYPE = 1,       // the op; of several "Conv2d+Eltwise"
  MACE_PLACEMENT_DEVICE = 2,     // "CPU", "GPU" or "DSP"
  MACE_PLACEMENT_DATA_TYPE = 3,  // of the first output, as it is computed
  MACE_PLACEMENT_KERNEL = 4,     // "none: ..." if nothing is left to do
  // Why it does not run on the device that the engine was created for; empty:
  // it does.
  MACE_PLACEMENT_REASON = 5
};
enum {
  MACE_KERNEL_NAME = 0,
  MACE_KERNEL_REASON = 1,   // why it is switched off; empty: it is right
  MACE_KERNEL_FALLBACK = 2  // what is used instead; empty: nothing
};

// Returns a text of record number `index`, or null (an error). Threads: any.
MACE_API const char* mace_records_text(const mace_records_t* records,
                                       size_t index, mace_record_text_t which);

// Returns the multiply-adds of record number `index` of a placement, or 0.
// Threads: any.
MACE_API int64_t mace_records_macs(const mace_records_t* records, size_t index);

// Stores the micro-kernels of the CPU that this process has tested in
// `*records`, which the caller destroys, in the order of their first use.
// Before a micro-kernel is used for the first time, it computes a small known
// case; if it fails, it is switched off and another one is used instead
// (mace_capability.h); none without the component `diagnostics`. Threads: any.
MACE_API mace_status_t mace_kernel_tests(mace_records_t** records);

// What the devices of an engine did since it was created: the indices in the
// array of mace_engine_device_counts. Of these a CPU counts MACE_MEASUREMENTS
// only. Programs are shared by the engines of a process, so that the counts of
// programs are those of the whole process.
enum {
  MACE_COMPILED_PROGRAMS = 0,  // from source
  MACE_LOADED_PROGRAMS = 1,    // from a cache or a precompiled file
  MACE_MEASUREMENTS = 2,       // kernels that were run for tuning
  MACE_KERNELS = 3,            // kernels that were run, for tuning included
  MACE_ENQUEUES = 4,           // GPU: more where kernels are split; DSP: runs
  MACE_BYTES_FROM_HOST = 5,    // copied to the device
  MACE_BYTES_TO_HOST = 6,      // copied from the device
  MACE_DEVICE_COUNTS = 7       // how many there are; grows in later versions
};

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // MACE_PUBLIC_MACE_C_STATS_H_
