// Inferring the types of seeds, and adding tensors to drafts.
// SPDX-License-Identifier: Apache-2.0

#include "test/fuzz/draft.h"

#include <algorithm>

#include "mace/base/aligned_buffer.h"
#include "mace/cpu/cpu_device.h"
#include "mace/device/widen_weights.h"
#include "mace/model/model.h"
#include "mace/plan/stages/infer.h"
#include "test/fuzz/values.h"

namespace mace::fuzz {
namespace {

// Returns the multiply-adds of a product with a constant, else the elements.
int64_t WorkOf(const Graph& graph, const GraphNode& g) {
  int64_t work = NumElements(graph.values[g.outputs[0]].type.shape);
  for (int id : g.inputs) {
    if (id < 0 || !graph.values[id].is_constant()) continue;
    const Shape& shape = graph.values[id].type.shape;
    if (shape.size() >= 2 && shape[0] > 0) {
      work *= std::max<int64_t>(NumElements(shape) / shape[0], 1);
    }
    break;
  }
  return work;
}

template <typename List>
void AddQuantizations(List* list, std::vector<Quantized>* all) {
  for (auto& item : *list) {
    if (item.quantization().scales_size() == 0) continue;
    all->push_back({item.name(), item.mutable_quantization()});
  }
}

template <typename Net>  // or a subgraph
void AddNodesAndEnds(Net* net, std::vector<Quantized>* all) {
  AddQuantizations(net->mutable_input_info(), all);
  AddQuantizations(net->mutable_output_info(), all);
  for (proto::OperatorDef& op : *net->mutable_op()) {
    const int size = std::min(op.output_quantization_size(), op.output_size());
    for (int i = 0; i < size; ++i) {
      if (op.output_quantization(i).scales_size() == 0) continue;
      all->push_back({op.output(i), op.mutable_output_quantization(i)});
    }
  }
}

bool HasQuantizedOutput(const proto::OperatorDef& op) {
  for (const proto::Quantization& q : op.output_quantization()) {
    if (q.scales_size() > 0) return true;
  }
  return false;
}

}  // namespace

std::vector<Quantized> QuantizationsOf(proto::NetDef* net) {
  std::vector<Quantized> all;
  AddQuantizations(net->mutable_tensors(), &all);
  AddNodesAndEnds(net, &all);
  for (proto::Subgraph& subgraph : *net->mutable_subgraphs()) {
    AddNodesAndEnds(&subgraph, &all);
  }
  return all;
}

void WriteQuantization(const QuantizationPtr& from, proto::Quantization* to) {
  to->Clear();
  if (from == nullptr) return;
  to->mutable_scales()->Add(from->scales.begin(), from->scales.end());
  to->mutable_zero_points()->Add(from->zero_points.begin(),
                                 from->zero_points.end());
  if (from->is_per_axis()) to->set_axis(from->axis);
}

void ForgetDeclared(proto::OperatorDef* op) {
  if (HasQuantizedOutput(*op)) return;
  op->clear_output_shape();
  op->clear_output_type();
}

void ForgetDeclared(proto::NetDef* net) {
  for (proto::OperatorDef& op : *net->mutable_op()) ForgetDeclared(&op);
}

void Redeclare(const std::map<std::string, TensorType>& types,
               proto::NetDef* net) {
  for (proto::OperatorDef& op : *net->mutable_op()) Redeclare(types, &op);
}

void Redeclare(const std::map<std::string, TensorType>& types,
               proto::OperatorDef* op) {
  if (!HasQuantizedOutput(*op)) return;
  for (int i = 0; i < op->output_size(); ++i) {
    const auto known = types.find(op->output(i));
    if (known == types.end()) break;
    if (op->output_shape_size() <= i) op->add_output_shape();
    if (op->output_type_size() <= i) op->add_output_type(proto::DT_INVALID);
    const TensorType& type = known->second;
    op->mutable_output_shape(i)->mutable_dims()->Assign(type.shape.begin(),
                                                        type.shape.end());
    op->set_output_type(i, ToProto(type.dtype));
  }
}

bool InferTypes(Seed* seed) {
  const std::string bytes = seed->net.SerializeAsString();
  auto model = LoadModel(
      reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(),
      {seed->weights, static_cast<size_t>(seed->net.data_bytes())}, {false});
  if (!model.ok()) return false;
  const auto packed = std::make_shared<PackedWeights>();
  auto device = CpuDevice::Create({1, 0, true}, packed);
  if (!device.ok()) return false;
  Status status = WidenWeights({device->get()}, *packed, model->graph);
  if (status.ok()) status = InferGraph(model->graph, **device);
  for (const Value& value : model->graph.values) {
    if (value.type.dtype != DataType::kInvalid) {
      seed->types[value.name] = value.type;
    }
  }
  seed->work = 0;
  if (!status.ok()) return false;
  for (const GraphNode& g : model->graph.nodes) {
    seed->work += WorkOf(model->graph, g);
  }
  return true;
}

Draft::Draft(const Seed& seed)
    : net(seed.net),
      types(seed.types),
      seed_(seed),
      added_(seed.added),
      names_(net.op_size() + net.tensors_size()) {
  net.set_data_bytes(seed_.bytes + static_cast<int64_t>(added_.size()));
}

bool Draft::HasSpace(int64_t bytes) const {
  return static_cast<int64_t>(added_.size()) + AlignUp(bytes, kAlignment) <=
         kMaxAddedBytes;
}

bool Draft::HasSpace(const TensorType& type) const {
  const auto bytes = CheckedBytes(type);
  return bytes.ok() && HasSpace(*bytes);
}

std::string Draft::AddWeight(const TensorType& type,
                             const std::string& contents) {
  proto::ConstTensor* tensor = net.add_tensors();
  const std::string name = NewName("added");
  tensor->set_name(name);
  tensor->mutable_dims()->Add(type.shape.begin(), type.shape.end());
  tensor->set_data_type(ToProto(type.dtype));
  tensor->set_data_size(NumElements(type.shape));
  if (type.is_quantized()) {
    WriteQuantization(type.quantization, tensor->mutable_quantization());
  }
  SetContents(contents, tensor);
  types[name] = type;
  return name;
}

void Draft::SetContents(const std::string& contents,
                        proto::ConstTensor* weight) {
  weight->set_offset(seed_.bytes + static_cast<int64_t>(added_.size()));
  added_ += contents;
  added_.resize(AlignUp(static_cast<int64_t>(added_.size()), kAlignment));
  net.set_data_bytes(seed_.bytes + static_cast<int64_t>(added_.size()));
}

void Draft::Redeclare() {
  if (QuantizationsOf(&net).empty()) return;
  Seed now = {"", "", net, seed_.weights, seed_.bytes, "", {}, 0};
  std::copy(added_.begin(), added_.end(), seed_.weights.get() + seed_.bytes);
  InferTypes(&now);
  fuzz::Redeclare(now.types, &net);
}

Operand Draft::OperandOf(const std::string& name) const {
  Operand operand;
  const auto known = types.find(name);
  if (known == types.end()) return operand;
  operand.type = known->second;
  const auto checked = CheckedBytes(operand.type);
  const int64_t bytes = checked.ok() ? *checked : 0;
  for (const proto::ConstTensor& tensor : net.tensors()) {
    if (tensor.name() != name || tensor.has_stored_type()) continue;
    const int64_t at = tensor.offset();
    const int64_t added = static_cast<int64_t>(added_.size());
    if (at < 0 || bytes == 0) continue;
    if (at <= seed_.bytes && bytes <= seed_.bytes - at) {
      operand.data = seed_.weights.get() + at;
    } else if (at >= seed_.bytes && at - seed_.bytes <= added &&
               bytes <= added - (at - seed_.bytes)) {
      operand.data = added_.data() + (at - seed_.bytes);
    }
  }
  return operand;
}

std::string Draft::NewName(const char* prefix) {
  return prefix + std::string("#") + std::to_string(names_++);
}

std::string Draft::AnyTensor(Random& random) const {
  if (types.empty()) return "";
  const int64_t last = static_cast<int64_t>(types.size()) - 1;
  // Copying the names of a large map would take longer than stepping through
  // it.
  return std::next(types.begin(), random.Between(0, last))->first;
}

std::string Draft::Serialize(int64_t settings) {
  proto::Setting* number = net.add_settings();
  number->set_name(kCaseSetting);
  number->set_i(settings);
  proto::Setting* weights = net.add_settings();
  weights->set_name(kWeightsSetting);
  weights->set_s(ToHex(added_));
  return net.SerializeAsString();
}

}  // namespace mace::fuzz
