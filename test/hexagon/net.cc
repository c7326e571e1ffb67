// Graphs of 8-bit nodes.
// SPDX-License-Identifier: Apache-2.0

#include "test/hexagon/net.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include "mace/base/aligned_buffer.h"
#include "mace/cpu/cpu_device.h"
#include "mace/ops/common/op.h"

namespace mace::hexagon::testing {

QuantizationPtr Scale(float scale, int32_t zero_point) {
  auto q = std::make_shared<Quantization>();
  q->scales = {scale};
  q->zero_points = {zero_point};
  return q;
}

int Net::Input(const Shape& shape, const QuantizationPtr& q) {
  Value value;
  value.type = {type_, shape, Layout::kRowMajor, q};
  graph_.values.push_back(value);
  graph_.inputs.push_back(Last());
  return Last();
}

int Net::Floats(const Shape& shape) {
  Value value;
  value.type = {DataType::kF32, shape};
  graph_.values.push_back(value);
  graph_.inputs.push_back(Last());
  return Last();
}

Bytes Net::RandomBytes(const TensorType& type) {
  Bytes bytes = random_.Bytes(static_cast<size_t>(mace::Bytes(type)));
  if (type.dtype != DataType::kF32) return bytes;
  for (size_t at = 0; at < bytes.size(); at += sizeof(float)) {
    if (at % 3 == 0) continue;
    const float x = static_cast<float>(random_.Between(-400, 400)) * 0.01f;
    std::memcpy(&bytes[at], &x, sizeof(x));
  }
  return bytes;
}

int Net::Weight(const Shape& shape, int axis) {
  auto q = std::make_shared<Quantization>();
  q->axis = type_ == DataType::kU8 ? -1 : axis;
  const int64_t n = q->axis < 0 ? 1 : shape[axis];
  for (int64_t i = 0; i < n; ++i) {
    q->scales.push_back(0.004f + 0.0001f * static_cast<float>(i));
    q->zero_points.push_back(type_ == DataType::kU8 ? 131 : 0);
  }
  return Constant({type_, shape, Layout::kRowMajor, q},
                  random_.Bytes(static_cast<size_t>(NumElements(shape))));
}

int Net::Bias(int64_t n) {
  const std::vector<int32_t> words =
      random_.Words(static_cast<size_t>(n), 3000);
  const auto* bytes = reinterpret_cast<const uint8_t*>(words.data());
  return Constant({DataType::kI32, {n}}, Bytes(bytes, bytes + 4 * n));
}

int Net::Constant(const TensorType& type, const Bytes& bytes) {
  auto owner = std::make_shared<Bytes>(bytes);
  Value value;
  value.type = type;
  value.data = owner->data();
  value.owner = owner;
  graph_.values.push_back(value);
  return Last();
}

int Net::Op(const std::string& op, const std::vector<int>& inputs,
            const AttrMap& attrs, const QuantizationPtr& q) {
  return Ops(op, inputs, attrs, q, 1)[0];
}

std::vector<int> Net::Ops(const std::string& op, const std::vector<int>& inputs,
                          const AttrMap& attrs, const QuantizationPtr& q,
                          size_t count) {
  GraphNode g;
  g.node.op = op;
  g.node.name = op + std::to_string(graph_.nodes.size());
  g.node.attrs = attrs;
  g.node.output_quantization.assign(count, q);
  g.inputs = inputs;
  for (const int id : inputs) {
    const Value& value = graph_.values[id];
    g.node.inputs.push_back({value.type, value.data, -1});
  }
  g.node.outputs.resize(count);
  const Status status = Infer(g.node);
  EXPECT_TRUE(status.ok()) << status.information();
  for (size_t i = 0; i < count; ++i) {
    Value value;
    if (status.ok()) value.type = g.node.outputs[i];
    graph_.values.push_back(value);
    g.outputs.push_back(Last());
  }
  graph_.nodes.push_back(g);
  return g.outputs;
}

std::vector<Status> Net::Supported(Device& device) {
  std::vector<Status> found;
  for (const GraphNode& g : graph_.nodes) {
    found.push_back(device.Supports(g.node).status());
  }
  return found;
}

void Net::Check(Device& device, const std::vector<int>& outputs,
                int tolerance) {
  Region region;
  region.graph = &graph_;
  region.inputs = graph_.inputs;
  region.outputs = outputs;
  for (size_t i = 0; i < graph_.nodes.size(); ++i) {
    region.nodes.push_back(static_cast<int>(i));
  }
  for (const Status& status : Supported(device)) {
    ASSERT_TRUE(status.ok()) << status.information();
  }
  auto kernel = device.regions()->PrepareRegion(region);
  ASSERT_TRUE(kernel.ok()) << kernel.status().information();
  for (int run = 0; run < 2; ++run) {
    std::vector<Bytes> values = RunOnCpu();
    RunArgs args;
    for (const int id : region.inputs) {
      args.inputs.push_back({values[id].data()});
    }
    std::vector<Bytes> found;
    for (const int id : outputs) found.emplace_back(values[id].size(), 0x5a);
    for (Bytes& bytes : found) args.outputs.push_back({bytes.data()});
    const Status status = (*kernel)->Run(args);
    ASSERT_TRUE(status.ok()) << status.information();
    for (size_t i = 0; i < outputs.size(); ++i) {
      Compare(outputs[i], found[i], values[outputs[i]], tolerance);
    }
  }
}

void Net::Compare(int value, const Bytes& found, const Bytes& wanted,
                  int tolerance) const {
  if (tolerance == 0) {
    EXPECT_EQ(found, wanted) << "value " << value;
    return;
  }
  ASSERT_EQ(found.size(), wanted.size());
  const bool is_signed = graph_.values[value].type.dtype == DataType::kI8;
  int most = 0;
  for (size_t i = 0; i < found.size(); ++i) {
    const int a = is_signed ? static_cast<int8_t>(found[i]) : found[i];
    const int b = is_signed ? static_cast<int8_t>(wanted[i]) : wanted[i];
    most = std::max(most, std::abs(a - b));
  }
  EXPECT_LE(most, tolerance) << "value " << value;
}

std::vector<Bytes> Net::RunOnCpu() {
  auto cpu = CpuDevice::Create(CpuOptions(), std::make_shared<PackedWeights>());
  std::vector<Bytes> values;
  for (const Value& value : graph_.values) {
    const auto n = static_cast<size_t>(mace::Bytes(value.type));
    const auto* data = static_cast<const uint8_t*>(value.data);
    values.push_back(data != nullptr ? Bytes(data, data + n)
                                     : RandomBytes(value.type));
  }
  for (const GraphNode& g : graph_.nodes) {
    auto kernel = (*cpu)->Prepare(g.node);
    EXPECT_TRUE(kernel.ok()) << kernel.status().information();
    if (!kernel.ok()) break;
    RunArgs args;
    for (const int id : g.inputs) args.inputs.push_back({values[id].data()});
    for (const int id : g.outputs) {
      args.outputs.push_back({values[id].data()});
    }
    const auto scratch = AlignedBuffer::Create(
        static_cast<size_t>((*kernel)->scratch_bytes()) + 1, "scratch");
    EXPECT_TRUE(scratch.ok());
    if (!scratch.ok()) break;
    args.scratch = {scratch->data()};
    EXPECT_TRUE((*kernel)->Run(args).ok());
  }
  return values;
}

}  // namespace mace::hexagon::testing
