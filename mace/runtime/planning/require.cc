// Adds up the work of devices.
// SPDX-License-Identifier: Apache-2.0

#include "mace/runtime/planning/require.h"

#include <cstdio>
#include <utility>

#include "mace/base/c_locale.h"
#include "mace/base/sort.h"
#include "mace/base/str_cat.h"
#include "mace/plan/dump/placed_nodes.h"
#include "mace/runtime/settings/setting_values.h"

namespace mace {
namespace {

constexpr size_t kMaxNamed = 10;

const char* DeviceOfShare(const DeviceShare& share) {
  return share.device == "gpu" ? "GPU" : share.device == "dsp" ? "DSP" : "CPU";
}

std::string ShareText(double share) {
  const CLocale c_locale;
  char text[32];
  std::snprintf(text, sizeof(text), "%.4g", share);
  return text;
}

// Of a model without multiply-adds, each node counts as one.
double WorkOf(const PlacedNode& node, bool has_macs) {
  return has_macs ? static_cast<double>(node.macs) : 1;
}

// The nodes that are not on `device`.
std::string Elsewhere(const std::vector<PlacedNode>& nodes,
                      const std::string& device, const std::string& note,
                      bool has_macs) {
  std::vector<size_t> order(nodes.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  StableSort(&order, [&nodes](size_t a, size_t b) {
    return nodes[a].macs > nodes[b].macs;
  });
  std::string text;
  size_t others = 0;
  for (const size_t i : order) {
    const PlacedNode& node = nodes[i];
    if (node.device == device || WorkOf(node, has_macs) == 0) continue;
    if (++others > kMaxNamed) continue;
    const std::string& reason = node.reason.empty() ? note : node.reason;
    text += StrCat("; ", node.op, " '", node.name, "' runs on the ",
                   node.device, reason.empty() ? "" : ": ", reason);
  }
  if (others > kMaxNamed) {
    text += StrCat("; and ", others - kMaxNamed, " other nodes");
  }
  return text;
}

}  // namespace

Status CheckRequired(const std::vector<std::string>& required,
                     const std::string& note, const Plan& plan) {
  if (required.empty()) return Status();
  const Setting setting("require", "");
  std::vector<PlacedNode> nodes;
  // What is part of another one's kernel counts there.
  for (PlacedNode& node : PlacedNodes(plan)) {
    if (node.part_of.empty()) nodes.push_back(std::move(node));
  }
  bool has_macs = false;
  for (const PlacedNode& node : nodes) has_macs = has_macs || node.macs > 0;
  for (const std::string& item : required) {
    MACE_ASSIGN_OR_RETURN(const DeviceShare share, ParseShare(setting, item));
    const std::string device = DeviceOfShare(share);
    double there = 0, all = 0;
    for (const PlacedNode& node : nodes) {
      const double work = WorkOf(node, has_macs);
      all += work;
      if (node.device == device) there += work;
    }
    if (there >= share.share * all) continue;
    return Unsupported(
        "require: the ", device, " runs ", ShareText(there / all), " of the ",
        has_macs ? "multiply-adds" : "nodes", ", and ", ShareText(share.share),
        " are required", Elsewhere(nodes, device, note, has_macs));
  }
  return Status();
}

}  // namespace mace
