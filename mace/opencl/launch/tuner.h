// Tuner: chooses how passes are started, by measuring.
// SPDX-License-Identifier: Apache-2.0
//
// For each launch: a stored result, if there is one that fits. What it lacks is
// measured: group sizes while the budget lasts, the fastest of
// LocalSizeCandidates, each run once to warm up and up to three times to
// measure, the shortest time counting; then, if there is a limit, pieces for
// this limit: halved until no command takes longer, or smaller ones are no
// faster.
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
  // Time for measuring group sizes, for each plan; 0: use stored ones, or those
  // of ChooseLocalSize.
  int64_t budget_micros = 0;
  // The longest time of a command; 0: kernels are not split. Measured even
  // without a budget.
  int64_t limit_micros = 0;
  std::function<int64_t()> now_micros;  // empty: a monotonic clock
};

// Not thread-safe.
class Tuner {
 public:
  // `fp16`: images hold fp16, which is part of a result's key. `info` and
  // `results` must outlive the tuner.
  Tuner(TunerOptions options, bool fp16, const DeviceInfo& info,
        TuningResults& results);

  // Starts a new plan, which has a time budget and a report of its own.
  void StartPlan();

  // Sets the shape of the launch from stored results, or by measuring, and
  // stores what was measured. Measuring runs the launch, which leaves arbitrary
  // values in its output images, and leaves profiling on. Stored results that
  // do not fit the kernel are ignored. REQUIRES: StartPlan was called, and the
  // launch is finished. Errors: as Launch::Run; MACE_UNSUPPORTED if the driver
  // measures no times.
  Status Tune(Launch& launch, Queue& queue, const RunArgs& args);

  // Runs made for measuring, so far.
  int64_t num_measured() const { return num_measured_; }

  // One line for each launch of the plan.
  const std::string& report() const { return report_; }

 private:
  // What is stored for a launch.
  struct Choice {
    LaunchShape shape;
    bool is_measured = false;  // compared with other group sizes
    double micros = -1;        // time of a run; negative: unknown
    int64_t limit = 0;         // options_.limit_micros when it was split
  };

  std::string KeyOf(const Launch& launch) const;
  // Reads a stored result into `choice`, which otherwise stays.
  void Load(const Launch& launch, const std::string& key, Choice& choice);
  void Keep(const std::string& key, const Choice& choice);
  // Whether there is a budget, and some of it is left.
  bool HasTime() const;
  bool MustMeasure(const Choice& choice) const;
  // Measures what MustMeasure asks for: group sizes, then pieces.
  Status Improve(Launch& launch, Queue& queue, const RunArgs& args,
                 Choice& choice);
  // Runs the launch once. Returns the microseconds that the device took.
  Result<double> Measure(Launch& launch, Queue& queue, const RunArgs& args);
  Status ChooseGroups(Launch& launch, Queue& queue, const RunArgs& args,
                      Choice& choice);
  Status Split(Launch& launch, Queue& queue, const RunArgs& args,
               Choice& choice);
  // The microseconds of the longest command of a run, each the shorter of two.
  Result<double> LongestPiece(Launch& launch, Queue& queue,
                              const RunArgs& args);
  void Report(const Launch& launch, const Choice& choice);

  TunerOptions options_;
  bool fp16_;
  const DeviceInfo& info_;
  TuningResults& results_;
  int64_t begin_micros_ = 0;
  int64_t num_measured_ = 0;
  std::string tried_;  // group sizes of the current launch, with times
  std::string report_;
};

class LaunchingKernel;

// The kernels of an engine that exist now, by their pointer in the plan: finds
// the LaunchingKernel that a Kernel is, without RTTI.
using KernelRegister = std::map<const Kernel*, LaunchingKernel*>;

// A kernel of this backend: it runs launches. Registered in `all` while it
// exists.
class LaunchingKernel : public Kernel {
 public:
  // `all` must outlive the kernel.
  explicit LaunchingKernel(KernelRegister& all) : all_(all) {
    all_[this] = this;
  }
  ~LaunchingKernel() override { all_.erase(this); }

  // Tunes all launches, in order. `args` are those of a run; images are
  // overwritten.
  virtual Status Tune(Tuner& tuner, const RunArgs& args) = 0;
  // Only for converts: as DeviceStorage::UseBuffer.
  virtual void UseBuffer(void* /*buffer*/) {}

 private:
  KernelRegister& all_;
};

}  // namespace mace::opencl

#endif  // MACE_OPENCL_LAUNCH_TUNER_H_
