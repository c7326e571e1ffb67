// The tables of the memory planners' goals.
// SPDX-License-Identifier: Apache-2.0
#ifndef TEST_MEMORY_TABLES_H_
#define TEST_MEMORY_TABLES_H_

#include <algorithm>
#include <ctime>
#include <string>
#include <vector>

#include "test/memory/data.h"

namespace mace::test {

struct Settings {
  int64_t seconds = 60;      // for each search of a least height
  int64_t rounds = 1000000;  // of random problems
  uint32_t seed = 1;
};

// Each checks one goal of the conformance folder's README, and validates the
// plans: prints the table and the Verdict to standard output, and returns
// whether the goal is met.
bool NetsWithProof(const std::vector<Net>& nets);
bool HardInstances(const std::vector<Hard>& hard);
bool LeastHeights(const std::vector<Hard>& hard, const Settings&);
bool HeuristicHeights(const std::vector<Hard>& hard);
bool SharedObjects(const std::vector<Net>& nets);
bool Images(const std::vector<Net>& nets);
bool MicroCases(const std::vector<Micro>& cases);
bool EmbeddedPlans();
bool RandomProblems(const Settings&);

// Milliseconds of processor time that f takes, which other programs on the
// machine disturb less than they do a clock. Planning uses one thread.
template <typename F>
double CpuMs(const F& f) {
  const std::clock_t start = std::clock();
  f();
  return (std::clock() - start) * 1e3 / CLOCKS_PER_SEC;
}
// Of the fastest of `n` calls.
template <typename F>
double FastestMs(int n, const F& f) {
  double best = 1e18;
  for (int i = 0; i < n; ++i) best = std::min(best, CpuMs(f));
  return best;
}

// Prints the name of the goal and "goal met" or "MISSED", and returns `met`.
bool Verdict(const std::string& goal, bool met);

constexpr double kMiB = 1 << 20;

}  // namespace mace::test

#endif  // TEST_MEMORY_TABLES_H_
