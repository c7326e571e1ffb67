// Fake devices, over the CPU's kernels.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/fake_devices.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "mace/base/aligned_buffer.h"

namespace mace::testing {
namespace {

std::unique_ptr<CpuDevice> MakeCpu(std::shared_ptr<PackedWeights> packed) {
  auto cpu = CpuDevice::Create({}, std::move(packed));
  return cpu.ok() ? std::move(*cpu) : nullptr;
}

Result<NodeWork> SupportsOneOf(const FakeOptions& options, const Node& node,
                               CpuDevice& cpu) {
  if (options.ops.count(node.op) == 0) {
    return Unsupported(Label(node) + ": the " + options.name +
                       " has no kernel");
  }
  return cpu.Supports(node);
}

// The kernels of a region's nodes in turn. Values have slots: first the
// region's inputs, then its outputs, then those between.
class RegionKernel final : public Kernel {
 public:
  static Result<KernelPtr> Create(const Region& region, CpuDevice& cpu) {
    auto kernel = std::make_unique<RegionKernel>();
    kernel->num_inputs_ = region.inputs.size();
    kernel->num_outputs_ = region.outputs.size();
    std::map<int, size_t> slots;
    for (int id : region.inputs) slots.emplace(id, slots.size());
    for (int id : region.outputs) slots.emplace(id, slots.size());
    for (int n : region.nodes) {
      const GraphNode& g = region.graph->nodes[n];
      MACE_RETURN_IF_ERROR(kernel->AddPart(g, slots, cpu));
    }
    kernel->buffers_.resize(slots.size());
    return KernelPtr(std::move(kernel));
  }

  std::string variant() const override {
    return std::to_string(parts_.size()) + " nodes";
  }

  Status Run(const RunArgs& args) override {
    std::copy(args.inputs.begin(), args.inputs.end(), buffers_.begin());
    std::copy(args.outputs.begin(), args.outputs.end(),
              buffers_.begin() + static_cast<ptrdiff_t>(num_inputs_));
    for (size_t i = 0; i < between_.size(); ++i) {
      buffers_[num_inputs_ + num_outputs_ + i] = {between_[i].data()};
    }
    for (Part& part : parts_) {
      RunArgs own;
      for (const Input& input : part.inputs) {
        own.inputs.push_back(input.slot < 0
                                 ? Buffer{const_cast<void*>(input.constant)}
                                 : buffers_[static_cast<size_t>(input.slot)]);
      }
      for (size_t slot : part.outputs) own.outputs.push_back(buffers_[slot]);
      own.scratch = {part.scratch.data()};
      MACE_RETURN_IF_ERROR(part.kernel->Run(own));
    }
    return Status();
  }

 private:
  struct Input {
    int slot = -1;  // below 0: a constant, or not given
    const void* constant = nullptr;
  };
  struct Part {
    KernelPtr kernel;
    std::vector<Input> inputs;
    std::vector<size_t> outputs;
    AlignedBuffer scratch;
  };

  Status AddPart(const GraphNode& g, std::map<int, size_t>& slots,
                 CpuDevice& cpu) {
    Part part;
    MACE_ASSIGN_OR_RETURN(part.kernel, cpu.Prepare(g.node));
    for (size_t i = 0; i < g.inputs.size(); ++i) {
      const auto slot = slots.find(g.inputs[i]);
      const void* const constant = g.node.inputs[i].data;
      // What is neither constant nor there yet breaks the contract of Region.
      MACE_ENSURE(g.inputs[i] < 0 || constant != nullptr ||
                  slot != slots.end());
      part.inputs.push_back({constant != nullptr || slot == slots.end()
                                 ? -1
                                 : static_cast<int>(slot->second),
                             constant});
    }
    for (size_t i = 0; i < g.outputs.size(); ++i) {
      const auto [slot, is_new] = slots.emplace(g.outputs[i], slots.size());
      part.outputs.push_back(slot->second);
      if (!is_new) continue;
      MACE_ASSIGN_OR_RETURN(
          AlignedBuffer buffer,
          AlignedBuffer::Create(static_cast<size_t>(Bytes(g.node.outputs[i])),
                                "a fake device's tensor"));
      between_.push_back(std::move(buffer));
    }
    MACE_ASSIGN_OR_RETURN(
        part.scratch,
        AlignedBuffer::Create(static_cast<size_t>(part.kernel->scratch_bytes()),
                              "a fake device's scratch"));
    parts_.push_back(std::move(part));
    return Status();
  }

  std::vector<Part> parts_;
  std::vector<AlignedBuffer> between_;
  std::vector<Buffer> buffers_;  // by slot
  size_t num_inputs_ = 0, num_outputs_ = 0;
};

}  // namespace

DeviceSpeed FastSpeed() {
  DeviceSpeed speed;
  speed.macs_per_us = 1e6;
  speed.bytes_per_us = 1e6;
  speed.launch_us = 0.1;
  speed.transfer_us = 0.1;
  speed.transfer_per_us = 1e6;
  return speed;
}

FakeNodeDevice::FakeNodeDevice(FakeOptions options)
    : options_(std::move(options)),
      packed_(std::make_shared<PackedWeights>()),
      cpu_(MakeCpu(packed_)) {}

Result<NodeWork> FakeNodeDevice::Supports(const Node& node) {
  return SupportsOneOf(options_, node, *cpu_);
}

Result<KernelPtr> FakeNodeDevice::Prepare(const Node& node) {
  ++num_prepared_;
  return cpu_->Prepare(node);
}

FakeRegionDevice::FakeRegionDevice(FakeOptions options)
    : options_(std::move(options)),
      packed_(std::make_shared<PackedWeights>()),
      cpu_(MakeCpu(packed_)) {}

Result<NodeWork> FakeRegionDevice::Supports(const Node& node) {
  return SupportsOneOf(options_, node, *cpu_);
}

Result<KernelPtr> FakeRegionDevice::PrepareRegion(const Region& region) {
  if (region.nodes.size() > options_.max_nodes) {
    return OutOfResources("at most ", options_.max_nodes, " nodes fit");
  }
  ++num_regions_;
  num_prepared_ += static_cast<int>(region.nodes.size());
  return RegionKernel::Create(region, *cpu_);
}

}  // namespace mace::testing
