// Prints the steps of plans as text and as JSON.
// SPDX-License-Identifier: Apache-2.0

#include "mace/plan/dump/dump.h"

#include <algorithm>
#include <map>
#include <vector>

#include "mace/base/str_cat.h"
#include "mace/base/text_stream.h"
#include "mace/plan/dump/json_text.h"
#include "mace/plan/dump/placed_nodes.h"

namespace mace {
namespace {

int64_t MovedBytes(const Node& move) {
  return Bytes(move.op == "Upload" ? move.inputs[0].type : move.outputs[0]);
}

// Returns a short label. For a step of several nodes, whose full name is long,
// it has the last node and their number.
std::string ShortLabel(const Plan& plan, const Step& step) {
  const Node& node = plan.graph.nodes[step.node].node;
  if (step.fused.empty()) return Label(node);
  size_t others = 0;  // length of their names in "a + b + c"
  for (const int n : step.fused) {
    others += plan.graph.nodes[n].node.name.size() + 3;
  }
  return StrCat(node.op, " '",
                node.name.substr(std::min(others, node.name.size())), "' (",
                step.fused.size() + 1, " nodes)");
}

}  // namespace

std::string DumpSteps(const Plan& plan) {
  TextStream out;
  for (size_t s = 0; s < plan.steps.size(); ++s) {
    const Step& step = plan.steps[s];
    const Node& node = plan.graph.nodes[step.node].node;
    out << s << ' ' << ShortLabel(plan, step) << " on " << step.device->name()
        << ": " << step.kernel->variant();
    if (step.kernel->macs() > 0) {
      out << ", " << step.kernel->macs() << " multiply-adds";
    }
    for (const TensorType& type : node.outputs) out << ", " << ToString(type);
    out << '\n';
    for (const RegionPart& part : PartsOf(step)) {
      const std::string count = CountOf(part, step);
      out << "    " << part.op << " '" << part.name << "': ";
      if (!count.empty()) out << count << ", ";
      if (part.macs > 0) out << part.macs << " multiply-adds, ";
      out << ToString(part.output) << '\n';
    }
  }
  if (plan.deferred == nullptr) return out.str();
  for (const DataDependency& d : plan.deferred->dependencies) {
    out << d.node
        << (d.input.empty()
                ? StrCat(": runs its body again and again")
                : StrCat(": the plan waits for data here: '", d.input, "'"))
        << '\n';
  }
  out << plan.deferred->graph.nodes.size()
      << " nodes are planned when these data are there\n";
  return out.str();
}

std::string DumpPlacement(const Plan& plan) {
  if (plan.placements.empty()) return "";
  std::map<std::string, int> num_nodes;  // by device
  for (const Placement& p : plan.placements) ++num_nodes[p.device];
  TextStream out;
  for (const auto& [device, count] : num_nodes) {
    out << device << " runs " << count << " of " << plan.placements.size()
        << " nodes\n";
  }
  int64_t moved_bytes = 0;
  int num_moves = 0;
  for (const Step& step : plan.steps) {
    const Node& node = plan.graph.nodes[step.node].node;
    if (!IsMove(node)) continue;
    ++num_moves;
    moved_bytes += MovedBytes(node);
  }
  out << num_moves << " tensors of " << moved_bytes
      << " bytes move between devices, " << plan.images.size() << " images of "
      << plan.image_bytes << " bytes\n";
  for (const Placement& p : plan.placements) {
    if (!p.reason.empty()) {
      out << p.node << " on " << p.device << ": " << p.reason << '\n';
    }
  }
  return out.str();
}

namespace {

std::string DumpWaitsJson(const Plan& plan) {
  TextStream out;
  out << '[';
  const char* comma = "";
  if (plan.deferred != nullptr) {
    for (const DataDependency& d : plan.deferred->dependencies) {
      out << comma << "{\"node\": " << Json(d.node)
          << ", \"input\": " << Json(d.input) << '}';
      comma = ", ";
    }
  }
  out << ']';
  return out.str();
}

std::string NodesJson(const Plan& plan) {
  TextStream out;
  const char* comma = "";
  for (const PlacedNode& node : PlacedNodes(plan)) {
    out << comma << "{\"name\": " << Json(node.name)
        << ", \"op\": " << Json(node.op)
        << ", \"device\": " << Json(node.device)
        << ", \"kernel\": " << Json(node.kernel)
        << ", \"reason\": " << Json(node.reason)
        << ", \"part_of\": " << Json(node.part_of)
        << ", \"macs\": " << node.macs << ", \"stored\": " << Json(node.stored)
        << ", \"outputs\": [";
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      out << (i ? ", " : "") << Json(ToString(node.outputs[i]));
    }
    out << "]}";
    comma = ", ";
  }
  return out.str();
}

std::string MovesJson(const Plan& plan) {
  TextStream out;
  const char* comma = "";
  for (const Step& step : plan.steps) {
    const Node& node = plan.graph.nodes[step.node].node;
    if (!IsMove(node)) continue;
    out << comma << "{\"tensor\": " << Json(node.name) << ", \"to\": \""
        << (node.op == "Upload" ? step.device->name() : "CPU")
        << "\", \"bytes\": " << MovedBytes(node) << '}';
    comma = ", ";
  }
  return out.str();
}

}  // namespace

std::string DumpPlanJson(const Plan& plan, const std::string& note) {
  TextStream out;
  out << "{\"note\": " << Json(note) << ", \"nodes\": [" << NodesJson(plan)
      << "], \"moves\": [" << MovesJson(plan)
      << "], \"num_images\": " << plan.images.size()
      << ", \"image_bytes\": " << plan.image_bytes
      << ", \"waits\": " << DumpWaitsJson(plan)
      << ", \"arena_bytes\": " << plan.arena_bytes << "}\n";
  return out.str();
}

}  // namespace mace
