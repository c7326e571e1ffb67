// Tuner in a library without the component `interfaces`.
// SPDX-License-Identifier: Apache-2.0

#include <memory>
#include <string>
#include <vector>

#include "mace/base/components.h"
#include "mace/cpu/tuning/tuner.h"

namespace mace::cpu {

std::unique_ptr<Tuner> Tuner::Create(const TunerOptions&, CpuFeatures, int,
                                     const CacheSizes&) {
  return nullptr;
}

Result<KernelPtr> Tuner::Prepare(const std::vector<FusedNode>&,
                                 const CpuContext&) {
  return AbsentComponent("SetTuning", "interfaces");
}

Status Tuner::TunePlan(const Device::DryRun&, CpuContext) { return Status(); }

std::string Tuner::report() const { return ""; }

}  // namespace mace::cpu
