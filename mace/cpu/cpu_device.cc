// Finding the CPU kernel of a node.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/cpu_device.h"

#include <algorithm>
#include <map>
#include <string>

#include "mace/cpu/conv_chain.h"
#include "mace/cpu/kernel_table.h"
#include "mace/cpu/shuffle_chain.h"

namespace mace {
namespace {

const std::map<std::string, CpuKernelDefs>& Table() {
  static const auto* table = [] {
    auto* t = new std::map<std::string, CpuKernelDefs>;
    for (int i = 0; i < kNumCpuKernels; ++i) {
      t->emplace(kCpuKernels[i].op, kCpuKernels[i].defs());
    }
    return t;
  }();
  return *table;
}

}  // namespace

Result<std::unique_ptr<CpuDevice>> CpuDevice::Create(
    const CpuOptions& options, std::shared_ptr<PackedWeights> packed) {
  std::unique_ptr<CpuDevice> device(new CpuDevice);
  MACE_ASSIGN_OR_RETURN(device->threads_,
                        ThreadPool::Create(options.num_threads));
  device->packed_ = std::move(packed);
  device->context_ = {device->threads_.get(), options.features,
                      device->packed_.get(), options.max_winograd,
                      options.reference};
  return device;
}

// The big cores of a mid-range phone; see OpenclDevice::speed.
DeviceSpeed CpuDevice::speed() const {
  DeviceSpeed speed;
  speed.macs_per_us = 20000;
  speed.bytes_per_us = 6000;
  speed.launch_us = 1;
  return speed;
}

bool CpuDevice::TakesHalves(const Node& node, size_t i) const {
  const auto entry = Table().find(node.op);
  if (entry == Table().end() || context_.reference) return false;
  return std::any_of(entry->second.begin(), entry->second.end(),
                     [i](const CpuKernelDef& def) {
                       return def.halves_input == static_cast<int>(i);
                     });
}

Result<KernelPtr> CpuDevice::Prepare(const Node& node) {
  const auto entry = Table().find(node.op);
  if (entry == Table().end()) {
    return Unsupported(Label(node) + ": the CPU of this build has no kernel");
  }
  const DataType dtype =
      node.inputs.empty() ? node.outputs[0].dtype : node.inputs[0].type.dtype;
  std::string supported;
  for (const CpuKernelDef& def : entry->second) {
    if (def.dtype == dtype) return def.prepare(node, context_);
    supported += (supported.empty() ? "" : ", ") + std::string(Name(def.dtype));
  }
  return Unsupported(Label(node) + ": no CPU kernel for " + Name(dtype) +
                     "; there is one for " + supported);
}

Result<KernelPtr> CpuDevice::PrepareChain(const std::vector<ChainLink>& chain) {
  return chain[0].node->op == "Concat"
             ? cpu::PrepareShuffleChain(chain, context_)
             : cpu::PrepareConvChain(chain, context_);
}

}  // namespace mace
