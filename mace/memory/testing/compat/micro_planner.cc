// First fit, with its state in the caller's memory.
// SPDX-License-Identifier: Apache-2.0

#include "mace/memory/testing/compat/micro_planner.h"

#include <algorithm>
#include <limits>

#include "mace/base/str_cat.h"

namespace mace::memory {
namespace {

constexpr int64_t kMaxBytes = std::numeric_limits<int32_t>::max();

Status Full(const char* planner, int32_t capacity) {
  return OutOfResources(planner, " has room for ", capacity, " buffers");
}

Status CheckBuffer(int32_t id, int32_t bytes, int32_t first, int32_t last,
                   int64_t sum) {
  const std::string label = StrCat("buffer ", id);
  if (bytes < 0) {
    return InvalidArgument(label, ": negative size ", bytes);
  }
  if (first > last) {
    return InvalidArgument(label, ": reversed interval: first use ", first,
                           " is after last use ", last);
  }
  if (sum > kMaxBytes) {
    return InvalidArgument(label, ": the sum of all sizes overflows here");
  }
  return Status();
}

Status NoSuchBuffer(int32_t index, int32_t count) {
  return InvalidArgument("buffer ", index, " does not exist; there are ",
                         count);
}

}  // namespace

void ReverseSortInPlace(int32_t* values, int32_t* ids, int32_t n) {
  for (int32_t i = 1; i < n; ++i) {
    const int32_t value = values[i];
    const int32_t id = ids[i];
    int32_t at = i;
    for (; at > 0 && values[at - 1] < value; --at) {
      values[at] = values[at - 1];
      ids[at] = ids[at - 1];
    }
    values[at] = value;
    ids[at] = id;
  }
}

MicroGreedyPlanner::MicroGreedyPlanner(void* scratch, size_t scratch_bytes)
    : buffers_(static_cast<Buffer*>(scratch)),
      sizes_(reinterpret_cast<int32_t*>(buffers_ +
                                        scratch_bytes / kBytesPerBuffer)),
      by_size_(sizes_ + scratch_bytes / kBytesPerBuffer),
      placed_(by_size_ + scratch_bytes / kBytesPerBuffer),
      capacity_(static_cast<int32_t>(scratch_bytes / kBytesPerBuffer)) {}

Status MicroGreedyPlanner::AddBuffer(int32_t bytes, int32_t first, int32_t last,
                                     int32_t offline_offset) {
  if (count_ == capacity_) return Full("the greedy planner", capacity_);
  const int64_t sum = sum_ + bytes + std::max<int64_t>(offline_offset, 0);
  MACE_RETURN_IF_ERROR(CheckBuffer(count_, bytes, first, last, sum));
  sum_ = sum;
  buffers_[count_] = {bytes, first, last, offline_offset};
  // Online buffers are listed from the back, offline ones from the front.
  if (offline_offset == kOnline) {
    ++num_online_;
    by_size_[capacity_ - num_online_] = count_;
  } else {
    by_size_[count_ - num_online_] = count_;
  }
  ++count_;
  planned_ = false;
  return Status();
}

void MicroGreedyPlanner::Place(int32_t id, int32_t* num_placed) {
  Buffer& b = buffers_[id];
  if (b.offset == kOnline) {
    int32_t at = 0;
    for (int32_t i = 0; i < *num_placed; ++i) {
      const Buffer& other = buffers_[placed_[i]];
      if (other.last < b.first || b.last < other.first) continue;
      if (other.offset - at >= b.bytes) break;
      at = std::max(at, other.offset + other.bytes);
    }
    b.offset = at;
  }
  int32_t i = (*num_placed)++;
  for (; i > 0 && buffers_[placed_[i - 1]].offset > b.offset; --i) {
    placed_[i] = placed_[i - 1];
  }
  placed_[i] = id;
}

void MicroGreedyPlanner::PlanIfNeeded() {
  if (planned_) return;
  planned_ = true;
  int32_t* const online = by_size_ + capacity_ - num_online_;
  for (int32_t i = 0; i < num_online_; ++i) {
    buffers_[online[i]].offset = kOnline;
  }
  // The buffers added last come first, and the stable sort by size keeps that
  // order.
  std::sort(online, online + num_online_, std::greater<int32_t>());
  for (int32_t i = 0; i < num_online_; ++i) {
    sizes_[i] = buffers_[online[i]].bytes;
  }
  ReverseSortInPlace(sizes_, online, num_online_);
  int32_t num_placed = 0;
  for (int32_t i = 0; i < count_ - num_online_; ++i) {
    Place(by_size_[i], &num_placed);
  }
  for (int32_t i = 0; i < num_online_; ++i) Place(online[i], &num_placed);
}

int32_t MicroGreedyPlanner::MaximumBytes() {
  PlanIfNeeded();
  int32_t end = 0;
  for (int32_t i = 0; i < count_; ++i) {
    end = std::max(end, buffers_[i].offset + buffers_[i].bytes);
  }
  return end;
}

Result<int32_t> MicroGreedyPlanner::OffsetOf(int32_t index) {
  if (index < 0 || index >= count_) return NoSuchBuffer(index, count_);
  PlanIfNeeded();
  return buffers_[index].offset;
}

bool MicroGreedyPlanner::AnyOverlap() {
  PlanIfNeeded();
  for (int32_t i = 0; i < count_; ++i) {
    const Buffer& a = buffers_[i];
    for (int32_t j = 0; j < i; ++j) {
      const Buffer& b = buffers_[j];
      if (a.first <= b.last && b.first <= a.last &&
          a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes) {
        return true;
      }
    }
  }
  return false;
}

Status MicroLinearPlanner::AddBuffer(int32_t bytes, int32_t first,
                                     int32_t last) {
  if (count_ == capacity_) return Full("the linear planner", capacity_);
  MACE_RETURN_IF_ERROR(
      CheckBuffer(count_, bytes, first, last, int64_t{end_} + bytes));
  offsets_[count_++] = end_;
  end_ += bytes;
  return Status();
}

Result<int32_t> MicroLinearPlanner::OffsetOf(int32_t index) const {
  if (index < 0 || index >= count_) return NoSuchBuffer(index, count_);
  return offsets_[index];
}

Status MicroGivenPlanner::AddBuffer(int32_t, int32_t, int32_t) {
  if (count_ == n_) return Full("the given plan", n_);
  ++count_;
  return Status();
}

Result<int32_t> MicroGivenPlanner::OffsetOf(int32_t index) const {
  if (index < 0 || index >= n_) return NoSuchBuffer(index, n_);
  return offsets_[index];
}

}  // namespace mace::memory
