// Aggregating and printing.
// SPDX-License-Identifier: Apache-2.0

#include "tools/mace_run/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "tools/cli/text_table.h"
#include "tools/mace_run/step_names.h"

namespace mace::tools {
namespace {

template <typename T>
std::string List(const std::vector<T>& v) {
  std::string s = "[";
  for (size_t i = 0; i < v.size(); ++i) {
    s += (i ? "," : "") + std::to_string(v[i]);
  }
  return s + "]";
}

std::string RunsTable(TableWriter& writer, const std::string& title,
                      const Stat& s) {
  std::vector<std::string> row = {std::to_string(s.count())};
  for (const double v : {s.first(), s.last(), s.min(), s.max(), s.average(),
                         s.deviation() * 1000}) {
    row.push_back(s.count() > 0 ? Fixed(v) : "-");
  }
  return writer.Table(title,
                      {{"round"},
                       {"first(ms)"},
                       {"curr(ms)"},
                       {"min(ms)"},
                       {"max(ms)"},
                       {"avg(ms)"},
                       {"std(us)"}},
                      {row});
}

const char* PaddingName(int type) {
  static constexpr const char* kNames[] = {"VALID", "SAME", "FULL",
                                           "SAME_LOWER", "EXPLICIT"};
  return type >= 0 && type < 5 ? kNames[type] : "";
}

double Gflops(double macs, double us) {
  return us > 0 ? 2 * macs / us / 1000 : 0;
}

std::string OpTable(TableWriter& writer, const StepNames& names,
                    const std::string& title,
                    const std::vector<const OpTimes*>& ops, double total_us) {
  std::vector<std::vector<std::string>> rows;
  double sum = 0;
  for (const OpTimes* t : ops) {
    const OperatorStats& op = t->op;
    const double average = t->duration.average();
    sum += average;
    rows.push_back({op.type, Fixed(t->start.average() / 1000),
                    Fixed(t->duration.first() / 1000), Fixed(average / 1000),
                    Fixed(100 * average / total_us, 2),
                    Fixed(100 * sum / total_us, 2),
                    op.macs ? Fixed(op.macs / 1e6, 2) : "",
                    op.macs ? Fixed(Gflops(op.macs, average), 1) : "",
                    op.args.strides.empty() ? "" : List(op.args.strides),
                    PaddingName(op.args.padding_type),
                    op.args.kernels.empty() ? "" : List(op.args.kernels),
                    op.output_shape.empty() ? "" : List(op.output_shape[0]),
                    op.args.dilations.empty() ? "" : List(op.args.dilations),
                    op.device, op.variant, names.Of(op)});
  }
  // What tells little where the CPU ran everything is left out first then.
  const bool only_cpu =
      std::all_of(ops.begin(), ops.end(),
                  [](const OpTimes* t) { return t->op.device == "CPU"; });
  return writer.Table(title,
                      {{"Node Type", 0, 18},
                       {"Start", 8},
                       {"First", 7},
                       {"Avg(ms)"},
                       {"%"},
                       {"cdf%", 4},
                       {"MACs(M)", 3},
                       {"GFLOP/s"},
                       {"Stride", 6},
                       {"Pad", 9},
                       {"Filter Shape", 5},
                       {"Output Shape", 2},
                       {"Dilation", 10},
                       {"Device", only_cpu ? 11 : 1},
                       {"kernel", 1, 16},
                       {"name", 0, 26}},
                      rows);
}

struct TypeTimes {
  int count = 0;
  double us = 0, macs = 0;
  int64_t calls = 0;
};

std::string TypeTable(TableWriter& writer, const Benchmark& b,
                      double total_us) {
  std::map<std::string, TypeTimes> types;
  for (const OpTimes& t : b.ops) {
    TypeTimes& type = types[t.op.type];
    ++type.count;
    type.us += t.duration.average();
    type.macs += static_cast<double>(t.op.macs);
    type.calls += t.duration.count();
  }
  std::vector<std::pair<std::string, TypeTimes>> order(types.begin(),
                                                       types.end());
  std::stable_sort(
      order.begin(), order.end(),
      [](const auto& a, const auto& c) { return a.second.us > c.second.us; });
  std::vector<std::vector<std::string>> rows;
  double sum = 0;
  for (const auto& [name, t] : order) {
    sum += t.us;
    rows.push_back({name, std::to_string(t.count), Fixed(t.us / 1000),
                    Fixed(100 * t.us / total_us, 2),
                    Fixed(100 * sum / total_us, 2), Fixed(t.macs / 1e6, 2),
                    Fixed(Gflops(t.macs, t.us), 1), std::to_string(t.calls)});
  }
  return writer.Table("Stat by node type",
                      {{"Node Type", 0, 18},
                       {"Count"},
                       {"Avg(ms)"},
                       {"%"},
                       {"cdf%", 2},
                       {"MACs(M)", 1},
                       {"GFLOP/s"},
                       {"Called times", 3}},
                      rows);
}

}  // namespace

void Stat::Add(double value) {
  values_.push_back(value);
  sum_ += value;
}

double Stat::min() const {
  return values_.empty() ? 0
                         : *std::min_element(values_.begin(), values_.end());
}
double Stat::max() const {
  return values_.empty() ? 0
                         : *std::max_element(values_.begin(), values_.end());
}
double Stat::average() const {
  return values_.empty() ? 0 : sum() / static_cast<double>(values_.size());
}
double Stat::median() const {
  if (values_.empty()) return 0;
  std::vector<double> v = values_;
  std::sort(v.begin(), v.end());
  return (v[(v.size() - 1) / 2] + v[v.size() / 2]) / 2;
}
double Stat::deviation() const {
  const double mean = average();
  double sum = 0;
  for (double v : values_) sum += (v - mean) * (v - mean);
  return values_.empty() ? 0 : std::sqrt(sum / static_cast<double>(count()));
}

void Benchmark::Add(const RunMetadata& metadata) {
  if (ops.empty()) {
    for (const OperatorStats& op : metadata.op_stats)
      ops.push_back({op, {}, {}});
  }
  // A later run may take another branch, with other nodes.
  const size_t both = std::min(ops.size(), metadata.op_stats.size());
  for (size_t i = 0; i < both; ++i) {
    const OperatorStats& op = metadata.op_stats[i];
    if (op.operator_name != ops[i].op.operator_name) break;
    const CallStats& s = op.stats;
    ops[i].start.Add(static_cast<double>(
        s.start_micros - metadata.op_stats[0].stats.start_micros));
    ops[i].duration.Add(static_cast<double>(s.end_micros - s.start_micros));
  }
}

std::string FormatTables(const Benchmark& b, int width) {
  TableWriter writer(width);
  const StepNames names(b.ops, width > 0);
  std::vector<const OpTimes*> ops;
  double total_us = 0, macs = 0;
  Stat total;
  for (const OpTimes& t : b.ops) {
    ops.push_back(&t);
    total_us += t.duration.average();
    macs += static_cast<double>(t.op.macs);
  }
  total_us = std::max(total_us, 1e-3);
  std::string s = RunsTable(writer, "Warm Up", b.warmup) +
                  RunsTable(writer, "Run without statistics", b.plain) +
                  RunsTable(writer, "Run with statistics", b.measured) +
                  OpTable(writer, names, "Sort by Run Order", ops, total_us);
  std::stable_sort(ops.begin(), ops.end(), [](const auto* a, const auto* c) {
    return a->duration.average() > c->duration.average();
  });
  if (ops.size() > 10) ops.resize(10);
  s += OpTable(writer, names, "Sort by Computation Time", ops, total_us) +
       TypeTable(writer, b, total_us) +
       RunsTable(writer, "Summary of Ops' Stat", b.measured) +
       writer.Table(
           "Stat by MACs(Multiply-Accumulation)",
           {{"total(M)"}, {"round"}, {"first(GFLOP/s)"}, {"avg(GFLOP/s)"}},
           {{Fixed(macs / 1e6, 2), std::to_string(b.plain.count()),
             Fixed(Gflops(macs, b.plain.first() * 1000), 1),
             Fixed(Gflops(macs, b.plain.average() * 1000), 1)}});
  return s + std::to_string(b.ops.size()) + " ops total.\n" + names.Note() +
         writer.Note();
}

}  // namespace mace::tools
