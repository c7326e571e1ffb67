// Allocates in the head, the temporary section and the tail of one buffer.
// SPDX-License-Identifier: Apache-2.0

#include "mace/memory/single_arena.h"

#include <algorithm>
#include <limits>

namespace mace::memory {
namespace {

// Return the bytes from `at` up to the next multiple of `alignment`, or down to
// the previous one.
size_t UpBy(uintptr_t at, size_t alignment) { return -at & (alignment - 1); }
size_t DownBy(uintptr_t at, size_t alignment) { return at & (alignment - 1); }

char* PointerTo(uintptr_t at) { return reinterpret_cast<char*>(at); }

// The addresses of ForCounting: not null, and aligned to everything that is
// used.
constexpr uintptr_t kCountingBegin = uintptr_t{1} << 21;
constexpr uintptr_t kCountingEnd =
    std::numeric_limits<uintptr_t>::max() / 2 + 1;

constexpr size_t kMax = std::numeric_limits<size_t>::max();

size_t Add(size_t a, size_t b) { return a > kMax - b ? kMax : a + b; }

}  // namespace

Result<char*> SingleArena::TooSmall(const char* section, size_t need) const {
  return OutOfResources("the arena of ", bytes(),
                        " bytes is too small for its ", section, ": ", need,
                        " bytes are needed so far");
}

Result<char*> SingleArena::AllocateTail(size_t bytes, size_t alignment) {
  if (char* const piece = AllocateInGap(bytes, alignment)) return piece;
  const size_t room = tail_ - temporary_;
  // Padding comes after the piece.
  if (bytes > room || bytes + DownBy(tail_ - bytes, alignment) > room) {
    const size_t padding =
        bytes > room ? alignment - 1 : DownBy(tail_ - bytes, alignment);
    return TooSmall("tail", Add(Add(bytes, padding), this->bytes() - room));
  }
  tail_ -= bytes;
  tail_ -= DownBy(tail_, alignment);
  pieces_.push_back({tail_, false});
  Count();
  return PointerTo(tail_);
}

char* SingleArena::AllocateInGap(size_t bytes, size_t alignment) {
  for (size_t k = 0; k < pieces_.size(); ++k) {
    if (!pieces_[k].is_free || bytes > EndOf(k) - pieces_[k].begin) continue;
    const uintptr_t at = EndOf(k) - bytes;
    const uintptr_t begin = at - DownBy(at, alignment);
    if (begin < pieces_[k].begin) continue;
    if (begin == pieces_[k].begin) {
      pieces_[k].is_free = false;
    } else {
      pieces_.insert(pieces_.begin() + static_cast<ptrdiff_t>(k),
                     Piece{begin, false});
    }
    return PointerTo(begin);
  }
  return nullptr;
}

void SingleArena::FreeTail(const char* piece) {
  const auto at = reinterpret_cast<uintptr_t>(piece);
  // A piece of 0 bytes begins where another one does.
  size_t k = pieces_.size();
  while (k > 0 && (pieces_[k - 1].begin != at || pieces_[k - 1].is_free)) --k;
  if (k == 0) return;
  pieces_[--k].is_free = true;
  // Adjacent gaps are joined.
  if (k + 1 < pieces_.size() && pieces_[k + 1].is_free) {
    pieces_.erase(pieces_.begin() + static_cast<ptrdiff_t>(k));
  } else if (k > 0 && pieces_[k - 1].is_free) {
    pieces_.erase(pieces_.begin() + static_cast<ptrdiff_t>(--k));
  }
  if (k > 0 && pieces_[k].is_free && pieces_[k - 1].is_free) {
    pieces_.erase(pieces_.begin() + static_cast<ptrdiff_t>(k - 1));
  }
  if (pieces_.back().is_free) pieces_.pop_back();
  tail_ = pieces_.empty() ? end_ : pieces_.back().begin;
}

SingleArena SingleArena::ForCounting() {
  return SingleArena(PointerTo(kCountingBegin), kCountingEnd - kCountingBegin);
}

void SingleArena::Count() {
  peak_ = std::max(peak_, (temporary_ - begin_) + tail_bytes());
  peak_temporary_ = std::max(peak_temporary_, temporary_bytes());
}

Result<char*> SingleArena::ResizeHead(size_t bytes, size_t alignment) {
  if (temporary_ != head_) {
    return InvalidArgument(
        "the head cannot change while there are temporary allocations");
  }
  const size_t padding = UpBy(begin_, alignment);
  const size_t room = tail_ - begin_;
  if (padding > room || bytes > room - padding) {
    return TooSmall("head", Add(Add(bytes, padding), tail_bytes()));
  }
  head_ = temporary_ = begin_ + padding + bytes;
  Count();
  return PointerTo(begin_ + padding);
}

Result<char*> SingleArena::AllocateTemporary(size_t bytes, size_t alignment) {
  const size_t padding = UpBy(temporary_, alignment);
  const size_t room = tail_ - temporary_;
  if (padding > room || bytes > room - padding) {
    return TooSmall("temporary section",
                    Add(Add(bytes, padding), this->bytes() - room));
  }
  const uintptr_t at = temporary_ + padding;
  temporary_ = at + bytes;
  Count();
  return PointerTo(at);
}

}  // namespace mace::memory
