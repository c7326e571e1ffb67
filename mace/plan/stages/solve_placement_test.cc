// Compares placements with the best one, found by trying all.
// SPDX-License-Identifier: Apache-2.0

#include "mace/plan/stages/solve_placement.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace mace {
namespace {

using Tensor = PlacementProblem::Tensor;

constexpr int kHost = PlacementProblem::kHost;
constexpr double kImpossible = PlacementProblem::kImpossible;

// Calls f for every placement on devices of `allowed`.
template <typename F>
void ForEachPlacement(const PlacementProblem& problem,
                      const std::vector<int>& allowed, const F& f) {
  const size_t num_nodes = problem.node_us.size();
  std::vector<size_t> digits(num_nodes, 0);
  for (;;) {
    std::vector<int> devices;
    bool is_possible = true;
    for (size_t n = 0; n < num_nodes; ++n) {
      devices.push_back(allowed[digits[n]]);
      is_possible = is_possible && problem.node_us[n][devices[n]] < kImpossible;
    }
    if (is_possible) f(devices);
    size_t n = 0;
    while (n < num_nodes && ++digits[n] == allowed.size()) digits[n++] = 0;
    if (n == num_nodes) return;
  }
}

// Returns kImpossible if there is none.
double LeastCost(const PlacementProblem& problem,
                 const std::vector<int>& allowed) {
  double least = kImpossible;
  ForEachPlacement(problem, allowed, [&](const std::vector<int>& devices) {
    least = std::min(least, CostOf(problem, devices));
  });
  return least;
}

std::vector<int> AllDevices(const PlacementProblem& problem) {
  std::vector<int> all;
  for (int d = 0; d < problem.num_devices; ++d) all.push_back(d);
  return all;
}

// Integer costs, which cuts do not round.
PlacementProblem RandomProblem(int num_nodes, int num_devices, uint32_t seed) {
  std::mt19937 rng(seed);
  const auto below = [&rng](int n) {
    return static_cast<int>(rng() % static_cast<uint32_t>(n));
  };
  PlacementProblem problem;
  problem.num_devices = num_devices;
  for (int n = 0; n < num_nodes; ++n) {
    std::vector<double> us;
    for (int d = 0; d < num_devices; ++d) {
      us.push_back(below(6) == 0 ? kImpossible : below(30));
    }
    if (*std::min_element(us.begin(), us.end()) == kImpossible) {
      us[below(num_devices)] = 1;
    }
    problem.node_us.push_back(us);
  }
  // The tensors are an input and the output of each node; a node reads some of
  // those before.
  for (int t = -1; t < num_nodes; ++t) {
    Tensor tensor;
    tensor.producer = t;
    for (int n = t + 1; n < num_nodes; ++n) {
      if (n == t + 1 || below(3) == 0) tensor.readers.push_back(n);
    }
    if (t == num_nodes - 1 || below(4) == 0) tensor.readers.push_back(kHost);
    for (int d = 0; d + 1 < num_devices; ++d) {
      tensor.move_us.push_back(below(20));
    }
    tensor.move_us.push_back(0);
    problem.tensors.push_back(tensor);
  }
  return problem;
}

TEST(CostOf, CountsEachMoveOnce) {
  // The input goes to device 0 for two readers; the output of node 0 is read on
  // device 1 by two nodes, and by the host.
  PlacementProblem problem;
  problem.num_devices = 3;
  problem.node_us.assign(4, {1, 1, 1});
  problem.tensors = {{kHost, {0, 1}, {10, 20, 0}},
                     {0, {1, 2, 3, kHost}, {100, 200, 0}}};
  EXPECT_EQ(CostOf(problem, {0, 0, 1, 1}), 4 + 10 + 100 + 200);
  // All on the host.
  EXPECT_EQ(CostOf(problem, {2, 2, 2, 2}), 4);
  // Made on the host, read on device 1.
  EXPECT_EQ(CostOf(problem, {2, 2, 1, 2}), 4 + 200);
}

TEST(SolvePlacement, IsTheBestOfAllForTwoDevices) {
  for (uint32_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    const PlacementProblem problem =
        RandomProblem(1 + static_cast<int>(seed % 9), 2, seed);
    const std::vector<int> found = SolvePlacement(problem);
    const double cost = CostOf(problem, found);
    EXPECT_EQ(cost, LeastCost(problem, AllDevices(problem)));
    // Of equally good placements, the one with most nodes on the first device.
    const auto on_first = std::count(found.begin(), found.end(), 0);
    ForEachPlacement(problem, {0, 1}, [&](const std::vector<int>& other) {
      if (CostOf(problem, other) == cost) {
        EXPECT_LE(std::count(other.begin(), other.end(), 0), on_first);
      }
    });
  }
}

TEST(SolvePlacement, IsNeverWorseThanAnyTwoDevices) {
  int best = 0, all = 0;
  for (uint32_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    const int num_devices = 3 + static_cast<int>(seed % 2);
    const PlacementProblem problem =
        RandomProblem(1 + static_cast<int>(seed % 7), num_devices, seed);
    const std::vector<int> found = SolvePlacement(problem);
    const double cost = CostOf(problem, found);
    ASSERT_LT(cost, kImpossible);
    for (int a = 0; a < num_devices; ++a) {
      for (int b = a + 1; b < num_devices; ++b) {
        EXPECT_LE(cost, LeastCost(problem, {a, b}));
      }
    }
    const double least = LeastCost(problem, AllDevices(problem));
    EXPECT_GE(cost, least);
    best += cost == least ? 1 : 0;
    ++all;
    // No device gains by taking more nodes.
    for (int d = 0; d < num_devices; ++d) {
      for (unsigned taken = 0; taken < 1u << found.size(); ++taken) {
        std::vector<int> moved = found;
        bool is_possible = true;
        for (size_t n = 0; n < found.size(); ++n) {
          if ((taken >> n & 1) == 0) continue;
          moved[n] = d;
          is_possible = is_possible && problem.node_us[n][d] < kImpossible;
        }
        if (is_possible) {
          EXPECT_GE(CostOf(problem, moved), cost);
        }
      }
    }
  }
  std::printf("%d of %d placements on three and four devices are the best\n",
              best, all);
  EXPECT_GE(best, all * 9 / 10);
}

TEST(SolvePlacement, UsesThreeDevicesWhereEachIsBestAtSomething) {
  // Each node is cheap on one device, and moving costs less than it gains.
  PlacementProblem problem;
  problem.num_devices = 3;
  problem.node_us = {{1, 50, 50}, {50, 1, 50}, {50, 50, 1}};
  problem.tensors = {{kHost, {0}, {5, 5, 0}},
                     {0, {1}, {5, 5, 0}},
                     {1, {2}, {5, 5, 0}},
                     {2, {kHost}, {5, 5, 0}}};
  EXPECT_EQ(SolvePlacement(problem), (std::vector<int>{0, 1, 2}));
  for (Tensor& tensor : problem.tensors) tensor.move_us = {100, 100, 0};
  EXPECT_EQ(SolvePlacement(problem), (std::vector<int>{2, 2, 2}));
}

TEST(SolvePlacement, TakesWhatOnlyOneDeviceCanRunThere) {
  PlacementProblem problem;
  problem.num_devices = 3;
  problem.node_us = {{1000, kImpossible, kImpossible},
                     {kImpossible, 1000, kImpossible}};
  problem.tensors = {{kHost, {0}, {500, 500, 0}}, {0, {1}, {500, 500, 0}}};
  EXPECT_EQ(SolvePlacement(problem), (std::vector<int>{0, 1}));
}

TEST(SolvePlacement, OfOneDeviceIsThatOne) {
  PlacementProblem problem;
  problem.node_us = {{3}, {4}};
  problem.tensors = {{0, {1}, {0}}};
  EXPECT_EQ(SolvePlacement(problem), (std::vector<int>{0, 0}));
}

}  // namespace
}  // namespace mace
