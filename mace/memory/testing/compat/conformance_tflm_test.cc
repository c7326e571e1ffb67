// Compares the planners with the expectations of TensorFlow Lite Micro.
// SPDX-License-Identifier: Apache-2.0

#include <array>

#include "gtest/gtest.h"
#include "mace/memory/planners.h"
#include "mace/memory/problem/bounds.h"
#include "mace/memory/problem/offline_plan.h"
#include "mace/memory/testing/compat/lifetimes.h"
#include "mace/memory/testing/compat/micro_planner.h"
#include "mace/memory/testing/conformance_file.h"

namespace mace::memory {
namespace {

alignas(16) std::array<char, 1 << 14> scratch;

template <typename Planner>
std::vector<int32_t> OffsetsOf(Planner* planner) {
  std::vector<int32_t> offsets;
  for (int32_t i = 0; i < planner->num_buffers(); ++i) {
    offsets.push_back(*planner->OffsetOf(i));
  }
  return offsets;
}

Problem ProblemFrom(const Json& buffers) {
  Problem p;
  p.fixed_may_overlap = true;
  for (const Json& j : buffers) {
    Record r;
    r.size = j["size"].get<int64_t>();
    r.first = j["first"];
    r.last = j["last"];
    r.fixed_offset = j["offline"];  // -1: none
    p.records.push_back(r);
  }
  return p;
}

void CheckGreedy(const Json& c, Score* score) {
  const std::string name = c["name"];
  const Json& expect = c["expect"];
  MicroGreedyPlanner planner(scratch.data(),
                             c.value("scratch_bytes", scratch.size()));
  std::vector<bool> added;
  for (const Json& b : c["buffers"]) {
    added.push_back(
        planner.AddBuffer(b["size"], b["first"], b["last"], b["offline"]).ok());
  }
  if (expect.contains("add_ok")) {
    score->Count(name, Json(added) == expect["add_ok"]);
    return;
  }
  const char* offsets_key =
      expect.contains("offsets") ? "offsets" : "derived_offsets";
  score->Count(name + " offsets",
               Json(OffsetsOf(&planner)) == expect[offsets_key]);
  for (const char* key : {"max_size", "derived_max_size"}) {
    if (!expect.contains(key)) continue;
    score->Count(name + " " + key, planner.MaximumBytes() == expect[key]);
  }
  if (expect.contains("max_size_less_than")) {
    score->Count(name + " max_size_less_than",
                 planner.MaximumBytes() < expect["max_size_less_than"]);
  }
  score->Count(name + " overlap", planner.AnyOverlap() == expect["overlap"]);
  // The planner of the table gives the same offsets.
  const Problem p = ProblemFrom(c["buffers"]);
  const Result<Plan> plan = Solve(p, "offsets/TFLM_GREEDY");
  score->Count(name + " by name",
               plan.ok() && Json(plan->offsets) == expect[offsets_key]);
  score->Count(name + " lower bound",
               OffsetsLowerBound(p).bytes == expect["lower_bound"]);
}

void CheckLinear(const Json& c, Score* score) {
  const std::string name = c["name"];
  const Json& expect = c["expect"];
  MicroLinearPlanner planner(scratch.data(), scratch.size());
  for (const Json& b : c["buffers"]) {
    score->Count(name + " adds",
                 planner.AddBuffer(b["size"], b["first"], b["last"]).ok());
  }
  if (expect.contains("offset_error_for_index")) {
    score->Count(name,
                 !planner.OffsetOf(expect["offset_error_for_index"]).ok());
    return;
  }
  const Result<Plan> plan = Solve(ProblemFrom(c["buffers"]), "offsets/LINEAR");
  score->Count(name + " max size",
               planner.MaximumBytes() == expect["max_size"] && plan.ok() &&
                   plan->certificate.total == expect["max_size"]);
  if (expect.contains("offsets")) {
    score->Count(name + " offsets",
                 Json(OffsetsOf(&planner)) == expect["offsets"] &&
                     Json(plan->offsets) == expect["offsets"]);
  }
}

void CheckGiven(const Json& c, Score* score) {
  const std::string name = c["name"];
  const auto offsets = c["plan_offsets"].get<std::vector<int32_t>>();
  const auto n = static_cast<int32_t>(offsets.size());
  MicroGivenPlanner planner(offsets.data(), n);
  for (int32_t i = 0; i < n; ++i) {
    score->Count(name + " adds", planner.AddBuffer(1, 0, 1).ok());
  }
  score->Count(name + " adds no more", !planner.AddBuffer(1, 0, 1).ok());
  score->Count(name + " offsets", OffsetsOf(&planner) == offsets);
  score->Count(name + " no such offset", !planner.OffsetOf(n).ok());
  score->Count(name + " size unknown", planner.MaximumBytes() == 0);
}

void CheckOffline(const Json& c, Score* score) {
  const std::string name = c["name"];
  std::vector<OpUses> ops;
  for (const Json& op : c["ops"]) {
    ops.push_back({op["inputs"].get<std::vector<int32_t>>(),
                   op["outputs"].get<std::vector<int32_t>>()});
  }
  const size_t n = c["offline_offsets"].size();
  const std::vector<Lifetime> lives =
      Lifetimes(ops, c["subgraph_inputs"].get<std::vector<int32_t>>(),
                c["subgraph_outputs"].get<std::vector<int32_t>>(), n);
  Json found = Json::array();
  Problem p;
  for (const Lifetime& life : lives) {
    found.push_back({life.first, life.last});
    Record r;
    r.size = AlignUp(c["tensor_bytes"].get<int64_t>(), 16);
    r.first = life.first;
    r.last = life.last;
    p.records.push_back(r);
  }
  score->Count(name + " lifetimes", found == c["lifetimes"]);

  const auto words = c["metadata"].get<std::vector<int32_t>>();
  const Result<OfflinePlan> read = OfflinePlanFromWords(words, n);
  score->Count(name + " metadata",
               read.ok() && Json(read->offsets) == c["offline_offsets"]);
  score->Count(name + " version", read->version == words[0]);
  score->Count(name + " wrong count", !OfflinePlanFromWords(words, n + 1).ok());

  score->Count(name + " applies", ApplyOfflinePlan(*read, &p).ok());
  const Result<Plan> plan = Solve(p, "offsets/TFLM_GREEDY");
  const Json& expect = c["expect"];
  score->Count(name + " offsets",
               plan.ok() && Json(plan->offsets) == expect["offsets"]);
  score->Count(name + " head", plan->certificate.total == expect["head_size"]);
  const int64_t origin =
      plan->offsets[expect["asserted_relative_to"].get<size_t>()];
  for (const auto& [tensor, offset] : expect["asserted"].items()) {
    score->Count(name + " tensor " + tensor,
                 plan->offsets[std::stoi(tensor)] - origin == offset);
  }
}

TEST(ConformanceTflm, EveryCase) {
  const Json file = ConformanceFile("tflm_cases.json");
  if (file.is_null()) GTEST_SKIP() << kNoConformanceFiles;
  Score score("tflm_cases.json");
  for (const Json& c : file["greedy_cases"]) CheckGreedy(c, &score);
  for (const Json& c : file["sort_cases"]) {
    auto values = c["values"].get<std::vector<int32_t>>();
    auto ids = c["ids"].get<std::vector<int32_t>>();
    ReverseSortInPlace(values.data(), ids.data(),
                       static_cast<int32_t>(ids.size()));
    score.Count(c["name"], Json(ids) == c["expect_ids"]);
  }
  for (const Json& c : file["linear_cases"]) CheckLinear(c, &score);
  for (const Json& c : file["shim_cases"]) CheckGiven(c, &score);
  for (const Json& c : file["offline_cases"]) CheckOffline(c, &score);
  const Json& real = file["offline_format"]["real_example"];
  const auto words = real["raw"].get<std::vector<int32_t>>();
  const Result<OfflinePlan> vela =
      OfflinePlanFromWords(words, real["tensors"].size());
  score.Count("real example",
              vela.ok() && vela->version == 0 &&
                  vela->offsets ==
                      std::vector<int32_t>(words.begin() + 3, words.end()));
  EXPECT_GE(score.passed(), 100);
}

}  // namespace
}  // namespace mace::memory
