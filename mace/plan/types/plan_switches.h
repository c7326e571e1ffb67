// PlanSwitches: optional work of plans that a test leaves out, to compare the
// results with those of whole plans. No app can.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PLAN_TYPES_PLAN_SWITCHES_H_
#define MACE_PLAN_TYPES_PLAN_SWITCHES_H_

#include <cstddef>

namespace mace {

struct PlanSwitches {
  bool fusion = true;     // nodes that a device runs as one kernel
  bool placement = true;  // by cost; else on the first device that supports it
  bool fp16 = true;       // f16 between nodes that compute in it
  bool kv_cache = true;   // attention reads its cache in place
};

// Their names, for the flag of mace_run.
struct PlanSwitch {
  const char* name;
  bool PlanSwitches::* is_on;
};
inline constexpr PlanSwitch kPlanSwitches[] = {
    {"fusion", &PlanSwitches::fusion},
    {"placement", &PlanSwitches::placement},
    {"fp16", &PlanSwitches::fp16},
    {"kv_cache", &PlanSwitches::kv_cache},
};

// In a library the switches are constants, so that code for the other cases is
// not compiled into it.
#ifdef MACE_LIBRARY
constexpr PlanSwitches CurrentPlanSwitches() { return {}; }
#else
// The switches of this process. Do not change them while a plan is made.
inline PlanSwitches& PlanSwitchesOfTests() {
  static auto* const switches = new PlanSwitches;
  return *switches;
}
inline PlanSwitches CurrentPlanSwitches() { return PlanSwitchesOfTests(); }
#endif

}  // namespace mace

#endif  // MACE_PLAN_TYPES_PLAN_SWITCHES_H_
