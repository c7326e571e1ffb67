// Regions of a graph on a DSP.
// SPDX-License-Identifier: Apache-2.0

#include "mace/hexagon/device/hexagon_device.h"

#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "mace/base/str_cat.h"
#include "mace/hexagon/device/translate.h"

namespace mace {
namespace {

using hexagon::BufferRange;
using hexagon::DspGraph;
using hexagon::GraphWriter;
using hexagon::Session;

class RegionKernel final : public Kernel {
 public:
  int64_t macs() const override {
    int64_t sum = 0;
    for (const Part& part : parts_) sum += part.region.macs;
    return sum;
  }
  std::string variant() const override {
    return StrCat("dsp (", num_nodes_, " nodes)");
  }

  Status Run(const RunArgs& args) override {
    for (size_t i = 0; i < inputs_.size(); ++i) {
      std::memcpy(graph_->at(inputs_[i]), args.inputs[i].handle,
                  inputs_[i].bytes);
      activity_->bytes_in += inputs_[i].bytes;
    }
    MACE_RETURN_IF_ERROR(graph_->Run(activity_->cancellation));
    has_run_ = true;
    activity_->nodes += static_cast<int64_t>(parts_.size());
    ++activity_->runs;
    for (size_t i = 0; i < outputs_.size(); ++i) {
      std::memcpy(args.outputs[i].handle, graph_->at(outputs_[i]),
                  outputs_[i].bytes);
      activity_->bytes_out += outputs_[i].bytes;
    }
    return Status();
  }

  std::vector<RegionPart> Parts() {
    using Records = std::vector<hexagon::PerfRecord>;
    const Result<Records> perf =
        has_run_ ? graph_->Perf() : Result<Records>(Records());
    std::vector<RegionPart> parts;
    for (const Part& part : parts_) {
      parts.push_back(part.region);
      if (!has_run_ || !perf.ok()) continue;
      parts.back().count = 0;
      for (size_t n = part.first; n < part.end; ++n) {
        parts.back().count += (*perf)[n].packets;
      }
    }
    return parts;
  }

  // A node of the region, and those of the DSP's graph that compute it.
  struct Part {
    RegionPart region;
    size_t first = 0, end = 0;
  };

  // In this order, for the session must outlive the graph.
  std::shared_ptr<Session> session_;
  std::unique_ptr<DspGraph> graph_;
  std::shared_ptr<HexagonDevice::Activity> activity_;
  std::vector<BufferRange> inputs_, outputs_;
  std::vector<Part> parts_;
  size_t num_nodes_ = 0;
  bool has_run_ = false;
};

// Adds the nodes of a region to a graph of the DSP.
class RegionWriter {
 public:
  RegionWriter(const Region& region, NodeKernels* host, bool fc_rounds_once,
               int slices)
      : region_(region),
        host_(host),
        fc_rounds_once_(fc_rounds_once),
        writer_(slices) {
    const auto& values = region.graph->values;
    for (const int id : region.inputs) {
      tensors_[id] = writer_.AddInput(Bytes(values[id].type));
    }
    for (const int id : region.outputs) {
      tensors_[id] = writer_.AddOutput(Bytes(values[id].type));
    }
  }

  Status Add(const GraphNode& g) {
    hexagon::Target target;
    target.writer = &writer_;
    target.host = host_;
    target.fc_rounds_once = fc_rounds_once_;
    for (size_t i = 0; i < g.inputs.size(); ++i) {
      const bool is_tensor =
          g.inputs[i] >= 0 && hexagon::ReadsTensor(g.node, i);
      target.inputs.push_back(is_tensor ? TensorOf(g, i) : -1);
    }
    const int id = g.outputs[0];
    RegionKernel::Part part;
    part.region.op = g.node.op;
    part.region.name = g.node.name;
    part.region.output = g.node.outputs[0];
    part.first = part.end = writer_.num_nodes();
    const bool is_view =
        hexagon::IsView(g.node) && target.inputs[0] >= 0 && !tensors_.count(id);
    if (is_view) {
      tensors_[id] = target.inputs[0];
    } else {
      for (size_t i = 0; i < g.outputs.size(); ++i) {
        const int y = g.outputs[i];
        if (tensors_.count(y) == 0) {
          tensors_[y] = writer_.AddInner(Bytes(g.node.outputs[i]));
        }
        target.outputs.push_back(tensors_[y]);
      }
      target.output = target.outputs[0];
      MACE_RETURN_IF_ERROR(Translate(g.node, target, &part.region.macs));
      part.end = writer_.num_nodes();
    }
    parts_.push_back(std::move(part));
    return Status();
  }

  Result<std::unique_ptr<RegionKernel>> Build(
      std::shared_ptr<Session> session) {
    MACE_RETURN_IF_ERROR(writer_.Plan());
    auto kernel = std::make_unique<RegionKernel>();
    MACE_ASSIGN_OR_RETURN(kernel->graph_,
                          DspGraph::Create(session.get(), writer_));
    kernel->session_ = std::move(session);
    for (const int id : region_.inputs) {
      kernel->inputs_.push_back(writer_.range(tensors_[id]));
    }
    for (const int id : region_.outputs) {
      kernel->outputs_.push_back(writer_.range(tensors_[id]));
    }
    kernel->parts_ = std::move(parts_);
    kernel->num_nodes_ = writer_.num_nodes();
    return kernel;
  }

 private:
  int TensorOf(const GraphNode& g, size_t i) {
    const auto found = tensors_.find(g.inputs[i]);
    if (found != tensors_.end()) return found->second;
    const Operand& x = g.node.inputs[i];
    const int tensor = writer_.AddConstant(x.data, Bytes(x.type));
    tensors_[g.inputs[i]] = tensor;
    return tensor;
  }

  const Region& region_;
  NodeKernels* const host_;
  const bool fc_rounds_once_;
  GraphWriter writer_;
  std::map<int, int> tensors_;  // by value
  std::vector<RegionKernel::Part> parts_;
};

}  // namespace

Result<NodeWork> HexagonDevice::Supports(const Node& node) {
  NodeWork work;
  hexagon::Target target;
  target.host = host();
  target.fc_rounds_once = fc_rounds_once_;
  MACE_RETURN_IF_ERROR(hexagon::Translate(node, target, &work.macs));
  return work;
}

Result<KernelPtr> HexagonDevice::PrepareRegion(const Region& region) {
  RegionWriter writer(region, host(), fc_rounds_once_, session_->slices());
  for (const int n : region.nodes) {
    MACE_RETURN_IF_ERROR(writer.Add(region.graph->nodes[n]));
  }
  MACE_ASSIGN_OR_RETURN(auto kernel, writer.Build(session_));
  kernel->activity_ = activity_;
  return KernelPtr(std::move(kernel));
}

std::vector<RegionPart> HexagonDevice::PartsOf(Kernel& kernel) {
  return static_cast<RegionKernel&>(kernel).Parts();
}

DeviceCounts HexagonDevice::counts() const {
  DeviceCounts counts;
  counts.kernels = activity_->nodes;
  counts.enqueues = activity_->runs;
  counts.bytes_from_host = activity_->bytes_in;
  counts.bytes_to_host = activity_->bytes_out;
  return counts;
}

}  // namespace mace
