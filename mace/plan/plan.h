// Plan: a graph for given input shapes, with every node prepared for a device
// and every tensor given its place. Immutable once made.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PLAN_PLAN_H_
#define MACE_PLAN_PLAN_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mace/base/status.h"
#include "mace/device/device.h"
#include "mace/graph/graph.h"
#include "mace/memory/problem.h"

namespace mace {

// Where the bytes of a value are when the plan runs.
struct Place {
  enum Kind : uint8_t {
    kNowhere,   // no step reads or writes it
    kConstant,  // Value::data
    kInput,     // the caller's memory of graph input `index`
    kOutput,    // the caller's memory of graph output `index`
    kArena,     // `offset` bytes into the arena
  };
  Kind kind = kNowhere;
  int index = -1;
  int64_t offset = 0;
};

// A node as it runs.
struct Step {
  int node = -1;  // index into graph.nodes
  Device* device = nullptr;
  KernelPtr kernel;
  int64_t scratch_offset = 0;  // into the arena, if the kernel has scratch
};

// Which tensor or scratch a memory record stands for.
struct RecordOwner {
  int value = -1;  // value id; -1: the scratch of a step
  int step = -1;   // the step that writes it
};

struct Plan {
  Graph graph;
  std::vector<Step> steps;
  std::vector<Place> places;  // by value id
  // An output that shares its memory with an input, a constant or another
  // output is copied after the last step.
  struct Copy {
    Place from;
    int value;   // the value's id
    int output;  // index of the graph output to fill
  };
  std::vector<Copy> copies;

  int64_t arena_bytes = 0;
  memory::Problem memory_problem;
  memory::Plan memory_plan;
  std::vector<RecordOwner> record_owners;  // by record
};

struct PlanOptions {
  // In order of preference; the last one folds constants. Not owned.
  std::vector<Device*> devices;
  // An "offsets/" name of mace/memory/planners.h, or PRESERVE_ALL: no tensor
  // shares memory with another.
  std::string memory_strategy = "offsets/GREEDY_BY_SIZE";
};

// Errors: MACE_INVALID_ARGS for a name that PlanOptions::memory_strategy may
// not have; the message lists those it may.
Status CheckMemoryStrategy(const std::string& strategy);

// Makes the plan of `graph`, whose inputs and weights have types.
// `declared` are types that inference must find, by value id.
// Errors: MACE_INVALID_MODEL, MACE_UNSUPPORTED (naming the first node that no
// device can run, with each device's reason), MACE_OUT_OF_RESOURCES.
Result<std::unique_ptr<Plan>> MakePlan(
    Graph graph, const std::map<int, TensorType>& declared,
    const PlanOptions& options);

}  // namespace mace

#endif  // MACE_PLAN_PLAN_H_
