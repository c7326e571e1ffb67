// Statuses and messages of the C API.
// SPDX-License-Identifier: Apache-2.0

#include "mace/capi/status.h"

#include <cstdlib>

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

// What fits into the memory of any machine.
constexpr size_t kMostElements = size_t{1} << 28;

struct LastError {
  mace_status_t status = MACE_SUCCESS;
  std::string message;
};

LastError& OfThisThread() {
  thread_local LastError last;
  return last;
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

mace_status_t Refuse(const char* function, const std::string& what) {
  return Keep(MACE_INVALID_ARGS, function + (": " + what));
}

mace_status_t RefuseNull(const char* function, const char* argument) {
  return Refuse(function, std::string(argument) + " is null");
}

mace_status_t Made(const void* made) {
  if (made != nullptr) return MACE_SUCCESS;
  return Keep(MACE_OUT_OF_RESOURCES, "no memory is left for an object");
}

mace_status_t CheckRange(const char* function, const char* argument,
                         int64_t found, int64_t most) {
  if (found >= 0 && found <= most) return MACE_SUCCESS;
  return Refuse(function, std::string(argument) + " is " +
                              std::to_string(found) +
                              "; it must be from 0 to " + std::to_string(most));
}

mace_status_t CheckIndex(const char* function, const char* argument,
                         size_t index, size_t count) {
  if (index < count) return MACE_SUCCESS;
  return Refuse(function, std::string(argument) + " is " +
                              std::to_string(index) + ", but there are only " +
                              std::to_string(count));
}

mace_status_t CheckArray(const char* function, const char* argument,
                         const void* array, size_t count) {
  if (array == nullptr && count > 0) return RefuseNull(function, argument);
  if (count <= kMostElements) return MACE_SUCCESS;
  return Refuse(function, std::string(argument) + " cannot have " +
                              std::to_string(count) + " elements");
}

mace_status_t CopyNames(const char* function, const char* argument,
                        const char* const* names, size_t count,
                        std::vector<std::string>* copies) {
  MACE_CAPI_RETURN_IF_ERROR(CheckArray(function, argument, names, count));
  for (size_t i = 0; i < count; ++i) {
    if (names[i] == nullptr) {
      return RefuseNull(function,
                        (argument + ("[" + std::to_string(i)) + "]").c_str());
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
