// ArenaSections: the arena of an engine, and buffers that lie in it.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_MEMORY_ARENA_SECTIONS_H_
#define MACE_MEMORY_ARENA_SECTIONS_H_

#include <cstddef>
#include <memory>

#include "mace/base/aligned_buffer.h"
#include "mace/base/status.h"
#include "mace/memory/single_arena.h"

namespace mace::memory {

// The sections of a buffer of the caller's; without one they are counted only,
// and what would lie in them comes from the system. Not thread-safe.
class ArenaSections {
 public:
  ArenaSections() : arena_(SingleArena::ForCounting()) {}
  ArenaSections(void* buffer, size_t bytes)
      : arena_(buffer, bytes), is_real_(true) {}

  // Counts what comes on top of what is in `other` now.
  enum Counting { kCount };
  ArenaSections(const ArenaSections& other, Counting);

  bool is_real() const { return is_real_; }
  // Whether something did not fit since ForgetFailure.
  bool failed() const { return failed_; }
  void ForgetFailure() { failed_ = false; }
  const SingleArena& arena() const { return arena_; }

  // Makes the head at least so large. Errors: MACE_OUT_OF_RESOURCES.
  Status GrowHead(size_t bytes);

  // Bytes of a buffer at a 64-byte boundary that can hold all of this so far.
  size_t needed_bytes() const;

  // That of the innermost ScopedArenaSections of this thread; null: none.
  static const std::shared_ptr<ArenaSections>& Current();

 private:
  friend class SectionBuffer;

  SingleArena arena_;
  bool is_real_ = false;
  bool failed_ = false;
  bool has_tail_ = false;  // or had one
  int num_temporary_ = 0;
};

// Makes sections current on this thread while it lives.
class ScopedArenaSections {
 public:
  explicit ScopedArenaSections(std::shared_ptr<ArenaSections> sections);
  ~ScopedArenaSections();
  ScopedArenaSections(const ScopedArenaSections&) = delete;
  ScopedArenaSections& operator=(const ScopedArenaSections&) = delete;

 private:
  std::shared_ptr<ArenaSections> sections_;
  const std::shared_ptr<ArenaSections>* outer_;
};

// Owned bytes at a 64-byte boundary, in a section of the current arena if that
// is real, else from the system. Movable. The bytes are not initialised.
class SectionBuffer {
 public:
  // In the tail, until it ends. `what` is for messages: "a folded constant".
  // Errors: MACE_OUT_OF_RESOURCES.
  static Result<SectionBuffer> Persistent(size_t bytes, const char* what);
  // In the temporary section, which is empty again when the last of them ends.
  static Result<SectionBuffer> Temporary(size_t bytes, const char* what);

  SectionBuffer() = default;
  SectionBuffer(SectionBuffer&& other) noexcept { *this = std::move(other); }
  SectionBuffer& operator=(SectionBuffer&& other) noexcept;
  ~SectionBuffer();

  void* data() const { return is_real() ? piece_ : system_.data(); }

 private:
  static Result<SectionBuffer> Create(size_t bytes, const char* what,
                                      bool is_temporary);
  bool is_real() const { return sections_ != nullptr && sections_->is_real(); }

  std::shared_ptr<ArenaSections> sections_;  // null: none was current
  char* piece_ = nullptr;
  bool is_temporary_ = false;
  AlignedBuffer system_;
};

}  // namespace mace::memory

#endif  // MACE_MEMORY_ARENA_SECTIONS_H_
