// The tables of plans with offsets.
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdio>
#include <random>

#include "mace/memory/planners.h"
#include "mace/memory/problem/validate.h"
#include "mace/memory/testing/brute_force.h"
#include "test/memory/tables.h"

namespace mace::test {
namespace {

using memory::Certificate;
using memory::Options;
using memory::Plan;
using memory::Problem;
using memory::Record;

constexpr int64_t kCapacity = 1048576;

bool Valid(const Problem& p, const Plan& plan, int64_t capacity = 0) {
  return memory::Validate(p, plan, capacity).ok();
}

}  // namespace

bool Verdict(const std::string& goal, bool met) {
  std::printf("%s: %s\n\n", goal.c_str(), met ? "goal met" : "MISSED");
  return met;
}

bool NetsWithProof(const std::vector<Net>& nets) {
  std::printf(
      "networks: offsets/AUTO: networks, MiB (reference: TensorFlow Lite's, "
      "without "
      "proof; goal: proven, at most 1 ms)\n");
  std::printf("%-32s %7s %9s %9s %9s  %-8s %6s\n", "network", "records",
              "total", "bound", "reference", "status", "us");
  bool met = true;
  for (const Net& net : nets) {
    Plan plan;
    const double us = 1000 * FastestMs(20, [&] {
                        plan = *memory::Solve(net.bytes, "offsets/AUTO");
                      });
    const Certificate& c = plan.certificate;
    std::printf("%-32s %7zu %9.3f %9.3f %9.3f  %-8s %6.0f\n", net.name.c_str(),
                net.bytes.records.size(), c.total / kMiB, c.lower_bound / kMiB,
                net.reference.at("offsets_GREEDY_BY_SIZE") / kMiB,
                memory::Name(c.status), us);
    met &= Valid(net.bytes, plan) && c.status == Certificate::kOptimal &&
           us <= 1000;
  }
  return Verdict("networks", met);
}

bool HardInstances(const std::vector<Hard>& hard) {
  std::printf(
      "hard: offsets/OPTIMAL at capacity 1048576, one thread (reference: "
      "MiniMalloc on its machine; goal: sum 2.3 s, each 0.5 s)\n");
  std::printf("%-4s %8s %9s %9s %11s %10s\n", "", "records", "height", "nodes",
              "seconds", "reference");
  double sum = 0;
  double reference = 0;
  bool met = true;
  for (const Hard& h : hard) {
    Options options;
    options.capacity = h.capacity;
    options.max_nodes = 0;
    options.budget_us = 20 * 1000 * 1000;
    Plan plan;
    const double seconds =
        FastestMs(1,
                  [&] {
                    plan =
                        *memory::Solve(h.problem, "offsets/OPTIMAL", options);
                  }) /
        1000;
    const Certificate& c = plan.certificate;
    std::printf("%-4s %8zu %9lld %9lld %11.4f %10.3f\n", h.name.c_str(),
                h.problem.records.size(), static_cast<long long>(c.total),
                static_cast<long long>(c.nodes), seconds, h.reference_s);
    met &= Valid(h.problem, plan, h.capacity) && seconds <= 0.5;
    sum += seconds;
    reference += h.reference_s;
  }
  std::printf("%-4s %8s %9s %9s %11.4f %10.3f\n", "sum", "", "", "", sum,
              reference);
  return Verdict("hard", met && sum <= 2.3);
}

bool LeastHeights(const std::vector<Hard>& hard, const Settings& settings) {
  std::printf(
      "least_heights: within %lld s each (reference: C 1048576, "
      "1039360 when "
      "asked for it; D 1046528; J 1048576)\n",
      static_cast<long long>(settings.seconds));
  std::printf("%-4s %9s %9s  %-9s %9s %9s\n", "", "height", "bound", "status",
              "nodes", "seconds");
  bool met = true;
  for (const Hard& h : hard) {
    if (h.name != "C" && h.name != "D" && h.name != "J") continue;
    Options options;
    options.max_nodes = 0;
    options.budget_us = settings.seconds * 1000 * 1000;
    const auto plan = *memory::Solve(h.problem, "offsets/OPTIMAL", options);
    const Certificate& c = plan.certificate;
    std::printf("%-4s %9lld %9lld  %-9s %9lld %9.3f\n", h.name.c_str(),
                static_cast<long long>(c.total),
                static_cast<long long>(c.lower_bound), memory::Name(c.status),
                static_cast<long long>(c.nodes), c.us / 1e6);
    const bool proven = c.status == Certificate::kOptimal;
    met &= Valid(h.problem, plan);
    if (h.name == "C") met &= proven && c.total == 1039360;
    if (h.name == "D") met &= c.total < 1046528;
    if (h.name == "J") met &= c.total < kCapacity;
  }
  return Verdict("least_heights", met);
}

bool HeuristicHeights(const std::vector<Hard>& hard) {
  std::printf(
      "heuristic: offsets/SKYLINE: height / capacity in 10 ms (reference: the "
      "best of "
      "three heuristics; goal: 1.10)\n");
  std::printf("%-4s %7s %7s %10s\n", "", "height", "ms", "reference");
  bool met = true;
  for (const Hard& h : hard) {
    Plan plan;
    const double ms = FastestMs(
        5, [&] { plan = *memory::Solve(h.problem, "offsets/SKYLINE"); });
    const double height =
        static_cast<double>(plan.certificate.total) / h.capacity;
    std::printf("%-4s %7.3f %7.2f %10.3f\n", h.name.c_str(), height, ms,
                h.reference_height);
    met &= Valid(h.problem, plan) && height <= 1.10 && ms <= 10;
  }
  return Verdict("heuristic", met);
}

bool MicroCases(const std::vector<Micro>& cases) {
  std::printf(
      "micro: offsets/AUTO: TensorFlow Lite Micro's tests, bytes (reference: "
      "its "
      "greedy planner)\n");
  std::printf("%-40s %8s %9s  %s\n", "", "total", "reference", "status");
  bool met = true;
  for (const Micro& micro : cases) {
    const Plan plan = *memory::Solve(micro.problem, "offsets/AUTO");
    const Certificate& c = plan.certificate;
    const std::string reference =
        micro.reference > 0 ? std::to_string(micro.reference) : "-";
    std::printf("%-40s %8lld %9s  %s\n", micro.name.c_str(),
                static_cast<long long>(c.total), reference.c_str(),
                memory::Name(c.status));
    met &= Valid(micro.problem, plan) && c.status == Certificate::kOptimal;
    if (micro.name == "TestGreedyMedium") met &= c.total == 80;
    if (micro.name == "TestPersonDetectionModel") met &= c.total == 64512;
  }
  return Verdict("micro", met);
}

bool EmbeddedPlans() {
  constexpr int kTensors = 500;
  Problem p;
  p.alignment = 64;
  std::mt19937 rng(1);
  for (int i = 0; i < kTensors; ++i) {
    Record r;
    r.size = std::uniform_int_distribution<int64_t>(1, 1 << 20)(rng);
    r.first = i;
    r.last = i + 1 + std::uniform_int_distribution<int64_t>(0, 9)(rng);
    p.records.push_back(r);
  }
  const Plan plan = *memory::Solve(p, "offsets/GREEDY_BY_SIZE");
  bool valid = true;
  const double us =
      1000 * FastestMs(200, [&] {
        valid &=
            memory::VerifyOffsets(p, plan.offsets, plan.certificate.total).ok();
      });
  std::printf("embedded: verifying a plan of %d tensors: %.1f us (goal: 100)\n",
              kTensors, us);
  return Verdict("embedded", valid && us <= 100);
}

bool RandomProblems(const Settings& settings) {
  std::mt19937 rng(settings.seed);
  int64_t wrong = 0;
  int64_t unproven = 0;
  for (int64_t i = 0; i < settings.rounds; ++i) {
    const Problem p = memory::RandomSmallProblem(&rng, 12);
    const auto plan = memory::Solve(p, "offsets/OPTIMAL");
    wrong += !plan.ok() || !Valid(p, *plan) ||
             plan->certificate.total != memory::LeastTotal(p);
    unproven += plan.ok() && plan->certificate.status != Certificate::kOptimal;
  }
  std::printf(
      "random: offsets/OPTIMAL on %lld random problems of up to 12 records: "
      "%lld "
      "differ from brute force, %lld are not proven\n",
      static_cast<long long>(settings.rounds), static_cast<long long>(wrong),
      static_cast<long long>(unproven));
  return Verdict("random", wrong + unproven == 0);
}

}  // namespace mace::test
