// Aligned allocation.
// SPDX-License-Identifier: Apache-2.0

#include "mace/base/aligned_buffer.h"

#include <sys/mman.h>

#include <cstdlib>
#include <limits>

namespace mace {
namespace {

// Pages of this size, where the system offers them, cost a 512th of the faults
// and of the translations that small ones do.
constexpr size_t kHugePageBytes = 2 << 20;

}  // namespace

void AlignedBuffer::Free::operator()(void* p) const { std::free(p); }

Result<AlignedBuffer> AlignedBuffer::Create(size_t bytes) {
  AlignedBuffer buffer;
  const auto error = [bytes] {
    return OutOfResources("cannot allocate " + std::to_string(bytes) +
                          " bytes");
  };
  if (bytes > std::numeric_limits<size_t>::max() / 2) return error();
  void* p = nullptr;
  const size_t huge_bytes = bytes / kHugePageBytes * kHugePageBytes;
  // At least one byte, so that data() is never null.
  if (posix_memalign(&p, huge_bytes > 0 ? kHugePageBytes : kAlignment,
                     bytes ? bytes : 1) != 0) {
    return error();
  }
#if defined(MADV_HUGEPAGE)
  // A wish: without it all is the same but slower.
  if (huge_bytes > 0) madvise(p, huge_bytes, MADV_HUGEPAGE);
#endif
  buffer.data_.reset(p);
  buffer.size_ = bytes;
  return buffer;
}

}  // namespace mace
