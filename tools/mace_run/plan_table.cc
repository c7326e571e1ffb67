// Printing what a plan's steps cost.
// SPDX-License-Identifier: Apache-2.0

#include "tools/mace_run/plan_table.h"

#include "tools/cli/text_table.h"
#include "tools/mace_run/step_names.h"

namespace mace::tools {
namespace {

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
  return op.chosen_by + ": " + Fixed(op.tuned_micros, 1) + " us" +
         (op.model_micros > op.tuned_micros
              ? ", the model's " + Fixed(op.model_micros, 1)
              : "");
}

}  // namespace

Roofline RooflineOf(const OperatorStats& op, const cpu::MachineLimits& limits) {
  return {Micros(static_cast<double>(op.macs), limits),
          static_cast<double>(op.bytes) / limits.memory_gbps / 1000,
          limits.cache_bytes == 0 || op.bytes <= limits.cache_bytes};
}

std::string FormatPlanTable(const Benchmark& benchmark,
                            const cpu::MachineLimits& limits, int width) {
  TableWriter writer(width);
  const StepNames names(benchmark.ops, width > 0);
  std::vector<std::vector<std::string>> rows;
  double predicted = 0, measured = 0, bound = 0;
  for (size_t i = 0; i < benchmark.ops.size(); ++i) {
    const OpTimes& t = benchmark.ops[i];
    const Roofline roofline = RooflineOf(t.op, limits);
    const double cost = PredictedMicros(t.op, limits);
    const double us = t.duration.min();
    predicted += cost;
    measured += us;
    bound += roofline.us();
    const std::string share = roofline.is_limit() && us > 0
                                  ? Fixed(100 * roofline.us() / us, 0) + '%'
                                  : "-";
    rows.push_back({std::to_string(i), t.op.type, Fixed(cost, 1), Fixed(us, 1),
                    Fixed(roofline.us(), 1), roofline.bound(), share,
                    t.op.variant + " (" + ChosenBy(t.op) + ')',
                    names.Of(t.op)});
  }
  rows.push_back({"", "sum", Fixed(predicted, 1), Fixed(measured, 1),
                  Fixed(bound, 1), "", "", "", ""});
  const std::string table = writer.Table("Steps of the plan, in microseconds",
                                         {{"step"},
                                          {"op", 0, 14},
                                          {"predicted", 1},
                                          {"measured"},
                                          {"roofline"},
                                          {"bound", 3},
                                          {"share"},
                                          {"kernel (chosen by)", 2, 18},
                                          {"name", 0, 26}},
                                         rows);
  return table + "Limits measured: " + Fixed(limits.gflops, 1) + " GFLOP/s, " +
         Fixed(limits.memory_gbps, 1) +
         " GB/s.\nRoofline: multiply-adds at the peak, or bytes from memory "
         "where "
         "they exceed\nthe caches. Share: of the time measured.\n" +
         names.Note() + writer.Note();
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
                     {"bound", roofline.bound()},
                     {"macs", t.op.macs},
                     {"bytes", t.op.bytes},
                     {"output_shape", t.op.output_shape}});
  }
  return {{"gflops", limits.gflops},
          {"memory_gbps", limits.memory_gbps},
          {"cache_bytes", limits.cache_bytes},
          {"steps", steps}};
}

}  // namespace mace::tools
