// What engines tell about their plans.
// SPDX-License-Identifier: Apache-2.0

#include <string>

#include "mace/base/str_cat.h"
#include "mace/plan/dump/dump.h"
#include "mace/runtime/engine.h"
#include "mace/runtime/report/memory_usage.h"

namespace mace {

Status MaceEngine::Impl::Dump(const std::string& stage,
                              std::string* text) const {
  if (text == nullptr) return InvalidArgument("Dump: text is null");
  std::lock_guard<Mutex> lock(mutex_);
  if (stage == "trace") {
    if (trace_ == nullptr) {
      return InvalidArgument(
          "this engine keeps no trace; create it with the setting tracing "
          "(MaceEngineConfig::Set(\"tracing\", \"1\"))");
    }
    *text = trace_->ToJson();
    return Status();
  }
  const Plan& plan = plans_->latest().plan();
  const Devices& devices = devices_.all();
  if (stage == "graph") {
    *text = mace::Dump(plan.graph);
  } else if (stage == "plan") {
    text->clear();
    for (const std::string& line : {devices.note, devices.without_effect}) {
      if (!line.empty()) *text += StrCat(line, '\n');
    }
    *text += StrCat(DumpPlacement(plan), DumpSteps(plan));
  } else if (stage == "plan_json") {
    const bool has_both =
        !devices.note.empty() && !devices.without_effect.empty();
    *text = DumpPlanJson(plan, StrCat(devices.note, has_both ? "; " : "",
                                      devices.without_effect));
  } else if (stage == "memory") {
    const Result<MaceMemoryUsage> usage = Usage();
    const Result<MaceMemoryTotals> totals = Totals();
    *text = StrCat(DumpMemory(plan), states_.Dump(),
                   usage.ok() ? ToText(*usage) : "",
                   totals.ok() ? ToText(*totals) : "");
  } else if (stage == "memory_json") {
    *text = DumpMemoryJson(plan);
  } else if (stage == "tuning") {
    text->clear();
    for (const auto& device : devices.list) {
      if (device->tuning() != nullptr) *text += device->tuning()->DumpTuning();
    }
  } else {
    return InvalidArgument(
        "there is no stage '", stage,
        "'; choose graph, plan, plan_json, memory, memory_json, trace or "
        "tuning");
  }
  return Status();
}

}  // namespace mace
