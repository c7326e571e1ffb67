// PackedWeights: weights rearranged for a kernel, shared by every engine of a
// model.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_DEVICE_PACKED_WEIGHTS_H_
#define MACE_DEVICE_PACKED_WEIGHTS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "mace/base/aligned_buffer.h"
#include "mace/base/status.h"

namespace mace {

// Thread-safe. A packed buffer lives as long as anyone holds it.
class PackedWeights {
 public:
  // Called now and then while packing, once what was packed so far is read: the
  // memory of the weights themselves may be given back.
  void SetRelease(std::function<void()> release) {
    release_ = std::move(release);
  }

  // The bytes, 64-byte aligned, that `fill` makes of weight `weight_id` in the
  // arrangement named `how`; made once and kept while this object lives. A
  // weight_id of -1 (contents computed by a plan) is packed anew each time and
  // not kept. Errors: MACE_OUT_OF_RESOURCES, those of `fill`.
  Result<std::shared_ptr<const void>> GetOrPack(
      int64_t weight_id, const std::string& how, size_t bytes,
      const std::function<Status(void*)>& fill);

  // Is a buffer of that weight kept?
  bool Has(int64_t weight_id) const;

  // Bytes of all that is kept.
  int64_t total_bytes() const;
  int64_t count() const;

 private:
  struct Kept {
    std::shared_ptr<const void> data;
    size_t bytes;
  };

  // REQUIRES: the mutex is held.
  Result<std::shared_ptr<void>> Allocate(size_t bytes);

  mutable std::mutex mutex_;
  std::map<std::pair<int64_t, std::string>, Kept> kept_;
  // Where the next small piece comes from.
  std::shared_ptr<AlignedBuffer> chunk_;
  size_t chunk_used_ = 0;
  std::function<void()> release_;
  size_t unreleased_ = 0;  // bytes packed since the last release
};

}  // namespace mace

#endif  // MACE_DEVICE_PACKED_WEIGHTS_H_
