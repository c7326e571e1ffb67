// Statistics of an engine's runs and of its memory.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PUBLIC_MACE_STATS_H_
#define MACE_PUBLIC_MACE_STATS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace mace {

// The start and the end of an op, in microseconds of a monotonic clock.
struct CallStats {
  int64_t start_micros = 0;
  int64_t end_micros = 0;
};

// The attributes of the window of a convolution or a pooling op. A list is
// empty if the node has no such attribute, as is the case for most other ops.
struct ConvPoolArgs {
  std::vector<int> strides;
  // 0: VALID, 1: SAME, 2: FULL, 3: SAME with an odd rest at the top and left,
  // 4: `paddings`; -1: the op has none.
  int padding_type = -1;
  std::vector<int> paddings;
  std::vector<int> dilations;
  // [height, width] of a pooling window, or the shape of a filter: OIHW, of a
  // depthwise convolution MIHW.
  std::vector<int64_t> kernels;
};

// Of a node that a DSP runs in a region with others, cost_macs is macs, bytes
// are those of the output, and variant is what the DSP counted.
struct OperatorStats {
  std::string operator_name;
  std::string type;
  std::vector<std::vector<int64_t>> output_shape;
  ConvPoolArgs args;
  CallStats stats;
  int64_t macs = 0;  // multiply-adds; 0 for ops that have none
  // The predicted cost of the chosen algorithm: its time, expressed as the
  // multiply-adds that the CPU could do in it; 0 for ops without a cost model.
  int64_t cost_macs = 0;
  int64_t bytes = 0;    // of the inputs, weights and outputs
  std::string device;   // "CPU", "GPU" or "DSP"
  std::string variant;  // the kernel chosen
  // How the kernel was chosen: "model" (by the cost model; always so on a GPU
  // or DSP), "tuned" (measured when the plan was made) or "kept" (measured
  // earlier). The next two are the measured microseconds of the chosen kernel
  // and of the cost model's choice; 0 for "model".
  std::string chosen_by;
  double tuned_micros = 0;
  double model_micros = 0;
};

// The ops of one Run, in the order in which they ran. An op that several nodes
// were fused into has one record.
class RunMetadata {
 public:
  std::vector<OperatorStats> op_stats;
};

// The memory of one category.
struct MaceMemoryCategory {
  std::string name;
  int64_t requested_bytes = 0;  // the sum of the objects' sizes
  int64_t used_bytes = 0;       // the memory that the objects take up
  int64_t count = 0;            // the number of objects
};

// The memory that an engine holds at the time of the call.
struct MaceMemoryUsage {
  // By name: "activations" and "scratch" (of the arena), "images" (on a GPU),
  // "persistent" (constants that the plan computed), "weights",
  // "packed_weights", "device_weights" (copies in a device's own memory, which
  // all engines of a model share), "variables", "op_data", "plan".
  std::vector<MaceMemoryCategory> categories;
  // Of the arena: planned tensors and scratch of the latest plan; the maximum
  // that was needed at a time while plans were made; what all plans keep, which
  // is in the arena if that is the caller's (MaceEngineConfig::SetArena).
  int64_t head_bytes = 0, temporary_bytes = 0, tail_bytes = 0;
  int64_t lower_bound_bytes = 0;  // no plan of these tensors takes less
  int64_t peak_bytes = 0;         // of the arena, live at the peak step
  // The op and the name of the node that runs at the peak step, such as
  // "Conv2d 'c'"; "": none.
  std::string peak_node;
  // The largest tensors at the peak step, at most 5: name and bytes.
  std::vector<std::pair<std::string, int64_t>> peak_holders;
  double fragmentation = 0;  // share of the arena not live at the peak
  // Of the images, which are no part of the arena: all of them, a lower bound
  // of any plan of them, and the maximum that is live at a time.
  int64_t image_bytes = 0, image_lower_bound_bytes = 0, image_peak_bytes = 0;
  // Allocated now for runs: the arena (0 if it is the caller's) and images.
  // Engines that share memory (MaceEngineConfig::ShareMemoryWith) all report
  // the same bytes, which exist once. 0 after
  // MaceEngine::ReleaseIntermediateBuffer, and then the categories
  // "activations", "scratch" and "images" use no bytes either.
  int64_t allocated_arena_bytes = 0, allocated_image_bytes = 0;
};

// The memory of an engine, by what the system can do with it.
struct MaceMemoryTotals {
  // What only this process holds and the system cannot give to others: the
  // arena, images, packed and copied weights, constants, states, tables. Also
  // the app's weights, if it gave their ownership to the model.
  int64_t anonymous_bytes = 0;
  // Mapped from files: weights, and weights packed ahead. The system keeps the
  // pages that are read, and may drop them at any time.
  int64_t mapped_bytes = 0;
  // The limit of anonymous bytes (MaceEngineConfig::SetMemoryLimit), and what
  // was available when the engine was created; 0 if the app chose the limit.
  int64_t limit_bytes = 0;
  int64_t available_bytes = 0;
  int64_t taken_bytes = 0;  // what counts for the limit now
};

// Where a node of the model runs.
struct MaceNodePlacement {
  std::string node;       // its name; of several in one kernel "a + b"
  std::string type;       // its op; of several "Conv2d+Eltwise"
  std::string device;     // "CPU", "GPU" or "DSP"
  std::string data_type;  // of its first output, as it computes it: "f16"
  // The kernel chosen; "none: ..." if nothing is left to do for it.
  std::string kernel;
  // Why it does not run on the device that the engine was created for; empty:
  // it does.
  std::string reason;
  int64_t macs = 0;  // multiply-adds
};

}  // namespace mace

#endif  // MACE_PUBLIC_MACE_STATS_H_
