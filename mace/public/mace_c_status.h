// Statuses, messages and the version of MACE in C; mace_c.h says how they work.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PUBLIC_MACE_C_STATUS_H_
#define MACE_PUBLIC_MACE_C_STATUS_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mace/public/mace_version.h"

#ifndef MACE_API
#define MACE_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

// MACE_SUCCESS, or who is at fault. Later versions may have further values: an
// app takes every value but MACE_SUCCESS for an error.
typedef int32_t mace_status_t;
enum {
  MACE_SUCCESS = 0,
  MACE_INVALID_ARGS = 1,      // the caller: a null, name, shape, size or option
  MACE_OUT_OF_RESOURCES = 2,  // the machine: memory, disk
  MACE_UNSUPPORTED = 3,       // nobody: valid, but this device or build cannot
  MACE_RUNTIME_ERROR = 4,     // a driver or accelerator, a custom op's Run, a
                              // loop without end, NaN (numeric check)
  MACE_INVALID_MODEL = 5,     // the file: corrupt or self-contradictory
  MACE_INTERNAL_ERROR = 6,    // MACE: a broken invariant; please report it
  MACE_CANCELLED = 7          // nobody: the caller ended it
};

// Returns the message of the call that failed last in this thread: what is
// wrong, where, what was found, and often the cure. "" if none failed. A call
// that succeeds leaves it as it is. Valid until another call fails in this
// thread, mace_set_last_error is called, or the thread ends: copy the message
// to keep it. Never null. Threads: any; each has a message of its own.
MACE_API const char* mace_last_error(void);

// Returns the status of the same call. Threads: as mace_last_error.
MACE_API mace_status_t mace_last_status(void);

// For code that adds functions to this API, such as the generated
// mace_c_engine_factory.h: makes `status` and `message` what mace_last_status
// and mace_last_error return, and returns `status`. The message is copied; null
// is treated as "". With MACE_SUCCESS the thread's last error is forgotten.
// Threads: any; sets that of the calling thread.
MACE_API mace_status_t mace_set_last_error(mace_status_t status,
                                           const char* message);

// Gives back a text that a function stored in a `char**`. Null does nothing.
// Threads: any.
MACE_API void mace_free(char* text);

// Returns the version of the library, for example "1.0.0"; static memory.
// MACE_VERSION_STRING is that of the headers. Threads: any.
MACE_API const char* mace_version(void);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // MACE_PUBLIC_MACE_C_STATUS_H_
