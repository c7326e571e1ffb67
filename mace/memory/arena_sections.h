// ArenaSections: the sections of an engine's arena, and buffers in them.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_MEMORY_ARENA_SECTIONS_H_
#define MACE_MEMORY_ARENA_SECTIONS_H_

#include <cstddef>
#include <memory>

#include "mace/base/aligned_buffer.h"
#include "mace/base/status.h"
#include "mace/memory/single_arena.h"

namespace mace::memory {

// The sections of a buffer that the caller owns. Without a buffer, the bytes
// are only counted, and memory comes from the system. A library without the
// component `memory_tools` counts nothing, either. Not thread-safe.
class ArenaSections {
 public:
  ArenaSections() : arena_(SingleArena::ForCounting()) {}
  // `buffer` must outlive the sections and all SectionBuffers in them.
  ArenaSections(void* buffer, size_t bytes)
      : arena_(buffer, bytes), is_real_(true) {}

  // Makes sections without a buffer that begin with the head and tail of
  // `other`, in order to count what is added to them.
  enum Counting { kCount };
  ArenaSections(const ArenaSections& other, Counting);

  bool is_real() const { return is_real_; }
  // Whether some allocation has not fitted since the last ForgetFailure.
  bool failed() const;
  void ForgetFailure() { failed_ = false; }
  const SingleArena& arena() const { return arena_; }

  // Makes the head at least `bytes` long; never shrinks it. REQUIRES: no
  // temporary buffer lives. Errors: MACE_OUT_OF_RESOURCES.
  Status GrowHead(size_t bytes);

  // Returns how long a buffer at a 64-byte boundary must be to hold all
  // allocations so far.
  size_t needed_bytes() const;

  // Returns the sections of the innermost ScopedArenaSections on this thread,
  // or null.
  static const std::shared_ptr<ArenaSections>& Current();

 private:
  friend class SectionBuffer;

  SingleArena arena_;
  bool is_real_ = false;
  bool failed_ = false;
  // Whether the tail ever had a piece, even if all were freed since. Then
  // needed_bytes() is a multiple of 64, so that the buffer's end is aligned.
  bool has_tail_ = false;
  // Temporary buffers that live. At 0 their section is emptied.
  int num_temporary_ = 0;
};

// Makes `sections` the current ones of this thread during its lifetime.
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

// Owned bytes at a 64-byte boundary: in a section of the current arena if that
// has a buffer, otherwise from the system. Movable. The bytes are not
// initialised.
class SectionBuffer {
 public:
  // Allocates in the tail; the destructor frees. `what` names the use in
  // messages: "a folded constant". Errors: MACE_OUT_OF_RESOURCES.
  static Result<SectionBuffer> Persistent(size_t bytes, const char* what);
  // Allocates in the temporary section, which is emptied when the last of its
  // buffers is destroyed. Errors: as Persistent.
  static Result<SectionBuffer> Temporary(size_t bytes, const char* what);

  SectionBuffer() = default;
  SectionBuffer(SectionBuffer&& other) noexcept { *this = std::move(other); }
  SectionBuffer& operator=(SectionBuffer&& other) noexcept;
  ~SectionBuffer();

  void* data() const { return is_real() ? piece_ : system_.data(); }

 private:
  // Counts the piece even where the bytes come from the system, so that a first
  // pass finds how long the arena must be.
  static Result<SectionBuffer> Create(size_t bytes, const char* what,
                                      bool is_temporary);
  bool is_real() const { return sections_ != nullptr && sections_->is_real(); }

  std::shared_ptr<ArenaSections>
      sections_;  // null: there were no current sections
  char* piece_ = nullptr;
  bool is_temporary_ = false;
  AlignedBuffer system_;
};

}  // namespace mace::memory

#endif  // MACE_MEMORY_ARENA_SECTIONS_H_
