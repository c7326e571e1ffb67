// Where messages go, in C.
// SPDX-License-Identifier: Apache-2.0

#include <list>
#include <mutex>

#include "mace/capi/status.h"
#include "mace/public/mace_c_runtime.h"
#include "mace/public/mace_log.h"

namespace mace::capi {
namespace {

struct Log {
  mace_log_t log;
  void* user;
};

void Pass(MaceLogLevel level, const char* message, void* log) {
  const auto* to = static_cast<const Log*>(log);
  to->log(to->user, level, message);
}

// Returns a place for them that stays, and is the same for the same arguments:
// a callback that sets another one may still run on other threads.
Log* Kept(mace_log_t log, void* user) {
  static auto* mutex = new std::mutex;
  static auto* kept = new std::list<Log>;
  std::lock_guard<std::mutex> lock(*mutex);
  for (Log& known : *kept) {
    if (known.log == log && known.user == user) return &known;
  }
  kept->push_back({log, user});
  return &kept->back();
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
