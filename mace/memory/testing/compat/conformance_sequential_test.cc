// Compares the sequential arena planner with the expectations of TensorFlow
// Lite's first one; and the strategy for records with the planner for graphs.
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "mace/memory/planners.h"
#include "mace/memory/testing/compat/sequential_arena_planner.h"
#include "mace/memory/testing/conformance_file.h"
#include "mace/memory/testing/conformance_graph.h"

namespace mace::memory {
namespace {

constexpr int64_t kTestAlignment = 4;

std::string Text(const std::vector<SequentialArenaPlan::Event>& events) {
  std::string text;
  for (const auto& e : events) {
    text += (text.empty() ? "" : " ");
    text += (e.allocates ? '+' : '-') + std::to_string(e.tensor);
  }
  return text;
}

// Checks one relation of "relation_codes".
bool Holds(const Json& relation, const SequentialArenaPlan& plan,
           const ArenaGraph& g) {
  const int64_t offset = plan.offsets[relation[1].get<int32_t>()];
  if (relation[0] == "eq") return offset == relation[2];
  const auto b = relation[2].get<int32_t>();
  return relation[0] == "after" &&
         offset ==
             AlignUp(plan.offsets[b] + static_cast<int64_t>(g.tensor_bytes[b]),
                     kTestAlignment);
}

TEST(ConformanceSequential, EveryCase) {
  const Json file = ConformanceFile("arena_sequential_cases.json");
  if (file.is_null()) GTEST_SKIP() << kNoConformanceFiles;
  Score score("arena_sequential_cases.json");
  for (const Json& c : file["arena_planner_sequential"]) {
    const std::string name = c["name"];
    const ArenaGraph g = GraphFrom(c["graph"]);
    SequentialArenaSettings settings;
    settings.tensor_alignment = file["rules"]["tensor_alignment"];
    settings.preserve_inputs = c["preserve_inputs"];
    const auto plan = PlanSequentialArena(g, settings);
    ASSERT_TRUE(plan.ok()) << plan.status().information();
    score.Count(name + " events " + Text(plan->events),
                Text(plan->events) == c["events"]);
    score.Count(name + " offsets " + Json(plan->offsets).dump(),
                Json(plan->offsets) == c["offsets"]);
    for (const Json& relation : c["asserted"]) {
      score.Count(name + " " + relation.dump(), Holds(relation, *plan, g));
    }
  }
  EXPECT_EQ(score.passed(), 3 * 2 + 18);
}

// Returns the records of the tensors in the arena, numbered in the order of
// allocation. `tensor_of` maps records to tensors.
Problem RecordsOf(const ArenaGraph& g, const SequentialArenaPlan& plan,
                  std::vector<int32_t>* tensor_of) {
  Problem p;
  p.alignment = kTestAlignment;
  std::vector<int32_t> record_of(g.tensor_bytes.size(), kNone);
  for (const SequentialArenaPlan::Event& e : plan.events) {
    if (g.tensor_class[e.tensor] != TensorClass::kArena) continue;
    int32_t& record = record_of[e.tensor];
    if (e.allocates) {
      record = static_cast<int32_t>(p.records.size());
      p.records.emplace_back();
      p.records[record].size = static_cast<int64_t>(g.tensor_bytes[e.tensor]);
      p.records[record].first = e.op;
      p.records[record].last = static_cast<int64_t>(g.ops.size());
      tensor_of->push_back(e.tensor);
    } else {
      // Temporaries of an op are released at the next op.
      const int64_t first = p.records[record].first;
      const auto& temporaries = g.ops[first].temporaries;
      const bool is_temporary =
          std::find(temporaries.begin(), temporaries.end(), e.tensor) !=
          temporaries.end();
      p.records[record].last = is_temporary ? first : e.op;
    }
  }
  return p;
}

ArenaGraph RandomGraph(std::mt19937* rng) {
  const auto pick = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(*rng);
  };
  ArenaGraph g;
  const auto add = [&] {
    g.tensor_bytes.push_back(pick(0, 12) * pick(1, 9));
    g.tensor_class.push_back(TensorClass::kArena);
    return static_cast<int32_t>(g.tensor_bytes.size()) - 1;
  };
  std::vector<int32_t> made = {add(), add()};
  g.inputs = made;
  for (int i = pick(1, 8); i > 0; --i) {
    ArenaGraph::Op op;
    for (int k = pick(1, 3); k > 0; --k) {
      op.inputs.push_back(made[pick(0, static_cast<int>(made.size()) - 1)]);
    }
    if (pick(0, 3) == 0) op.inputs.push_back(kOptionalTensor);
    for (int k = pick(1, 2); k > 0; --k) op.outputs.push_back(add());
    made.insert(made.end(), op.outputs.begin(), op.outputs.end());
    if (pick(0, 2) == 0) op.temporaries.push_back(add());
    g.ops.push_back(op);
  }
  g.outputs = {made.back()};
  return g;
}

TEST(ArenaSequential, RecordsLieWhereTheGraphsTensorsDo) {
  std::mt19937 rng(11);
  for (int round = 0; round < 500; ++round) {
    const ArenaGraph g = RandomGraph(&rng);
    SequentialArenaSettings settings;
    settings.tensor_alignment = kTestAlignment;
    settings.preserve_inputs = round % 2 == 0;
    settings.preserve_intermediates = round % 5 == 0;
    const auto plan = PlanSequentialArena(g, settings);
    ASSERT_TRUE(plan.ok());
    std::vector<int32_t> tensor_of;
    const Problem p = RecordsOf(g, *plan, &tensor_of);
    const Result<Plan> records = Solve(p, "offsets/ARENA_SEQUENTIAL");
    ASSERT_TRUE(records.ok()) << records.status().information();
    EXPECT_EQ(records->certificate.total, plan->arena_bytes);
    for (size_t i = 0; i < tensor_of.size(); ++i) {
      if (p.records[i].size.count() == 0) continue;
      ASSERT_EQ(records->offsets[i], plan->offsets[tensor_of[i]])
          << "round " << round << ", tensor " << tensor_of[i];
    }
  }
}

ArenaGraph Chain() {
  ArenaGraph g;
  g.inputs = {0};
  g.outputs = {3};
  g.tensor_bytes = {8, 8, 8, 8, 4};
  g.tensor_class.assign(5, TensorClass::kArena);
  g.ops.resize(3);
  for (int32_t i = 0; i < 3; ++i) g.ops[i] = {{i}, {i + 1}, {}, {}, false};
  return g;
}

TEST(SequentialArenaPlanner, ATemporaryOfTwoOpsIsAllocatedForEach) {
  ArenaGraph g = Chain();
  g.ops[0].temporaries = g.ops[2].temporaries = {4};
  EXPECT_EQ(Text(PlanSequentialArena(g)->events),
            "+0 +4 +1 -0 -4 +2 -1 +4 +3 -2");
}

TEST(SequentialArenaPlanner, PreservesInputsAndIntermediates) {
  SequentialArenaSettings settings;
  settings.tensor_alignment = 4;
  EXPECT_EQ(PlanSequentialArena(Chain(), settings)->arena_bytes, 16);
  settings.preserve_inputs = true;
  EXPECT_EQ(PlanSequentialArena(Chain(), settings)->arena_bytes, 24);
  settings.preserve_intermediates = true;
  EXPECT_EQ(PlanSequentialArena(Chain(), settings)->arena_bytes, 32);
}

TEST(SequentialArenaPlanner, RefusesWhatIsNotThere) {
  const auto refused = [](void (*spoil)(ArenaGraph&)) {
    ArenaGraph g = Chain();
    spoil(g);
    const auto plan = PlanSequentialArena(g);
    EXPECT_EQ(plan.status().code(), Status::MACE_INVALID_ARGS);
    return plan.status().information();
  };
  EXPECT_EQ(refused([](ArenaGraph& g) { g.inputs = {5}; }),
            "graph inputs: there is no tensor 5 among 5");
  EXPECT_EQ(refused([](ArenaGraph& g) { g.ops[1].temporaries = {-2}; }),
            "op 1: there is no tensor -2 among 5");
  EXPECT_NE(refused([](ArenaGraph& g) {
              g.variables = {2};
            }).find("variable 2 is not persistent"),
            std::string::npos);
}

}  // namespace
}  // namespace mace::memory
