// The memory records of a plan: what a planner sees of it.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PLAN_MEMORY_RECORDS_H_
#define MACE_PLAN_MEMORY_RECORDS_H_

#include <cstdint>
#include <vector>

#include "mace/memory/problem/problem.h"
#include "mace/plan/stages/storage.h"
#include "mace/plan/types/plan.h"

namespace mace {

struct Records {
  memory::Problem problem;
  std::vector<int> of_root;     // by value id: the record of that group, or -1
  std::vector<int> of_scratch;  // by step: the record of its scratch, or -1
  std::vector<uint8_t> is_scratch;  // by record
};

// Makes a record for each group that lies in the arena, and for each scratch,
// in the order in which steps first use them. Step s of the records is
// plan.steps[s]; one more step stands for the copies to the caller. A record
// lives from the first step that uses it to the last one. With `overlap`,
// records have the safe distances, other than 0, at which the kernels let an
// output overlap an input that is no longer needed: at most one input per step,
// which the step reads through one operand only. Output and input must each
// fill their group.
Records MakeRecords(const Plan& plan, const Storage& storage, bool overlap);

}  // namespace mace

#endif  // MACE_PLAN_MEMORY_RECORDS_H_
