// Statuses and messages of the C API.
// SPDX-License-Identifier: Apache-2.0

#include "mace/capi/status.h"

#include <pthread.h>

#include <algorithm>
#include <cinttypes>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "mace/public/mace.h"

namespace mace::capi {
namespace {

static_assert(int{MACE_INVALID_ARGS} == int{MaceStatus::MACE_INVALID_ARGS});
static_assert(int{MACE_OUT_OF_RESOURCES} ==
              int{MaceStatus::MACE_OUT_OF_RESOURCES});
static_assert(int{MACE_UNSUPPORTED} == int{MaceStatus::MACE_UNSUPPORTED});
static_assert(int{MACE_RUNTIME_ERROR} == int{MaceStatus::MACE_RUNTIME_ERROR});
static_assert(int{MACE_INVALID_MODEL} == int{MaceStatus::MACE_INVALID_MODEL});
static_assert(int{MACE_INTERNAL_ERROR} == int{MaceStatus::MACE_INTERNAL_ERROR});
static_assert(int{MACE_CANCELLED} == int{MaceStatus::MACE_CANCELLED});

// What fits into the memory of any machine.
constexpr size_t kMaxElements = size_t{1} << 28;

struct LastError {
  mace_status_t status = MACE_SUCCESS;
  std::string message;
};

thread_local LastError* last_of_thread = nullptr;

// Of each thread, destroyed when it ends. A thread_local object with a
// destructor would end the process where there is no memory to register it.
class LastErrors {
 public:
  LastErrors() {
    has_key_ = pthread_key_create(&key_, [](void* last) {
                 delete static_cast<LastError*>(last);
                 last_of_thread = nullptr;
               }) == 0;
  }
  ~LastErrors() {
    if (has_key_) pthread_key_delete(key_);
  }

  LastError& OfThisThread() {
    if (last_of_thread == nullptr) {
      last_of_thread = new LastError;
      // Where that fails, it is never destroyed.
      if (has_key_) pthread_setspecific(key_, last_of_thread);
    }
    return *last_of_thread;
  }

 private:
  pthread_key_t key_;
  bool has_key_;
};

LastError& OfThisThread() {
  static LastErrors errors;
  return errors.OfThisThread();
}

mace_status_t Keep(mace_status_t status, std::string message) {
  LastError& last = OfThisThread();
  last.status = status;
  last.message = std::move(message);
  return status;
}

}  // namespace

mace_status_t Report(const MaceStatus& status) {
  if (status.ok()) return MACE_SUCCESS;
  return Keep(status.code(), status.information());
}

mace_status_t Refuse(const char* function, const char* what, ...) {
  va_list arguments, again;
  va_start(arguments, what);
  va_copy(again, arguments);
  const int size = std::vsnprintf(nullptr, 0, what, arguments);
  va_end(arguments);
  std::string text(static_cast<size_t>(std::max(size, 0)) + 1, '\0');
  std::vsnprintf(&text[0], text.size(), what, again);
  va_end(again);
  text.pop_back();
  return Keep(MACE_INVALID_ARGS, function + (": " + text));
}

mace_status_t RefuseNull(const char* function, const char* argument) {
  return Refuse(function, "%s is null", argument);
}

mace_status_t Made(const void* made) {
  if (made != nullptr) return MACE_SUCCESS;
  return Keep(MACE_OUT_OF_RESOURCES, "no memory is left for an object");
}

mace_status_t CheckRange(const char* function, const char* argument,
                         int64_t found, int64_t most) {
  if (found >= 0 && found <= most) return MACE_SUCCESS;
  return Refuse(function, "%s is %" PRId64 "; it must be from 0 to %" PRId64,
                argument, found, most);
}

mace_status_t CheckIndex(const char* function, const char* argument,
                         size_t index, size_t count) {
  if (index < count) return MACE_SUCCESS;
  return Refuse(function, "%s is %zu, but there are only %zu", argument, index,
                count);
}

mace_status_t CheckArray(const char* function, const char* argument,
                         const void* array, size_t count) {
  if (array == nullptr && count > 0) return RefuseNull(function, argument);
  if (count <= kMaxElements) return MACE_SUCCESS;
  return Refuse(function, "%s cannot have %zu elements", argument, count);
}

mace_status_t CopyNames(const char* function, const char* argument,
                        const char* const* names, size_t count,
                        std::vector<std::string>* copies) {
  MACE_CAPI_RETURN_IF_ERROR(CheckArray(function, argument, names, count));
  for (size_t i = 0; i < count; ++i) {
    if (names[i] == nullptr) {
      return Refuse(function, "%s[%zu] is null", argument, i);
    }
    copies->emplace_back(names[i]);
  }
  return MACE_SUCCESS;
}

}  // namespace mace::capi

namespace capi = mace::capi;

extern "C" {

const char* mace_last_error() { return capi::OfThisThread().message.c_str(); }

mace_status_t mace_last_status() { return capi::OfThisThread().status; }

mace_status_t mace_set_last_error(mace_status_t status, const char* message) {
  return capi::Keep(status,
                    status == MACE_SUCCESS ? "" : capi::OrEmpty(message));
}

void mace_free(char* text) { std::free(text); }

const char* mace_version() { return mace::MaceVersion(); }

}  // extern "C"
