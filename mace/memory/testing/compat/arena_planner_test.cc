// Runs random graphs in the memory that the arena planner gives them.
// SPDX-License-Identifier: Apache-2.0

#include "mace/memory/testing/compat/arena_planner.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "mace/memory/offsets/greedy.h"

namespace mace::memory {
namespace {

constexpr size_t kTestAlignment = 4;

struct Choices {
  bool in_place = false;
  // Variables, and tensors that are not planned or dynamic.
  bool classes = false;
};

ArenaGraph RandomGraph(std::mt19937* rng, const Choices& choices) {
  const auto pick = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(*rng);
  };
  ArenaGraph g;
  const auto add = [&](TensorClass c) {
    // Few sizes, so that many are equal; some are 0, some a few bytes.
    g.tensor_bytes.push_back(pick(0, 3) == 0 ? pick(0, 6) : 8 * pick(1, 3));
    g.tensor_class.push_back(c);
    return static_cast<int32_t>(g.tensor_bytes.size()) - 1;
  };
  const auto any_class = [&] {
    const int which = choices.classes ? pick(0, 9) : 9;
    return which == 0   ? TensorClass::kUnplanned
           : which == 1 ? TensorClass::kDynamic
                        : TensorClass::kArena;
  };
  std::vector<int32_t> made = {add(any_class()), add(any_class())};
  g.inputs = made;
  if (choices.classes) {
    made.push_back(add(TensorClass::kPersistent));
    g.variables = {made.back()};
    g.inputs.push_back(kOptionalTensor);
  }
  for (int i = pick(1, 8); i > 0; --i) {
    ArenaGraph::Op op;
    for (int k = pick(1, 3); k > 0; --k) {
      // Mostly the newest, so that ops follow each other.
      const auto newest = static_cast<int>(made.size()) - 1;
      op.inputs.push_back(made[pick(std::max(0, newest - 3), newest)]);
    }
    if (pick(0, 3) == 0) op.inputs.push_back(kOptionalTensor);
    if (pick(0, 9) > 0) {
      op.outputs.push_back(add(any_class()));
      if (pick(0, 3) == 0) op.outputs.push_back(kOptionalTensor);
      if (pick(0, 3) == 0) op.outputs.push_back(add(any_class()));
    }
    if (pick(0, 2) == 0) op.temporaries.push_back(add(TensorClass::kArena));
    if (choices.in_place && pick(0, 1) == 0) {
      for (int k = pick(1, 3); k > 0; --k) {
        op.in_place_inputs.push_back(pick(-1, 4));
      }
      op.keeps_data = pick(0, 2) == 0 && !op.outputs.empty();
    }
    if (op.keeps_data) {  // a reshape: one input, as many bytes
      op.inputs.resize(1);
      op.in_place_inputs = {0};
      g.tensor_bytes[op.outputs[0]] = g.tensor_bytes[op.inputs[0]];
    }
    for (int32_t t : op.outputs) {
      if (t != kOptionalTensor) made.push_back(t);
    }
    g.ops.push_back(op);
  }
  for (int k = pick(0, 2); k > 0; --k) {
    g.outputs.push_back(made[pick(0, static_cast<int>(made.size()) - 1)]);
  }
  return g;
}

bool IsIn(const std::vector<int32_t>& list, int32_t t) {
  return std::find(list.begin(), list.end(), t) != list.end();
}

// Runs the ops. Each checks that its inputs still have what was written,
// overwrites its temporaries and writes its outputs.
class Runner {
 public:
  Runner(const ArenaGraph& g, const ArenaPlanner& planner)
      : g_(g), planner_(planner), holds_(g.tensor_bytes.size(), -1) {}

  void Run(size_t first, size_t last) {
    if (first == 0) {
      for (const auto* list : {&g_.inputs, &g_.variables}) {
        for (int32_t t : *list) Write(t, NextValue());
      }
    }
    for (size_t i = first; i <= last; ++i) {
      const ArenaGraph::Op& op = g_.ops[i];
      for (int32_t t : op.inputs) ExpectIntact(t, "an input");
      for (int32_t t : op.temporaries) Write(t, NextValue());
      // The op has read the bytes that output 0 takes over from its root.
      for (size_t k = 0; k < op.outputs.size(); ++k) {
        const int32_t t = op.outputs[k];
        if (t == kOptionalTensor) continue;
        if (k == 0 && op.keeps_data && planner_.root(t) != t) {
          holds_[t] = holds_[op.inputs[0]];
        } else {
          Write(t, NextValue());
        }
      }
      for (int32_t t : op.outputs) ExpectIntact(t, "an output");
      for (int32_t t : op.temporaries) ExpectIntact(t, "a temporary");
    }
    if (last + 1 < g_.ops.size()) return;
    for (const auto* list : {&g_.inputs, &g_.variables, &g_.outputs}) {
      for (int32_t t : *list) ExpectIntact(t, "what is kept");
    }
  }

  // Returns every tensor of the graph.
  void ExpectAllIntact() {
    for (size_t t = 0; t < holds_.size(); ++t) {
      if (holds_[t] >= 0) ExpectIntact(static_cast<int32_t>(t), "a tensor");
    }
  }

 private:
  int NextValue() { return value_ = (value_ + 1) % 251; }

  void Write(int32_t t, int value) {
    if (t == kOptionalTensor) return;
    char* const at = planner_.address(t);
    if (at == nullptr) return;
    EXPECT_EQ(planner_.offset(t) % kTestAlignment, 0u);
    std::fill(at, at + g_.tensor_bytes[t], static_cast<char>(value));
    holds_[t] = value;
  }

  void ExpectIntact(int32_t t, const char* what) {
    if (t == kOptionalTensor || holds_[t] < 0) return;
    const char* const at = planner_.address(t);
    ASSERT_NE(at, nullptr);
    for (size_t b = 0; b < g_.tensor_bytes[t]; ++b) {
      ASSERT_EQ(at[b], static_cast<char>(holds_[t]))
          << what << ", tensor " << t;
    }
  }

  const ArenaGraph& g_;
  const ArenaPlanner& planner_;
  std::vector<int> holds_;  // by tensor; -1: nothing
  int value_ = 0;
};

// Checks that exactly those tensors have memory that should.
void ExpectMemory(const ArenaGraph& g, const ArenaPlanner& planner) {
  std::vector<bool> is_used(g.tensor_bytes.size());
  for (const auto* list : {&g.inputs, &g.variables}) {
    for (int32_t t : *list) {
      if (t != kOptionalTensor) is_used[t] = true;
    }
  }
  for (const ArenaGraph::Op& op : g.ops) {
    for (const auto* list : {&op.outputs, &op.temporaries}) {
      for (int32_t t : *list) {
        if (t != kOptionalTensor) is_used[t] = true;
      }
    }
  }
  for (size_t i = 0; i < is_used.size(); ++i) {
    const auto t = static_cast<int32_t>(i);
    const bool placed = g.tensor_class[i] == TensorClass::kArena ||
                        g.tensor_class[i] == TensorClass::kPersistent;
    EXPECT_EQ(planner.has_memory(t),
              placed && is_used[i] && g.tensor_bytes[i] > 0)
        << "tensor " << t;
    EXPECT_EQ(planner.address(t) != nullptr, planner.has_memory(t));
  }
}

ArenaPlanner::Settings TestSettings() {
  ArenaPlanner::Settings settings;
  settings.tensor_alignment = kTestAlignment;
  return settings;
}

int32_t LastOp(const ArenaGraph& g) {
  return static_cast<int32_t>(g.ops.size()) - 1;
}

TEST(ArenaPlannerTest, GraphsRunInTheirMemory) {
  std::mt19937 rng(1);
  int shared = 0;
  for (int round = 0; round < 3000; ++round) {
    SCOPED_TRACE(round);
    const ArenaGraph g =
        RandomGraph(&rng, {round % 2 == 0, round / 2 % 2 == 0});
    ArenaPlanner::Settings settings = TestSettings();
    settings.preserve_all = round % 7 == 0;
    ArenaPlanner planner(g, settings);
    for (int twice = 0; twice < 2; ++twice) {
      planner.Plan();
      ASSERT_TRUE(planner.Execute(0, LastOp(g)).ok());
      ExpectMemory(g, planner);
      Runner runner(g, planner);
      runner.Run(0, g.ops.size() - 1);
      if (settings.preserve_all) runner.ExpectAllIntact();
    }
    for (size_t t = 0; t < g.tensor_bytes.size(); ++t) {
      const bool own =
          planner.root(static_cast<int32_t>(t)) == static_cast<int32_t>(t);
      EXPECT_TRUE(own || !settings.preserve_all);
      shared += !own;
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(shared, 200);
}

// Returns the first and last op that need each tensor, as records of
// offsets/ARENA. Tensors that are kept live to the end.
Problem RecordsOf(const ArenaGraph& g) {
  Problem p;
  p.alignment = kTestAlignment;
  const int64_t end = static_cast<int64_t>(g.ops.size()) + 10;
  for (size_t i = 0; i < g.tensor_bytes.size(); ++i) {
    const auto t = static_cast<int32_t>(i);
    Record r;
    r.size = static_cast<int64_t>(g.tensor_bytes[i]);
    r.alignment = kTestAlignment;
    r.first = IsIn(g.inputs, t) ? 0 : end;
    bool is_read = false;
    for (size_t op = 0; op < g.ops.size(); ++op) {
      const auto at = static_cast<int64_t>(op);
      if (IsIn(g.ops[op].outputs, t)) r.first = at;
      if (IsIn(g.ops[op].temporaries, t)) {
        r.first = r.last = at;
        is_read = true;
      }
      if (IsIn(g.ops[op].inputs, t)) {
        r.last = at;
        is_read = true;
      }
    }
    // Tensors that no op reads are never freed.
    if (!is_read || IsIn(g.inputs, t) || IsIn(g.outputs, t)) r.last = end;
    p.records.push_back(r);
  }
  return p;
}

TEST(ArenaPlannerTest, PlacesAsTheStrategyOfItsName) {
  std::mt19937 rng(2);
  for (int round = 0; round < 1500; ++round) {
    SCOPED_TRACE(round);
    const ArenaGraph g = RandomGraph(&rng, {});
    ArenaPlanner planner(g, TestSettings());
    planner.Plan();
    ASSERT_TRUE(planner.Execute(0, LastOp(g)).ok());
    Problem p = RecordsOf(g);
    const std::vector<int64_t> offsets = OffsetsArena(p, Options())->offsets;
    size_t end = 0;
    for (size_t t = 0; t < offsets.size(); ++t) {
      if (g.tensor_bytes[t] == 0) continue;
      ASSERT_EQ(planner.offset(static_cast<int32_t>(t)),
                static_cast<size_t>(offsets[t]))
          << "tensor " << t;
      end = std::max(end, static_cast<size_t>(offsets[t]) + g.tensor_bytes[t]);
    }
    EXPECT_EQ(planner.arena_bytes(), end);
    EXPECT_EQ(planner.persistent_bytes(), 0u);
  }
}

TEST(ArenaPlannerTest, StepByStepWhatHasMemoryKeepsIt) {
  std::mt19937 rng(3);
  for (int round = 0; round < 1500; ++round) {
    SCOPED_TRACE(round);
    ArenaGraph g = RandomGraph(&rng, {round % 2 == 0, round % 3 == 0});
    ArenaPlanner planner(g, TestSettings());
    planner.Plan();
    std::vector<size_t> offsets(g.tensor_bytes.size());
    const auto note = [&] {
      for (size_t t = 0; t < offsets.size(); ++t) {
        if (planner.has_memory(static_cast<int32_t>(t))) {
          offsets[t] = planner.offset(static_cast<int32_t>(t));
        }
      }
    };
    Runner runner(g, planner);
    std::vector<bool> had(g.tensor_bytes.size());
    for (int32_t op = 0; op <= LastOp(g); ++op) {
      ASSERT_TRUE(planner.Execute(op, op).ok());
      for (size_t t = 0; t < offsets.size(); ++t) {
        const auto id = static_cast<int32_t>(t);
        EXPECT_TRUE(!had[t] || planner.offset(id) == offsets[t]);
        had[t] = planner.has_memory(id);
      }
      note();
      runner.Run(op, op);
      if (HasFailure()) return;
    }
    ExpectMemory(g, planner);

    // The tensors after some op grow; those before it do not move.
    const auto from = static_cast<int32_t>(rng() % g.ops.size());
    planner.ResetAllocationsAfter(from);
    std::vector<bool> is_late(g.tensor_bytes.size());
    for (int32_t op = from + 1; op <= LastOp(g); ++op) {
      for (const auto* list : {&g.ops[op].outputs, &g.ops[op].temporaries}) {
        for (int32_t t : *list) {
          if (t == kOptionalTensor || planner.root(t) != t) continue;
          is_late[t] = true;
        }
      }
    }
    for (size_t t = 0; t < is_late.size(); ++t) {
      const auto id = static_cast<int32_t>(t);
      if (g.tensor_class[t] != TensorClass::kArena || planner.root(id) != id) {
        continue;
      }
      EXPECT_EQ(planner.has_memory(id), g.tensor_bytes[t] > 0 && !is_late[t]);
    }
    std::vector<bool> grows(g.tensor_bytes.size());
    for (size_t t = 0; t < is_late.size(); ++t) grows[t] = is_late[t];
    for (size_t t = 0; t < is_late.size(); ++t) {
      const int32_t root = planner.root(static_cast<int32_t>(t));
      if (grows[root] && g.tensor_class[t] == TensorClass::kArena) {
        g.tensor_bytes[t] += 8;
      }
    }
    for (int32_t op = from + 1; op <= LastOp(g); ++op) {
      ASSERT_TRUE(planner.Execute(op, LastOp(g)).ok());
    }
    for (size_t t = 0; t < is_late.size(); ++t) {
      const auto id = static_cast<int32_t>(t);
      if (is_late[planner.root(id)] || !had[t]) continue;
      EXPECT_EQ(planner.offset(id), offsets[t]) << "tensor " << t;
    }
    Runner again(g, planner);
    again.Run(0, g.ops.size() - 1);
    ExpectMemory(g, planner);
    if (HasFailure()) return;
  }
}

TEST(ArenaPlannerTest, ResetGivesArenaTensorsNewPlacesOnly) {
  std::mt19937 rng(4);
  for (int round = 0; round < 300; ++round) {
    SCOPED_TRACE(round);
    ArenaGraph g = RandomGraph(&rng, {true, true});
    ArenaPlanner planner(g, TestSettings());
    planner.Plan();
    ASSERT_TRUE(planner.Execute(0, LastOp(g)).ok());
    const size_t persistent = planner.persistent_bytes();
    const char* const variable = planner.address(g.variables[0]);
    planner.ResetAllocations();
    EXPECT_EQ(planner.arena_bytes(), 0u);
    EXPECT_EQ(planner.persistent_bytes(), persistent);
    EXPECT_EQ(planner.address(g.variables[0]), variable);
    for (size_t t = 0; t < g.tensor_bytes.size(); ++t) {
      if (g.tensor_class[t] != TensorClass::kArena) continue;
      EXPECT_FALSE(planner.has_memory(static_cast<int32_t>(t)));
      EXPECT_EQ(planner.address(static_cast<int32_t>(t)), nullptr);
    }
    ASSERT_TRUE(planner.Execute(0, LastOp(g)).ok());
    EXPECT_EQ(planner.address(g.variables[0]), variable);
    Runner(g, planner).Run(0, g.ops.size() - 1);
    if (HasFailure()) return;
  }
}

// Small outputs share the memory of their inputs from five bytes on.
TEST(ArenaPlannerTest, WhatSharesInPlace) {
  ArenaGraph g;
  g.inputs = {0};
  g.outputs = {3};
  g.tensor_bytes = {8, 8, 8, 8};
  g.tensor_class.assign(4, TensorClass::kArena);
  for (int32_t i = 0; i < 3; ++i)
    g.ops.push_back({{i}, {i + 1}, {}, {0}, false});
  const auto roots = [&] {
    ArenaPlanner planner(g, TestSettings());
    planner.Plan();
    return std::vector<int32_t>{planner.root(0), planner.root(1),
                                planner.root(2), planner.root(3)};
  };
  using Roots = std::vector<int32_t>;
  EXPECT_EQ(roots(), (Roots{0, 1, 1, 3})) << "neither inputs nor outputs";
  g.tensor_bytes.assign(4, 5);
  EXPECT_EQ(roots(), (Roots{0, 1, 1, 3}));
  g.tensor_bytes.assign(4, 4);
  EXPECT_EQ(roots(), (Roots{0, 1, 2, 3})) << "too small";
  g.tensor_bytes = {8, 9, 8, 8};
  EXPECT_EQ(roots(), (Roots{0, 1, 2, 3})) << "of another size";
  g.tensor_bytes.assign(4, 8);
  g.tensor_class[1] = TensorClass::kDynamic;
  EXPECT_EQ(roots(), (Roots{0, 1, 2, 3})) << "of another class";
  g.tensor_class[1] = TensorClass::kArena;
  g.ops[1].in_place_inputs = {-1, 1, 0};
  EXPECT_EQ(roots(), (Roots{0, 1, 1, 3})) << "the others are not there";
  g.ops[2].inputs = {2, 1};
  EXPECT_EQ(roots(), (Roots{0, 1, 2, 3})) << "read again later";
  g.ops[1].keeps_data = true;
  EXPECT_EQ(roots(), (Roots{0, 1, 1, 3})) << "the bytes stay";
  g.outputs = {1, 3};
  EXPECT_EQ(roots(), (Roots{0, 1, 2, 3})) << "an output of the graph";
}

}  // namespace
}  // namespace mace::memory
