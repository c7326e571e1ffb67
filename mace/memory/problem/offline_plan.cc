// Reads and checks plans from files.
// SPDX-License-Identifier: Apache-2.0

#include "mace/memory/problem/offline_plan.h"

#include <algorithm>

#include "mace/memory/problem/validate.h"

namespace mace::memory {
namespace {

// FNV-1a over 64-bit values, with a final mix.
class Hash {
 public:
  void Add(int64_t value) {
    hash_ = (hash_ ^ static_cast<uint64_t>(value)) * 0x100000001b3;
    hash_ ^= hash_ >> 29;
  }
  uint64_t value() const { return hash_; }

 private:
  uint64_t hash_ = 0xcbf29ce484222325;
};

}  // namespace

Result<OfflinePlan> OfflinePlanFromWords(const std::vector<int32_t>& words,
                                         size_t num_tensors) {
  const std::string label = OfflinePlan::kMetadataName;
  if (words.size() < 3) {
    return InvalidModel(label, ": ", words.size(),
                        " words where at least 3 belong");
  }
  if (words[2] < 0 || static_cast<size_t>(words[2]) != num_tensors ||
      words.size() - 3 < num_tensors) {
    return InvalidModel(label, ": has ", words.size() - 3, " offsets (says ",
                        words[2], ") for ", num_tensors, " tensors");
  }
  OfflinePlan plan;
  plan.version = words[0];
  plan.subgraph = words[1];
  plan.offsets.assign(words.begin() + 3, words.begin() + 3 + words[2]);
  for (size_t i = 0; i < plan.offsets.size(); ++i) {
    if (plan.offsets[i] < -1) {
      return InvalidModel(label, ": tensor ", i, " has offset ",
                          plan.offsets[i], "; -1 or more belongs there");
    }
  }
  return plan;
}

Status ApplyOfflinePlan(const OfflinePlan& plan, Problem* problem) {
  if (plan.offsets.size() != problem->records.size()) {
    return InvalidArgument("the offline plan has ", plan.offsets.size(),
                           " offsets for ", problem->records.size(),
                           " records");
  }
  problem->fixed_may_overlap = true;
  for (size_t i = 0; i < plan.offsets.size(); ++i) {
    Record& r = problem->records[i];
    if (plan.offsets[i] >= 0 && r.size.count() > 0) {
      r.fixed_offset = plan.offsets[i];
    }
  }
  return Status();
}

uint64_t HashOf(const Problem& p) {
  Hash hash;
  hash.Add(p.alignment);
  hash.Add(p.fixed_may_overlap);
  hash.Add(static_cast<int64_t>(p.records.size()));
  for (const Record& r : p.records) {
    for (int64_t extent : r.size.extent) hash.Add(extent);
    for (int64_t value :
         {static_cast<int64_t>(r.size.rank), r.first, r.last, r.alignment,
          static_cast<int64_t>(r.pool), r.fixed_offset,
          static_cast<int64_t>(r.alias_of), r.alias_offset,
          static_cast<int64_t>(r.overlaps.size())}) {
      hash.Add(value);
    }
    for (const Overlap& o : r.overlaps) {
      hash.Add(o.other);
      hash.Add(o.safe_distance);
    }
  }
  return hash.value();
}

Result<Plan> VerifyEmbeddedPlan(const Problem& problem,
                                const EmbeddedPlan& embedded) {
  if (embedded.hash != HashOf(problem)) {
    return InvalidModel("the memory plan was made for other records");
  }
  const Certificate& c = embedded.certificate;
  const Status valid = VerifyOffsets(problem, embedded.offsets, c.total);
  if (!valid.ok()) {
    return InvalidModel("the memory plan is wrong: ", valid.information());
  }
  Plan plan;
  plan.offsets = embedded.offsets;
  plan.certificate = c;
  for (size_t i = 0; i < problem.records.size(); ++i) {
    const Record& r = problem.records[i];
    if (plan.pool_totals.size() <= static_cast<size_t>(r.pool)) {
      plan.pool_totals.resize(r.pool + 1);
    }
    if (r.size.extent[0] == 0) continue;
    int64_t& total = plan.pool_totals[r.pool];
    total = std::max(total, plan.offsets[i] + r.size.extent[0]);
  }
  return plan;
}

}  // namespace mace::memory
