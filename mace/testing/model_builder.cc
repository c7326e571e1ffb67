// Building models in memory.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/model_builder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "mace/base/aligned_buffer.h"
#include "mace/base/hash.h"

namespace mace::testing {
namespace {

struct AttrWriter {
  proto::Argument* arg;

  void operator()(int64_t v) const {
    arg->set_type(proto::Argument::INT);
    arg->set_i(v);
  }
  void operator()(float v) const {
    arg->set_type(proto::Argument::FLOAT);
    arg->set_f(v);
  }
  void operator()(const std::string& v) const {
    arg->set_type(proto::Argument::STRING);
    arg->set_s(v);
  }
  void operator()(const std::vector<int64_t>& v) const {
    arg->set_type(proto::Argument::INTS);
    for (int64_t x : v) arg->add_ints(x);
  }
  void operator()(const std::vector<float>& v) const {
    arg->set_type(proto::Argument::FLOATS);
    for (float x : v) arg->add_floats(x);
  }
};

}  // namespace

ModelBuilder& ModelBuilder::Input(const std::string& name, const Shape& shape) {
  auto* info = net_.add_input_info();
  info->set_name(name);
  for (int64_t extent : shape) info->add_dims(extent);
  return *this;
}

void ModelBuilder::AddWeight(const std::string& name, const Shape& shape,
                             proto::DataType type, const void* values,
                             size_t bytes) {
  auto* tensor = net_.add_tensors();
  tensor->set_name(name);
  for (int64_t extent : shape) tensor->add_dims(extent);
  tensor->set_data_type(type);
  tensor->set_offset(static_cast<int64_t>(data_.size()));
  tensor->set_data_size(NumElements(shape));
  const auto* p = static_cast<const unsigned char*>(values);
  data_.insert(data_.end(), p, p + bytes);
  data_.resize(AlignUp(static_cast<int64_t>(data_.size()), kAlignment));
}

ModelBuilder& ModelBuilder::Weight(const std::string& name, const Shape& shape,
                                   const std::vector<float>& values) {
  EXPECT_EQ(NumElements(shape), static_cast<int64_t>(values.size()));
  AddWeight(name, shape, proto::DT_FLOAT, values.data(), 4 * values.size());
  return *this;
}

ModelBuilder& ModelBuilder::QuantizedWeight(
    const std::string& name, const Shape& shape,
    const std::vector<int8_t>& quantized, const std::vector<float>& scales) {
  EXPECT_EQ(NumElements(shape), static_cast<int64_t>(quantized.size()));
  EXPECT_EQ(shape[0], static_cast<int64_t>(scales.size()));
  AddWeight(name, shape, proto::DT_FLOAT, quantized.data(), quantized.size());
  net_.mutable_tensors()->rbegin()->set_stored_type(proto::DT_INT8);
  const auto* p = reinterpret_cast<const unsigned char*>(scales.data());
  data_.insert(data_.end(), p, p + 4 * scales.size());
  data_.resize(AlignUp(static_cast<int64_t>(data_.size()), kAlignment));
  return *this;
}

ModelBuilder& ModelBuilder::QuantizedWeight(
    const std::string& name, const Shape& shape,
    const std::vector<int8_t>& quantized, const Quantization& quantization) {
  EXPECT_EQ(NumElements(shape), static_cast<int64_t>(quantized.size()));
  AddWeight(name, shape, proto::DT_FLOAT, quantized.data(), quantized.size());
  proto::ConstTensor& weight = *net_.mutable_tensors()->rbegin();
  weight.set_stored_type(proto::DT_INT8);
  proto::Quantization& to = *weight.mutable_quantization();
  for (const float scale : quantization.scales) to.add_scales(scale);
  for (const int32_t z : quantization.zero_points) to.add_zero_points(z);
  if (quantization.is_per_axis()) to.set_axis(quantization.axis);
  return *this;
}

ModelBuilder& ModelBuilder::WeightI32(const std::string& name,
                                      const std::vector<int32_t>& values) {
  AddWeight(name, {static_cast<int64_t>(values.size())}, proto::DT_INT32,
            values.data(), 4 * values.size());
  return *this;
}

ModelBuilder& ModelBuilder::Op(const std::string& op,
                               const std::vector<std::string>& inputs,
                               const std::vector<std::string>& outputs,
                               const AttrMap& attrs) {
  auto* def = net_.add_op();
  def->set_name(outputs[0]);
  def->set_type(op);
  for (const std::string& name : inputs) def->add_input(name);
  for (const std::string& name : outputs) def->add_output(name);
  for (const auto& [name, value] : attrs) {
    auto* arg = def->add_arg();
    arg->set_name(name);
    std::visit(AttrWriter{arg}, value);
  }
  return *this;
}

ModelBuilder& ModelBuilder::Output(const std::string& name) {
  net_.add_output_info()->set_name(name);
  return *this;
}

std::vector<unsigned char> ModelBuilder::Graph() {
  net_.set_name("test");
  net_.set_format_version(2);
  net_.set_data_bytes(static_cast<int64_t>(data_.size()));
  net_.set_data_xxh3(Hash64(data_.data(), data_.size()));
  const std::string bytes = net_.SerializeAsString();
  return {bytes.begin(), bytes.end()};
}

std::shared_ptr<unsigned char> ModelBuilder::Data() const {
  const size_t bytes = AlignUp(static_cast<int64_t>(data_.size()) + 1, 64);
  std::shared_ptr<unsigned char> data(
      static_cast<unsigned char*>(std::aligned_alloc(64, bytes)), std::free);
  std::copy(data_.begin(), data_.end(), data.get());
  return data;
}

std::shared_ptr<MaceModel> ModelBuilder::Load() {
  const std::vector<unsigned char> graph = Graph();
  std::shared_ptr<MaceModel> model;
  const MaceStatus status =
      MaceModel::Load(graph.data(), graph.size(), Data(), data_size(), &model);
  EXPECT_TRUE(status.ok()) << status.information();
  return model;
}

MaceTensor FloatTensor(const Shape& shape, const std::vector<float>& values) {
  std::shared_ptr<float> data(new float[values.size() + 1],
                              std::default_delete<float[]>());
  std::copy(values.begin(), values.end(), data.get());
  return MaceTensor(shape, data);
}

std::vector<float> SmallWeights(int64_t n) {
  std::vector<float> v(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) v[i] = static_cast<float>(i % 7 - 3) / 64;
  return v;
}

std::vector<float> Values(const MaceTensor& tensor) {
  const float* p = tensor.data().get();
  return std::vector<float>(p, p + NumElements(tensor.shape()));
}

}  // namespace mace::testing
