// Fuses sequences of steps with a single reader each, trying the longest first.
// SPDX-License-Identifier: Apache-2.0

#include "mace/plan/passes/fuse_nodes.h"

#include <algorithm>
#include <string>
#include <utility>

#include "mace/base/cancellation.h"
#include "mace/base/search.h"
#include "mace/base/str_cat.h"

namespace mace {
namespace {

constexpr size_t kMaxLinks = 8;
// No kernel computes a node of more inputs after another one. Without a limit,
// a Concat of n inputs would be searched n times.
constexpr size_t kMaxInputsOfLink = 16;

class Fuser {
 public:
  explicit Fuser(Plan& plan) : plan_(plan), graph_(plan.graph) {
    const size_t num_values = graph_.values.size();
    reader_.assign(num_values, -1);
    num_reads_.assign(num_values, 0);
    merged_.assign(plan.steps.size(), false);
    for (int id : graph_.outputs)
      ++num_reads_[id];  // the caller reads it, not a step
    for (size_t s = 0; s < plan.steps.size(); ++s) {
      for (int id : NodeOf(s).inputs) {
        if (id < 0) continue;
        reader_[id] = static_cast<int>(s);
        ++num_reads_[id];
      }
    }
  }

  Status Fuse() {
    for (size_t s = 0; s < plan_.steps.size(); ++s) {
      if (plan_.steps[s].kernel == nullptr || merged_[s]) continue;
      MACE_RETURN_IF_ERROR(Cancellation::CheckPlan());
      std::vector<size_t> chain = ChainFrom(s);
      std::vector<FusedNode> links = LinksOf(chain);
      for (bool done = false; !done && chain.size() > 1; chain.pop_back()) {
        MACE_ASSIGN_OR_RETURN(done, TryFuse(chain, links));
        links.pop_back();
      }
    }
    auto& steps = plan_.steps;
    steps.erase(
        std::remove_if(steps.begin(), steps.end(),
                       [](const Step& s) { return s.kernel == nullptr; }),
        steps.end());
    return Status();
  }

 private:
  GraphNode& NodeOf(size_t s) { return graph_.nodes[plan_.steps[s].node]; }

  // Returns the steps from `s` on, each of which is the only reader of the
  // previous one.
  std::vector<size_t> ChainFrom(size_t s) {
    std::vector<size_t> chain = {s};
    while (chain.size() < kMaxLinks) {
      const Step& last = plan_.steps[chain.back()];
      const GraphNode& g = graph_.nodes[last.node];
      const int value = g.outputs[0];
      if (g.outputs.size() != 1 || num_reads_[value] != 1 ||
          reader_[value] < 0) {
        break;
      }
      const Step& next = plan_.steps[reader_[value]];
      if (next.device != last.device || merged_[reader_[value]] ||
          graph_.nodes[next.node].inputs.size() > kMaxInputsOfLink) {
        break;
      }
      chain.push_back(reader_[value]);
    }
    return chain;
  }

  // Returns -1 if there is none.
  static int IndexOf(const std::vector<int>& inputs, int value) {
    const auto found = std::find(inputs.begin(), inputs.end(), value);
    return found == inputs.end() ? -1
                                 : static_cast<int>(found - inputs.begin());
  }

  std::vector<FusedNode> LinksOf(const std::vector<size_t>& chain) {
    std::vector<FusedNode> links;
    for (size_t s : chain) {
      const GraphNode& g = NodeOf(s);
      FusedNode link = {&g.node, -1};
      if (!links.empty()) {
        const int value = NodeOf(chain[links.size() - 1]).outputs[0];
        link.previous = IndexOf(g.inputs, value);
        const GraphNode& first = NodeOf(chain[0]);
        if (!first.inputs.empty() && first.inputs[0] >= 0) {
          link.same = IndexOf(g.inputs, first.inputs[0]);
        }
      }
      links.push_back(link);
    }
    return links;
  }

  Result<bool> TryFuse(const std::vector<size_t>& chain,
                       const std::vector<FusedNode>& links) {
    NodeKernels* const kernels = plan_.steps[chain[0]].device->kernels();
    if (kernels == nullptr) return false;  // the device runs regions
    auto kernel = kernels->PrepareFused(links);
    if (kernel.status() == Status::MACE_UNSUPPORTED) return false;
    MACE_RETURN_IF_ERROR(kernel.status());
    Merge(chain, links);
    Step& last = plan_.steps[chain.back()];
    for (size_t s : chain) {
      plan_.steps[s].kernel.reset();
      if (s != chain.back()) last.fused.push_back(plan_.steps[s].node);
    }
    last.kernel = std::move(*kernel);
    merged_[chain.back()] = true;
    return true;
  }

  // Returns the kinds of nodes, each in the place of its first:
  // "DepthwiseConv2d+Conv2d". This is never the name of an op, so no device
  // takes the step for such an op.
  static std::string OpOf(const std::vector<FusedNode>& links) {
    std::vector<std::string> kinds;
    for (const FusedNode& link : links) {
      if (!Contains(kinds, link.node->op)) {
        kinds.push_back(link.node->op);
      }
    }
    if (kinds.size() == 1) kinds.push_back(kinds[0]);
    std::string op;
    for (const std::string& kind : kinds)
      op += StrCat(op.empty() ? "" : "+", kind);
    return op;
  }

  // Gives the inputs and names of all nodes to the last one.
  void Merge(const std::vector<size_t>& chain,
             const std::vector<FusedNode>& links) {
    GraphNode merged = NodeOf(chain.back());
    merged.inputs.clear();
    merged.node.inputs.clear();
    merged.node.name.clear();
    merged.node.op = OpOf(links);
    for (size_t i = 0; i < chain.size(); ++i) {
      const GraphNode& g = NodeOf(chain[i]);
      merged.node.name += StrCat(i > 0 ? " + " : "", g.node.name);
      for (size_t k = 0; k < g.inputs.size(); ++k) {
        if (static_cast<int>(k) == links[i].previous) continue;
        merged.inputs.push_back(g.inputs[k]);
        merged.node.inputs.push_back(g.node.inputs[k]);
      }
    }
    NodeOf(chain.back()) = std::move(merged);
  }

  Plan& plan_;
  Graph& graph_;
  std::vector<int> reader_;      // by value: a step that reads it, or -1
  std::vector<int> num_reads_;   // by value, including reads as a graph output
  std::vector<uint8_t> merged_;  // by step: the last of a fused sequence
};

}  // namespace

Status FuseNodes(Plan& plan) { return Fuser(plan).Fuse(); }

}  // namespace mace
