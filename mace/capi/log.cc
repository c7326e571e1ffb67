// Where messages go, in C.
// SPDX-License-Identifier: Apache-2.0

#include <atomic>

#include "mace/capi/status.h"
#include "mace/public/mace_c_runtime.h"
#include "mace/public/mace_log.h"

namespace mace::capi {
namespace {

struct Log {
  mace_log_t log;
  void* user;
  Log* next;
};

void Pass(MaceLogLevel level, const char* message, void* log) {
  const auto* to = static_cast<const Log*>(log);
  to->log(to->user, level, message);
}

// Returns a place for them that stays, and is the same for the same arguments:
// a callback that sets another one may still run on other threads.
Log* Kept(mace_log_t log, void* user) {
  static std::atomic<Log*> first{nullptr};
  Log* const added = new Log{log, user, first.load()};
  do {
    for (Log* known = added->next; known != nullptr; known = known->next) {
      if (known->log != log || known->user != user) continue;
      delete added;
      return known;
    }
  } while (!first.compare_exchange_weak(added->next, added));
  return added;
}

}  // namespace
}  // namespace mace::capi

namespace capi = mace::capi;

extern "C" {

mace_status_t mace_set_log(mace_log_t log, void* user,
                           mace_log_level_t least_important) {
  MACE_CAPI_RETURN_IF_ERROR(capi::CheckRange(
      __func__, "least_important", least_important, MACE_LEVEL_VERBOSE_4));
  const auto level = static_cast<mace::MaceLogLevel>(least_important);
  if (log == nullptr) {
    mace::SetLogCallback(nullptr, nullptr, level);
  } else {
    mace::SetLogCallback(capi::Pass, capi::Kept(log, user), level);
  }
  return MACE_SUCCESS;
}

}  // extern "C"
