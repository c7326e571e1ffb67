// Finding and preparing the CPU kernel of a node.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/cpu_device.h"

#include <algorithm>
#include <utility>

#include "mace/base/kernel_tests.h"
#include "mace/base/logging.h"
#include "mace/base/search.h"
#include "mace/base/str_cat.h"
#include "mace/cpu/custom_kernel.h"
#include "mace/cpu/fused/prepare.h"
#include "mace/cpu/tuning/cpu_identity.h"

namespace mace {

Result<std::unique_ptr<CpuDevice>> CpuDevice::Create(
    const CpuOptions& options, std::shared_ptr<PackedWeights> packed) {
  std::unique_ptr<CpuDevice> device(new CpuDevice);
  MACE_ASSIGN_OR_RETURN(device->threads_,
                        ThreadPool::Create(options.num_threads, options.cores));
  device->packed_ = std::move(packed);
  device->unread_.SetUnread();
  CpuContext& context = device->context_;
  context.threads = device->threads_.get();
  context.features = options.features;
  context.packed = device->packed_.get();
  // No tile is as small as 1; 0 would forbid Strassen's method as well.
  context.max_winograd = std::min(options.max_winograd, LargestWinograd());
  context.fc_rounds_once = options.fc_rounds_once;
#ifndef MACE_LIBRARY
  context.reference = options.reference;
#endif
  context.caches = options.caches;
  device->tuner_ = cpu::Tuner::Create(options.tuner, options.features,
                                      options.num_threads, options.caches);
  device->float32_nodes_ = options.float32_nodes;
  return device;
}

std::string CpuDevice::Identity() {
  return cpu::CpuIdentity(DetectCpuFeatures(), 0);
}

int CpuDevice::LargestWinograd() { return cpu::LargestWinograd(); }

// Estimates for the big cores of a mid-range phone; see OpenclDevice::speed.
DeviceSpeed CpuDevice::speed() const {
  DeviceSpeed speed;
  speed.macs_per_us = 20000;
  speed.bytes_per_us = 6000;
  speed.launch_us = 1;
  return speed;
}

bool CpuDevice::TakesFp16(const Node& node, size_t i) const {
  const CpuKernelDefs* defs = cpu::FindKernelDefs(node.op);
  if (defs == nullptr || context_.reference) return false;
  return AnyOf(*defs, [i](const CpuKernelDef& def) {
    return def.fp16_input == static_cast<int>(i);
  });
}

bool CpuDevice::ComputesFp16(const Node& node) const {
  const CpuKernelDefs* defs = cpu::FindKernelDefs(node.op);
  const bool can = (context_.features & kCpuFp16) != 0 && !context_.reference &&
                   float32_nodes_.count(node.name) == 0;
  if (!can || defs == nullptr) return false;
  return AnyOf(*defs, [&](const CpuKernelDef& def) {
    return def.computes_fp16 != nullptr && def.computes_fp16(node, context_);
  });
}

// Makes the kernel without packing weights, so that there is no second set of
// checks that could disagree with Prepare.
Result<NodeWork> CpuDevice::Supports(const Node& node) {
  if (node.custom.state != nullptr) return NodeWork{};
  CpuContext context = context_;
  context.packed = &unread_;
  MACE_ASSIGN_OR_RETURN(const KernelPtr kernel,
                        cpu::PrepareNode(node, context));
  return NodeWork{kernel->macs(), kernel->renames_only()};
}

Result<KernelPtr> CpuDevice::Prepare(const Node& node) {
  if (node.custom.state != nullptr) {
    return cpu::PrepareCustom(node, threads_.get());
  }
  auto kernel = tunes() ? tuner_->Prepare({{&node, -1}}, context_)
                        : cpu::PrepareNode(node, context_);
  MACE_RETURN_IF_ERROR(CheckKernelsLeft());
  return kernel;
}

Result<KernelPtr> CpuDevice::PrepareFused(const std::vector<FusedNode>& nodes) {
  auto kernel = tunes() ? tuner_->Prepare(nodes, context_)
                        : cpu::PrepareLinks(nodes, context_);
  MACE_RETURN_IF_ERROR(CheckKernelsLeft());
  return kernel;
}

Status CpuDevice::TunePlan(const DryRun& dry_run) {
  return !tunes() ? Status() : tuner_->TunePlan(dry_run, context_);
}

std::string CpuDevice::DumpTuning() const {
  return !tunes() ? "" : tuner_->report();
}

DeviceCounts CpuDevice::counts() const {
  DeviceCounts counts;
  if (tunes()) counts.measurements = tuner_->num_measured();
  return counts;
}

}  // namespace mace
