// mutant_is: returns whether a mutant is switched on. Copied into the tree for
// a run.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_MEMORY_PROBLEM_MUTANT_SWITCH_H_
#define MACE_MEMORY_PROBLEM_MUTANT_SWITCH_H_

// The number in $MACE_MUTANT, or -1.
extern "C" int mace_mutant;
// By mutant: whether its position was executed. At the end of the process, the
// numbers of those are written to the file $MACE_MUTANTS_REACHED.
extern "C" unsigned char mace_mutants_reached[];

static inline bool mutant_is(int id) {
  mace_mutants_reached[id] = 1;
  return id == mace_mutant;
}

#endif  // MACE_MEMORY_PROBLEM_MUTANT_SWITCH_H_
