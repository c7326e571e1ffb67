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
  // The buffer that `fill` makes of weight `weight_id` in the arrangement
  // named `how`; made once and kept while this object lives. A weight_id of -1
  // (contents computed by a plan) is packed anew each time and not kept.
  // Errors: MACE_OUT_OF_RESOURCES.
  Result<std::shared_ptr<const AlignedBuffer>> GetOrPack(
      int64_t weight_id, const std::string& how, size_t bytes,
      const std::function<void(void*)>& fill);

  // Is a buffer of that weight kept?
  bool Has(int64_t weight_id) const;

  // Bytes of all buffers kept.
  int64_t total_bytes() const;
  int64_t count() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::pair<int64_t, std::string>,
           std::shared_ptr<const AlignedBuffer>>
      buffers_;
};

}  // namespace mace

#endif  // MACE_DEVICE_PACKED_WEIGHTS_H_
