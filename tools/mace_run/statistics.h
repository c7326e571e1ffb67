// Statistics of runs and of ops over runs, and the tables that show them.
// SPDX-License-Identifier: Apache-2.0
#ifndef TOOLS_MACE_RUN_STATISTICS_H_
#define TOOLS_MACE_RUN_STATISTICS_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "mace/public/mace.h"

namespace mace::tools {

// Statistics of a series of durations; all are 0 while it is empty.
class Stat {
 public:
  void Add(double value);
  int64_t count() const { return static_cast<int64_t>(values_.size()); }
  double first() const { return values_.empty() ? 0 : values_.front(); }
  double last() const { return values_.empty() ? 0 : values_.back(); }
  double min() const;
  double max() const;
  double sum() const { return sum_; }
  double average() const;
  double median() const;
  double deviation() const;  // of the population

 private:
  std::vector<double> values_;
  double sum_ = 0;
};

// One op over all runs; times in microseconds.
struct OpTimes {
  OperatorStats op;  // of the first run
  Stat start;        // since the beginning of its run
  Stat duration;
};

// What a benchmark measured.
struct Benchmark {
  Stat warmup, plain, measured;  // whole runs, in milliseconds
  std::vector<OpTimes> ops;      // in the order of running

  // Adds the ops of a run, up to the first that the run added first did not
  // have at that place.
  void Add(const RunMetadata& metadata);
};

// The tables: whole runs, by run order, the ten slowest, by type, summary; no
// wider than `width` (0: as wide as they are, with full names).
std::string FormatTables(const Benchmark& benchmark, int width);

}  // namespace mace::tools

#endif  // TOOLS_MACE_RUN_STATISTICS_H_
