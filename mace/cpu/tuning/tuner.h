// Tuner: chooses how nodes run on the CPU by measuring.
// SPDX-License-Identifier: Apache-2.0
//
// TunePlan    a dry run of the plan       -> tasks: nodes to measure
//             each task, longest first    -> trials, aspect by aspect
//             the best plan of each       -> known_, and the storage
//             again, as fewer or more nodes may now be fused
// Prepare     known plan, or the cost model's
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
  int64_t budget_micros = 0;            // for tuning a plan; 0: measure nothing
  std::shared_ptr<KVStorage> storage;   // keeps results; may be null
  std::function<int64_t()> now_micros;  // empty: a monotonic clock
};

// Chooses among the candidates of search_space.h. Not thread-safe.
class Tuner {
 public:
  // Makes the tuner for a processor with these features and caches, and
  // `num_threads` threads, by which the storage tells processors apart. Returns
  // null if there is neither a storage nor a budget, or if this library does
  // not tune.
  static std::unique_ptr<Tuner> Create(const TunerOptions& options,
                                       CpuFeatures features, int num_threads,
                                       const CacheSizes& caches);

  // Prepares the kernel of a node, or of nodes to be fused, by the measured
  // plan if there is one, or else by the cost model's. The kernel's origin says
  // which. In a dry run, packs nothing and notes what is to be measured. Nodes
  // whose inputs are all constant are never measured, and pack in a dry run,
  // too: they are computed while the plan is made. Errors: as PrepareLinks.
  Result<KernelPtr> Prepare(const std::vector<FusedNode>& links,
                            const CpuContext& context);

  // Measures what `dry_run` prepares, has candidates and has not been measured
  // yet, the longest-running nodes first, until the budget is spent or the call
  // is cancelled. Does nothing without a budget. Errors: as
  // DeviceTuning::TunePlan.
  Status TunePlan(const Device::DryRun& dry_run, CpuContext context);

  // Returns how many runs of kernels there were so far, warm-up included.
  int64_t num_measured() const { return num_measured_; }

  // Returns a line for each distinct node or fused op that was prepared and
  // whose times are known, measured now or read from the storage.
  std::string report() const;

 private:
  Tuner(TunerOptions options, const std::string& identity);

  // The result for a node or fused op.
  struct Known {
    StepPlan plan;
    StepPlan model;  // the cost model's plan
    KernelOrigin origin;
    std::string tried;  // the candidates and their times in microseconds
  };
  // What a dry run prepared and has not been measured. The nodes are copies.
  struct Task {
    std::vector<Node> nodes;
    std::vector<FusedNode> links;
    int64_t count = 0;
    double cost = 0;  // estimate for one of them, in multiply-adds
  };
  class Search;

  bool HasTime() const;
  // Returns what is known, in memory or in the storage; null if nothing is, or
  // if what is stored does not fit the nodes.
  const Known* Find(const std::string& key, const std::vector<FusedNode>& links,
                    const CpuContext& context);
  // Prepares the cost model's kernel, and adds a task if there is a choice.
  Result<KernelPtr> RunDry(const std::string& key,
                           const std::vector<FusedNode>& links,
                           CpuContext context);
  // Uncounts the tasks of nodes that run fused, as they do not run on their
  // own.
  void ForgetPartsOf(const std::vector<FusedNode>& links,
                     const CpuContext& context);
  Status Measure(const std::string& key, const Task& task,
                 const ColdCaches& cold, const CpuContext& context);
  void Keep(const std::string& key, const Known& known);

  TunerOptions options_;
  TuningResults results_;
  // By KeyOf, as are the tasks.
  std::map<std::string, Known> known_;
  std::map<std::string, Task> tasks_;
  bool in_dry_run_ = false;
  PackedWeights unread_;      // for dry runs, which pack nothing
  int64_t weight_bytes_ = 0;  // of all nodes of a dry run
  int64_t end_micros_ = 0;
  int64_t num_measured_ = 0;
};

}  // namespace mace::cpu

#endif  // MACE_CPU_TUNING_TUNER_H_
