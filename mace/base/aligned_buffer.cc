// Aligned allocation.
// SPDX-License-Identifier: Apache-2.0

#include "mace/base/aligned_buffer.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace mace {
namespace {

// Pages of this size, where the system offers them, cost a 512th of the faults
// and of the translations that small ones do.
constexpr size_t kHugePageBytes = 2 << 20;
// From so many bytes on, pages are given back.
constexpr size_t kManyBytes = 256 << 10;

}  // namespace

void AlignedBuffer::Free::operator()(void* p) const { std::free(p); }

Result<AlignedBuffer> AlignedBuffer::Create(size_t bytes, const char* what) {
  constexpr uint64_t kMax = std::numeric_limits<int64_t>::max();
  const auto counted =
      static_cast<int64_t>(std::min(static_cast<uint64_t>(bytes), kMax));
  MACE_ASSIGN_OR_RETURN(MemoryShare share, MemoryShare::Take(counted, what));
  MACE_ASSIGN_OR_RETURN(AlignedBuffer buffer, CreateUncounted(bytes, what));
  buffer.share_ = std::move(share);
  return buffer;
}

Result<AlignedBuffer> AlignedBuffer::CreateUncounted(size_t bytes,
                                                     const char* what) {
  AlignedBuffer buffer;
  const auto error = [bytes, what] {
    return OutOfResources("the system cannot give ", bytes, " bytes for ",
                          what);
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

void MakeZeros(void* data, size_t bytes) {
  auto* const begin = static_cast<char*>(data);
  char* first = begin;
#if defined(__linux__)
  if (bytes >= kManyBytes) {
    const auto page = static_cast<int64_t>(sysconf(_SC_PAGESIZE));
    const auto at = static_cast<int64_t>(reinterpret_cast<uintptr_t>(begin));
    char* const pages = begin + (AlignUp(at, page) - at);
    const size_t whole = static_cast<size_t>(begin + bytes - pages) /
                         static_cast<size_t>(page) * static_cast<size_t>(page);
    // Refused where memory is locked.
    if (madvise(pages, whole, MADV_DONTNEED) == 0) {
      std::memset(begin, 0, static_cast<size_t>(pages - begin));
      first = pages + whole;
    }
  }
#endif
  const auto left = static_cast<size_t>(begin + bytes - first);
  if (left > 0) std::memset(first, 0, left);
}

}  // namespace mace
