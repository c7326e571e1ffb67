// Determines lifetimes by reference counts, shares memory in place, and
// allocates stepwise.
// SPDX-License-Identifier: Apache-2.0

#include "mace/memory/testing/compat/arena_planner.h"

#include <algorithm>
#include <limits>

namespace mace::memory {
namespace {

constexpr int32_t kNever = std::numeric_limits<int32_t>::max();
// Smaller outputs often do not have their shape yet.
constexpr size_t kSmallestSharedBytes = 5;

bool Contains(const std::vector<int32_t>& list, int32_t x) {
  return std::find(list.begin(), list.end(), x) != list.end();
}

}  // namespace

ArenaPlanner::ArenaPlanner(const ArenaGraph& graph, const Settings& settings)
    : graph_(graph),
      settings_(settings),
      arena_(kArenaAlignment, settings.source),
      persistent_(kArenaAlignment, settings.source) {}

void ArenaPlanner::Begin(int32_t op, int32_t tensor) {
  if (first_[tensor] != kNever) return;
  first_[tensor] = op;
  begin_at_[op].push_back(tensor);
}

bool ArenaPlanner::MayShare(const ArenaGraph::Op& op, int32_t input,
                            int32_t output) const {
  if (input == kOptionalTensor || output == kOptionalTensor) return false;
  const int32_t root = root_[input];
  if (!op.keeps_data) {
    const size_t bytes = graph_.tensor_bytes[input];
    if (bytes != graph_.tensor_bytes[output] || bytes < kSmallestSharedBytes ||
        references_[input] != 1 || references_[root] > 1) {
      return false;
    }
  }
  return !Contains(graph_.inputs, input) && !Contains(graph_.inputs, root) &&
         !Contains(graph_.variables, root) &&
         !Contains(graph_.outputs, output) &&
         !Contains(graph_.outputs, input) &&
         graph_.tensor_class[input] == graph_.tensor_class[output];
}

void ArenaPlanner::ShareInPlace() {
  for (const ArenaGraph::Op& op : graph_.ops) {
    if (op.outputs.empty()) continue;
    for (int32_t index : op.in_place_inputs) {
      if (index < 0 || index >= static_cast<int32_t>(op.inputs.size())) {
        continue;
      }
      const int32_t input = op.inputs[index];
      const int32_t output = op.outputs[0];
      if (!MayShare(op, input, output)) continue;
      root_[output] = root_[input];
      // The root now has the readers of both, except the op itself.
      references_[root_[input]] += references_[output] - 1;
      break;
    }
  }
}

void ArenaPlanner::Plan() {
  const size_t n = graph_.tensor_bytes.size();
  first_.assign(n, kNever);
  last_.assign(n, kNever);
  references_.assign(n, 0);
  pieces_.assign(n, ArenaPiece());
  begin_at_.assign(std::max<size_t>(graph_.ops.size(), 1), {});
  root_.resize(n);
  for (size_t i = 0; i < n; ++i) root_[i] = static_cast<int32_t>(i);
  arena_.ClearPlan();
  persistent_.ClearPlan();
  last_active_ = -1;

  const auto for_each = [](const std::vector<int32_t>& list, const auto& f) {
    for (int32_t tensor : list) {
      if (tensor != kOptionalTensor) f(tensor);
    }
  };
  for (const ArenaGraph::Op& op : graph_.ops) {
    for_each(op.inputs, [&](int32_t t) { ++references_[t]; });
  }
  if (!settings_.preserve_all) ShareInPlace();

  // An extra reference, which no op drops, keeps outputs, variables and inputs.
  std::vector<int32_t> left(n, 0);
  for_each(graph_.outputs, [&](int32_t t) { ++left[root_[t]]; });
  for (const auto* list : {&graph_.variables, &graph_.inputs}) {
    for_each(*list, [&](int32_t t) {
      ++left[t];
      Begin(0, t);
    });
  }
  for (const ArenaGraph::Op& op : graph_.ops) {
    for_each(op.inputs, [&](int32_t t) { ++left[root_[t]]; });
  }
  for (size_t i = 0; i < graph_.ops.size(); ++i) {
    const auto id = static_cast<int32_t>(i);
    const ArenaGraph::Op& op = graph_.ops[i];
    for_each(op.outputs, [&](int32_t t) { Begin(id, t); });
    for_each(op.inputs, [&](int32_t t) {
      const int32_t root = root_[t];
      if (--left[root] == 0 && first_[root] != kNever &&
          !settings_.preserve_all) {
        last_[root] = id;
      }
    });
    for_each(op.temporaries, [&](int32_t t) {
      Begin(id, t);
      if (!settings_.preserve_all) last_[t] = id;
    });
  }
}

// Returns tensors that live for the whole run by index, then the others by
// decreasing size, then by op.
std::vector<int32_t> ArenaPlanner::Order(std::vector<int32_t> tensors) const {
  std::sort(tensors.begin(), tensors.end(), [&](int32_t a, int32_t b) {
    const bool whole_a = first_[a] == 0 && last_[a] == kNever;
    const bool whole_b = first_[b] == 0 && last_[b] == kNever;
    if (whole_a != whole_b) return whole_a;
    if (whole_a) return a < b;
    const size_t size_a = graph_.tensor_bytes[a];
    const size_t size_b = graph_.tensor_bytes[b];
    if (size_a != size_b) return size_a > size_b;
    return first_[a] != first_[b] ? first_[a] < first_[b] : a < b;
  });
  return tensors;
}

Status ArenaPlanner::Execute(int32_t first, int32_t last) {
  std::vector<int32_t> tensors;
  last = std::min(last, static_cast<int32_t>(begin_at_.size()) - 1);
  for (int32_t op = first; op <= last; ++op) {
    for (int32_t t : begin_at_[op]) {
      if (root_[t] != t) continue;
      const bool in_arena = graph_.tensor_class[t] == TensorClass::kArena;
      const bool persistent =
          graph_.tensor_class[t] == TensorClass::kPersistent;
      if ((in_arena && pieces_[t].size < graph_.tensor_bytes[t]) ||
          (persistent && pieces_[t].size == 0)) {
        tensors.push_back(t);
      }
    }
  }
  if (first < last_active_) {
    arena_.layout().ForgetActive();
  } else {
    arena_.layout().PurgeBefore(first);
  }
  last_active_ = last;
  for (int32_t t : Order(std::move(tensors))) {
    const size_t bytes = graph_.tensor_bytes[t];
    if (graph_.tensor_class[t] == TensorClass::kPersistent) {
      pieces_[t] =
          persistent_.Allocate(settings_.tensor_alignment, bytes, t, 0, kNever);
    } else {
      pieces_[t] = arena_.Allocate(settings_.tensor_alignment, bytes, t,
                                   first_[t], last_[t]);
    }
  }
  MACE_ASSIGN_OR_RETURN([[maybe_unused]] bool moved, persistent_.Commit());
  return AcquireArena();
}

void ArenaPlanner::ResetAllocations() {
  for (ArenaPiece& piece : pieces_) {
    if (piece.tensor >= 0 &&
        graph_.tensor_class[piece.tensor] == TensorClass::kArena) {
      piece = ArenaPiece();
    }
  }
  arena_.ClearPlan();
  last_active_ = -1;
}

void ArenaPlanner::ResetAllocationsAfter(int32_t op) {
  std::vector<ArenaPiece> in_arena;
  for (ArenaPiece& piece : pieces_) {
    if (piece.tensor < 0 ||
        graph_.tensor_class[piece.tensor] != TensorClass::kArena) {
      continue;
    }
    if (piece.first > op) {
      piece = ArenaPiece();
    } else {
      in_arena.push_back(piece);
    }
  }
  if (last_active_ > op) {
    arena_.layout().SetActive(in_arena, op);
  } else {
    arena_.layout().PurgeAfter(op);
  }
  last_active_ = op;
}

void ArenaPlanner::ReleaseArena() { arena_.ReleaseBuffer(); }

Status ArenaPlanner::AcquireArena() {
  MACE_ASSIGN_OR_RETURN([[maybe_unused]] bool moved, arena_.Commit());
  return Status();
}

bool ArenaPlanner::has_memory(int32_t tensor) const {
  const TensorClass c = graph_.tensor_class[tensor];
  return (c == TensorClass::kArena || c == TensorClass::kPersistent) &&
         pieces_[root_[tensor]].size > 0;
}

size_t ArenaPlanner::offset(int32_t tensor) const {
  return pieces_[root_[tensor]].offset;
}

char* ArenaPlanner::address(int32_t tensor) const {
  if (!has_memory(tensor)) return nullptr;
  const Arena& arena = graph_.tensor_class[tensor] == TensorClass::kPersistent
                           ? persistent_
                           : arena_;
  const Result<char*> at = arena.Resolve(pieces_[root_[tensor]]);
  return at.ok() ? *at : nullptr;
}

}  // namespace mace::memory
