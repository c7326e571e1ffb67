// Planners without a heap: their state is in memory that the caller provides.
// SPDX-License-Identifier: Apache-2.0
//
// They are for microcontrollers, and for arenas that hold their own plan. They
// give the same offsets as TensorFlow Lite Micro's planners;
// conformance_tflm_test.cc tests them against the published expectations. An
// engine has a heap and uses offsets/TFLM_GREEDY and offsets/LINEAR, which
// place in the same way: micro_planner_test.cc compares the greedy ones on
// random buffers.
#ifndef MACE_MEMORY_TESTING_COMPAT_MICRO_PLANNER_H_
#define MACE_MEMORY_TESTING_COMPAT_MICRO_PLANNER_H_

#include <cstddef>
#include <cstdint>

#include "mace/base/status.h"

namespace mace::memory {

constexpr int32_t kOnline = -1;  // no offline offset

// Sorts values in descending order, and ids with them. The sort is stable.
void ReverseSortInPlace(int32_t* values, int32_t* ids, int32_t n);

// Places the largest buffers first (of equal ones the last added), each in the
// lowest gap that fits. Buffers with an offline offset come before them,
// wherever they lie. Offsets are not aligned: round sizes up if they must be.
class MicroGreedyPlanner {
 public:
  static constexpr size_t kBytesPerBuffer = 28;

  // `scratch` must be aligned to 4 bytes and outlive the planner.
  MicroGreedyPlanner(void* scratch, size_t scratch_bytes);

  // Errors: MACE_OUT_OF_RESOURCES if the scratch memory is full;
  // MACE_INVALID_ARGS for a negative size, a reversed interval, or sizes whose
  // sum overflows.
  Status AddBuffer(int32_t bytes, int32_t first, int32_t last,
                   int32_t offline_offset = kOnline);

  int32_t num_buffers() const { return count_; }
  // Returns the end of the topmost buffer.
  int32_t MaximumBytes();
  // Errors: MACE_INVALID_ARGS if there is no buffer `index`.
  Result<int32_t> OffsetOf(int32_t index);
  // Returns whether any two buffers overlap in time and space. Only buffers
  // with offline offsets can.
  bool AnyOverlap();

 private:
  struct Buffer {
    int32_t bytes, first, last, offset;
  };

  void PlanIfNeeded();
  void Place(int32_t id, int32_t* num_placed);

  Buffer* const buffers_;
  int32_t* const sizes_;    // sizes of online buffers, descending
  int32_t* const by_size_;  // their ids
  int32_t* const placed_;   // ids by ascending offset
  const int32_t capacity_;
  int32_t count_ = 0;
  int32_t num_online_ = 0;
  int64_t sum_ = 0;
  bool planned_ = true;
};

// Places every buffer after the previous one. `scratch` must be aligned to 4
// bytes and outlive the planner.
class MicroLinearPlanner {
 public:
  static constexpr size_t kBytesPerBuffer = 4;

  MicroLinearPlanner(void* scratch, size_t scratch_bytes)
      : offsets_(static_cast<int32_t*>(scratch)),
        capacity_(static_cast<int32_t>(scratch_bytes / kBytesPerBuffer)) {}

  // Errors: as MicroGreedyPlanner::AddBuffer.
  Status AddBuffer(int32_t bytes, int32_t first, int32_t last);
  int32_t num_buffers() const { return count_; }
  int32_t MaximumBytes() const { return end_; }
  Result<int32_t> OffsetOf(int32_t index) const;

 private:
  int32_t* const offsets_;
  const int32_t capacity_;
  int32_t count_ = 0;
  int32_t end_ = 0;
};

// Places buffer k at offsets[k], which were planned elsewhere and are trusted.
class MicroGivenPlanner {
 public:
  // `offsets` must outlive the planner.
  MicroGivenPlanner(const int32_t* offsets, int32_t n)
      : offsets_(offsets), n_(n) {}

  // Errors: MACE_OUT_OF_RESOURCES if the plan has no more buffers.
  Status AddBuffer(int32_t bytes, int32_t first, int32_t last);
  int32_t num_buffers() const { return count_; }
  // Returns 0, because the sizes are unknown.
  int32_t MaximumBytes() const { return 0; }
  // Errors: MACE_INVALID_ARGS if the plan has no offset `index`.
  Result<int32_t> OffsetOf(int32_t index) const;

 private:
  const int32_t* const offsets_;
  const int32_t n_;
  int32_t count_ = 0;
};

}  // namespace mace::memory

#endif  // MACE_MEMORY_TESTING_COMPAT_MICRO_PLANNER_H_
