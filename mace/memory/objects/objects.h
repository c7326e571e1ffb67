// Planners of shared objects: which buffer or image each record uses.
// SPDX-License-Identifier: Apache-2.0
//
// The strategies of TensorFlow Lite's GPU delegate (Pisarchyk & Lee, "Efficient
// Memory Management for Deep Neural Net Inference", arXiv 2001.03288), with its
// tie-breaks, so that object ids come out the same.
#ifndef MACE_MEMORY_OBJECTS_OBJECTS_H_
#define MACE_MEMORY_OBJECTS_OBJECTS_H_

#include <vector>

#include "mace/memory/problem/planner.h"

namespace mace::memory {

// Every record an object of its own.
PlanFn ObjectsNaive;

// In order of the records: reuses a free object of exactly that size. Bytes and
// b, h, w, c take the one freed last, 2-D and 3-D sizes the one of lowest id.
PlanFn ObjectsEquality;

// In order of the records: reuses the free object nearest in size, which grows
// when it is smaller. 2-D and 3-D sizes take only objects that cover them. With
// Options::may_follow an object passes only to records that may follow the one
// it served last.
PlanFn ObjectsGreedyInOrder;

// The same, but an object grows when one of both sizes covers the other (bytes:
// always): what MACE does with images. Takes the object that wastes least.
PlanFn ObjectsGrowInOrder;

// Steps by decreasing sum of live sizes, inside a step records by decreasing
// size: each takes the smallest object that covers it, else the largest.
PlanFn ObjectsGreedyByBreadth;

// Records by position among the positional maxima, then by distance in time to
// the nearest object that they can use.
PlanFn ObjectsGreedyBySize;

// GREEDY_BY_SIZE, or GREEDY_BY_BREADTH where that takes less.
PlanFn ObjectsGreedyBest;

// Chains records into objects along a flow of least cost.
PlanFn ObjectsMinCostFlow;

// The least plan, or the best found when the budget ends; better than, or equal
// to, every strategy above (but MINCOSTFLOW is not run when time is over). AUTO
// stops after 2000 nodes: 10 ms for 125 records.
PlanFn ObjectsOptimal;
PlanFn ObjectsAuto;

// Offsets of the objects of a plan laid out one after another in order of their
// ids, unaligned; and the bytes they take together.
struct ObjectLayout {
  std::vector<int64_t> offsets;  // of each record
  int64_t total = 0;
};
ObjectLayout ObjectsToOffsets(const std::vector<int32_t>& object_ids,
                              const std::vector<Size>& object_sizes);

// Pairs of records that may share an object when steps run in parallel:
// dependants[i] are the records computed directly from record i. Records i and
// j may share if each direct dependant of i comes before j on every schedule,
// or the other way round. For Options::may_follow.
std::vector<std::vector<int32_t>> ReallocationGraph(
    const std::vector<std::vector<int32_t>>& dependants);

}  // namespace mace::memory

#endif  // MACE_MEMORY_OBJECTS_OBJECTS_H_
