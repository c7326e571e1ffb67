// The tables of plans with shared objects, of buffers and of images.
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdio>

#include "mace/memory/planners.h"
#include "mace/memory/problem/validate.h"
#include "test/memory/tables.h"

namespace mace::test {
namespace {

using memory::Certificate;
using memory::Plan;
using memory::Problem;

double TotalOf(const Problem& p, const char* strategy) {
  return memory::Solve(p, strategy)->certificate.total / kMiB;
}

}  // namespace

bool SharedObjects(const std::vector<Net>& nets) {
  // Proven optima and the best total known, in thousandths of MiB.
  const std::map<std::string, double> goals = {
      {"mobilenet_v1_1.0_224", 4.594},
      {"mobilenet_v2_1.0_224", 6.699},
      {"deeplabv3_257_mv_gpu", 8.978},
      {"inception_v3_299", 10.112},
      {"posenet_mobilenet_v1_075_353x257", 6.347},
      {"blazeface_front_128", 1.338},
  };
  std::printf(
      "shared_objects: objects/AUTO: networks, MiB (reference: GREEDY_BEST; "
      "goal: in 10 "
      "ms)\n");
  std::printf("%-32s %8s %8s %-9s %8s %8s %8s\n", "network", "total", "bound",
              "status", "ms", "goal", "refer.");
  bool met = true;
  for (const Net& net : nets) {
    Plan plan;
    const double ms =
        FastestMs(5, [&] { plan = *memory::Solve(net.bytes, "objects/AUTO"); });
    const Certificate& c = plan.certificate;
    const auto goal = goals.find(net.name);
    const double reference = net.reference.at("objects_GREEDY_BEST") / kMiB;
    const double most = goal == goals.end() ? reference : goal->second;
    std::printf("%-32s %8.3f %8.3f %-9s %8.2f %8.3f %8.3f\n", net.name.c_str(),
                c.total / kMiB, c.lower_bound / kMiB, memory::Name(c.status),
                ms, most, reference);
    met &= memory::Validate(net.bytes, plan).ok() &&
           c.total / kMiB < most + 0.0005 && ms <= 10;
  }
  return Verdict("shared_objects", met);
}

bool Images(const std::vector<Net>& nets) {
  std::printf(
      "images: objects/AUTO: images of the networks, MiB (goal: never "
      "above IN_ORDER or GROW, sum 30 %% below EQUALITY)\n");
  std::printf("%-32s %8s %-9s %6s %8s %8s %8s\n", "network", "total", "status",
              "ms", "IN_ORDER", "GROW", "EQUALITY");
  bool met = true;
  double sum = 0;
  double equality_sum = 0;
  for (const Net& net : nets) {
    Plan plan;
    const double ms = FastestMs(
        1, [&] { plan = *memory::Solve(net.images, "objects/AUTO"); });
    const double total = plan.certificate.total / kMiB;
    const double in_order = TotalOf(net.images, "objects/GREEDY_IN_ORDER");
    const double grow = TotalOf(net.images, "objects/GROW_IN_ORDER");
    const double equality = TotalOf(net.images, "objects/EQUALITY");
    std::printf("%-32s %8.3f %-9s %6.2f %8.3f %8.3f %8.3f\n", net.name.c_str(),
                total, memory::Name(plan.certificate.status), ms, in_order,
                grow, equality);
    met &= memory::Validate(net.images, plan).ok() &&
           total <= std::min(in_order, grow);
    sum += total;
    equality_sum += equality;
  }
  std::printf("%-32s %8.3f %-9s %6s %8s %8s %8.3f  %.1f %% below\n", "sum", sum,
              "", "", "", "", equality_sum, 100 * (1 - sum / equality_sum));
  return Verdict("images", met && sum <= 0.7 * equality_sum);
}

}  // namespace mace::test
