// Clamping of slice bounds, as NumPy does it.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/common/slice_spec.h"

#include <algorithm>

namespace mace {

SliceSpec WholeSlice(const Shape& x) {
  SliceSpec spec;
  spec.starts.assign(x.size(), 0);
  spec.steps.assign(x.size(), 1);
  spec.counts = x;
  spec.shape = x;
  return spec;
}

void SetSlice(int d, int64_t extent, int64_t start, int64_t end, int64_t step,
              SliceSpec* spec) {
  // With a negative step, "one before the first" is -1.
  const int64_t lo = step > 0 ? 0 : -1;
  const int64_t hi = step > 0 ? extent : extent - 1;
  const auto clamp = [&](int64_t i) {
    if (i < 0) i += extent;
    return std::max(lo, std::min(hi, i));
  };
  start = clamp(start);
  end = clamp(end);
  // The distance is at most the extent, so neither side can overflow.
  const int64_t distance = step > 0 ? end - start : start - end;
  int64_t count = 0;
  if (distance > 0) {
    const uint64_t stride = step > 0
                                ? static_cast<uint64_t>(step)
                                : uint64_t{0} - static_cast<uint64_t>(step);
    count =
        static_cast<int64_t>((static_cast<uint64_t>(distance) - 1) / stride) +
        1;
  }
  spec->starts[d] = count > 0 ? start : 0;
  spec->steps[d] = count > 1 ? step : 1;
  spec->counts[d] = count;
}

int64_t PartOffset(const TensorType& x, const SliceSpec& spec) {
  int64_t begin = 0;
  bool is_one_row = true;  // each axis so far has one index
  for (size_t d = 0; d < x.shape.size(); ++d) {
    if (spec.counts[d] == 0) return 0;  // an empty selection is everywhere
    if (spec.steps[d] != 1) return -1;
    if (!is_one_row && spec.counts[d] != x.shape[d]) return -1;
    is_one_row = is_one_row && spec.counts[d] == 1;
    begin = begin * x.shape[d] + spec.starts[d];
  }
  return begin * static_cast<int64_t>(SizeOf(x.dtype));
}

}  // namespace mace
