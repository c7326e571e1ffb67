// How functions of the C API report errors.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CAPI_STATUS_H_
#define MACE_CAPI_STATUS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "mace/public/mace_c_status.h"
#include "mace/public/status.h"

// Each thread has a last error, a status and a message, which mace_last_status
// and mace_last_error give to the app. A success leaves the last error as it
// is. The message is valid until the thread's next error.
//
// A function that makes an object first sets the result to null, then checks
// the other arguments:
//
//   mace_status_t mace_x_create(const char* name, mace_x_t** x) {
//     MACE_CAPI_NOT_NULL(x);
//     *x = nullptr;
//     MACE_CAPI_NOT_NULL(name);
//     MACE_CAPI_RETURN_IF_ERROR(capi::Report(...));
//     *x = new (std::nothrow) mace_x{...};
//     return capi::Made(*x);
//   }
//
// Below, `function` is the name of the calling function for the message,
// __func__, and `argument` the name of a parameter.
namespace mace::capi {

// If there is an error, each of these makes it this thread's last one; all
// return the status, MACE_SUCCESS if there is none.

// `status` of the C++ API, which may be a success.
mace_status_t Report(const MaceStatus& status);
// MACE_INVALID_ARGS with the message "FUNCTION: WHAT". `what` and the arguments
// are those of printf, because such calls take few bytes of code.
mace_status_t Refuse(const char* function, const char* what, ...)
    __attribute__((format(__printf__, 2, 3)));
// MACE_INVALID_ARGS: an argument is null.
mace_status_t RefuseNull(const char* function, const char* argument);
// MACE_OUT_OF_RESOURCES if `made` is null: there was no memory for an object.
mace_status_t Made(const void* made);

// Checks that 0 <= found <= most.
mace_status_t CheckRange(const char* function, const char* argument,
                         int64_t found, int64_t most);
// Checks that index < count.
mace_status_t CheckIndex(const char* function, const char* argument,
                         size_t index, size_t count);
// Checks an array of the caller: not null unless `count` is 0, and at most 2^28
// elements, so that a negative count that became a size_t is an error.
mace_status_t CheckArray(const char* function, const char* argument,
                         const void* array, size_t count);
// Appends copies of the `count` texts at `names` to `*copies`. Errors:
// MACE_INVALID_ARGS for an array that CheckArray refuses, or a text that is
// null; then those before it are appended.
mace_status_t CopyNames(const char* function, const char* argument,
                        const char* const* names, size_t count,
                        std::vector<std::string>* copies);

// `text`, or "" for null where that is allowed.
inline const char* OrEmpty(const char* text) {
  return text == nullptr ? "" : text;
}

}  // namespace mace::capi

// Return from the function if an argument is null: MACE_CAPI_NOT_NULL returns
// MACE_INVALID_ARGS, and MACE_CAPI_GETS, for getters, which return no status,
// returns `value`. Both make the null this thread's last error.
#define MACE_CAPI_NOT_NULL(argument)                      \
  do {                                                    \
    if ((argument) == nullptr) {                          \
      return mace::capi::RefuseNull(__func__, #argument); \
    }                                                     \
  } while (false)
#define MACE_CAPI_GETS(argument, value)                  \
  do {                                                   \
    if ((argument) == nullptr) {                         \
      (void)mace::capi::RefuseNull(__func__, #argument); \
      return value;                                      \
    }                                                    \
  } while (false)

// Returns `error`, an expression, unless it is MACE_SUCCESS.
#define MACE_CAPI_RETURN_IF_ERROR(error)            \
  do {                                              \
    const mace_status_t mace_capi_status = (error); \
    if (mace_capi_status != MACE_SUCCESS) {         \
      return mace_capi_status;                      \
    }                                               \
  } while (false)

#endif  // MACE_CAPI_STATUS_H_
