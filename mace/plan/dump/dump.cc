// Prints the steps of plans as text and as JSON.
// SPDX-License-Identifier: Apache-2.0

#include "mace/plan/dump/dump.h"

#include <algorithm>
#include <map>
#include <vector>

#include "mace/base/str_cat.h"
#include "mace/base/text_stream.h"
#include "mace/plan/dump/json_text.h"

namespace mace {
namespace {

// Returns whether the plan added the node to move a tensor between devices.
bool IsMove(const Node& node) {
  return node.op == "Upload" || node.op == "Download";
}

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

// Returns the nodes of a step that is a region, as far as its device tells
// them.
std::vector<RegionPart> PartsOf(const Step& step) {
  RegionKernels* const regions = step.device->regions();
  if (regions == nullptr) return {};
  return regions->PartsOf(*step.kernel);
}

// Returns "123 packets", or "" if the device did not count.
std::string CountOf(const RegionPart& part, const Step& step) {
  if (part.count < 0) return "";
  return StrCat(part.count, ' ', step.device->regions()->count_unit());
}

// Returns the 16-bit type in which a node's weights are stored, or "".
std::string StoredAs(const Node& node) {
  for (const Operand& operand : node.inputs) {
    if (operand.stored != DataType::kInvalid) return Name(operand.stored);
  }
  return "";
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

// Puts together the JSON of a plan's nodes and moves.
class NodesJson {
 public:
  explicit NodesJson(const Plan& plan)
      : plan_(plan),
        idle_(plan.graph.nodes.size(), "none: a view"),
        part_of_(plan.graph.nodes.size()) {
    for (const Placement& p : plan.placements) placements_[p.node] = p;
    for (const Step& step : plan.steps) AddStep(step);
    for (size_t n = 0; n < idle_.size(); ++n) {
      if (idle_[n].empty()) continue;
      const Node& node = plan.graph.nodes[n].node;
      const std::string& device = placements_[Label(node)].device;
      AddNode(node, device.empty() ? "CPU" : device, idle_[n], 0, Label(node),
              part_of_[n]);
    }
  }

  const TextStream& nodes() const { return nodes_; }
  const TextStream& moves() const { return moves_; }

 private:
  void AddNode(const Node& node, const std::string& device,
               const std::string& kernel, int64_t macs,
               const std::string& placed, const std::string& step) {
    nodes_ << (nodes_.str().empty() ? "" : ", ")
           << "{\"name\": " << Json(node.name) << ", \"op\": " << Json(node.op)
           << ", \"device\": " << Json(device)
           << ", \"kernel\": " << Json(kernel)
           << ", \"reason\": " << Json(placements_[placed].reason)
           << ", \"part_of\": " << Json(step) << ", \"macs\": " << macs
           << ", \"stored\": " << Json(StoredAs(node)) << ", \"outputs\": [";
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      nodes_ << (i ? ", " : "") << Json(ToString(node.outputs[i]));
    }
    nodes_ << "]}";
  }

  void AddStep(const Step& step) {
    const Node& node = plan_.graph.nodes[step.node].node;
    idle_[step.node].clear();
    const std::vector<RegionPart> parts = PartsOf(step);
    for (const RegionPart& part : parts) AddPart(part, step);
    for (const int n : step.fused) {
      idle_[n] = parts.empty() ? StrCat("none: part of '", node.name, "'") : "";
      part_of_[n] = node.name;
    }
    if (!parts.empty()) return;
    if (IsMove(node)) {
      moves_ << (moves_.str().empty() ? "" : ", ")
             << "{\"tensor\": " << Json(node.name) << ", \"to\": \""
             << (node.op == "Upload" ? step.device->name() : "CPU")
             << "\", \"bytes\": " << MovedBytes(node) << '}';
      return;
    }
    const int first = step.fused.empty() ? step.node : step.fused[0];
    AddNode(node, step.device->name(), step.kernel->variant(),
            step.kernel->macs(), Label(plan_.graph.nodes[first].node), "");
  }

  void AddPart(const RegionPart& part, const Step& step) {
    Node node;
    node.op = part.op;
    node.name = part.name;
    node.outputs = {part.output};
    const std::string count = CountOf(part, step);
    AddNode(node, step.device->name(), count.empty() ? "in a region" : count,
            part.macs, Label(node), "");
  }

  const Plan& plan_;
  std::map<std::string, Placement> placements_;  // by label
  // For nodes without a step of their own: what they do, and the step that they
  // are a part of.
  std::vector<std::string> idle_, part_of_;
  TextStream nodes_, moves_;
};

}  // namespace

std::string DumpPlanJson(const Plan& plan, const std::string& note) {
  const NodesJson json(plan);
  TextStream out;
  out << "{\"note\": " << Json(note) << ", \"nodes\": [" << json.nodes().str()
      << "], \"moves\": [" << json.moves().str()
      << "], \"num_images\": " << plan.images.size()
      << ", \"image_bytes\": " << plan.image_bytes
      << ", \"waits\": " << DumpWaitsJson(plan)
      << ", \"arena_bytes\": " << plan.arena_bytes << "}\n";
  return out.str();
}

}  // namespace mace
