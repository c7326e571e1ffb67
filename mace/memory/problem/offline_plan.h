// Memory plans that a model file carries: those of TensorFlow Lite Micro, and
// those of MACE.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_MEMORY_PROBLEM_OFFLINE_PLAN_H_
#define MACE_MEMORY_PROBLEM_OFFLINE_PLAN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "mace/memory/problem/problem.h"

namespace mace::memory {

// "OfflineMemoryAllocation": int32 words
//
//   [0] format version  [1] subgraph  [2] n  [3 .. n+2] offset of tensor k from
//   the start of the head section, or -1: place it online
//
// There is one entry for each tensor of all subgraphs, constants included.
// Offsets are used as they are, even if tensors overlap in time and space.
struct OfflinePlan {
  static constexpr char kMetadataName[] = "OfflineMemoryAllocation";

  int32_t version = 1;
  int32_t subgraph = 0;
  std::vector<int32_t> offsets;
};

// Reads a plan; ignores words after it. Errors: MACE_INVALID_MODEL if the words
// are not such a plan, or not one of `num_tensors` tensors; any version and
// subgraph are accepted.
Result<OfflinePlan> OfflinePlanFromWords(const std::vector<int32_t>& words,
                                         size_t num_tensors);

// Fixes the records for which the plan has an offset (record k is tensor k),
// and permits them to overlap. The other records are left to a planner. The
// entry of a record without bytes is ignored. Errors: MACE_INVALID_ARGS if the
// plan has another number of offsets than there are records.
Status ApplyOfflinePlan(const OfflinePlan& plan, Problem* problem);

// A plan that the converter made.
struct EmbeddedPlan {
  uint64_t hash = 0;        // HashOf the problem for which it was made
  Certificate certificate;  // total, lower_bound and status
  std::vector<int64_t> offsets;
};

// Returns a hash that is equal for problems with the same records (apart from
// names), alignment and fixed_may_overlap.
uint64_t HashOf(const Problem& problem);

// Returns the plan if it was made for a problem of this hash and its offsets
// are valid: checks the hash, then the offsets as VerifyOffsets does, in an
// arena of certificate.total bytes. Does not check the rest of the certificate.
// REQUIRES: Check(problem) is OK. Errors: MACE_INVALID_MODEL with what differs;
// the caller then makes a new plan.
Result<Plan> VerifyEmbeddedPlan(const Problem& problem,
                                const EmbeddedPlan& embedded);

}  // namespace mace::memory

#endif  // MACE_MEMORY_PROBLEM_OFFLINE_PLAN_H_
