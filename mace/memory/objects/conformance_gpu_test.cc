// Compares the planners with the expectations of TensorFlow Lite's GPU
// delegate.
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "gtest/gtest.h"
#include "mace/memory/objects/objects.h"
#include "mace/memory/planners.h"
#include "mace/memory/problem/bounds.h"
#include "mace/memory/problem/validate.h"
#include "mace/memory/testing/conformance_file.h"

namespace mace::memory {
namespace {

Size SizeFrom(const Json& j) {
  Size size;
  if (!j.is_array()) return Size(j.get<int64_t>());
  size.rank = static_cast<int>(j.size());
  for (size_t k = 0; k < j.size(); ++k) size.extent[k] = j[k].get<int64_t>();
  return size;
}

std::vector<Size> SizesFrom(const Json& j) {
  std::vector<Size> sizes;
  for (const Json& size : j) sizes.push_back(SizeFrom(size));
  return sizes;
}

Problem ProblemFrom(const Json& c) {
  Problem p;
  p.alignment = c.value("base_addr_align_bytes", int64_t{1});
  for (const Json& j : c["records"]) {
    Record r;
    r.size = SizeFrom(j["size"]);
    r.first = j["first_task"];
    r.last = j["last_task"];
    p.records.push_back(r);
  }
  return p;
}

std::string PlannerName(const std::string& strategy) {
  const size_t at = strategy.find("_OFFSETS");
  return at == std::string::npos ? "objects/" + strategy
                                 : "offsets/" + strategy.substr(0, at);
}

bool PlanMatches(const Json& c, const std::string& strategy,
                 const Json& expect) {
  const Problem p = ProblemFrom(c);
  const Result<Plan> plan = Solve(p, PlannerName(strategy));
  if (!plan.ok() || !Validate(p, *plan).ok()) return false;
  if (expect["kind"] == "offsets") {
    return plan->offsets == expect["offsets"].get<std::vector<int64_t>>() &&
           plan->certificate.total == expect["total_size"];
  }
  return plan->object_ids == expect["object_ids"].get<std::vector<int32_t>>() &&
         plan->object_sizes == SizesFrom(expect["object_sizes"]);
}

void CheckCase(const Json& c, Score* score) {
  const std::string name = c["name"];
  if (c["op"] == "objects_to_offsets") {
    const ObjectLayout layout =
        ObjectsToOffsets(c["object_ids"].get<std::vector<int32_t>>(),
                         SizesFrom(c["object_sizes"]));
    score->Count(
        name,
        layout.offsets == c["expect"]["offsets"].get<std::vector<int64_t>>() &&
            layout.total == c["expect"]["total_size"]);
    return;
  }
  for (const auto& [strategy, expect] : c["expect"].items()) {
    score->Count(name + " " + strategy, PlanMatches(c, strategy, expect));
  }
  for (const Json& strategy : c.value("unsupported", Json::array())) {
    const Result<Plan> plan =
        Solve(ProblemFrom(c), PlannerName(strategy.get<std::string>()));
    score->Count(name + " refuses " + strategy.get<std::string>(),
                 plan.status().code() == Status::MACE_UNSUPPORTED);
  }
}

TEST(ConformanceGpu, EveryCase) {
  const Json file = ConformanceFile("tflite_gpu_cases.json");
  if (file.is_null()) GTEST_SKIP() << kNoConformanceFiles;
  Score score("tflite_gpu_cases.json");
  for (const Json& c : file["cases"]) CheckCase(c, &score);
  for (const Json& c : file["derived_cases"]) CheckCase(c, &score);
  for (const Json& c : file["task_profile_cases"]) {
    const Problem p = ProblemFrom(c);
    bool same = Json(PositionalMaxima(p)) == c["positional_max"];
    for (const Profile& profile : Profiles(p)) {
      same &= Json(profile.records) == c["profiles"][profile.step];
    }
    score.Count(c["name"], same);
  }
  for (const Json& c : file["reallocation_graph_cases"]) {
    const auto deps = c["deps"].get<std::vector<std::vector<int32_t>>>();
    score.Count(c["name"], Json(ReallocationGraph(deps)) == c["expect"]);
  }
  EXPECT_GE(score.passed(), 100);
}

// Every heuristic's published total on nine networks.
TEST(ConformanceGpu, NetworkTotals) {
  const Json file = ConformanceFile("nets_records.json");
  if (file.is_null()) GTEST_SKIP() << kNoConformanceFiles;
  Score score("nets_records.json");
  for (const Json& net : file["nets"]) {
    Problem p;
    for (const Json& j : net["records"]) {
      Record r;
      r.size = j["size"].get<int64_t>();
      r.first = j["first"];
      r.last = j["last"];
      p.records.push_back(r);
    }
    EXPECT_EQ(OffsetsLowerBound(p).bytes, net["lower_bound_offsets"]);
    EXPECT_EQ(ObjectsLowerBound(p), net["lower_bound_objects"]);
    for (const auto& [key, bytes] : net["heuristics_bytes"].items()) {
      std::string planner = key;
      planner[7] = '/';
      if (key == "offsets_tflm_first_fit") planner = "offsets/TFLM_GREEDY";
      if (FindPlanner(planner) == nullptr) continue;  // not a strategy of MACE
      const Result<Plan> plan = Solve(p, planner);
      score.Count(net["name"].get<std::string>() + " " + key,
                  plan.ok() && plan->certificate.total == bytes);
    }
  }
  EXPECT_EQ(score.passed(), 9 * 8);
}

}  // namespace
}  // namespace mace::memory
