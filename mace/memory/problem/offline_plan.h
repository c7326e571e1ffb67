// Plans that a model file carries: TensorFlow Lite Micro's and our own.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_MEMORY_PROBLEM_OFFLINE_PLAN_H_
#define MACE_MEMORY_PROBLEM_OFFLINE_PLAN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "mace/memory/problem/problem.h"

namespace mace::memory {

// "OfflineMemoryAllocation": little-endian int32 words
//
//   [0] format version  [1] subgraph  [2] n  [3 .. n+2] offset of tensor k from
//   the start of the head section, or -1: place it online
//
// One entry for each tensor of all subgraphs, constants included. Offsets are
// taken as they are: overlaps in time and space are allowed.
struct OfflinePlan {
  static constexpr char kMetadataName[] = "OfflineMemoryAllocation";

  int32_t version = 1;
  int32_t subgraph = 0;
  std::vector<int32_t> offsets;
};

// Errors: MACE_INVALID_MODEL if the bytes are not such a plan or it is not for
// `num_tensors` tensors.
Result<OfflinePlan> ReadOfflinePlan(const std::string& bytes,
                                    size_t num_tensors);
std::string WriteOfflinePlan(const OfflinePlan& plan);

// The words themselves.
Result<OfflinePlan> OfflinePlanFromWords(const std::vector<int32_t>& words,
                                         size_t num_tensors);

// Fixes the records that the plan has an offset for (record k is tensor k), and
// lets them overlap. Partial plans leave the rest to a planner. A record of no
// bytes ignores its entry. Errors: MACE_INVALID_ARGS.
Status ApplyOfflinePlan(const OfflinePlan& plan, Problem* problem);

// First and last use of every tensor of a chain of ops, as TensorFlow Lite
// Micro counts: scope 0 is before the first op, op i has scope i + 1; -1 where
// never made or used.
struct OpUses {
  std::vector<int32_t> inputs, outputs;
};
struct Lifetime {
  int32_t first = -1;
  int32_t last = -1;
};
std::vector<Lifetime> Lifetimes(const std::vector<OpUses>& ops,
                                const std::vector<int32_t>& graph_inputs,
                                const std::vector<int32_t>& graph_outputs,
                                size_t num_tensors);

// Our own: what a converter planned, with what it was planned for.
//
//   [0] magic and version  [1, 2] hash of the records  [3] status  [4] number
//   of records  [5, 6] total  [7, 8] lower bound  [9 ..] an offset of two words
//   for each record; all in bytes, 64-bit values low word first
struct EmbeddedPlan {
  uint64_t hash = 0;
  Certificate certificate;  // total, lower_bound and status
  std::vector<int64_t> offsets;
};

// Equal for problems with the same records (names aside).
uint64_t HashOf(const Problem& problem);

EmbeddedPlan Embed(const Problem& problem, const Plan& plan);
std::string WriteEmbeddedPlan(const EmbeddedPlan& plan);
// Errors: MACE_INVALID_MODEL if the bytes are no such plan.
Result<EmbeddedPlan> ReadEmbeddedPlan(const std::string& bytes);

// The plan, if it is one for exactly this problem and is valid: the hash, then
// each offset in O(n log n). Errors: MACE_INVALID_MODEL saying what differs;
// the caller then plans again.
Result<Plan> VerifyEmbeddedPlan(const Problem& problem,
                                const EmbeddedPlan& embedded);

}  // namespace mace::memory

#endif  // MACE_MEMORY_PROBLEM_OFFLINE_PLAN_H_
