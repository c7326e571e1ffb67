// Tuner: chooses by measuring how passes are started.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPENCL_LAUNCH_TUNER_H_
#define MACE_OPENCL_LAUNCH_TUNER_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "mace/device/tuning_results.h"
#include "mace/opencl/launch/launch.h"

namespace mace::opencl {

struct TunerOptions {
  // For measuring group sizes; 0: the heuristic's are taken.
  int64_t budget_micros = 0;
  // No command is to take longer; 0: kernels are not split.
  int64_t limit_micros = 0;
  std::function<int64_t()> now_micros;  // empty: a monotonic clock
};

// Not thread-safe.
class Tuner {
 public:
  // `fp16`: images hold fp16. `results` must outlive it.
  Tuner(TunerOptions options, bool fp16, const DeviceFacts& facts,
        TuningResults& results);

  // A new plan, with a budget of its own.
  void StartPlan();

  // Shapes the launch by what is known of it, else by measuring: it runs, and
  // what is in its output images then means nothing, and the queue is left
  // measuring. Errors: of the driver; MACE_UNSUPPORTED if it measures nothing.
  Status Tune(Launch& launch, Queue& queue, const RunArgs& args);

  // Runs made to measure, so far.
  int64_t num_measured() const { return num_measured_; }

  // A line for each launch of the plan.
  const std::string& report() const { return report_; }

 private:
  // What is kept of a launch.
  struct Choice {
    LaunchShape shape;
    bool is_measured = false;  // of several group sizes
    double micros = -1;        // of a run; below 0: unknown
    int64_t limit = 0;         // that `shape.piece` keeps
  };

  std::string KeyOf(const Launch& launch) const;
  bool Load(const Launch& launch, const std::string& key, Choice& choice);
  void Keep(const std::string& key, const Choice& choice);
  bool HasTime() const;
  bool MustMeasure(const Choice& choice) const;
  Status Improve(Launch& launch, Queue& queue, const RunArgs& args,
                 Choice& choice);
  Result<double> Measure(Launch& launch, Queue& queue, const RunArgs& args);
  Status ChooseGroups(Launch& launch, Queue& queue, const RunArgs& args,
                      Choice& choice);
  Status Split(Launch& launch, Queue& queue, const RunArgs& args,
               Choice& choice);
  Result<double> LongestPiece(Launch& launch, Queue& queue,
                              const RunArgs& args);
  void Report(const Launch& launch, const Choice& choice);

  TunerOptions options_;
  bool fp16_;
  const DeviceFacts& facts_;
  TuningResults& results_;
  int64_t begin_micros_ = 0;
  int64_t num_measured_ = 0;
  std::string tried_;  // groups of the launch at hand, and their times
  std::string report_;
};

class LaunchingKernel;

// The kernels of an engine that live, found by what the plan knows of them.
using KernelRegister = std::map<const Kernel*, LaunchingKernel*>;

// A kernel of this backend: it runs launches. Stands in `all` while it lives.
class LaunchingKernel : public Kernel {
 public:
  // `all` must outlive it.
  explicit LaunchingKernel(KernelRegister& all) : all_(all) {
    all_[this] = this;
  }
  ~LaunchingKernel() override { all_.erase(this); }

  virtual Status Tune(Tuner& tuner, const RunArgs& args) = 0;
  // Of a convert: as DeviceStorage::UseBuffer.
  virtual void UseBuffer(void* /*buffer*/) {}

 private:
  KernelRegister& all_;
};

}  // namespace mace::opencl

#endif  // MACE_OPENCL_LAUNCH_TUNER_H_
