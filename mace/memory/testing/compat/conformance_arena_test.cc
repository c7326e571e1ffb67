// Compares the arena and the arena planner with the expectations of TensorFlow
// Lite's.
// SPDX-License-Identifier: Apache-2.0

#include <cstring>

#include "gtest/gtest.h"
#include "mace/memory/testing/compat/arena.h"
#include "mace/memory/testing/compat/arena_planner.h"
#include "mace/memory/testing/conformance_file.h"
#include "mace/memory/testing/conformance_graph.h"

namespace mace::memory {
namespace {

// Replays one script. Every step that says what to expect is an expectation.
void PlayScript(const std::string& name, const Json& c, bool plan_first,
                Score* score) {
  Arena arena(c["arena_alignment"].get<size_t>());
  std::vector<ArenaPiece> pieces;
  int step = 0;
  const auto count = [&](const std::string& what, bool ok) {
    score->Count(name + " step " + std::to_string(step) + " " + what, ok);
  };
  for (const Json& s : c["steps"]) {
    ++step;
    std::string what = s["do"];
    // The variant with its two clearing steps exchanged.
    if (plan_first && what == "release_buffer") {
      what = "clear_plan";
    } else if (plan_first && what == "clear_plan") {
      what = "release_buffer";
    }
    if (what == "alloc") {
      const ArenaPiece piece = arena.Allocate(
          s["align"], s["size"], s["tensor"], s["first"], s["last"]);
      count(what, piece.offset == s["offset"]);
      pieces.push_back(piece);
    } else if (what == "commit") {
      const Result<bool> moved = arena.Commit();
      count(what, moved.ok() != s.value("error", false) &&
                      (!s.contains("reallocated") ||
                       *moved == s["reallocated"].get<bool>()));
    } else if (what == "resolve") {
      const Result<char*> at = arena.Resolve(pieces[s["alloc"]]);
      count(what, at.ok() != s.value("error", false) &&
                      (!s.contains("null") ||
                       (*at == nullptr) == s["null"].get<bool>()));
    } else if (what == "base_pointer") {
      count(what, (arena.data() == nullptr) == s["null"].get<bool>());
    } else if (what == "clear_plan") {
      arena.ClearPlan();
    } else if (what == "release_buffer") {
      arena.ReleaseBuffer();
    } else if (what == "purge_active") {
      arena.layout().PurgeBefore(s["node"]);
    } else if (what == "reset_allocs") {
      arena.layout().ForgetActive();
    } else {
      count("unknown step " + what, false);
    }
  }
  const Json& end = c["high_water_mark_at_end"];
  count("high water", end == "overflow" ? arena.layout().overflowed()
                                        : arena.layout().high_water() == end);
}

Json OffsetsOf(const ArenaPlanner& planner, const ArenaGraph& g) {
  Json offsets = Json::array();
  for (size_t i = 0; i < g.tensor_bytes.size(); ++i) {
    const auto t = static_cast<int32_t>(i);
    offsets.push_back(planner.has_memory(t) ? Json(planner.offset(t)) : Json());
  }
  return offsets;
}

// Checks one relation of "relation_codes".
bool Holds(const Json& relation, const ArenaPlanner& planner,
           const ArenaGraph& g) {
  const std::string code = relation[0];
  const int32_t a = relation[1];
  if (code == "all_distinct") {
    for (size_t i = 0; i < g.tensor_bytes.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        if (planner.offset(i) == planner.offset(j)) return false;
      }
    }
    return true;
  }
  if (code == "null") return planner.address(a) == nullptr;
  const size_t offset = planner.has_memory(a) ? planner.offset(a) : 0;
  if (code == "eq") return offset == relation[2];
  const int32_t b = relation[2];
  const size_t other = planner.has_memory(b) ? planner.offset(b) : 0;
  if (code == "after") return offset == (other + g.tensor_bytes[b] + 3) / 4 * 4;
  return (offset == other) == (code == "same");
}

constexpr size_t kTestAlignment = 4;

void PlanGraph(const Json& c, Score* score) {
  ArenaGraph g = GraphFrom(c["graph"]);
  // The file does not say that the ops of these two cases are arithmetic ones,
  // which may take input 0; its offsets show it.
  if (c["name"].get<std::string>().rfind("DebugTensorsInputReuse", 0) == 0) {
    for (ArenaGraph::Op& op : g.ops) op.in_place_inputs = {0};
  }
  ArenaPlanner::Settings settings;
  settings.tensor_alignment = kTestAlignment;
  settings.preserve_all = c["preserve_all_tensors"];
  ArenaPlanner planner(g, settings);
  planner.Plan();
  const std::string name = c["name"];
  score->Count(name + " executes",
               planner.Execute(0, static_cast<int32_t>(g.ops.size())).ok());
  for (const Json& relation : c["asserted"]) {
    score->Count(name + " " + relation.dump(), Holds(relation, planner, g));
  }
  score->Count(name + " offsets " + OffsetsOf(planner, g).dump(),
               OffsetsOf(planner, g) == c["offsets"]);
  score->Count(name + " arena bytes", planner.arena_bytes() == c["arena_size"]);
  if (c.contains("persistent_arena_size")) {
    score->Count(name + " persistent bytes",
                 planner.persistent_bytes() == c["persistent_arena_size"]);
  }
}

void PlanSteps(const Json& c, Score* score) {
  ArenaGraph g = GraphFrom(c["graph"]);
  ArenaPlanner::Settings settings;
  settings.tensor_alignment = kTestAlignment;
  ArenaPlanner planner(g, settings);
  planner.Plan();
  const char* persistent_before = nullptr;
  int step = 0;
  for (const Json& s : c["steps"]) {
    const std::string name =
        c["name"].get<std::string>() + " step " + std::to_string(++step);
    if (s["do"] == "execute") {
      score->Count(name, planner.Execute(s["first"], s["last"]).ok());
      for (size_t i = 0; i < g.tensor_bytes.size(); ++i) {
        if (g.tensor_class[i] != TensorClass::kPersistent) continue;
        const char* now = planner.address(static_cast<int32_t>(i));
        score->Count(name + " persistent stays",
                     persistent_before == nullptr || now == persistent_before);
        persistent_before = now;
      }
    } else if (s["do"] == "reset_allocations_after") {
      planner.ResetAllocationsAfter(s["node"]);
    } else {
      g.tensor_bytes[s["tensor"]] = s["bytes"];
    }
    for (const Json& relation : s.value("asserted", Json::array())) {
      score->Count(name + " " + relation.dump(), Holds(relation, planner, g));
    }
    if (s.contains("offsets")) {
      score->Count(name + " offsets " + OffsetsOf(planner, g).dump(),
                   OffsetsOf(planner, g) == s["offsets"]);
    }
    for (const char* key : {"unallocated", "allocated"}) {
      for (const Json& t : s.value(key, Json::array())) {
        score->Count(name + " " + key + " " + t.dump(),
                     planner.has_memory(t) == (key[0] == 'a'));
      }
    }
  }
  if (c.contains("arena_size")) {
    score->Count(c["name"], planner.arena_bytes() == c["arena_size"]);
  }
}

TEST(ConformanceArena, EveryCase) {
  const Json file = ConformanceFile("arena_cases.json");
  if (file.is_null()) GTEST_SKIP() << kNoConformanceFiles;
  Score score("arena_cases.json");
  for (const Json& c : file["simple_memory_arena"]) {
    PlayScript(c["name"], c, false, &score);
    if (c.contains("variants")) {
      PlayScript(c["name"].get<std::string>() + " (other order)", c, true,
                 &score);
    }
  }
  for (const Json& c : file["arena_planner"]) PlanGraph(c, &score);
  for (const Json& c : file["arena_planner_steps"]) PlanSteps(c, &score);
  EXPECT_GE(score.passed(), 300);
}

// Checks the facts that the file states in words.

// The heap with counted calls, which fails on demand.
struct CountingHeap {
  ArenaSource source() {
    return {[](void* self, size_t alignment, size_t bytes) {
              ++static_cast<CountingHeap*>(self)->allocated;
              return kHeap.allocate(nullptr, alignment, bytes);
            },
            [](void* self, void* block, size_t alignment, size_t old_bytes,
               size_t bytes) -> void* {
              auto* heap = static_cast<CountingHeap*>(self);
              ++heap->reallocated;
              if (heap->fail_reallocate) return nullptr;
              return kHeap.reallocate(nullptr, block, alignment, old_bytes,
                                      bytes);
            },
            [](void* self, void* block, size_t alignment, size_t bytes) {
              auto* heap = static_cast<CountingHeap*>(self);
              ++heap->freed;
              heap->freed_bytes = bytes;
              heap->freed_alignment = alignment;
              kHeap.free(nullptr, block, alignment, bytes);
            },
            this};
  }
  bool fail_reallocate = false;
  int allocated = 0, reallocated = 0, freed = 0;
  size_t freed_bytes = 0, freed_alignment = 0;
};

TEST(ArenaBufferTest, FailedResizeKeepsTheBuffer) {
  ArenaBuffer buffer(64);
  ASSERT_TRUE(*buffer.Resize(128));
  const char* data = buffer.data();
  EXPECT_FALSE(buffer.Resize(~size_t{0}).ok());
  EXPECT_EQ(buffer.data(), data);
  EXPECT_EQ(buffer.size(), 128u);
}

TEST(ArenaBufferTest, GrowsThroughItsSource) {
  CountingHeap heap;
  {
    ArenaBuffer buffer(64, heap.source());
    ASSERT_TRUE(*buffer.Resize(128));
    EXPECT_EQ(heap.allocated, 1);
    EXPECT_EQ(heap.reallocated, 0);
    std::memset(buffer.data(), 7, 128);
    ASSERT_TRUE(*buffer.Resize(256));
    EXPECT_EQ(heap.reallocated, 1);
    EXPECT_EQ(buffer.data()[127], 7);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer.data()) % 64, 0u);
    heap.fail_reallocate = true;
    const char* data = buffer.data();
    EXPECT_FALSE(buffer.Resize(512).ok());
    EXPECT_EQ(buffer.data(), data);
    EXPECT_EQ(buffer.size(), 256u);
    EXPECT_EQ(buffer.data()[127], 7);
    EXPECT_EQ(heap.freed, 0);
  }
  EXPECT_EQ(heap.freed, 1);
  EXPECT_EQ(heap.freed_bytes, 256u);
  EXPECT_EQ(heap.freed_alignment, 64u);
}

ArenaGraph::Op Step(std::vector<int32_t> in, int32_t out,
                    std::vector<int32_t> in_place = {}, bool keeps = false) {
  return {std::move(in), {out}, {}, std::move(in_place), keeps};
}

ArenaGraph GraphOf(size_t tensors, size_t bytes, std::vector<int32_t> inputs,
                   std::vector<int32_t> outputs,
                   std::vector<ArenaGraph::Op> ops) {
  ArenaGraph g;
  g.inputs = std::move(inputs);
  g.outputs = std::move(outputs);
  g.ops = std::move(ops);
  g.tensor_bytes.assign(tensors, bytes);
  g.tensor_class.assign(tensors, TensorClass::kArena);
  return g;
}

TEST(ArenaPlannerTest, InputsAndOutputsAreNotShared) {
  // in0, in1 -> ADD -> 2 -> RESHAPE -> 3 -> ADD -> out
  const ArenaGraph g = GraphOf(
      5, 8, {0, 1}, {4},
      {Step({0, 1}, 2, {0, 1}), Step({2}, 3, {0}, true), Step({3}, 4, {0})});
  ArenaPlanner planner(g, {});
  planner.Plan();
  ASSERT_TRUE(planner.Execute(0, 2).ok());
  EXPECT_NE(planner.offset(2), planner.offset(0));
  EXPECT_NE(planner.offset(2), planner.offset(1));
  EXPECT_EQ(planner.offset(2), planner.offset(3));
  EXPECT_NE(planner.offset(3), planner.offset(4));
}

TEST(ArenaPlannerTest, TwiceConsumedInputIsNotShared) {
  // 3 = 2 + 2 reads 2 twice; 4 = 3 + in1 may take 3; 5 is the graph's output.
  const ArenaGraph g =
      GraphOf(6, 8, {0, 1}, {5},
              {Step({0, 0}, 2, {0, 1}), Step({2, 2}, 3, {0, 1}),
               Step({3, 1}, 4, {0, 1}), Step({4}, 5, {0})});
  ArenaPlanner planner(g, {});
  planner.Plan();
  ASSERT_TRUE(planner.Execute(0, 3).ok());
  EXPECT_NE(planner.offset(2), planner.offset(3));
  EXPECT_EQ(planner.offset(3), planner.offset(4));
  EXPECT_NE(planner.offset(4), planner.offset(5));
}

TEST(ArenaPlannerTest, OnlyThePermittedInputIsShared) {
  // Ops that may take input 1 only.
  const ArenaGraph g = GraphOf(6, 12, {0, 1}, {5},
                               {Step({0, 1}, 2, {1}), Step({0, 1}, 3, {1}),
                                Step({2, 3}, 4, {1}), Step({0, 4}, 5, {1})});
  ArenaPlanner planner(g, {});
  planner.Plan();
  ASSERT_TRUE(planner.Execute(0, 3).ok());
  EXPECT_EQ(planner.offset(3), planner.offset(4));
  EXPECT_NE(planner.offset(2), planner.offset(4));
  EXPECT_NE(planner.offset(2), planner.offset(1));
  EXPECT_NE(planner.offset(4), planner.offset(5));
}

TEST(ArenaPlannerTest, TensorsOfOthersAreNotAllocated) {
  ArenaGraph g =
      GraphOf(4, 8, {0}, {3}, {Step({0}, 1), Step({1}, 2), Step({2}, 3)});
  g.tensor_class[0] = g.tensor_class[3] = TensorClass::kUnplanned;
  ArenaPlanner planner(g, {});
  planner.Plan();
  ASSERT_TRUE(planner.Execute(0, 2).ok());
  EXPECT_EQ(planner.address(0), nullptr);
  EXPECT_EQ(planner.address(3), nullptr);
  EXPECT_NE(planner.address(1), nullptr);
  EXPECT_NE(planner.address(2), nullptr);
}

TEST(ArenaPlannerTest, ReleaseAndAcquire) {
  const ArenaGraph g = GraphOf(3, 8, {0}, {2}, {Step({0}, 1), Step({1}, 2)});
  CountingHeap heap;
  {
    ArenaPlanner::Settings settings;
    settings.source = heap.source();
    ArenaPlanner planner(g, settings);
    planner.Plan();
    ASSERT_TRUE(planner.Execute(0, 1).ok());
    EXPECT_EQ(heap.allocated, 1);
    const size_t offset = planner.offset(2);
    planner.ReleaseArena();
    EXPECT_EQ(planner.address(2), nullptr);
    ASSERT_TRUE(planner.AcquireArena().ok());
    ASSERT_TRUE(planner.AcquireArena().ok());
    EXPECT_NE(planner.address(2), nullptr);
    EXPECT_EQ(planner.offset(2), offset);
    EXPECT_EQ(heap.allocated, 2);
  }
  EXPECT_EQ(heap.freed, 2);
}

TEST(ArenaPlannerTest, GrownTensorsKeepTheOffsetsThatStillFit) {
  ArenaGraph g = GraphOf(3, 3, {0}, {2}, {Step({0}, 1), Step({1}, 2)});
  ArenaPlanner planner(g, {});
  planner.Plan();
  ASSERT_TRUE(planner.Execute(0, 1).ok());
  const Json before = OffsetsOf(planner, g);
  planner.ResetAllocations();
  EXPECT_FALSE(planner.has_memory(1));
  for (size_t& bytes : g.tensor_bytes) ++bytes;
  ASSERT_TRUE(planner.Execute(0, 1).ok());
  EXPECT_EQ(OffsetsOf(planner, g), before);
}

}  // namespace
}  // namespace mace::memory
