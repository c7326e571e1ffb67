// Regions of a graph in the vendor's hexagon_nn.
// SPDX-License-Identifier: Apache-2.0

#include "mace/hexagon/nnlib/nnlib_device.h"

#include <map>
#include <string>
#include <utility>

#include "mace/base/aligned_buffer.h"
#include "mace/base/str_cat.h"
#include "mace/hexagon/nnlib/graph.h"
#include "mace/hexagon/nnlib/translate.h"

namespace mace {
namespace {

using hexagon::nnlib::CopyQuantized;
using hexagon::nnlib::GraphBuilder;
using hexagon::nnlib::Library;
using hexagon::nnlib::NnInput;
using hexagon::nnlib::NnOutput;
using hexagon::nnlib::NnTensorDef;
using hexagon::nnlib::OutputOf;
using hexagon::nnlib::QuantTensor;
using hexagon::nnlib::Shape4;
using hexagon::nnlib::ToShape4;

// hexagon_nn copies inputs that do not start at such an address.
constexpr size_t kIoAlignment = 128;

// An input or output of a region, and the buffer with which the DSP works.
struct IoTensor {
  bool is_signed = false;
  NnTensorDef def = {};
  AlignedBuffer buffer;
};

Result<IoTensor> MakeIo(const Value& value, const Shape4& shape) {
  IoTensor io;
  io.is_signed = value.type.dtype == DataType::kI8;
  const size_t bytes = shape.elements();
  MACE_ASSIGN_OR_RETURN(
      io.buffer, AlignedBuffer::Create(bytes + kIoAlignment, "a DSP's tensor"));
  const auto address = reinterpret_cast<uintptr_t>(io.buffer.data());
  const uintptr_t up = (kIoAlignment - address % kIoAlignment) % kIoAlignment;
  io.def.batches = shape.b;
  io.def.height = shape.h;
  io.def.width = shape.w;
  io.def.depth = shape.d;
  io.def.data = static_cast<uint8_t*>(io.buffer.data()) + up;
  io.def.data_bytes = static_cast<int32_t>(bytes);
  io.def.data_valid_len = static_cast<uint32_t>(bytes);
  return io;
}

class NnlibKernel final : public Kernel {
 public:
  // A node of the region, and the ids of the operations that compute it.
  struct Part {
    RegionPart region;
    uint32_t first = 0, end = 0;
  };

  int64_t macs() const override {
    int64_t sum = 0;
    for (const Part& part : parts_) sum += part.region.macs;
    return sum;
  }
  std::string variant() const override {
    return StrCat("hexagon_nn (", num_operations_, " nodes)");
  }

  Status Run(const RunArgs& args) override {
    for (size_t i = 0; i < inputs_.size(); ++i) {
      const IoTensor& x = inputs_[i];
      const auto bytes = static_cast<size_t>(x.def.data_bytes);
      CopyQuantized(x.is_signed, args.inputs[i].handle, bytes, x.def.data);
      activity_->bytes_in += x.def.data_bytes;
    }
    out_defs_ = declared_;
    MACE_RETURN_IF_ERROR(graph_->Execute(in_defs_, &out_defs_));
    has_run_ = true;
    activity_->nodes += static_cast<int64_t>(parts_.size());
    ++activity_->runs;
    for (size_t i = 0; i < outputs_.size(); ++i) {
      const IoTensor& y = outputs_[i];
      const auto bytes = static_cast<size_t>(y.def.data_bytes);
      CopyQuantized(y.is_signed, y.def.data, bytes, args.outputs[i].handle);
      activity_->bytes_out += y.def.data_bytes;
    }
    return Status();
  }

  std::vector<RegionPart> Parts() const {
    std::map<uint32_t, int64_t> micros;
    if (has_run_) {
      const auto times = graph_->Times();
      for (size_t i = 0; times.ok() && i < times->size(); ++i) {
        micros[(*times)[i].id] = (*times)[i].micros;
      }
    }
    std::vector<RegionPart> parts;
    for (const Part& part : parts_) {
      parts.push_back(part.region);
      if (micros.empty()) continue;
      parts.back().count = 0;
      // What the library fused counts under the id of the last operation.
      for (auto at = micros.lower_bound(part.first);
           at != micros.end() && at->first < part.end; ++at) {
        parts.back().count += at->second;
      }
    }
    return parts;
  }

  std::unique_ptr<hexagon::nnlib::Graph> graph_;
  std::shared_ptr<NnlibDevice::Activity> activity_;
  std::vector<IoTensor> inputs_, outputs_;
  std::vector<NnTensorDef> in_defs_, declared_, out_defs_;
  std::vector<Part> parts_;
  size_t num_operations_ = 0;

 private:
  bool has_run_ = false;
};

// Adds the nodes of a region to a graph of hexagon_nn.
class RegionWriter {
 public:
  explicit RegionWriter(const Region& region)
      : region_(region), kernel_(std::make_unique<NnlibKernel>()) {}

  Status AddInputs() {
    std::vector<NnOutput> outputs;
    std::vector<QuantTensor> inputs;
    for (const int id : region_.inputs) {
      MACE_ASSIGN_OR_RETURN(QuantTensor values, ShapeOf(id));
      outputs.push_back(OutputOf(values.shape, 1));
      inputs.push_back(values);
    }
    const uint32_t node =
        builder_.Add(hexagon::nnlib::kOpInput, {}, std::move(outputs));
    for (uint32_t i = 0; i < inputs.size(); ++i) {
      const int id = region_.inputs[i];
      const auto range = hexagon::nnlib::RangeConsts(
          region_.graph->values[id].type, &builder_);
      inputs[i].data = {node, i};
      inputs[i].min = range[0];
      inputs[i].max = range[1];
      tensors_[id] = inputs[i];
      MACE_ASSIGN_OR_RETURN(IoTensor io,
                            MakeIo(region_.graph->values[id], inputs[i].shape));
      kernel_->in_defs_.push_back(io.def);
      kernel_->inputs_.push_back(std::move(io));
    }
    return Status();
  }

  Status Add(const GraphNode& g) {
    hexagon::nnlib::Target target;
    target.graph = &builder_;
    for (size_t i = 0; i < g.inputs.size(); ++i) {
      QuantTensor values;
      if (hexagon::nnlib::IsActivation(g.node, i) && g.inputs[i] >= 0) {
        MACE_ASSIGN_OR_RETURN(values, TensorOf(g, i));
      }
      target.inputs.push_back(values);
    }
    NnlibKernel::Part part;
    part.region.op = g.node.op;
    part.region.name = g.node.name;
    part.region.output = g.node.outputs[0];
    const size_t before = builder_.operations().size();
    MACE_RETURN_IF_ERROR(
        hexagon::nnlib::Translate(g.node, &target, &part.region.macs));
    MACE_RETURN_IF_ERROR(builder_.status());
    if (builder_.operations().size() > before) {
      part.first = builder_.operations()[before].id;
      part.end = builder_.operations().back().id + 1;
    }
    tensors_[g.outputs[0]] = target.output;
    kernel_->parts_.push_back(std::move(part));
    return Status();
  }

  Result<std::unique_ptr<NnlibKernel>> Build(std::shared_ptr<Library> library,
                                             int graph_mode) {
    std::vector<NnInput> results;
    for (const int id : region_.outputs) {
      const QuantTensor& values = tensors_[id];
      results.push_back(values.data);
      MACE_ASSIGN_OR_RETURN(IoTensor io,
                            MakeIo(region_.graph->values[id], values.shape));
      kernel_->declared_.push_back(io.def);
      kernel_->outputs_.push_back(std::move(io));
    }
    builder_.Add(hexagon::nnlib::kOpOutput, std::move(results), {});
    for (NnTensorDef& def : kernel_->declared_) def.data_valid_len = 0;
    kernel_->num_operations_ = builder_.operations().size() - 2;
    MACE_ASSIGN_OR_RETURN(kernel_->graph_,
                          hexagon::nnlib::Graph::Create(std::move(library),
                                                        builder_, graph_mode));
    return std::move(kernel_);
  }

 private:
  Result<QuantTensor> ShapeOf(int id) const {
    QuantTensor values;
    const GraphNode& any = region_.graph->nodes[region_.nodes[0]];
    MACE_ASSIGN_OR_RETURN(
        values.shape, ToShape4(any.node, region_.graph->values[id].type.shape));
    return values;
  }

  Result<QuantTensor> TensorOf(const GraphNode& g, size_t i) {
    const auto found = tensors_.find(g.inputs[i]);
    if (found != tensors_.end()) return found->second;
    const Operand& x = g.node.inputs[i];
    MACE_ENSURE(x.data != nullptr);
    MACE_ASSIGN_OR_RETURN(const Shape4 shape, ToShape4(g.node, x.type.shape));
    return tensors_[g.inputs[i]] = builder_.ConstTensor(x, shape);
  }

  const Region& region_;
  GraphBuilder builder_;
  std::unique_ptr<NnlibKernel> kernel_;
  std::map<int, QuantTensor> tensors_;  // by value
};

}  // namespace

Result<NodeWork> NnlibDevice::Supports(const Node& node) {
  NodeWork work;
  hexagon::nnlib::Target target;
  MACE_RETURN_IF_ERROR(hexagon::nnlib::Translate(node, &target, &work.macs));
  return work;
}

Result<KernelPtr> NnlibDevice::PrepareRegion(const Region& region) {
  RegionWriter writer(region);
  MACE_RETURN_IF_ERROR(writer.AddInputs());
  for (const int n : region.nodes) {
    MACE_RETURN_IF_ERROR(writer.Add(region.graph->nodes[n]));
  }
  MACE_ASSIGN_OR_RETURN(auto kernel, writer.Build(library_, graph_mode_));
  kernel->activity_ = activity_;
  return KernelPtr(std::move(kernel));
}

std::vector<RegionPart> NnlibDevice::PartsOf(Kernel& kernel) {
  return static_cast<NnlibKernel&>(kernel).Parts();
}

DeviceCounts NnlibDevice::counts() const {
  DeviceCounts counts;
  counts.kernels = activity_->nodes;
  counts.enqueues = activity_->runs;
  counts.bytes_from_host = activity_->bytes_in;
  counts.bytes_to_host = activity_->bytes_out;
  return counts;
}

}  // namespace mace
