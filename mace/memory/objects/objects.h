// Planners of shared objects: they assign a buffer or image to each record.
// SPDX-License-Identifier: Apache-2.0
//
// All but GROW_IN_ORDER, OPTIMAL and AUTO are the strategies of TensorFlow
// Lite's GPU delegate (Pisarchyk & Lee, "Efficient Memory Management for Deep
// Neural Net Inference", arXiv 2001.03288) with its tie-breaks, so object ids
// are the same.
#ifndef MACE_MEMORY_OBJECTS_OBJECTS_H_
#define MACE_MEMORY_OBJECTS_OBJECTS_H_

#include <vector>

#include "mace/memory/problem/planner.h"

namespace mace::memory {

// Gives every record its own object.
PlanFn ObjectsNaive;

// In order of the first steps: reuses a free object of exactly the same size.
// For sizes in bytes and b, h, w, c, takes the object freed last; for 2-D and
// 3-D sizes, the one of lowest id.
PlanFn ObjectsEquality;

// In order of the first steps: reuses the free object nearest in size, which
// grows if it is smaller. For 2-D and 3-D sizes, only objects that cover the
// record. With Options::may_follow, an object passes only to records that may
// follow its last user.
PlanFn ObjectsGreedyInOrder;

// As ObjectsGreedyInOrder, but an object also grows if the record covers it, as
// sizes in bytes always can; takes the object that differs least in size.
// Engines usually treat GPU images in this way.
PlanFn ObjectsGrowInOrder;

// Takes steps by decreasing sum of live sizes, and within a step records by
// decreasing size. Each record takes the smallest free object that covers it,
// or else the largest free one, which grows, or else a new one.
PlanFn ObjectsGreedyByBreadth;

// Takes records by position among the positional maxima, then by distance in
// time to the nearest object that they can use, then by decreasing size. Each
// takes that object, which may have to grow, or else a new one.
PlanFn ObjectsGreedyBySize;

// Takes the better of GREEDY_BY_SIZE and GREEDY_BY_BREADTH.
PlanFn ObjectsGreedyBest;

// Assigns sequences of records to objects by a minimum-cost flow.
PlanFn ObjectsMinCostFlow;

// Records that OPTIMAL and AUTO search with, and that MINCOSTFLOW takes.
constexpr size_t kMaxObjectRecords = 2048;

// Find the smallest plan, or the best one until the budget ends, never larger
// than that of any strategy above (but MINCOSTFLOW does not run if time is over
// or a plan fits Options::capacity). With a capacity, they end at the first
// plan that fits. They do not search with more than 2048 records. By default
// AUTO stops after 2000 nodes: 10 ms for 125 records. Neither obeys
// Options::may_follow.
PlanFn ObjectsOptimal;
PlanFn ObjectsAuto;

// The offsets of records when the objects of a plan are laid out one after
// another in the order of their ids, unaligned, and the total bytes. Sizes are
// in bytes (rank 1).
struct ObjectLayout {
  std::vector<int64_t> offsets;  // by record; 0 without an object
  int64_t total = 0;
};
ObjectLayout ObjectsToOffsets(const std::vector<int32_t>& object_ids,
                              const std::vector<Size>& object_sizes);

// Returns, for each record, those with which it may share an object when steps
// run in parallel, for Options::may_follow. dependants[i] are the records
// computed directly from record i. Records i and j may share an object if i has
// direct dependants and in every schedule all of them come before j, or the
// other way round.
std::vector<std::vector<int32_t>> ReallocationGraph(
    const std::vector<std::vector<int32_t>>& dependants);

}  // namespace mace::memory

#endif  // MACE_MEMORY_OBJECTS_OBJECTS_H_
