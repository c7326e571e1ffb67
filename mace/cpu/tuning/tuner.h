// Tuner: chooses how nodes run on the CPU by what was measured.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_TUNING_TUNER_H_
#define MACE_CPU_TUNING_TUNER_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mace/cpu/common/cpu_context.h"
#include "mace/cpu/tuning/trial.h"
#include "mace/device/device.h"
#include "mace/device/tuning_results.h"

namespace mace::cpu {

struct TunerOptions {
  int64_t budget_micros = 0;            // of a plan; 0: nothing is measured
  std::shared_ptr<KVStorage> storage;   // of what was measured; may be null
  std::function<int64_t()> now_micros;  // empty: a monotonic clock
};

// Not thread-safe.
class Tuner {
 public:
  // `identity`: of the processor, for the storage.
  Tuner(TunerOptions options, const std::string& identity);

  // The kernel of a node or chain: as measured before, else as the cost model
  // has it. Errors: as PrepareLinks.
  Result<KernelPtr> Prepare(const std::vector<FusedNode>& links,
                            const CpuContext& context);

  // Measures what `dry_run` prepares and is not known yet, the nodes that take
  // longest first, until the budget is spent. Errors: as
  // DeviceTuning::TunePlan.
  Status TunePlan(const Device::DryRun& dry_run, CpuContext context);

  // Runs of kernels made to measure, so far.
  int64_t num_measured() const { return num_measured_; }

  // A line for each different node or chain that was prepared.
  std::string report() const;

 private:
  // What is known of a node or chain.
  struct Known {
    StepPlan plan;
    StepPlan model;  // the cost model's
    KernelOrigin origin;
    std::string tried;  // candidates and their microseconds
  };
  // What a dry run prepared and nobody has measured. The nodes are copies.
  struct Task {
    std::vector<Node> nodes;
    std::vector<FusedNode> links;
    int64_t count = 0;
    double cost = 0;  // of one, about, in multiply-adds
  };
  class Search;

  bool HasTime() const;
  // Null if there is nothing.
  const Known* Find(const std::string& key, const std::vector<FusedNode>& links,
                    const CpuContext& context);
  Result<KernelPtr> RunDry(const std::string& key,
                           const std::vector<FusedNode>& links,
                           CpuContext context);
  // Those that a chain consists of do not run on their own.
  void ForgetPartsOf(const std::vector<FusedNode>& links,
                     const CpuContext& context);
  Status Measure(const std::string& key, const Task& task,
                 const ColdCaches& cold, const CpuContext& context);
  void Keep(const std::string& key, const Known& known);

  TunerOptions options_;
  TuningResults results_;
  std::map<std::string, Known> known_;
  std::map<std::string, Task> tasks_;
  bool in_dry_run_ = false;
  PackedWeights unread_;      // of dry runs
  int64_t weight_bytes_ = 0;  // of the nodes of a dry run
  int64_t end_micros_ = 0;
  int64_t num_measured_ = 0;
};

}  // namespace mace::cpu

#endif  // MACE_CPU_TUNING_TUNER_H_
