// MACE in C: all that mace.h offers, for apps in C and for other languages.
// SPDX-License-Identifier: Apache-2.0
//
//   mace_model_t         A model that is loaded and verified.
//   mace_config_t        How an engine runs: its device, threads and memory.
//   mace_engine_t        A model that is prepared for a device.
//   mace_tensors_t       Inputs or outputs by name, in the caller's memory.
//   mace_run_metadata_t  What a run did, op by op.
//   mace_op_resolver_t   Which ops engines may run, the app's own among them.
//   mace_image_...       Images to inputs.
//
// C99 or later, or C++11. mace/examples/example.c is a whole program:
//
//   mace_model_load("net.pb", "net.data", NULL, &model);
//   mace_config_create(MACE_CPU, MACE_VERSION_NUMBER, &config);
//   mace_engine_create(model, config, NULL, 0, NULL, 0, &engine);
//   mace_tensors_set(inputs, "x", MACE_FLOAT32, shape, 4, pixels, bytes);
//   mace_engine_run(engine, inputs, outputs, NULL);
//
// Errors. A function that can fail returns a mace_status_t: MACE_SUCCESS, or
// who is at fault; mace_last_error() then has the message, for this thread, and
// there is nothing to free. Getters return the value itself. They fail only for
// a null, an index out of range, or a name or number that does not exist, and
// then return null, 0 or the value that their comment has, and leave a message,
// too. No argument may be null unless the function's comment permits it; a null
// is MACE_INVALID_ARGS with a message, as is every other mistake that can be
// noticed. Success allocates nothing for its status. No function ends the
// process, except where a system has no memory left at all (mace.h) or a mapped
// file is cut short (mace_c_model.h). Where a library was built without a
// component (docs/library.md), functions that need it fail with
// MACE_UNSUPPORTED, which the lists of errors leave out, unless their comments
// say otherwise.
//
// Ownership. Objects have no public layout, and each has one owner, the app:
// what a function stores in its last argument (`mace_..._t**`) is given back
// with mace_..._destroy. On an error the function stores null there, and
// destroying null does nothing, so that one list of destroys at the end of a
// function serves all of its paths. Objects hold what they need of others, so
// that they may be destroyed in any order, except cancellations. Names, shapes
// and lists that are passed in are copied; tensors, arenas and weights in
// memory stay the caller's and are used in place, as described at their
// functions. What a getter returns by pointer belongs to its object: never free
// it. Texts are UTF-8 and end with 0.
//
// Threads. The comment of each function tells who may call it:
//   "Threads: any."  At any time, also while others use the same objects. Of
//       an engine, functions other than mace_engine_expect_run wait for a run
//       to end.
//   "Threads: one at a time for `x`."  Calls that use the same x must not
//       overlap; those with different objects may.
//   "Threads: any, while ..." and "any, once ..."  Any, under this condition.
//
// Later versions add functions and values, and change none that are there.
// Numbers such as mace_status_t and mace_data_type_t are 32 bits wide and may
// have values that an app does not know yet.
#ifndef MACE_PUBLIC_MACE_C_H_
#define MACE_PUBLIC_MACE_C_H_

#include "mace/public/mace_c_config.h"
#include "mace/public/mace_c_image.h"
#include "mace/public/mace_c_model.h"
#include "mace/public/mace_c_op_resolver.h"
#include "mace/public/mace_c_runtime.h"
#include "mace/public/mace_c_stats.h"
#include "mace/public/mace_c_status.h"
#include "mace/public/mace_c_tensor.h"
#include "mace/public/mace_c_tokenizer.h"

#ifdef __cplusplus
extern "C" {
#endif

// Prepares `model` to run as `config` says and stores the engine in `*engine`,
// or null on an error. One model may serve several engines at once; they share
// its weights. `input_names` are all inputs of the model, `output_names` any
// tensors that its nodes compute, but no next value of a state; none (null and
// 0) means all inputs or all outputs of the model. Falls back to the CPU where
// a GPU or DSP is missing or fails. Errors: MACE_INVALID_ARGS if a name does
// not exist (the message lists the model's inputs or outputs) or is given
// twice, and for settings of `config` that cannot be used; MACE_INVALID_MODEL,
// also if a custom op's init or prepare fails; MACE_UNSUPPORTED with the name
// of the first node that no device can run; MACE_OUT_OF_RESOURCES;
// MACE_RUNTIME_ERROR if all micro-kernels for a node compute wrongly on this
// CPU. Threads: any, while no call changes `config`.
MACE_API mace_status_t mace_engine_create(const mace_model_t* model,
                                          const mace_config_t* config,
                                          const char* const* input_names,
                                          size_t num_inputs,
                                          const char* const* output_names,
                                          size_t num_outputs,
                                          mace_engine_t** engine);

// Null does nothing. Threads: any, once no other call uses `engine`.
MACE_API void mace_engine_destroy(mace_engine_t* engine);

// Runs the model once and returns when the outputs are written. `inputs` has
// every input. New input shapes are planned, and the plans of the 8 sets of
// shapes that were used last are kept. An output of `outputs` that has memory
// must have as many elements as the model computes; the engine allocates the
// memory of other outputs and adds those that are missing. `metadata` may be
// null, or gets a record for each op that ran, which slows the run down
// slightly. `inputs` and `outputs` must be two objects.
// Errors: MACE_INVALID_ARGS for a wrong name, shape, type or size (the message
// has the expected value and the one found) and for data that no node can take,
// such as an index out of range; MACE_OUT_OF_RESOURCES; MACE_RUNTIME_ERROR if a
// device or custom op fails, or a loop does not end; MACE_INVALID_MODEL if a
// tensor of a loop or branch gets a wrong type or shape; MACE_UNSUPPORTED if
// new shapes miss mace_config_set_require or no device can run a node with
// them, and for GPU memory where the CPU uses the tensor, also after a fallback
// to the CPU, or where shapes depend on data. The engine stays usable after an
// error. Threads: any, while no call changes `inputs`; calls for one engine run
// one after the other, each with `outputs` and `metadata` of its own.
MACE_API mace_status_t mace_engine_run(mace_engine_t* engine,
                                       const mace_tensors_t* inputs,
                                       mace_tensors_t* outputs,
                                       mace_run_metadata_t* metadata);

// Ends runs from another thread: given to mace_engine_run_until, which returns
// MACE_CANCELLED soon after mace_cancellation_cancel is called, between two ops
// or, in a long op of the CPU, between two parts of it. One object may be given
// to any number of runs, of any engines, in turn or at once: it ends all of
// them, also those that begin later. It cannot be undone; make a new object for
// the next run. It must outlive the runs that it is given to.
typedef struct mace_cancellation mace_cancellation_t;

// Stores an object that ends no run yet in `*cancellation`. Threads: any.
MACE_API mace_status_t
mace_cancellation_create(mace_cancellation_t** cancellation);

// Null does nothing. Threads: any, once no other call uses `cancellation`.
MACE_API void mace_cancellation_destroy(mace_cancellation_t* cancellation);

// Ends the runs that `cancellation` was given to, and those that begin later.
// Takes no lock and allocates nothing, so that a signal handler may call it,
// too. Threads: any.
MACE_API mace_status_t
mace_cancellation_cancel(mace_cancellation_t* cancellation);

// Gives the object a deadline, `microseconds` from now on: when it has passed,
// the runs end as after mace_cancellation_cancel, and the message names the
// deadline. A run looks at the time between two ops, between two parts of a
// long op of the CPU, while it waits for another run, and while it makes a
// plan. 0 or less: the deadline has passed. A later call replaces the deadline,
// unless a run or mace_cancellation_is_cancelled has seen it pass. Takes no
// lock and allocates nothing. Threads: any.
MACE_API mace_status_t mace_cancellation_set_deadline(
    mace_cancellation_t* cancellation, int64_t microseconds);

// Returns whether mace_cancellation_cancel was called, or the deadline has
// passed; false for null. Threads: any.
MACE_API bool mace_cancellation_is_cancelled(
    const mace_cancellation_t* cancellation);

// As mace_engine_run, but `cancellation`, which must not be null, can end the
// run. Further errors: MACE_CANCELLED, after which the outputs hold no result;
// the engine stays usable. Threads: as mace_engine_run.
MACE_API mace_status_t mace_engine_run_until(
    mace_engine_t* engine, const mace_tensors_t* inputs,
    mace_tensors_t* outputs, const mace_cancellation_t* cancellation,
    mace_run_metadata_t* metadata);

// The states of an engine: tensors that its model keeps from one run to the
// next, such as those of streaming models. Each engine has states of its own.
// They have their first values when the engine is created, and new ones when a
// run has succeeded; a run that fails or is cancelled leaves them as they are.
// Only dynamic dimensions of a state change: a run that would change another
// one fails.

// Stores the names, types and present shapes of the states in `*infos`, which
// the caller destroys. Threads: any.
MACE_API mace_status_t mace_engine_states(const mace_engine_t* engine,
                                          mace_tensor_infos_t** infos);

// Gives all states their first values again. Waits for a run that goes on, as
// the two functions below do. Errors: MACE_OUT_OF_RESOURCES, only if a state
// has a dynamic dimension. Threads: any.
MACE_API mace_status_t mace_engine_reset_state(mace_engine_t* engine);

// Copies states to the tensors of `states` by name, or all states if it is
// empty. The engine allocates the memory of those that have none; the next call
// uses that memory again, so remove tensors whose states may have other shapes
// by then. Errors: MACE_INVALID_ARGS for a name that is no state, another type
// or shape, or memory that is not the host's; MACE_OUT_OF_RESOURCES. Threads:
// any, each with its own `states`.
MACE_API mace_status_t mace_engine_get_state(const mace_engine_t* engine,
                                             mace_tensors_t* states);

// Copies tensors to the states of these names; the others stay. Errors: as
// mace_engine_get_state, and MACE_INVALID_ARGS for a tensor without data; then
// no state has changed. Threads: any, while no call changes `states`.
MACE_API mace_status_t mace_engine_set_state(mace_engine_t* engine,
                                             const mace_tensors_t* states);

// Frees the memory that only runs need, for an engine that will not run for a
// while. Weights and plans stay. The next run allocates it again, which may
// fail with MACE_OUT_OF_RESOURCES. Waits for a run that goes on, of this engine
// or of one with which it shares memory. An arena of the caller's stays as it
// is. Threads: any.
MACE_API mace_status_t
mace_engine_release_intermediate_buffer(mace_engine_t* engine);

// Tells the engine that a run begins within 3 ms, for example when an image
// arrives that is converted first. Worker threads, which sleep while there is
// nothing to do, stay awake until then; if no run comes, each takes 3 ms of a
// core at most. Returns at once, also during a run. Threads: any.
MACE_API mace_status_t mace_engine_expect_run(mace_engine_t* engine);

// Stores in `*bytes` how many bytes mace_config_set_arena must provide for an
// engine of these arguments. Where shapes depend on data, some plans are made
// by a run only: their bytes are not counted. `input_shapes` may be null;
// otherwise the engine also runs on inputs with the shapes of these tensors,
// whose memory is not read. Inputs that `input_shapes` lacks keep the model's
// shapes. Errors: as mace_engine_create, and MACE_INVALID_ARGS for a name or a
// shape that the model does not take. Threads: any, while no call changes
// `config` or `input_shapes`.
MACE_API mace_status_t mace_engine_query_arena_bytes(
    const mace_model_t* model, const mace_config_t* config,
    const char* const* output_names, size_t num_outputs,
    const mace_tensors_t* input_shapes, size_t* bytes);

// Stores the names, types and shapes of the inputs or outputs in `*infos`,
// which the caller destroys. The shapes are those of the latest plan; of an
// output that depends on data those of the model file, with -1 for what only a
// run computes; if it is no output of the file, the type is MACE_INVALID_TYPE
// and the rank 0. Threads: any.
MACE_API mace_status_t mace_engine_inputs(const mace_engine_t* engine,
                                          mace_tensor_infos_t** infos);
MACE_API mace_status_t mace_engine_outputs(const mace_engine_t* engine,
                                           mace_tensor_infos_t** infos);

// Stores the memory that the engine holds now in `*usage`, which the caller
// destroys. Threads: any.
MACE_API mace_status_t mace_engine_memory_usage(const mace_engine_t* engine,
                                                mace_memory_usage_t** usage);

// Stores where each node of the latest plan runs in `*records`, which the
// caller destroys, in the order of running. Nodes that take no time come last.
// Threads: any.
MACE_API mace_status_t mace_engine_placement(const mace_engine_t* engine,
                                             mace_records_t** records);

// Stores what the engine's devices did in the first `count` elements of
// `counts`: counts[MACE_KERNELS] and others, of which there are
// MACE_DEVICE_COUNTS. Sets elements that this library does not know to 0. The
// work of one run is the difference between the counts after and before it.
// `counts` may be null if `count` is 0. Threads: any.
MACE_API mace_status_t mace_engine_device_counts(const mace_engine_t* engine,
                                                 int64_t* counts, size_t count);

// Stores the cl_context and the cl_device_id with which tensors in GPU memory
// are made; they are valid as long as the engine. Errors: MACE_UNSUPPORTED if
// no part of the model runs on the GPU. Threads: any.
MACE_API mace_status_t mace_engine_gpu_handles(const mace_engine_t* engine,
                                               void** cl_context,
                                               void** cl_device_id);

// Adds a tensor in a dma-buf to `tensors`, for runs of this engine, or replaces
// the one of that name: float32 elements in the order of host memory. `file` is
// the descriptor of the dma-buf, open for reading and writing, which the caller
// may close afterwards. A GPU that can import the dma-buf uses it without a
// copy; otherwise it is mapped, and the log tells what the GPU lacks. Errors:
// MACE_INVALID_ARGS for a shape without elements, or a file that is too small
// or cannot be mapped. Threads: one at a time for `tensors`.
MACE_API mace_status_t mace_engine_import_dma_buf(const mace_engine_t* engine,
                                                  mace_tensors_t* tensors,
                                                  const char* name,
                                                  const int64_t* shape,
                                                  size_t rank, int32_t file);

// The same in an AHardwareBuffer of the format BLOB, which must outlive the
// tensor and is never mapped. Errors: MACE_INVALID_ARGS for a shape without
// elements; MACE_UNSUPPORTED, with the cure, if no part of the model runs on
// the GPU or the GPU cannot import the buffer. Threads: one at a time for
// `tensors`.
MACE_API mace_status_t mace_engine_import_hardware_buffer(
    const mace_engine_t* engine, mace_tensors_t* tensors, const char* name,
    const int64_t* shape, size_t rank, void* hardware_buffer);

// Stores one stage of preparing the model in `*text`, which the caller gives
// back with mace_free. For people: "graph" (nodes with inferred types), "plan"
// (steps, devices and kernels), "memory" (the offset of every tensor), "tuning"
// (what was measured). For programs: "plan_json", "memory_json", and "trace",
// the latest spans as a Chrome trace. Errors: MACE_INVALID_ARGS for another
// name, and for "trace" without the setting `tracing`. Threads: any.
MACE_API mace_status_t mace_engine_dump(const mace_engine_t* engine,
                                        const char* stage, char** text);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // MACE_PUBLIC_MACE_C_H_
