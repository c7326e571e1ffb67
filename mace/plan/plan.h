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
#include "mace/memory/images.h"
#include "mace/memory/problem/offline_plan.h"
#include "mace/memory/problem/problem.h"

namespace mace {

// Where the bytes of a value are when the plan runs: `offset` bytes into
struct Place {
  enum Kind : uint8_t {
    kNowhere,   // no step reads or writes it
    kConstant,  // Value::data of value `index`
    kInput,     // the caller's memory of graph input `index`
    kOutput,    // the caller's memory of graph output `index`
    kArena,     // the arena
    kImage,     // image `index` of the plan; offset is 0
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
  std::vector<int> images;     // of the plan, as kernel->scratch_images()
  std::vector<int> fused;      // nodes before `node` that its kernel runs, too
};

// Where a node of the model runs and, if that is not the first device of the
// list, why.
struct Placement {
  std::string node;
  std::string device;
  std::string reason;
};

// Ways for tensors to share bytes beyond reusing those of the dead. Each only
// ever lowers the bytes that a plan needs, and none changes a result.
struct MemorySavings {
  bool order = true;     // run the steps in the order that needs least
  bool views = true;     // reshapes, and slices of outermost extents
  bool in_place = true;  // an output in the bytes of an input that dies there
  bool concat = true;    // inputs of an outermost concat written in place
  bool overlap = true;   // an output over the part of an input already read
};

// What one of them was worth, in bytes of the arena's lower bound. Each of a
// list begins where the one before it ended, so that they add up.
struct MemorySaving {
  const char* name;
  int64_t before_bytes = 0;
  int64_t after_bytes = 0;
};

// How the order of the steps was searched for. Bytes are of whole values, as
// if nothing shared them but what lives at different times.
struct OrderSearch {
  enum End : uint8_t {
    kOff,     // the saving `order` was not asked for
    kLeast,   // no order has a lower peak
    kWidest,  // the widest search did not prove that
    kBudget,  // nor did the work that was allowed
  };
  End end = kOff;
  int64_t work = 0;  // units of WorkBudget
  int64_t budget = 0;
  int64_t peak_before = 0;
  int64_t peak_after = 0;
  int64_t bound = 0;  // no order needs less
};

struct Plan {
  Graph graph;
  std::vector<Step> steps;
  std::vector<Place> places;  // by value id
  // An output that shares its memory with an input, a constant or another
  // output is copied after the last step.
  struct Copy {
    int value;   // the value's id; its place is the source
    int output;  // index of the graph output to fill
  };
  std::vector<Copy> copies;

  // The images of the one device that has any (null: none does), each for
  // tensors that do not live at the same time.
  Device* image_device = nullptr;
  std::vector<ImageType> images;
  int64_t image_bytes = 0;
  // What images are for, scratch of kernels included, and how they were
  // planned.
  std::vector<memory::ImageRecord> image_records;
  memory::ImageLimits image_limits;
  memory::ImagePlan image_plan;
  std::vector<Placement> placements;  // by node of the model that is left

  int64_t arena_bytes = 0;
  memory::Problem memory_problem;
  memory::Plan memory_plan;
  uint64_t records_hash = 0;
  std::vector<bool> scratch_records;  // by record: a kernel's scratch
  std::vector<MemorySaving> savings;
  OrderSearch order_search;
  bool used_embedded_plan = false;
};

struct PlanOptions {
  // In order of preference; the last one folds constants. Not owned.
  std::vector<Device*> devices;
  // A name of mace/memory/strategy.h. It plans the arena, and images where it
  // can; where it cannot, images are planned with AUTO if there is an arena,
  // too, and else it is an error. PRESERVE_ALL: no tensor shares memory with
  // another, and none is left out.
  std::string memory_strategy = "AUTO";
  MemorySavings savings;
  // Offsets in the format of memory::OfflinePlan (empty: none), one for each
  // record; where there are any, the plan below is not looked at.
  std::vector<int32_t> offline_plan;
  // A plan made ahead (hash 0: none). Used if it is one for exactly the
  // records at hand; offsets of -1 are left to the strategy. Else the log says
  // why not, and the plan is made again.
  memory::EmbeddedPlan embedded_plan;
};

// Errors: MACE_INVALID_ARGS for a name that is not one of a strategy; the
// message lists those that are.
Status CheckMemoryStrategy(const std::string& strategy);

// Makes the plan of `graph`, whose inputs and weights have types.
// `declared` are types that inference must find, by value id.
// Errors: MACE_INVALID_MODEL, MACE_UNSUPPORTED (naming the first node that no
// device can run, with each device's reason; or the memory strategy that plans
// nothing of this plan), MACE_INVALID_ARGS for an unknown strategy,
// MACE_OUT_OF_RESOURCES.
// Also MACE_INVALID_ARGS for an offline plan that does not fit the records.
Result<std::unique_ptr<Plan>> MakePlan(
    Graph graph, const std::map<int, TensorType>& declared,
    const PlanOptions& options);

}  // namespace mace

#endif  // MACE_PLAN_PLAN_H_
