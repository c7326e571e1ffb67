// Printing what a plan's steps cost.
// SPDX-License-Identifier: Apache-2.0

#include "tools/mace_run/plan_table.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>

namespace mace::tools {
namespace {

std::string Format(const char* format, ...) {
  char buffer[256];
  va_list args;
  va_start(args, format);
  std::vsnprintf(buffer, sizeof(buffer), format, args);
  va_end(args);
  return buffer;
}

double Micros(double macs, const cpu::MachineLimits& limits) {
  return 2 * macs / limits.gflops / 1000;
}

// What the cost model says; without one, what the memory takes.
double PredictedMicros(const OperatorStats& op,
                       const cpu::MachineLimits& limits) {
  return op.cost_macs > 0 ? Micros(static_cast<double>(op.cost_macs), limits)
                          : RooflineOf(op, limits).memory_us;
}

// "tuned: 12.0 us, the model's 14.0"; just "model" where nobody measured.
std::string ChosenBy(const OperatorStats& op) {
  if (op.tuned_micros <= 0) return op.chosen_by;
  return op.chosen_by + Format(": %.1f us", op.tuned_micros) +
         (op.model_micros > op.tuned_micros
              ? Format(", the model's %.1f", op.model_micros)
              : "");
}

}  // namespace

Roofline RooflineOf(const OperatorStats& op, const cpu::MachineLimits& limits) {
  return {Micros(static_cast<double>(op.macs), limits),
          static_cast<double>(op.bytes) / limits.memory_gbps / 1000};
}

std::string FormatPlanTable(const Benchmark& benchmark,
                            const cpu::MachineLimits& limits) {
  std::string s = Format(
      "Limits measured: %.1f GFLOP/s, %.1f GB/s. Times in microseconds; "
      "roofline: multiply-adds at the peak, or bytes from memory.\n"
      "%4s %-18s %10s %10s %10s %-8s %6s  %s\n",
      limits.gflops, limits.memory_gbps, "step", "op", "predicted", "measured",
      "roofline", "bound", "share", "kernel (chosen by), name");
  double predicted = 0, measured = 0, bound = 0;
  for (size_t i = 0; i < benchmark.ops.size(); ++i) {
    const OpTimes& t = benchmark.ops[i];
    const Roofline roofline = RooflineOf(t.op, limits);
    const double cost = PredictedMicros(t.op, limits);
    const double us = t.duration.min();
    predicted += cost;
    measured += us;
    bound += roofline.us();
    s += Format("%4zu %-18s %10.1f %10.1f %10.1f %-8s %5.0f%%  ", i,
                t.op.type.c_str(), cost, us, roofline.us(),
                roofline.is_compute() ? "compute" : "memory",
                us > 0 ? 100 * roofline.us() / us : 0.);
    s += t.op.variant + " (" + ChosenBy(t.op) + "), " + t.op.operator_name +
         '\n';
  }
  return s + Format("%4s %-18s %10.1f %10.1f %10.1f\n", "", "sum", predicted,
                    measured, bound);
}

nlohmann::json PlanJson(const Benchmark& benchmark,
                        const cpu::MachineLimits& limits) {
  nlohmann::json steps = nlohmann::json::array();
  for (const OpTimes& t : benchmark.ops) {
    const Roofline roofline = RooflineOf(t.op, limits);
    steps.push_back({{"name", t.op.operator_name},
                     {"type", t.op.type},
                     {"kernel", t.op.variant},
                     {"chosen_by", t.op.chosen_by},
                     {"tuned_us", t.op.tuned_micros},
                     {"model_us", t.op.model_micros},
                     {"predicted_us", PredictedMicros(t.op, limits)},
                     {"measured_us", t.duration.min()},
                     {"roofline_us", roofline.us()},
                     {"bound", roofline.is_compute() ? "compute" : "memory"},
                     {"macs", t.op.macs},
                     {"bytes", t.op.bytes},
                     {"output_shape", t.op.output_shape}});
  }
  return {{"gflops", limits.gflops},
          {"memory_gbps", limits.memory_gbps},
          {"steps", steps}};
}

}  // namespace mace::tools
