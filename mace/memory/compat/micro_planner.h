// Planners without a heap: all they know lies in memory that the caller gives.
// SPDX-License-Identifier: Apache-2.0
//
// For microcontrollers, and for arenas that hold their own plan. They place as
// TensorFlow Lite Micro's planners do; offsets come out the same, and
// conformance_tflm_test.cc holds them to the published expectations. An engine
// has a heap and plans with offsets/TFLM_GREEDY and offsets/LINEAR, which place
// the same way: micro_planner_test.cc compares the greedy ones on random
// buffers.
#ifndef MACE_MEMORY_COMPAT_MICRO_PLANNER_H_
#define MACE_MEMORY_COMPAT_MICRO_PLANNER_H_

#include <cstddef>
#include <cstdint>

#include "mace/base/status.h"

namespace mace::memory {

constexpr int32_t kOnline = -1;  // an offset that is not planned offline

// Sorts descending, equal values in their order; ids follow.
void ReverseSortInPlace(int32_t* values, int32_t* ids, int32_t n);

// Largest first (of equals the last added), each into the lowest gap that fits.
// Buffers with an offline offset come first, wherever they lie. Offsets are not
// aligned: round sizes up to align them.
class MicroGreedyPlanner {
 public:
  static constexpr size_t kBytesPerBuffer = 28;

  // `scratch` is aligned to 4 bytes and outlives this.
  MicroGreedyPlanner(void* scratch, size_t scratch_bytes);

  // Errors: MACE_OUT_OF_RESOURCES if the scratch memory is full,
  // MACE_INVALID_ARGS for a negative size or a reversed interval.
  Status AddBuffer(int32_t bytes, int32_t first, int32_t last,
                   int32_t offline_offset = kOnline);

  int32_t num_buffers() const { return count_; }
  // The end of the topmost buffer.
  int32_t MaximumBytes();
  // Errors: MACE_INVALID_ARGS if there is no such buffer.
  Result<int32_t> OffsetOf(int32_t index);
  // Do any two buffers overlap in time and space? Offline ones may.
  bool AnyOverlap();

 private:
  struct Buffer {
    int32_t bytes, first, last, offset;
  };

  void PlanIfNeeded();
  void Place(int32_t id, int32_t* num_placed);

  Buffer* const buffers_;
  int32_t* const sizes_;    // of the online buffers, descending
  int32_t* const by_size_;  // their ids
  int32_t* const placed_;   // ids by ascending offset
  const int32_t capacity_;
  int32_t count_ = 0;
  int32_t num_online_ = 0;
  int64_t sum_ = 0;
  bool planned_ = true;
};

// Every buffer after the one before it.
class MicroLinearPlanner {
 public:
  static constexpr size_t kBytesPerBuffer = 4;

  MicroLinearPlanner(void* scratch, size_t scratch_bytes)
      : offsets_(static_cast<int32_t*>(scratch)),
        capacity_(static_cast<int32_t>(scratch_bytes / kBytesPerBuffer)) {}

  // Errors: as above.
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

// Buffer k lies at offsets[k], which somebody planned elsewhere and is trusted.
class MicroGivenPlanner {
 public:
  // `offsets` outlives this.
  MicroGivenPlanner(const int32_t* offsets, int32_t n)
      : offsets_(offsets), n_(n) {}

  // Errors: MACE_OUT_OF_RESOURCES for a buffer that the plan does not have.
  Status AddBuffer(int32_t bytes, int32_t first, int32_t last);
  int32_t num_buffers() const { return count_; }
  // It knows no sizes.
  int32_t MaximumBytes() const { return 0; }
  Result<int32_t> OffsetOf(int32_t index) const;

 private:
  const int32_t* const offsets_;
  const int32_t n_;
  int32_t count_ = 0;
};

}  // namespace mace::memory

#endif  // MACE_MEMORY_COMPAT_MICRO_PLANNER_H_
