// Building tensors and nodes from protobuf messages, and resolving every edge.
// SPDX-License-Identifier: Apache-2.0

#include "mace/model/graph_builder.h"

#include <utility>

#include "mace/base/aligned_buffer.h"
#include "mace/model/quantization.h"
#include "mace/model/text.h"

namespace mace {
namespace {

Result<DataType> FromProto(int type, const std::string& what) {
  switch (type) {
    case proto::DT_FLOAT:
      return DataType::kF32;
    case proto::DT_UINT8:
      return DataType::kU8;
    case proto::DT_HALF:
      return DataType::kF16;
    case proto::DT_INT32:
      return DataType::kI32;
    case proto::DT_BFLOAT16:
      return DataType::kBF16;
    case proto::DT_INT16:
      return DataType::kI16;
    case proto::DT_INT8:
      return DataType::kI8;
    case proto::DT_BOOL:
      return DataType::kBool;
    case proto::DT_INT64:
      return DataType::kI64;
    default:
      return InvalidModel(what + ": unknown data type " + std::to_string(type));
  }
}

template <typename Dims>
Result<TensorType> MakeType(const Dims& dims, int data_type,
                            const std::string& what) {
  TensorType type;
  MACE_ASSIGN_OR_RETURN(type.dtype, FromProto(data_type, what));
  if (dims.size() > kMaxRank) {
    return InvalidModel(what + ": rank " + std::to_string(dims.size()) +
                        " is above " + std::to_string(kMaxRank));
  }
  type.shape.assign(dims.begin(), dims.end());
  const auto bytes = CheckedBytes(type);
  if (!bytes.ok()) {
    return InvalidModel(what + ": " + bytes.status().information());
  }
  return type;
}

Result<Attr> FromProto(const proto::Argument& arg, const std::string& what) {
  switch (arg.type()) {
    case proto::Argument::FLOAT:
      return Attr(arg.f());
    case proto::Argument::INT:
      return Attr(int64_t{arg.i()});
    case proto::Argument::STRING:
    case proto::Argument::SUBGRAPH:
      return Attr(arg.s());
    case proto::Argument::FLOATS:
      return Attr(std::vector<float>(arg.floats().begin(), arg.floats().end()));
    case proto::Argument::INTS:
      return Attr(std::vector<int64_t>(arg.ints().begin(), arg.ints().end()));
    default:
      return InvalidModel(what + ": attribute " + Quoted(arg.name()) +
                          " has no type");
  }
}

DimensionOrder FromProto(proto::DataFormat format) {
  if (format == proto::DF_NHWC) return DimensionOrder::kNhwc;
  if (format == proto::DF_NCHW) return DimensionOrder::kNchw;
  return DimensionOrder::kNone;
}

// Returns the type in which the array stores the elements of a weight of
// `type`.
Result<DataType> StoredType(const proto::ConstTensor& tensor, DataType type,
                            const std::string& what) {
  if (!tensor.has_stored_type()) return type;
  MACE_ASSIGN_OR_RETURN(const DataType stored,
                        FromProto(tensor.stored_type(), what));
  const bool is_fp16 = stored == DataType::kF16 || stored == DataType::kBF16;
  if (is_fp16 && type == DataType::kF32) return stored;
  return InvalidModel(what + ": " + Name(type) + " stored as " + Name(stored) +
                      "; only f32 is stored as another type, f16 or bf16");
}

// Checks that `bytes` bytes at the weight's offset lie inside the array.
Status CheckPlace(const proto::ConstTensor& tensor, int64_t bytes, int64_t size,
                  const std::string& what) {
  if (tensor.offset() < 0 || tensor.offset() > size ||
      bytes > size - tensor.offset()) {
    return InvalidModel(what + ": lies at byte " +
                        std::to_string(tensor.offset()) + " with " +
                        std::to_string(bytes) + " bytes, outside the " +
                        std::to_string(size) + " bytes of weights");
  }
  if (tensor.offset() % kAlignment != 0) {
    return InvalidModel(what + ": its offset " +
                        std::to_string(tensor.offset()) +
                        " is not a multiple of 64");
  }
  return Status();
}

}  // namespace

Result<int> GraphBuilder::AddValue(const std::string& name,
                                   const std::string& what) {
  if (name.empty()) return InvalidModel(what + ": a tensor has no name");
  MACE_RETURN_IF_ERROR(CheckText(name, what + ": a tensor's name"));
  const int id = static_cast<int>(graph.values.size());
  if (IsWeight(name) || !ids_.emplace(name, id).second) {
    return InvalidModel(what + ": a tensor named " + Quoted(name) +
                        " is there already");
  }
  graph.values.emplace_back();
  graph.values.back().name = name;
  return id;
}

bool GraphBuilder::IsWeight(const std::string& name) const {
  const GraphBuilder& owner = WeightsOwner();
  const auto it = owner.ids_.find(name);
  return it != owner.ids_.end() &&
         owner.graph.values[it->second].weight_id >= 0;
}

Status GraphBuilder::AddWeight(const proto::ConstTensor& tensor, int index,
                               const WeightBytes& weights) {
  const std::string what = "weight " + Quoted(tensor.name());
  MACE_ASSIGN_OR_RETURN(const int id, AddValue(tensor.name(), what));
  Value& value = graph.values[id];
  MACE_ASSIGN_OR_RETURN(value.type,
                        MakeType(tensor.dims(), tensor.data_type(), what));
  const int64_t elements = NumElements(value.type.shape);
  if (tensor.data_size() != elements) {
    return InvalidModel(what + ": has " + std::to_string(tensor.data_size()) +
                        " elements, its shape " + ToString(value.type.shape) +
                        " needs " + std::to_string(elements));
  }
  TensorType stored = value.type;
  MACE_ASSIGN_OR_RETURN(stored.dtype,
                        StoredType(tensor, value.type.dtype, what));
  const int64_t bytes = Bytes(stored);
  MACE_RETURN_IF_ERROR(
      CheckPlace(tensor, bytes, static_cast<int64_t>(weights.size), what));
  MACE_RETURN_IF_ERROR(
      CheckQuantization(tensor.quantization(), value.type, what));
  static const uint8_t kEmpty[kAlignment] = {};
  value.data = bytes == 0 ? kEmpty : weights.data.get() + tensor.offset();
  value.weight_id = index;
  if (stored.dtype != value.type.dtype) value.stored = stored.dtype;
  return Status();
}

Result<int> GraphBuilder::AddSource(const proto::TensorInfo& info,
                                    const std::string& kind) {
  const std::string what = kind + " " + Quoted(info.name());
  MACE_ASSIGN_OR_RETURN(const int id, AddValue(info.name(), what));
  TensorType& type = graph.values[id].type;
  MACE_ASSIGN_OR_RETURN(type, MakeType(info.dims(), info.data_type(), what));
  MACE_RETURN_IF_ERROR(CheckQuantization(info.quantization(), type, what));
  return id;
}

Status GraphBuilder::AddInputs(const ProtoInfos& infos,
                               const std::string& kind) {
  for (const proto::TensorInfo& info : infos) {
    MACE_ASSIGN_OR_RETURN(const int id, AddSource(info, kind));
    graph.inputs.push_back(id);
    input_order[id] = FromProto(info.data_format());
  }
  return Status();
}

Status GraphBuilder::AddNodes(const ProtoNodes& nodes) {
  for (int i = 0; i < nodes.size(); ++i) {
    MACE_RETURN_IF_ERROR(AddNode(nodes[i], i));
  }
  return Status();
}

Status GraphBuilder::AddAttr(const proto::Argument& arg,
                             const std::string& what, Node* node) const {
  MACE_RETURN_IF_ERROR(CheckText(arg.name(), what + ": an attribute's name"));
  MACE_ASSIGN_OR_RETURN(Attr attr, FromProto(arg, what));
  if (arg.type() == proto::Argument::SUBGRAPH &&
      subgraphs_->count(arg.s()) == 0) {
    return InvalidModel(what + ": attribute " + Quoted(arg.name()) +
                        " names the subgraph " + Quoted(arg.s()) +
                        ", which is not there or comes later");
  }
  if (!node->attrs.emplace(arg.name(), std::move(attr)).second) {
    return InvalidModel(what + ": attribute " + Quoted(arg.name()) +
                        " is given twice");
  }
  return Status();
}

Status GraphBuilder::AddNode(const proto::OperatorDef& def, int index) {
  GraphNode g;
  g.node.name = def.name().empty() ? "#" + std::to_string(index) : def.name();
  g.node.op = def.type();
  const std::string what = "node " + Quoted(g.node.name);
  MACE_RETURN_IF_ERROR(CheckText(def.name(), what + ": the name"));
  MACE_RETURN_IF_ERROR(CheckText(def.type(), what + ": the op"));
  if (def.type().empty()) return InvalidModel(what + ": has no op");
  if (!node_names_.emplace(g.node.name, index).second) {
    return InvalidModel(what + ": a node of that name is there already");
  }
  for (const proto::Argument& arg : def.arg()) {
    MACE_RETURN_IF_ERROR(AddAttr(arg, what, &g.node));
  }
  for (const std::string& name : def.input()) {
    MACE_ASSIGN_OR_RETURN(const int id, FindInput(name, what));
    g.inputs.push_back(id);
  }
  MACE_RETURN_IF_ERROR(AddNodeOutputs(def, what, &g));
  graph.nodes.push_back(std::move(g));
  return Status();
}

Result<int> GraphBuilder::FindInput(const std::string& name,
                                    const std::string& what) const {
  if (name.empty()) return -1;  // an optional input that is absent
  const auto it = ids_.find(name);
  if (it != ids_.end()) return it->second;
  if (IsWeight(name)) return WeightsOwner().ids_.at(name);
  return InvalidModel(what + ": reads " + Quoted(name) +
                      ", which no weight, input or earlier node makes");
}

Status GraphBuilder::AddNodeOutputs(const proto::OperatorDef& def,
                                    const std::string& what, GraphNode* g) {
  if (def.output_size() == 0) return InvalidModel(what + ": has no output");
  if (def.output_shape_size() > def.output_size() ||
      def.output_type_size() > def.output_size()) {
    return InvalidModel(what + ": declares more types than outputs");
  }
  const int quantized = def.output_quantization_size();
  if (quantized != 0 && quantized != def.output_size()) {
    return InvalidModel(what + ": declares the quantization of " +
                        std::to_string(quantized) + " outputs of " +
                        std::to_string(def.output_size()));
  }
  for (int i = 0; i < def.output_size(); ++i) {
    MACE_ASSIGN_OR_RETURN(const int id, AddValue(def.output(i), what));
    g->outputs.push_back(id);
    if (i < def.output_shape_size() && i < def.output_type_size()) {
      MACE_ASSIGN_OR_RETURN(declared[id], MakeType(def.output_shape(i).dims(),
                                                   def.output_type(i), what));
    }
    if (i >= quantized) continue;
    const auto type = declared.find(id);
    if (type == declared.end() && def.output_quantization(i).scales_size()) {
      return InvalidModel(what + ": its quantized output " +
                          Quoted(def.output(i)) + " has no declared type");
    }
    MACE_RETURN_IF_ERROR(
        CheckQuantization(def.output_quantization(i),
                          type == declared.end() ? TensorType() : type->second,
                          what + ": output " + Quoted(def.output(i))));
  }
  g->node.outputs.resize(g->outputs.size());
  return Status();
}

Status GraphBuilder::AddOutputs(const ProtoInfos& infos,
                                const std::string& kind,
                                const std::string& of) {
  std::set<std::string> seen;
  for (const proto::TensorInfo& info : infos) {
    const std::string what = kind + " " + Quoted(info.name());
    const bool outer = outer_ != nullptr && IsWeight(info.name());
    const std::map<std::string, int>& ids = outer ? outer_->ids_ : ids_;
    const auto it = ids.find(info.name());
    if (it == ids.end()) {
      return InvalidModel(what + ": nothing in " + of + " makes it");
    }
    if (!seen.insert(info.name()).second) {
      return InvalidModel(what + " is listed twice");
    }
    graph.outputs.push_back(it->second);
    output_order[it->second] = FromProto(info.data_format());
    if (!info.has_quantization()) continue;
    MACE_ASSIGN_OR_RETURN(const TensorType type,
                          MakeType(info.dims(), info.data_type(), what));
    MACE_RETURN_IF_ERROR(CheckQuantization(info.quantization(), type, what));
  }
  if (graph.outputs.empty()) return InvalidModel(of + " has no outputs");
  return Status();
}

Result<const TensorType*> GraphBuilder::Find(const std::string& name,
                                             const std::string& what) const {
  MACE_ASSIGN_OR_RETURN(const int id, FindInput(name, what));
  if (id < 0) return InvalidModel(what + ": a tensor has no name");
  const auto type = declared.find(id);
  if (type != declared.end()) return &type->second;
  const TensorType& own = graph.values[id].type;
  return own.dtype == DataType::kInvalid ? nullptr : &own;
}

}  // namespace mace
