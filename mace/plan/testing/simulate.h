// Simulation: runs a plan's steps on words that depend on all that they read,
// so that a byte in the wrong place, or too early in it, changes the outputs.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PLAN_TESTING_SIMULATE_H_
#define MACE_PLAN_TESTING_SIMULATE_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "mace/plan/types/plan.h"

namespace mace::testing {

using Words = std::vector<uint32_t>;

inline uint32_t Hash(uint32_t a, uint32_t b) {
  uint64_t z = (uint64_t{a} << 32 | b) + 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return static_cast<uint32_t>(z ^ (z >> 31));
}

inline uint32_t HashOf(const uint32_t* words, int64_t count) {
  uint32_t hash = 1;
  for (int64_t i = 0; i < count; ++i) hash = Hash(hash, words[i]);
  return hash;
}

// A node with its operands at their addresses. Every element is a word of 4
// bytes. Reshape, Split, Slice and Concat move words; every other op mixes:
// word i of output k is a hash of i, k and all that the node reads, where an
// input that the kernel lets output 0 overlap counts only for that output, and
// up to word i, as an element-wise kernel would read it:
//
//    input    . . . [i - behind .. i] . . .    read for word i
//    output   w w w w  i                       words before i are overwritten
struct SimulatedNode {
  const Node* node = nullptr;
  std::vector<const uint32_t*> inputs;  // null: absent
  std::vector<uint32_t*> outputs;
  uint32_t* scratch = nullptr;
  int64_t scratch_words = 0;
  std::vector<Overlap> overlaps;

  int64_t InputWords(size_t i) const { return Bytes(node->inputs[i].type) / 4; }
  int64_t OutputWords(size_t i) const { return Bytes(node->outputs[i]) / 4; }

  void Run() const {
    if (node->op == "Reshape") {
      std::copy_n(inputs[0], InputWords(0), outputs[0]);
    } else if (node->op == "Split" || node->op == "Slice") {
      int64_t start = node->op == "Slice" ? Ints("starts") : 0;
      for (size_t k = 0; k < outputs.size(); ++k) {
        const Shape& part = node->outputs[k].shape;
        const size_t axis = Axis(part.size());
        CopyPart(node->inputs[0].type.shape, part, axis, start,
                 [&](int64_t whole, int64_t i) {
                   outputs[k][i] = inputs[0][whole];
                 });
        start += part[axis];
      }
    } else if (node->op == "Concat") {
      int64_t start = 0;
      for (size_t k = 0; k < inputs.size(); ++k) {
        const Shape& part = node->inputs[k].type.shape;
        const size_t axis = Axis(part.size());
        CopyPart(node->outputs[0].shape, part, axis, start,
                 [&](int64_t whole, int64_t i) {
                   outputs[0][whole] = inputs[k][i];
                 });
        start += part[axis];
      }
    } else {
      Mix();
    }
  }

 private:
  int64_t Ints(const char* name) const {
    return std::get<std::vector<int64_t>>(node->attrs.at(name))[0];
  }
  size_t Axis(size_t rank) const {
    const int64_t axis = node->op == "Slice"
                             ? Ints("axes")
                             : std::get<int64_t>(node->attrs.at("axis"));
    return static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(rank)
                                        : axis);
  }

  // copy(i of the whole, i of the part) for each element of the part.
  template <typename Copy>
  static void CopyPart(const Shape& whole, const Shape& part, size_t axis,
                       int64_t start, const Copy& copy) {
    int64_t outer = 1, inner = 1;
    for (size_t d = 0; d < axis; ++d) outer *= whole[d];
    for (size_t d = axis + 1; d < whole.size(); ++d) inner *= whole[d];
    const int64_t rows = part[axis] * inner;
    for (int64_t o = 0; o < outer; ++o) {
      for (int64_t i = 0; i < rows; ++i) {
        copy((o * whole[axis] + start) * inner + i, o * rows + i);
      }
    }
  }

  // For an input that output 0 may overlap: how many words behind the one at
  // hand are read still; -1 for the others.
  int64_t Behind(size_t input) const {
    for (const Overlap& o : overlaps) {
      if (o.input == static_cast<int>(input)) return o.safe_distance_bytes / 4;
    }
    return -1;
  }

  // Of the scratch, and of inputs that the output may not overlap.
  uint32_t HashOfOthers() const {
    uint32_t hash = HashOf(scratch, scratch_words);
    for (size_t k = 0; k < inputs.size(); ++k) {
      if (inputs[k] == nullptr || Behind(k) >= 0) continue;
      hash = Hash(hash, HashOf(inputs[k], InputWords(k)));
    }
    return hash;
  }

  // Fills the scratch first, writes the last output first, and output 0 last,
  // because only it may overwrite an input that the others do not read. Checks
  // in the end that nothing else it reads has changed.
  void Mix() const {
    for (int64_t i = 0; i < scratch_words; ++i) {
      scratch[i] = static_cast<uint32_t>(i);
    }
    const uint32_t others = HashOfOthers();
    for (size_t k = outputs.size(); k-- > 0;) {
      for (int64_t i = 0; i < OutputWords(k); ++i) {
        uint32_t word = Hash(
            others, static_cast<uint32_t>(100 * i) + static_cast<uint32_t>(k));
        for (size_t in = 0; k == 0 && in < inputs.size(); ++in) {
          const int64_t behind = Behind(in);
          if (behind < 0 || inputs[in] == nullptr) continue;
          const int64_t end = std::min(i + 1, InputWords(in));
          for (int64_t j = std::max<int64_t>(0, i - behind); j < end; ++j) {
            word = Hash(word, inputs[in][j]);
          }
        }
        outputs[k][i] = word;
      }
    }
    EXPECT_EQ(HashOfOthers(), others)
        << Label(*node) << " wrote over what it reads";
  }
};

// Returns what every value holds if the nodes run in the graph's order and each
// value has memory of its own: what any plan must give. Inputs and constants
// have words that depend on their ids.
inline std::vector<Words> RunApart(const Graph& graph,
                                   const std::vector<KernelPtr>& kernels) {
  std::vector<Words> values;
  for (size_t v = 0; v < graph.values.size(); ++v) {
    values.emplace_back(Bytes(graph.values[v].type) / 4);
    for (size_t i = 0; i < values[v].size(); ++i) {
      values[v][i] = Hash(static_cast<uint32_t>(v), static_cast<uint32_t>(i));
    }
  }
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const GraphNode& g = graph.nodes[n];
    Words scratch(kernels[n]->scratch_bytes() / 4);
    SimulatedNode node;
    node.node = &g.node;
    node.scratch = scratch.data();
    node.scratch_words = static_cast<int64_t>(scratch.size());
    node.overlaps = kernels[n]->overlaps();
    for (int id : g.inputs) {
      node.inputs.push_back(id < 0 ? nullptr : values[id].data());
    }
    for (int id : g.outputs) node.outputs.push_back(values[id].data());
    node.Run();
  }
  return values;
}

// Runs the steps where the plan places them, with the inputs and constants of
// `apart`, and compares what each writes with that.
void RunPlaced(const Plan& plan, const std::vector<Words>& apart);

}  // namespace mace::testing

#endif  // MACE_PLAN_TESTING_SIMULATE_H_
