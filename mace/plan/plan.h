// Plan: a graph for given input shapes, with every node prepared for a device
// and a place for every tensor. Immutable once made.
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
#include "mace/plan/rest.h"

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
  // Bytes from one row of the value to the next, if they do not lie one after
  // the other: it is a part of the rows of a Concat's output. Only the kernel
  // that writes it knows it there.
  int64_t row_stride = 0;
};

// A node, or several fused ones, as it runs.
struct Step {
  int node = -1;  // index into graph.nodes
  Device* device = nullptr;
  KernelPtr kernel;
  int64_t scratch_offset = 0;  // into the arena, if the kernel has scratch
  std::vector<int> images;     // of the plan, as kernel->scratch_images()
  std::vector<int> fused;      // nodes before `node` that its kernel runs, too
};

// The device of a node of the model and, if it is not the first device of the
// list, the reason.
struct Placement {
  std::string node;
  std::string device;
  std::string reason;
};

// Ways for tensors to share bytes, besides reusing those of tensors that are no
// longer needed. Each can only lower the bytes that a plan needs, and none
// changes a result.
struct MemorySavings {
  bool order = true;     // run the steps in the order that needs least
  bool views = true;     // reshapes, and slices of outermost extents
  bool in_place = true;  // an output in the bytes of an input that dies there
  bool concat = true;    // inputs of an outermost concat written in place
  bool overlap = true;   // an output over the part of an input already read
  bool rows = true;      // inputs of an innermost concat written in place
};

// The effect of one saving, in bytes of the arena's lower bound. Each saving of
// a list begins where the one before it ended, so that they add up.
struct MemorySaving {
  const char* name;
  int64_t before_bytes = 0;
  int64_t after_bytes = 0;
};

// How the order of the steps was searched for. Bytes are those of whole values,
// which share bytes only if they live at different times.
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

// What was decided about the memory of a plan, for one of the same graph with
// other shapes.
struct MemoryPattern {
  uint64_t steps = 0;      // a hash of the steps in the order of the model
  std::string strategy;    // of the memory
  std::vector<int> order;  // in which the steps run
  MemorySavings savings;
  memory::Problem problem;
  std::vector<int64_t> offsets;  // of the records of `problem`
  int64_t arena_bytes = 0;
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

  // The images of the only device that has any (null: there is none). Each
  // image is for tensors that do not live at the same time.
  Device* image_device = nullptr;
  std::vector<ImageType> images;
  int64_t image_bytes = 0;
  // The records of images, scratch of kernels included, and how they were
  // planned.
  std::vector<memory::ImageRecord> image_records;
  memory::ImageLimits image_limits;
  memory::ImagePlan image_plan;
  std::vector<Placement> placements;  // by node of the model that is left

  int64_t arena_bytes = 0;
  memory::Problem memory_problem;
  memory::Plan memory_plan;
  uint64_t records_hash = 0;
  std::vector<uint8_t> scratch_records;  // by record: a kernel's scratch
  std::vector<MemorySaving> savings;
  OrderSearch order_search;
  bool used_embedded_plan = false;
  std::shared_ptr<const MemoryPattern> pattern;

  // What waits for data that these steps compute; null: nothing does.
  std::unique_ptr<Rest> rest;
};

struct PlanOptions {
  // In order of preference; the last one folds constants. Not owned.
  std::vector<Device*> devices;
  // A name of mace/memory/strategy.h. The strategy plans the arena, and images
  // if it can. If it cannot, AUTO plans the images if there is an arena too;
  // otherwise this is an error. With PRESERVE_ALL, no tensor shares memory with
  // another, and none is left out.
  std::string memory_strategy = "AUTO";
  MemorySavings savings;
  // Offsets in the format of memory::OfflinePlan, one for each record; empty:
  // none. If there are any, embedded_plan is ignored.
  std::vector<int32_t> offline_plan;
  // A plan from the model file (hash 0: none). It is used if it was made for
  // exactly the records of this plan; offsets of -1 are left to the strategy.
  // Otherwise the log says why not, and the memory is planned again.
  memory::EmbeddedPlan embedded_plan;
  // That of a plan of the same graph with other shapes, or null. If the steps
  // are the same, its order and its savings are taken over, which takes much
  // less time than to search for them.
  std::shared_ptr<const MemoryPattern> like;
  // Whether to take over the places of `like`, too, where each tensor is at
  // most as large as it was there.
  bool keeps_places = false;
};

// Errors: MACE_INVALID_ARGS for an unknown strategy; the message lists the
// names.
Status CheckMemoryStrategy(const std::string& strategy);

// Makes the plan of `graph`, whose inputs and weights have types. `declared`
// are types that inference must find, by value id. Errors: MACE_INVALID_MODEL;
// MACE_UNSUPPORTED, naming the first node that no device can run, with each
// device's reason, or the memory strategy that cannot plan this model;
// MACE_INVALID_ARGS for an unknown strategy or an offline plan that does not
// fit the records; MACE_OUT_OF_RESOURCES.
Result<std::unique_ptr<Plan>> MakePlan(
    Graph graph, const std::map<int, TensorType>& declared,
    const PlanOptions& options);

}  // namespace mace

#endif  // MACE_PLAN_PLAN_H_
