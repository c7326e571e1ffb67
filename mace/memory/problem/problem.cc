// Checks everything on which planners may rely.
// SPDX-License-Identifier: Apache-2.0

#include "mace/memory/problem/problem.h"

#include <algorithm>

#include "mace/base/sort.h"
#include "mace/base/str_cat.h"
#include "mace/memory/problem/reduce.h"
#include "mace/memory/problem/relations.h"

namespace mace::memory {
namespace {

// Small enough for aligning and adding without checks for overflow.
constexpr int64_t kMaxTotal = int64_t{1} << 61;
constexpr int32_t kMaxPools = 1 << 16;

bool IsPowerOfTwo(int64_t x) { return x > 0 && (x & (x - 1)) == 0; }

Status RecordError(const Problem& p, int32_t id, const std::string& what) {
  return InvalidArgument(Label(p, id), ": ", what);
}

std::string ProblemRange(const Record& r) {
  return StrCat("[", r.fixed_offset, ", ", r.fixed_offset + r.size.extent[0],
                ")");
}

// Multiplies, unless the product is outside [0, kMaxTotal].
bool Multiply(int64_t* product, int64_t factor) {
  if (factor != 0 && *product > kMaxTotal / factor) return false;
  *product *= factor;
  return true;
}

Status CheckSize(const Problem& p, int32_t id) {
  const Size& size = p.records[id].size;
  if (size.rank < 1 || size.rank > 4) {
    return RecordError(p, id,
                       StrCat("a size has 1 to 4 extents, not ", size.rank));
  }
  bool fits = true;
  int64_t bytes = size.rank == 1 ? 1 : p.element_bytes * p.row_pitch;
  for (size_t k = 0; k < size.extent.size(); ++k) {
    const int64_t extent = size.extent[k];
    if (extent < 0) {
      return RecordError(p, id, StrCat("negative size ", extent));
    }
    // An extent of 0 does not permit other extents to be absurd.
    fits = fits && Multiply(&bytes, std::max<int64_t>(extent, 1));
    const bool image = size.rank == 2 || size.rank == 3;
    if (image && k < 3 && extent > p.max_extents[k]) {
      constexpr const char* kNames[] = {"width ", "height ", "depth "};
      return RecordError(p, id,
                         StrCat(kNames[k], extent, " exceeds the limit of ",
                                p.max_extents[k]));
    }
  }
  if (!fits) return RecordError(p, id, "its size overflows");
  if (size.rank != p.records[0].size.rank) {
    return RecordError(p, id,
                       StrCat("has ", size.rank, " extents where ", Label(p, 0),
                              " has ", p.records[0].size.rank));
  }
  return Status();
}

Status CheckOne(const Problem& p, int32_t id) {
  const Record& r = p.records[id];
  const auto n = static_cast<int32_t>(p.records.size());
  MACE_RETURN_IF_ERROR(CheckSize(p, id));
  if (r.first > r.last) {
    return RecordError(p, id,
                       StrCat("reversed interval: first use ", r.first,
                              " is after last use ", r.last));
  }
  if (r.first < -kMaxTotal || r.last > kMaxTotal) {
    return RecordError(p, id, "its interval is out of range");
  }
  if (!IsPowerOfTwo(r.alignment) || r.alignment > kMaxTotal) {
    return RecordError(
        p, id, StrCat("alignment ", r.alignment, " is not a power of two"));
  }
  if (r.pool < 0 || r.pool >= kMaxPools) {
    return RecordError(
        p, id,
        StrCat("pool ", r.pool, " is out of range [0, ", kMaxPools, ")"));
  }
  if (r.fixed_offset != kNoOffset) {
    const int64_t alignment = std::max(r.alignment, p.alignment);
    if (r.fixed_offset < 0 || r.fixed_offset > kMaxTotal) {
      return RecordError(
          p, id, StrCat("fixed offset ", r.fixed_offset, " is out of range"));
    }
    if (r.fixed_offset % alignment != 0) {
      return RecordError(
          p, id,
          StrCat("fixed offset ", r.fixed_offset,
                 " is not a multiple of its alignment ", alignment));
    }
  }
  if (r.alias_of != kNone && (r.alias_of < 0 || r.alias_of >= n)) {
    return RecordError(
        p, id,
        StrCat("is an alias of record ", r.alias_of, ", which does not exist"));
  }
  for (const Overlap& o : r.overlaps) {
    if (o.other < 0 || o.other >= n || o.other == id) {
      return RecordError(p, id,
                         StrCat("may overlap record ", o.other,
                                ", which is not another record"));
    }
  }
  return Status();
}

Status CheckFixed(const Problem& p, const PoolProblem& pool) {
  const std::vector<Record>& records = pool.problem.records;
  const Relations relations(pool.problem);
  std::vector<int32_t> fixed;
  for (size_t i = 0; i < records.size(); ++i) {
    if (records[i].fixed_offset != kNoOffset) {
      fixed.push_back(static_cast<int32_t>(i));
    }
  }
  StableSort(&fixed, [&](int32_t a, int32_t b) {
    return records[a].fixed_offset < records[b].fixed_offset;
  });
  for (size_t i = 0; i < fixed.size(); ++i) {
    const Record& a = records[fixed[i]];
    for (size_t j = i + 1; j < fixed.size(); ++j) {
      const Record& b = records[fixed[j]];
      if (b.fixed_offset >= a.fixed_offset + a.size.extent[0]) break;
      const Relations::Gap gap = relations.Between(fixed[i], fixed[j]);
      const int64_t distance = b.fixed_offset - a.fixed_offset;
      if (LiveTogether(a, b) && gap.low < distance && distance < gap.high) {
        const int32_t low = std::min(fixed[i], fixed[j]);
        const int32_t high = std::max(fixed[i], fixed[j]);
        return RecordError(
            p, pool.record_of[high],
            StrCat("fixed at ", ProblemRange(records[high]), ", collides with ",
                   Label(p, pool.record_of[low]), " at ",
                   ProblemRange(records[low])));
      }
    }
  }
  return Status();
}

// REQUIRES: all other checks have passed.
Status CheckFixed(const Problem& p) {
  bool any = false;
  for (const Record& r : p.records) any |= r.fixed_offset != kNoOffset;
  if (!any || p.fixed_may_overlap) return Status();
  for (const PoolProblem& pool : Reduce(p).pools) {
    MACE_RETURN_IF_ERROR(CheckFixed(p, pool));
  }
  return Status();
}

}  // namespace

const char* Name(Certificate::Status status) {
  constexpr const char* kNames[] = {"optimal", "feasible", "infeasible",
                                    "unknown"};
  return kNames[status];
}

void Add(const Certificate& part, Certificate* sum) {
  sum->total += part.total;
  sum->lower_bound += part.lower_bound;
  sum->nodes += part.nodes;
  sum->us += part.us;
  // From best to worst: optimal, feasible, unknown, infeasible.
  const auto rank = [](Certificate::Status s) {
    constexpr int kRank[] = {0, 1, 3, 2};
    return kRank[s];
  };
  if (rank(part.status) > rank(sum->status)) sum->status = part.status;
}

std::string Label(const Problem& p, int32_t id) {
  std::string label = StrCat("record ", id);
  if (!p.records[id].name.empty())
    label += StrCat(" '", p.records[id].name, "'");
  return label;
}

int64_t Bytes(const Problem& p, const Size& size) {
  if (size.rank == 1) return size.extent[0];
  if (size.rank == 4) return size.count() * p.element_bytes;
  const int64_t row =
      (size.extent[0] + p.row_pitch - 1) / p.row_pitch * p.row_pitch;
  return row * size.extent[1] * size.extent[2] * p.element_bytes;
}

Status Check(const Problem& p) {
  if (!IsPowerOfTwo(p.alignment) || p.alignment > kMaxTotal) {
    return InvalidArgument("alignment ", p.alignment,
                           " of all records is not a power of two");
  }
  if (p.element_bytes < 1 || p.element_bytes > 1024 || p.row_pitch < 1 ||
      p.row_pitch > (1 << 20) ||
      *std::min_element(p.max_extents.begin(), p.max_extents.end()) < 1) {
    return InvalidArgument(
        "element bytes (1 to 1024), row pitch (1 to 2^20) or extent limit "
        "(at least 1) of images is out of range");
  }
  if (p.records.size() > (1u << 30)) {
    return InvalidArgument("more than 2^30 records");
  }
  int64_t total = 0;
  for (size_t i = 0; i < p.records.size(); ++i) {
    const auto id = static_cast<int32_t>(i);
    MACE_RETURN_IF_ERROR(CheckOne(p, id));
    const Record& r = p.records[i];
    // An upper bound of the bytes that NAIVE takes.
    for (int64_t part :
         {Bytes(p, r.size), std::max(r.alignment, p.alignment) - 1,
          std::max<int64_t>(r.fixed_offset, 0)}) {
      if (part > kMaxTotal - total) {
        return RecordError(p, id, "the sum of all sizes overflows here");
      }
      total += part;
    }
  }
  MACE_RETURN_IF_ERROR(CheckAliases(p));
  return CheckFixed(p);
}

}  // namespace mace::memory
