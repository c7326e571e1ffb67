// Allocates buffers in the sections of an arena.
// SPDX-License-Identifier: Apache-2.0

#include "mace/memory/arena_sections.h"

#include <algorithm>
#include <string>
#include <utility>

namespace mace::memory {
namespace {

// The current sections of this thread; null: none.
thread_local const std::shared_ptr<ArenaSections>* current = nullptr;

// Rounds up, so that pieces of the tail follow each other without gaps.
size_t RoundedUp(size_t bytes) {
  const size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  return std::max(bytes, rounded);  // a size that overflows does not fit anyway
}

}  // namespace

ArenaSections::ArenaSections(const ArenaSections& other, Counting)
    : ArenaSections() {
  has_tail_ = other.has_tail_;
  // These cannot fail: both have fitted a smaller arena.
  (void)arena_.ResizeHead(other.arena_.head_bytes(), kAlignment);
  // The padding at the end of a buffer that does not end at a boundary does not
  // count.
  const size_t tail = other.arena_.tail_bytes() / kAlignment * kAlignment;
  if (has_tail_) (void)arena_.AllocateTail(tail, kAlignment);
}

bool ArenaSections::failed() const { return failed_; }

Status ArenaSections::GrowHead(size_t bytes) {
  if (bytes <= arena_.head_bytes()) return Status();
  const auto head = arena_.ResizeHead(bytes, kAlignment);
  failed_ = failed_ || !head.ok();
  return head.status();
}

size_t ArenaSections::needed_bytes() const {
  const size_t bytes = arena_.peak_bytes();
  return has_tail_ ? RoundedUp(bytes) : bytes;
}

const std::shared_ptr<ArenaSections>& ArenaSections::Current() {
  static const auto* none = new std::shared_ptr<ArenaSections>;
  return current != nullptr ? *current : *none;
}

ScopedArenaSections::ScopedArenaSections(
    std::shared_ptr<ArenaSections> sections)
    : sections_(std::move(sections)), outer_(current) {
  current = &sections_;
}

ScopedArenaSections::~ScopedArenaSections() { current = outer_; }

Result<SectionBuffer> SectionBuffer::Persistent(size_t bytes,
                                                const char* what) {
  return Create(bytes, what, false);
}

Result<SectionBuffer> SectionBuffer::Temporary(size_t bytes, const char* what) {
  return Create(bytes, what, true);
}

Result<SectionBuffer> SectionBuffer::Create(size_t bytes, const char* what,
                                            bool is_temporary) {
  SectionBuffer buffer;
  const std::shared_ptr<ArenaSections>& sections = ArenaSections::Current();
  if (sections != nullptr) {
    auto piece =
        is_temporary
            ? sections->arena_.AllocateTemporary(bytes, kAlignment)
            : sections->arena_.AllocateTail(RoundedUp(bytes), kAlignment);
    if (!piece.ok()) {
      sections->failed_ = true;
      return OutOfResources(what, ": ", piece.status().information());
    }
    buffer.piece_ = *piece;
    buffer.is_temporary_ = is_temporary;
    buffer.sections_ = sections;
    if (is_temporary) {
      ++sections->num_temporary_;
    } else {
      sections->has_tail_ = true;
    }
  }
  if (!buffer.is_real()) {
    MACE_ASSIGN_OR_RETURN(buffer.system_, AlignedBuffer::Create(bytes, what));
  }
  return buffer;
}

SectionBuffer& SectionBuffer::operator=(SectionBuffer&& other) noexcept {
  std::swap(sections_, other.sections_);
  std::swap(piece_, other.piece_);
  std::swap(is_temporary_, other.is_temporary_);
  std::swap(system_, other.system_);
  return *this;
}

SectionBuffer::~SectionBuffer() {
  if (sections_ == nullptr) return;
  if (!is_temporary_) {
    sections_->arena_.FreeTail(piece_);
  } else if (--sections_->num_temporary_ == 0) {
    sections_->arena_.ResetTemporary();
  }
}

}  // namespace mace::memory
