// Memory and memory plans that the app provides.
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>
#include <string>
#include <vector>

#include "mace/base/aligned_buffer.h"
#include "mace/base/str_cat.h"
#include "mace/runtime/settings/config.h"

namespace mace {

MaceStatus MaceEngineConfig::SetOfflineMemoryPlan(
    const std::vector<int32_t>& words) {
  constexpr size_t kHeader = 3;
  if (!words.empty() &&
      (words.size() < kHeader || words[2] < 0 ||
       static_cast<size_t>(words[2]) != words.size() - kHeader)) {
    return InvalidArgument(
        "SetOfflineMemoryPlan: the third number says how many offsets "
        "follow; there are ",
        words.size(), " words",
        words.size() < kHeader ? std::string()
                               : StrCat(", the number says ", words[2]));
  }
  impl_->offline_plan = words;
  return MaceStatus();
}

MaceStatus MaceEngineConfig::SetArena(void* data, size_t size) {
  const size_t off = reinterpret_cast<uintptr_t>(data) % kAlignment;
  if (data == nullptr || off != 0) {
    return InvalidArgument(
        data == nullptr ? std::string("SetArena: the buffer is null")
                        : StrCat("SetArena: the buffer starts ", off,
                                 " bytes after a 64-byte boundary; align it"));
  }
  impl_->arena = data;
  impl_->arena_bytes = size;
  return MaceStatus();
}

}  // namespace mace
