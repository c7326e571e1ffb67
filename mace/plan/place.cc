// Placing by preference, then by cost.
// SPDX-License-Identifier: Apache-2.0

#include "mace/plan/place.h"

#include <algorithm>
#include <string>

#include "mace/plan/min_cut.h"
#include "mace/plan/move_costs.h"

namespace mace {
namespace {

double CostUs(const DeviceSpeed& speed, const Node& node, int64_t macs) {
  double bytes = 0;
  for (const Operand& operand : node.inputs) {
    if (operand.present()) bytes += static_cast<double>(Bytes(operand.type));
  }
  for (const TensorType& type : node.outputs) {
    bytes += static_cast<double>(Bytes(type));
  }
  return speed.launch_us + static_cast<double>(macs) / speed.macs_per_us +
         bytes / speed.bytes_per_us;
}

double TransferUs(const DeviceSpeed& speed, const TensorType& type) {
  return speed.transfer_us +
         static_cast<double>(Bytes(type)) / speed.transfer_per_us;
}

// Two devices: the first of the list, which keeps activations in images, and
// the last. A cut of least cost through the graph parts the nodes:
//
//                 cost on the CPU           cost on the GPU
//   source (GPU) ----------------> node n ----------------> sink (CPU)
//
// A node whose edge to the source is cut runs on the CPU and costs what that
// edge says; AddMoveCosts has the rest.
class Cutter {
 public:
  Cutter(const Plan& plan, Device& gpu, Device& cpu,
         const std::vector<KernelPtr>& gpu_kernels)
      : graph_(plan.graph),
        gpu_(gpu.speed()),
        cpu_(cpu.speed()),
        kernels_(gpu_kernels),
        cut_(2 + static_cast<int>(plan.graph.nodes.size())) {}

  // By node: whether the GPU runs it.
  std::vector<bool> Cut() {
    for (size_t n = 0; n < graph_.nodes.size(); ++n) AddNode(n);
    AddMoveCosts(
        graph_,
        [this](const Value& value) { return TransferUs(gpu_, value.type); },
        &cut_);
    const std::vector<bool> side = cut_.SourceSide(kCutSource, kCutSink);
    std::vector<bool> on_gpu;
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      on_gpu.push_back(side[CutVertexOf(n)]);
    }
    return on_gpu;
  }

 private:
  void AddNode(size_t n) {
    const Node& node = graph_.nodes[n].node;
    if (kernels_[n] == nullptr) {
      cut_.AddEdge(CutVertexOf(n), kCutSink, MinCut::kInfinite);
      return;
    }
    if (kernels_[n]->renames_only()) return;  // free on both sides
    const int64_t macs = kernels_[n]->macs();
    cut_.AddEdge(kCutSource, CutVertexOf(n), CostUs(cpu_, node, macs));
    cut_.AddEdge(CutVertexOf(n), kCutSink, CostUs(gpu_, node, macs));
  }

  const Graph& graph_;
  const DeviceSpeed gpu_, cpu_;
  const std::vector<KernelPtr>& kernels_;
  MinCut cut_;
};

class Placer {
 public:
  Placer(Plan& plan, const std::vector<Device*>& devices)
      : plan_(plan), devices_(devices), cpu_(*devices.back()) {}

  Status Place() {
    const size_t num_nodes = plan_.graph.nodes.size();
    std::vector<KernelPtr> preferred(num_nodes);
    std::vector<std::string> reasons(num_nodes);
    std::vector<bool> on_first(num_nodes, false);
    if (devices_.size() > 1) {
      for (size_t n = 0; n < num_nodes; ++n) {
        auto kernel = devices_[0]->Prepare(plan_.graph.nodes[n].node);
        if (kernel.ok()) {
          preferred[n] = std::move(*kernel);
        } else if (kernel.status() == Status::MACE_UNSUPPORTED) {
          reasons[n] = kernel.status().information();
        } else {
          return kernel.status();
        }
      }
      on_first = Cutter(plan_, *devices_[0], cpu_, preferred).Cut();
    }
    for (size_t n = 0; n < num_nodes; ++n) {
      if (on_first[n]) {
        AddStep(n, *devices_[0], std::move(preferred[n]), "");
        continue;
      }
      preferred[n].reset();
      MACE_RETURN_IF_ERROR(OnCpu(n, reasons[n]));
    }
    return Status();
  }

 private:
  Status OnCpu(size_t n, const std::string& reason) {
    auto kernel = cpu_.Prepare(plan_.graph.nodes[n].node);
    if (kernel.ok()) {
      AddStep(n, cpu_, std::move(*kernel),
              !reason.empty() || devices_.size() == 1
                  ? reason
                  : "moving its tensors would cost more than it gains");
      return Status();
    }
    if (kernel.status() != Status::MACE_UNSUPPORTED) return kernel.status();
    return Unsupported((reason.empty() ? "" : reason + "; ") +
                       kernel.status().information());
  }

  void AddStep(size_t n, Device& device, KernelPtr kernel,
               const std::string& reason) {
    Step step;
    step.node = static_cast<int>(n);
    step.device = &device;
    step.kernel = std::move(kernel);
    plan_.steps.push_back(std::move(step));
    if (devices_.size() > 1) {
      plan_.placements.push_back(
          {Label(plan_.graph.nodes[n].node), device.name(), reason});
    }
  }

  Plan& plan_;
  const std::vector<Device*>& devices_;
  Device& cpu_;
};

}  // namespace

Status PlaceNodes(Plan& plan, const std::vector<Device*>& devices) {
  return Placer(plan, devices).Place();
}

}  // namespace mace
