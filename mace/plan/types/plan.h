// Plan: a graph for given input shapes, with every node prepared for a device
// and a location for every tensor. Immutable once made.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PLAN_TYPES_PLAN_H_
#define MACE_PLAN_TYPES_PLAN_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "mace/device/device.h"
#include "mace/graph/graph.h"
#include "mace/memory/images.h"
#include "mace/memory/problem/problem.h"
#include "mace/plan/types/deferred_subgraph.h"
#include "mace/plan/types/memory_pattern.h"

namespace mace {

// Where the bytes of a value are when the plan runs: `offset` bytes into the
// memory that `kind` and `index` name.
struct Location {
  enum Kind : uint8_t {
    kUnused,    // no step reads or writes it
    kConstant,  // Value::data of value `index`
    kInput,     // the caller's memory of graph input `index`
    kOutput,    // the caller's memory of graph output `index`
    kArena,     // the arena
    kImage,     // image `index` of the plan; offset is 0
  };
  Kind kind = kUnused;
  int index = -1;
  int64_t offset = 0;
  // If not 0: bytes from one row of the value to the next, which is then a part
  // of the rows of a Concat's output. Only the kernel that writes the value
  // uses this location.
  int64_t row_stride = 0;
};

// A node, or several fused ones, as it runs.
struct Step {
  int node = -1;  // index into graph.nodes
  Device* device = nullptr;
  KernelPtr kernel;
  int64_t scratch_offset = 0;  // into the arena, if the kernel has scratch
  // By kernel->scratch_images(): the index of the image in Plan::images.
  std::vector<int> images;
  std::vector<int> fused;  // nodes before `node` that its kernel runs, too
};

// The device of a node of the model and, if it is not the first device of the
// list, the reason.
struct Placement {
  std::string node;  // its label
  std::string device;
  std::string reason;
};

struct Plan {
  Graph graph;
  std::vector<Step> steps;
  // Several values have the same location, or lie inside one another, if they
  // share bytes (stages/storage.h).
  std::vector<Location> locations;  // by value id
  // An output that shares its memory with an input, a constant or another
  // output is copied after the last step.
  struct Copy {
    int value;   // the value's id; its location is the source
    int output;  // index of the graph output to fill
  };
  std::vector<Copy> copies;

  // The only device with images (null: there is none), and its images. Each is
  // for tensors that do not live at the same time.
  Device* image_device = nullptr;
  std::vector<ImageType> images;
  int64_t image_bytes = 0;
  // The records of images, scratch of kernels included, and how they were
  // planned.
  std::vector<memory::ImageRecord> image_records;
  memory::ImageLimits image_limits;
  memory::ImagePlan image_plan;
  // By node of the graph as it was placed, before fusion; empty if there is one
  // device.
  std::vector<Placement> placements;

  // The arena. Its records are those of memory_problem, whose steps are indices
  // into `steps`, or steps.size() for the copies after the last one;
  // memory_plan has their offsets.
  int64_t arena_bytes = 0;
  memory::Problem memory_problem;
  memory::Plan memory_plan;
  // HashOf the records before steps were removed that only rename bytes. Only
  // an embedded plan with this hash can be used.
  uint64_t records_hash = 0;
  std::vector<uint8_t> scratch_records;  // by record: a kernel's scratch
  std::vector<MemorySaving> savings;
  OrderSearch order_search;
  bool used_embedded_plan = false;
  // For PlanOptions::like of the next plan. Null in a library without the
  // component `dynamic`.
  std::shared_ptr<const MemoryPattern> pattern;

  // What waits for data that these steps compute; null: nothing does.
  std::unique_ptr<DeferredSubgraph> deferred;
};

}  // namespace mace

#endif  // MACE_PLAN_TYPES_PLAN_H_
