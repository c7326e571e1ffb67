// What engines tell about their runs and their memory.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PUBLIC_MACE_STATS_H_
#define MACE_PUBLIC_MACE_STATS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace mace {

// When something ran, in microseconds of a monotonic clock.
struct CallStats {
  int64_t start_micros = 0;
  int64_t end_micros = 0;
};

// The window of a convolution or pooling, for reports; empty elsewhere.
struct ConvPoolArgs {
  std::vector<int> strides;
  int padding_type = -1;
  std::vector<int> paddings;
  std::vector<int> dilations;
  std::vector<int64_t> kernels;
};

struct OperatorStats {
  std::string operator_name;
  std::string type;
  std::vector<std::vector<int64_t>> output_shape;
  ConvPoolArgs args;
  CallStats stats;
  int64_t macs = 0;  // multiply-adds; 0 where the notion does not apply
  // What the chosen algorithm costs by the cost model, in multiply-adds at full
  // speed; 0 where there is no model.
  int64_t cost_macs = 0;
  int64_t bytes = 0;    // of the inputs, weights and outputs
  std::string device;   // "CPU"
  std::string variant;  // the kernel chosen
  // Who chose it: "model", "tuned" (measured when the engine was created) or
  // "kept" (measured before), and the microseconds that it and the cost model's
  // choice took then; 0: not measured.
  std::string chosen_by;
  double tuned_micros = 0;
  double model_micros = 0;
};

// What one Run did, op by op, in the order of running.
class RunMetadata {
 public:
  std::vector<OperatorStats> op_stats;
};

// Bytes of one kind of memory.
struct MaceMemoryCategory {
  std::string name;
  int64_t requested_bytes = 0;  // sum of what was asked for
  int64_t used_bytes = 0;       // what it takes
  int64_t count = 0;            // pieces
};

// What an engine holds, taken when asked for.
struct MaceMemoryUsage {
  // activations, scratch, persistent, weights, packed_weights, variables,
  // op_data, plan
  std::vector<MaceMemoryCategory> categories;
  // Of the arena: planned tensors and scratch, temporaries, what persists.
  int64_t head_bytes = 0, temporary_bytes = 0, tail_bytes = 0;
  int64_t lower_bound_bytes = 0;  // no plan of these tensors takes less
  int64_t peak_bytes = 0;         // live at the peak step
  std::string peak_node;
  // The largest at the peak step: name and bytes.
  std::vector<std::pair<std::string, int64_t>> peak_holders;
  double fragmentation = 0;  // share of the arena not live at the peak
};

}  // namespace mace

#endif  // MACE_PUBLIC_MACE_STATS_H_
