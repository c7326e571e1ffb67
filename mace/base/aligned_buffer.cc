// Aligned allocation.
// SPDX-License-Identifier: Apache-2.0

#include "mace/base/aligned_buffer.h"

#include <cstdlib>
#include <limits>

namespace mace {

void AlignedBuffer::Free::operator()(void* p) const { std::free(p); }

Result<AlignedBuffer> AlignedBuffer::Create(size_t bytes) {
  AlignedBuffer buffer;
  const auto error = [bytes] {
    return OutOfResources("cannot allocate " + std::to_string(bytes) +
                          " bytes");
  };
  if (bytes > std::numeric_limits<size_t>::max() / 2) return error();
  void* p = nullptr;
  // At least one byte, so that data() is never null.
  if (posix_memalign(&p, kAlignment, bytes ? bytes : 1) != 0) return error();
  buffer.data_.reset(p);
  buffer.size_ = bytes;
  return buffer;
}

}  // namespace mace
