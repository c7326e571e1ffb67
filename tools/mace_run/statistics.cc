// Aggregating and printing.
// SPDX-License-Identifier: Apache-2.0

#include "tools/mace_run/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

namespace mace::tools {
namespace {

std::string Fixed(double v, int digits = 3) {
  char buffer[64];
  std::snprintf(buffer, sizeof(buffer), "%.*f", digits, v);
  return buffer;
}

template <typename T>
std::string List(const std::vector<T>& v) {
  std::string s = "[";
  for (size_t i = 0; i < v.size(); ++i) {
    s += (i ? "," : "") + std::to_string(v[i]);
  }
  return s + "]";
}

// A title between two rules, a header, right-aligned cells.
std::string Table(const std::string& title,
                  const std::vector<std::string>& header,
                  const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths;
  for (const std::string& h : header) widths.push_back(h.size());
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], row[i].size());
    }
  }
  const size_t width =
      std::accumulate(widths.begin(), widths.end(), size_t{1}) +
      3 * widths.size();
  const std::string rule(width, '-');
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string s = "|";
    for (size_t i = 0; i < cells.size(); ++i) {
      s +=
          ' ' + std::string(widths[i] - cells[i].size(), ' ') + cells[i] + " |";
    }
    return s + '\n';
  };
  const size_t left = title.size() < width ? (width - title.size()) / 2 : 0;
  std::string s = rule + '\n' + std::string(left, ' ') + title + '\n' + rule +
                  '\n' + line(header) + rule + '\n';
  for (const auto& row : rows) s += line(row);
  return s + rule + "\n\n";
}

std::string RunsTable(const std::string& title, const Stat& s) {
  return Table(title,
               {"round", "first(ms)", "curr(ms)", "min(ms)", "max(ms)",
                "avg(ms)", "std(us)"},
               {{std::to_string(s.count()), Fixed(s.first()), Fixed(s.last()),
                 Fixed(s.min()), Fixed(s.max()), Fixed(s.average()),
                 Fixed(s.deviation() * 1000)}});
}

const char* PaddingName(int type) {
  static constexpr const char* kNames[] = {"VALID", "SAME", "FULL",
                                           "SAME_LOWER", "EXPLICIT"};
  return type >= 0 && type < 5 ? kNames[type] : "";
}

double Gflops(double macs, double us) {
  return us > 0 ? 2 * macs / us / 1000 : 0;
}

std::string OpTable(const std::string& title,
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
                    op.variant, op.operator_name});
  }
  return Table(title,
               {"Node Type", "Start", "First", "Avg(ms)", "%", "cdf%",
                "MACs(M)", "GFLOP/s", "Stride", "Pad", "Filter Shape",
                "Output Shape", "Dilation", "kernel", "name"},
               rows);
}

struct TypeTimes {
  int count = 0;
  double us = 0, macs = 0;
  int64_t calls = 0;
};

std::string TypeTable(const Benchmark& b, double total_us) {
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
  return Table("Stat by node type",
               {"Node Type", "Count", "Avg(ms)", "%", "cdf%", "MACs(M)",
                "GFLOP/s", "Called times"},
               rows);
}

}  // namespace

void Stat::Add(double value) { values_.push_back(value); }

double Stat::min() const {
  return values_.empty() ? 0
                         : *std::min_element(values_.begin(), values_.end());
}
double Stat::max() const {
  return values_.empty() ? 0
                         : *std::max_element(values_.begin(), values_.end());
}
double Stat::sum() const {
  return std::accumulate(values_.begin(), values_.end(), 0.0);
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
  double sum = 0;
  for (double v : values_) sum += (v - average()) * (v - average());
  return values_.empty() ? 0 : std::sqrt(sum / static_cast<double>(count()));
}

void Benchmark::Add(const RunMetadata& metadata) {
  if (ops.empty()) {
    for (const OperatorStats& op : metadata.op_stats)
      ops.push_back({op, {}, {}});
  }
  for (size_t i = 0; i < ops.size(); ++i) {
    const CallStats& s = metadata.op_stats[i].stats;
    ops[i].start.Add(static_cast<double>(
        s.start_micros - metadata.op_stats[0].stats.start_micros));
    ops[i].duration.Add(static_cast<double>(s.end_micros - s.start_micros));
  }
}

std::string FormatTables(const Benchmark& b) {
  std::vector<const OpTimes*> ops;
  double total_us = 0, macs = 0;
  Stat total;
  for (const OpTimes& t : b.ops) {
    ops.push_back(&t);
    total_us += t.duration.average();
    macs += static_cast<double>(t.op.macs);
  }
  total_us = std::max(total_us, 1e-3);
  std::string s = RunsTable("Warm Up", b.warmup) +
                  RunsTable("Run without statistics", b.plain) +
                  RunsTable("Run with statistics", b.measured) +
                  OpTable("Sort by Run Order", ops, total_us);
  std::stable_sort(ops.begin(), ops.end(), [](const auto* a, const auto* c) {
    return a->duration.average() > c->duration.average();
  });
  if (ops.size() > 10) ops.resize(10);
  s += OpTable("Sort by Computation Time", ops, total_us) +
       TypeTable(b, total_us) + RunsTable("Summary of Ops' Stat", b.measured) +
       Table("Stat by MACs(Multiply-Accumulation)",
             {"total(M)", "round", "first(GFLOP/s)", "avg(GFLOP/s)"},
             {{Fixed(macs / 1e6, 2), std::to_string(b.plain.count()),
               Fixed(Gflops(macs, b.plain.first() * 1000), 1),
               Fixed(Gflops(macs, b.plain.average() * 1000), 1)}});
  return s + std::to_string(b.ops.size()) + " ops total.\n";
}

}  // namespace mace::tools
