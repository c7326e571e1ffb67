// Runs of an engine that do not make the caller wait, in C.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PUBLIC_MACE_C_ASYNC_H_
#define MACE_PUBLIC_MACE_C_ASYNC_H_

#include "mace/public/mace_c.h"

#ifdef __cplusplus
extern "C" {
#endif

// A queue of runs of one engine, and the thread that runs them one after the
// other, in the order of the calls. A run that mace_async_runs_add took has its
// callback called exactly once, whether it succeeds, fails, is cancelled or
// never begins; one that it refused has it called never.
typedef struct mace_async_runs mace_async_runs_t;

// Called by the thread of the queue when a run has ended, with the status and
// the message of the run ("" for MACE_SUCCESS; valid until the function
// returns), and MACE_CANCELLED for a run that never began. May call every
// function of MACE, also mace_async_runs_add and mace_async_runs_destroy. The
// next run begins when the function has returned.
typedef void (*mace_run_done_t)(void* user, mace_status_t status,
                                const char* message);

// Stores a queue in which at most `capacity` runs wait in `*runs`, or null on
// an error. The engine may be destroyed before it. Errors: MACE_INVALID_ARGS
// unless 1 <= capacity <= 65536, MACE_OUT_OF_RESOURCES if the system gives no
// thread. Threads: any.
MACE_API mace_status_t mace_async_runs_create(const mace_engine_t* engine,
                                              int32_t capacity,
                                              mace_async_runs_t** runs);

// Takes no further runs. Runs that wait are not begun and end with
// MACE_CANCELLED; the run that has begun goes on to its end. Returns when the
// last callback has returned, unless a callback calls this. Null does nothing.
// Threads: any, once no other call uses `runs`.
MACE_API void mace_async_runs_destroy(mace_async_runs_t* runs);

// The same, and leaves the object. Threads: any.
MACE_API mace_status_t mace_async_runs_close(mace_async_runs_t* runs);

// Appends a run and returns at once. `inputs` is copied, the memory of its
// tensors must stay until `done` is called. `outputs`, another object, must not
// be used until then, and has the results from then on; `cancellation`, which
// may be null, must stay until then. `user` is passed to `done`. Errors:
// MACE_OUT_OF_RESOURCES if `capacity` runs wait already, MACE_INVALID_ARGS for
// a null, if `inputs` and `outputs` are one object, after
// mace_async_runs_close, and in a child that was forked. Errors of the run,
// such as a wrong shape, are passed to `done`. Threads: any.
MACE_API mace_status_t mace_async_runs_add(
    mace_async_runs_t* runs, const mace_tensors_t* inputs,
    mace_tensors_t* outputs, const mace_cancellation_t* cancellation,
    mace_run_done_t done, void* user);

// Returns how many runs wait or run, including the one whose callback is being
// called; 0 for null. Threads: any.
MACE_API int32_t mace_async_runs_pending(const mace_async_runs_t* runs);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // MACE_PUBLIC_MACE_C_ASYNC_H_
