// Making a plan.
// SPDX-License-Identifier: Apache-2.0

#include "mace/image/plan.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace mace::image {
namespace {

// Of a row only the columns in use are read, one by one, if they are at most a
// third: converting them all with vectors costs about as much.
constexpr int kSparse = 3;

// The taps of `across` in groups. An output whose last group would end beyond
// the row begins earlier, with weights of 0.
Status PackAcross(Plan* plan) {
  constexpr char kWhat[] = "the weights of a picture's filter";
  const Taps& taps = plan->across.taps;
  const size_t group = plan->group();
  const size_t parts = plan->mix_across ? 1 : 2;  // high, and low
  const size_t groups = (static_cast<size_t>(taps.most) + group - 1) / group;
  const auto row = static_cast<int64_t>(plan->across.used.size());
  const auto latest =
      std::max<int64_t>(0, row - static_cast<int64_t>(groups * group));
  MACE_ASSIGN_OR_RETURN(plan->packed_first,
                        LargeArray<int32_t>::Create(taps.out, kWhat));
  MACE_ASSIGN_OR_RETURN(
      plan->packed_weights,
      LargeArray<int16_t>::Create(
          int64_t{taps.out} * static_cast<int64_t>(groups * group * parts),
          kWhat));
  for (int i = 0; i < taps.out; ++i) {
    const auto at = static_cast<size_t>(i);
    const auto first =
        static_cast<int32_t>(std::min<int64_t>(taps.first[at], latest));
    plan->packed_first[at] = first;
    int16_t* to = plan->packed_weights.data() + at * groups * group * parts;
    for (int32_t k = 0; k < taps.count[at]; ++k) {
      const auto tap = static_cast<size_t>(taps.first[at] - first + k);
      int16_t* high = to + tap / group * group * parts + tap % group;
      const int32_t weight = taps.weights_of(i)[k];
      *high = static_cast<int16_t>(weight >> kLowBits);
      if (parts == 1) continue;
      high[group] = static_cast<int16_t>(weight & ((1 << kLowBits) - 1));
    }
  }
  plan->packed = {plan->packed_first.data(), plan->packed_weights.data(),
                  groups, static_cast<size_t>(taps.out)};
  return Status();
}

// The stored positions of an axis's inputs.
Result<LargeArray<int32_t>> Stored(const Axis& axis, int begin, int size,
                                   bool flip) {
  MACE_ASSIGN_OR_RETURN(
      LargeArray<int32_t> stored,
      LargeArray<int32_t>::Create(static_cast<int64_t>(axis.used.size()),
                                  "the columns of a picture"));
  for (size_t i = 0; i < stored.size(); ++i) {
    stored[i] = begin + (flip ? size - 1 - axis.used[i] : axis.used[i]);
  }
  return stored;
}

// The most outputs that a row between their first and last input meets.
size_t MostAtOnce(const Taps& taps) {
  size_t most = 1, begin = 0;
  for (size_t end = 0; end < taps.first.size(); ++end) {
    while (taps.first[begin] + taps.count[begin] <= taps.first[end]) ++begin;
    most = std::max(most, end - begin + 1);
  }
  return most;
}

// Lays out the scratch memory.
void LayOut(Plan* plan) {
  const size_t pixel = plan->pixel_bytes();
  const size_t group = plan->group();
  const size_t used = plan->across.used.size();
  // What `sum` reads of a row that is shorter than its groups.
  const size_t row = std::max(used, plan->packed.groups * group) * pixel;
  const size_t out = static_cast<size_t>(plan->across.taps.out) * pixel;
  plan->line_bytes = plan->geometry.swap ? used * pixel : out;
  size_t at = 0;
  const auto take = [&](size_t bytes) {
    const size_t begin = at;
    at += static_cast<size_t>(AlignUp(static_cast<int64_t>(bytes), kAlignment));
    return begin;
  };
  const bool keep = !plan->down.copy && plan->num_sums == 0;
  const size_t sums = plan->down.copy ? 0 : std::max<size_t>(1, plan->num_sums);
  ScratchLayout& s = plan->scratch;
  s.raw = take(row);
  s.reader = take(used * PixelReader::kScratch);
  s.lines = take((keep ? Plan::kRing : 1) * plan->line_bytes);
  s.sums = take(sums * plan->line_bytes * sizeof(int32_t));
  s.done = take(std::max(row, out));
  s.across = take(out);
  s.size = at;
}

}  // namespace

Result<Plan> MakePlan(MaceImageFilter filter, const Geometry& g, bool gray,
                      bool direct) {
  Plan plan;
  plan.geometry = g;
  plan.gray = gray;
  plan.direct = direct;
  const int out_across = g.swap ? g.content.height : g.content.width;
  const int out_down = g.swap ? g.content.width : g.content.height;
  // A picture whose rows need no conversion is read where it is.
  const bool in_place = direct && !g.flip_x;
  MACE_ASSIGN_OR_RETURN(
      plan.across,
      MakeAxis(filter, g.crop.width, out_across,
               in_place ? std::numeric_limits<int>::max() : kSparse));
  MACE_ASSIGN_OR_RETURN(plan.down,
                        MakeAxis(filter, g.crop.height, out_down, 1));
  MACE_ASSIGN_OR_RETURN(plan.columns,
                        Stored(plan.across, g.crop.x, g.crop.width, g.flip_x));
  MACE_ASSIGN_OR_RETURN(plan.rows,
                        Stored(plan.down, g.crop.y, g.crop.height, g.flip_y));
  plan.read.n = plan.columns.size();
  if (plan.across.dense) {
    plan.read_backwards = g.flip_x && plan.columns.size() > 1;
    plan.read.begin =
        std::min(plan.columns[0], plan.columns[plan.columns.size() - 1]);
  } else {
    plan.read.at = plan.columns.data();
  }
  plan.mix_across = !gray && plan.across.taps.are_pairs();
  plan.mix_down = plan.down.taps.are_pairs();
  if (!plan.across.copy) MACE_RETURN_IF_ERROR(PackAcross(&plan));
  if (static_cast<size_t>(plan.down.taps.most) > Plan::kRing) {
    plan.num_sums = MostAtOnce(plan.down.taps);
  }
  LayOut(&plan);
  return plan;
}

}  // namespace mace::image
