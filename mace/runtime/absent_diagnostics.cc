// What engines tell without the component `diagnostics`.
// SPDX-License-Identifier: Apache-2.0

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "mace/base/components.h"
#include "mace/base/logging.h"
#include "mace/plan/types/plan.h"
#include "mace/public/mace_capability.h"
#include "mace/runtime/engine.h"
#include "mace/runtime/executor/numeric_check.h"
#include "mace/runtime/executor/op_stats.h"
#include "mace/runtime/executor/poison.h"
#include "mace/runtime/executor/trace.h"
#include "mace/runtime/planning/require.h"
#include "mace/runtime/report/run_log.h"

namespace mace {

Status MaceEngine::Impl::Dump(const std::string&, std::string*) const {
  return AbsentComponent("Dump", "diagnostics");
}

Status MaceEngine::Impl::GetPlacement(std::vector<MaceNodePlacement>*) const {
  return AbsentComponent("GetPlacement", "diagnostics");
}

Status CheckRequired(const std::vector<std::string>& required,
                     const std::string&, const Plan&) {
  if (required.empty()) return Status();
  return AbsentComponent("SetRequire", "diagnostics");
}

Capability GetCapability(DeviceType, float) {
  constexpr float kNever = std::numeric_limits<float>::infinity();
  LOG(WARNING) << AbsentComponent("GetCapability", "diagnostics").information();
  return {{kNever}, {kNever}, false};
}

int RunDriverProbe(const std::string&) {
  LOG(ERROR) << AbsentComponent("RunDriverProbe", "diagnostics").information();
  return 2;
}

std::vector<MaceKernelTest> GetKernelTests() {
  LOG(WARNING)
      << AbsentComponent("GetKernelTests", "diagnostics").information();
  return {};
}

bool LogsOps() { return false; }

void LogPlanText(const Plan&) {
  VLOG(3)
      << AbsentComponent("the text of the plan", "diagnostics").information();
}

void LogRun(const RunMetadata&, int64_t) {}

Status BeginOpStats(RunMetadata* metadata) {
  if (metadata == nullptr) return Status();
  return AbsentComponent("RunMetadata", "diagnostics");
}

// No run has metadata.
Status RunTimed(const Plan&, size_t, const RunArgs*, const Trace*,
                RunMetadata*) {
  return Status();
}

void FinishOpStats(const Plan&, const DeviceTensors*, RunMetadata*) {}

Result<std::unique_ptr<Trace>> Trace::Create() {
  return AbsentComponent("tracing", "diagnostics");
}

Result<std::unique_ptr<NumericCheck>> NumericCheck::Create(const Plan&) {
  return AbsentComponent("SetNumericCheck", "diagnostics");
}

Status NumericCheck::CheckInput(int, const void*) const { return Status(); }

Status NumericCheck::CheckStep(size_t, const RunArgs&) { return Status(); }

Result<std::vector<std::vector<ByteRange>>> UnusedRanges(const Plan&) {
  return AbsentComponent("SetGuard", "diagnostics");
}

void Poison(void*, const std::vector<ByteRange>&) {}

}  // namespace mace
