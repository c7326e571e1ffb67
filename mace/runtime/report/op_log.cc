// The lines of ops, and the text of plans.
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <string>

#include "mace/base/logging.h"
#include "mace/base/str_cat.h"
#include "mace/plan/dump/dump.h"
#include "mace/runtime/report/run_log.h"

namespace mace {
namespace {

void LogLines(int level, const std::string& text) {
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    VLOG(level) << text.substr(begin, end - begin);
    begin = end + 1;
  }
}

std::string LocationText(const Location& location) {
  switch (location.kind) {
    case Location::kUnused:
      return "nowhere";
    case Location::kConstant:
      return "a constant";
    case Location::kInput:
      return StrCat("input ", location.index);
    case Location::kOutput:
      return StrCat("output ", location.index);
    case Location::kArena:
      return StrCat("arena + ", location.offset);
    case Location::kImage:
      return StrCat("image ", location.index);
  }
  return "";
}

void LogPlaces(const Plan& plan) {
  for (const Step& step : plan.steps) {
    const GraphNode& g = plan.graph.nodes[step.node];
    for (int id : g.outputs) {
      VLOG(4) << Label(g.node) << " writes '" << plan.graph.values[id].name
              << "', " << ToString(plan.graph.values[id].type) << ", to "
              << LocationText(plan.locations[id]);
    }
  }
}

}  // namespace

bool LogsOps() { return MaxVlogLevel() >= 2; }

void LogPlanText(const Plan& plan) {
  LogLines(3, StrCat(DumpPlacement(plan), DumpSavings(plan)));
  if (MaxVlogLevel() >= 4) LogPlaces(plan);
}

void LogRun(const RunMetadata& metadata, int64_t micros) {
  if (MaxVlogLevel() == 0) return;
  VLOG(1) << "run in " << micros << " us";
  for (const OperatorStats& op : metadata.op_stats) {
    VLOG(2) << op.type << " '" << op.operator_name << "' on " << op.device
            << " in " << op.stats.end_micros - op.stats.start_micros << " us";
    VLOG(3) << op.type << " '" << op.operator_name << "': " << op.variant
            << ", " << op.macs << " multiply-adds, " << op.bytes << " bytes";
  }
}

}  // namespace mace
