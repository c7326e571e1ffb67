// Turning axes into the loops of reduce.cl.
// SPDX-License-Identifier: Apache-2.0

#include "mace/opencl/kernels/reduction.h"

#include <algorithm>
#include <iterator>

#include "mace/base/str_cat.h"

namespace mace::opencl {
namespace {

// Above this number of pixels, several work items share a sum.
constexpr int64_t kMaxPixels = 1024;

// Returns which of N, H, W and C axis `d` belongs to; see AsNhwc.
int NhwcAxis(int d, int rank) {
  if (d == rank - 1) return 3;
  if (rank < 4) return d;
  return std::max(0, d - (rank - 4));
}

// Returns the kind of reduction that combines partial results, or null if there
// is none. Products have none, because the rounding errors of fp16 in each part
// would multiply.
const char* MergeOf(const std::string& kind) {
  const struct {
    const char *kind, *merge;
  } kMerges[] = {{"MAX", "MAX"},
                 {"MIN", "MIN"},
                 {"SUM", "SUM"},
                 {"L1", "SUM"},
                 {"L2", "L2"},
                 {"SUM_SQUARE", "SUM"},
                 {"MEAN", "MEAN"},
                 {"MEAN_EXP", "MEAN"},
                 {"DEVIATION", "ROOT_MEAN_SQUARE"},
                 {"ROOT_MEAN_SQUARE", "ROOT_MEAN_SQUARE"}};
  for (const auto& row : kMerges) {
    if (kind == row.kind) return row.merge;
  }
  return nullptr;
}

// Divides the longest of the reduced axes among a team.
void AddTeam(const Reduction& reduction, const Target& target, Pass& pass) {
  const Extents4 &in = reduction.in, &out = reduction.out;
  const struct {
    const char* define;
    int64_t steps;
  } kAxes[] = {{"TEAM_OVER_H", in[1] / out[1]},
               {"TEAM_OVER_W", in[2] / out[2]},
               {"TEAM_OVER_BLOCKS", in[3] == out[3] ? 1 : Blocks(in[3])}};
  const auto* axis = std::max_element(
      std::begin(kAxes), std::end(kAxes),
      [](const auto& a, const auto& b) { return a.steps < b.steps; });
  int64_t terms = in[0] / out[0];
  for (const auto& other : kAxes) {
    if (&other != axis) terms *= other.steps;
  }
  const size_t team = target.TeamOf(pass.grid, axis->steps, terms);
  pass.Team(team, 1);
  if (team > 1) pass.Define(axis->define);
}

// Reduces scratch image `from`, or input 0 if it is not set. One row of the
// shift serves `shift_rows` rows of the result.
Pass ReducePass(const std::string& kind, const Reduction& reduction,
                const Target& target, std::optional<size_t> from,
                std::optional<size_t> to, size_t shift, int64_t shift_rows) {
  const Extents4 &in = reduction.in, &out = reduction.out;
  Pass pass("reduce", "reduce", BlockGrid(out));
  pass.Define(StrCat("REDUCE_", kind));
  if (from.has_value()) {
    pass.Image(*from);
  } else {
    pass.In(0);
  }
  if (kind == "MEAN_EXP" || kind == "DEVIATION" || kind == "LOG_SUM_EXP") {
    pass.Image(shift);
  }
  if (to.has_value()) {
    pass.Image(*to);
  } else {
    pass.Out();
  }
  const bool channels = in[3] != out[3];
  pass.Int(in[1], in[2], in[3], out[1], out[3], in[0] / out[0], in[1] / out[1],
           in[2] / out[2], channels ? Blocks(in[3]) : 0, shift_rows);
  pass.Float(static_cast<float>(reduction.count()));
  AddTeam(reduction, target, pass);
  return pass;
}

}  // namespace

int64_t Reduction::count() const {
  int64_t count = 1;
  for (int d = 0; d < 4; ++d) count *= in[d] / out[d];
  return count;
}

Result<Reduction> ReductionOf(const Node& node, const Shape& x,
                              const std::vector<int>& axes) {
  const int rank = static_cast<int>(x.size());
  bool gone[4] = {}, stays[4] = {};
  for (int d = 0; d < rank; ++d) {
    if (x[d] == 1) continue;
    const bool reduced = std::find(axes.begin(), axes.end(), d) != axes.end();
    (reduced ? gone : stays)[NhwcAxis(d, rank)] = true;
  }
  if (gone[0] && stays[0]) {
    return Unsupported(Label(node),
                       ": the GPU reduces all or none of the axes before the "
                       "last three of x ",
                       ToString(x));
  }
  Reduction reduction;
  reduction.in = reduction.out = AsNhwc(x);
  for (int d = 0; d < 4; ++d) {
    if (gone[d]) reduction.out[d] = 1;
  }
  return reduction;
}

Result<size_t> Reducer::AddImage(const Extents4& extents) {
  const Extent2D extent = ImageExtent(ImageLayout::kChannelMajor, extents);
  MACE_RETURN_IF_ERROR(
      target_.CheckExtent(extent, Label(node_) + ": what it reduces to"));
  images.push_back(extent);
  return images.size() - 1;
}

Status Reducer::Add(const std::string& kind, std::optional<size_t> to,
                    size_t shift) {
  const Extents4 &in = reduction_.in, &out = reduction_.out;
  const char* merge = MergeOf(kind);
  const bool by_line = merge != nullptr && out[1] < in[1] && out[2] < in[2] &&
                       in[1] * in[2] > kMaxPixels;
  if (!by_line) {
    passes.push_back(ReducePass(kind, reduction_, target_, {}, to, shift, 1));
    return Status();
  }
  Reduction lines = reduction_, rest = reduction_;
  lines.out[1] = in[1];
  rest.in = lines.out;
  MACE_ASSIGN_OR_RETURN(const size_t partial, AddImage(lines.out));
  passes.push_back(ReducePass(kind, lines, target_, {}, partial, shift, in[1]));
  passes.push_back(ReducePass(merge, rest, target_, partial, to, shift, 1));
  return Status();
}

}  // namespace mace::opencl
