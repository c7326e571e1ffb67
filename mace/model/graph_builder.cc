// Building tensors and nodes from protobuf messages, and resolving every edge.
// SPDX-License-Identifier: Apache-2.0

#include "mace/model/graph_builder.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "mace/base/aligned_buffer.h"
#include "mace/base/memory_reserve.h"
#include "mace/base/str_cat.h"
#include "mace/graph/stored_weight.h"
#include "mace/model/open_dims.h"
#include "mace/model/quantization.h"
#include "mace/model/text.h"

namespace mace {
namespace {

Result<DataType> FromStored(stored::DataType type, const std::string& what) {
  switch (type) {
    case stored::DT_FLOAT:
      return DataType::kF32;
    case stored::DT_UINT8:
      return DataType::kU8;
    case stored::DT_HALF:
      return DataType::kF16;
    case stored::DT_INT32:
      return DataType::kI32;
    case stored::DT_BFLOAT16:
      return DataType::kBF16;
    case stored::DT_INT16:
      return DataType::kI16;
    case stored::DT_INT8:
      return DataType::kI8;
    case stored::DT_BOOL:
      return DataType::kBool;
    case stored::DT_INT64:
      return DataType::kI64;
    case stored::DT_INVALID:
    case stored::DT_INT8_BLOCKS:
    case stored::DT_UINT4_BLOCKS:
      break;
  }
  return InvalidModel(what, ": unknown data type ", std::to_string(type));
}

template <typename T>
std::vector<T> ToVector(const stored::Repeated<T>& list) {
  std::vector<T> values;
  values.reserve(list.size());
  for (const T value : list) values.push_back(value);
  return values;
}

Result<TensorType> MakeType(Shape dims, stored::DataType data_type,
                            const std::string& what) {
  TensorType type;
  MACE_ASSIGN_OR_RETURN(type.dtype, FromStored(data_type, what));
  if (dims.size() > kMaxRank) {
    return InvalidModel(what, ": rank ", dims.size(), " is above ", kMaxRank);
  }
  type.shape = std::move(dims);
  const auto bytes = CheckedBytes(type);
  if (!bytes.ok()) {
    return InvalidModel(what, ": ", bytes.status().information());
  }
  return type;
}

Result<Attr> FromStored(const stored::Argument& arg, const std::string& what) {
  switch (arg.type) {
    case stored::Argument::FLOAT:
      return Attr(arg.f);
    case stored::Argument::INT:
      return Attr(int64_t{arg.i});
    case stored::Argument::STRING:
    case stored::Argument::SUBGRAPH:
      return Attr(std::string(arg.s));
    case stored::Argument::FLOATS:
      return Attr(ToVector(arg.floats));
    case stored::Argument::INTS:
      return Attr(ToVector(arg.ints));
    default:
      return InvalidModel(what, ": attribute ", Quoted(arg.name),
                          " has no type");
  }
}

DimensionOrder FromStored(stored::DataFormat format) {
  if (format == stored::DF_NHWC) return DimensionOrder::kNhwc;
  if (format == stored::DF_NCHW) return DimensionOrder::kNchw;
  return DimensionOrder::kNone;
}

// Returns the type in which the array stores the elements of a weight of
// `type`; kInvalid: as they are.
Result<DataType> StoredType(const stored::ConstTensor& tensor,
                            const TensorType& type, const std::string& what) {
  if (!tensor.stored_type.has_value()) return DataType::kInvalid;
  DataType stored = DataType::kInvalid;
  if (*tensor.stored_type == stored::DT_INT8_BLOCKS) {
    stored = DataType::kI8Blocks;
  } else if (*tensor.stored_type == stored::DT_UINT4_BLOCKS) {
    stored = DataType::kU4Blocks;
  } else {
    MACE_ASSIGN_OR_RETURN(stored, FromStored(*tensor.stored_type, what));
  }
  const bool is_fp16 = stored == DataType::kF16 || stored == DataType::kBF16;
  const bool is_quantized = IsStoredQuantized(stored) && type.rank() >= 2;
  if ((is_fp16 || is_quantized) && type.dtype == DataType::kF32) return stored;
  return InvalidModel(what, ": ", ToString(type), " stored as ", Name(stored),
                      "; only f32 is stored as another type, f16 or bf16, or "
                      "with two axes and more quantized, i8, u8 or in blocks");
}

// With more rows, the bytes that pad their blocks could overflow.
Status CheckRows(const Value& weight, const std::string& what) {
  constexpr int64_t kMaxRows = int64_t{1} << 50;
  const Shape& shape = weight.type.shape;
  if (!HasQuantizedRows(OperandOf(weight)) || shape.empty() ||
      shape[0] <= kMaxRows) {
    return Status();
  }
  return InvalidModel(what, ": has ", shape[0], " rows, more than ", kMaxRows);
}

// Checks that `bytes` bytes at the weight's offset lie inside the array.
Status CheckPlace(const stored::ConstTensor& tensor, int64_t bytes,
                  int64_t size, const std::string& what) {
  if (tensor.offset < 0 || tensor.offset > size ||
      bytes > size - tensor.offset) {
    return InvalidModel(what, ": lies at byte ", tensor.offset, " with ", bytes,
                        " bytes, outside the ", size, " bytes of weights");
  }
  if (tensor.offset % kAlignment != 0) {
    return InvalidModel(what, ": its offset ", tensor.offset,
                        " is not a multiple of 64");
  }
  return Status();
}

// Of the weight, or of the int8 values as which it is stored.
Status SetQuantization(const stored::ConstTensor& tensor,
                       const std::string& what, Value* value) {
  TensorType stored_type = value->type;
  const bool is_stored = value->stored == DataType::kI8;
  if (is_stored) stored_type.dtype = value->stored;
  MACE_RETURN_IF_ERROR(
      CheckQuantization(tensor.quantization, stored_type, what));
  QuantizationPtr& to =
      is_stored ? value->stored_quantization : value->type.quantization;
  to = mace::FromStored(tensor.quantization);
  return Status();
}

}  // namespace

Result<int> GraphBuilder::AddValue(std::string_view name,
                                   const std::string& what) {
  if (name.empty()) return InvalidModel(what, ": a tensor has no name");
  MACE_RETURN_IF_ERROR(CheckText(name, what, ": a tensor's name"));
  const int id = static_cast<int>(graph.values.size());
  if (IsWeight(name) || !ids_.emplace(name, id).second) {
    return InvalidModel(what, ": a tensor named ", Quoted(name),
                        " is there already");
  }
  graph.values.emplace_back();
  graph.values.back().name = name;
  return id;
}

bool GraphBuilder::IsWeight(std::string_view name) const {
  const GraphBuilder& owner = WeightsOwner();
  const auto it = owner.ids_.find(name);
  return it != owner.ids_.end() &&
         owner.graph.values[it->second].weight_id >= 0;
}

Status GraphBuilder::AddWeight(const stored::ConstTensor& tensor, int index,
                               const WeightBytes& weights) {
  MACE_RETURN_IF_ERROR(FillMemoryReserve());
  const std::string what = StrCat("weight ", Quoted(tensor.name));
  MACE_ASSIGN_OR_RETURN(const int id, AddValue(tensor.name, what));
  Value& value = graph.values[id];
  MACE_ASSIGN_OR_RETURN(
      value.type, MakeType(ToVector(tensor.dims), tensor.data_type, what));
  const int64_t elements = NumElements(value.type.shape);
  // Dimensions of no elements cost no bytes, but kernels go along them.
  constexpr int64_t kMaxEmpty = int64_t{1} << 31;
  if (elements == 0 && BytesOfExtents(value.type) > kMaxEmpty) {
    return InvalidModel(what, ": has no elements, and dimensions ",
                        ToString(value.type.shape), " that are too large");
  }
  if (tensor.data_size != elements) {
    return InvalidModel(what, ": has ", tensor.data_size,
                        " elements, its shape ", ToString(value.type.shape),
                        " needs ", elements);
  }
  MACE_ASSIGN_OR_RETURN(value.stored, StoredType(tensor, value.type, what));
  MACE_RETURN_IF_ERROR(SetQuantization(tensor, what, &value));
  MACE_RETURN_IF_ERROR(CheckRows(value, what));
  const int64_t bytes = StoredBytes(value);
  MACE_RETURN_IF_ERROR(
      CheckPlace(tensor, bytes, static_cast<int64_t>(weights.size), what));
  static const uint8_t kEmpty[kAlignment] = {};
  value.data = bytes == 0 ? kEmpty : weights.data.get() + tensor.offset;
  value.weight_id = index;
  return Status();
}

Result<int> GraphBuilder::AddSource(const stored::TensorInfo& info,
                                    const std::string& kind, OpenDims* open) {
  const std::string what = StrCat(kind, " ", Quoted(info.name));
  MACE_ASSIGN_OR_RETURN(const int id, AddValue(info.name, what));
  TensorType& type = graph.values[id].type;
  Shape shape = ToVector(info.dims);
  if (open != nullptr) {
    MACE_RETURN_IF_ERROR(ReadOpenDims(info, what, open, &shape));
  }
  MACE_ASSIGN_OR_RETURN(type, MakeType(std::move(shape), info.data_type, what));
  MACE_RETURN_IF_ERROR(CheckQuantization(info.quantization, type, what));
  type.quantization = FromStored(info.quantization);
  return id;
}

Status GraphBuilder::AddInputs(const StoredInfos& infos,
                               const std::string& kind) {
  for (const stored::TensorInfo& info : infos) {
    // What a subgraph reads has the shape that it has there.
    OpenDims open;
    const bool may_be_open = outer_ == nullptr;
    MACE_ASSIGN_OR_RETURN(const int id,
                          AddSource(info, kind, may_be_open ? &open : nullptr));
    graph.inputs.push_back(id);
    if (HasOpenDims(open)) open_dims[id] = std::move(open);
    input_order[id] = FromStored(info.data_format);
  }
  return Status();
}

Status GraphBuilder::AddNodes(const StoredNodes& nodes) {
  int index = 0;
  for (const stored::OperatorDef& def : nodes) {
    MACE_RETURN_IF_ERROR(AddNode(def, index++));
  }
  return Status();
}

Status GraphBuilder::AddAttr(const stored::Argument& arg,
                             const std::string& what, Node* node) const {
  MACE_RETURN_IF_ERROR(CheckText(arg.name, what, ": an attribute's name"));
  MACE_ASSIGN_OR_RETURN(Attr attr, FromStored(arg, what));
  // What is followed as the name of a subgraph is checked as one below.
  if (arg.type == stored::Argument::STRING &&
      (node->op == "If" || node->op == "Loop")) {
    return InvalidModel(what, ": attribute ", Quoted(arg.name),
                        " must be of the type SUBGRAPH");
  }
  if (arg.type == stored::Argument::SUBGRAPH && subgraphs_->count(arg.s) == 0) {
    return InvalidModel(what, ": attribute ", Quoted(arg.name),
                        " names the subgraph ", Quoted(arg.s),
                        ", which is not there or comes later");
  }
  if (!node->attrs.emplace(std::string(arg.name), std::move(attr)).second) {
    return InvalidModel(what, ": attribute ", Quoted(arg.name),
                        " is given twice");
  }
  return Status();
}

Status GraphBuilder::AddNode(const stored::OperatorDef& def, int index) {
  MACE_RETURN_IF_ERROR(FillMemoryReserve());
  GraphNode g;
  g.node.name = def.name.empty() ? StrCat("#", index) : std::string(def.name);
  g.node.op = def.type;
  const std::string what = StrCat("node ", Quoted(g.node.name));
  MACE_RETURN_IF_ERROR(CheckText(def.name, what, ": the name"));
  MACE_RETURN_IF_ERROR(CheckText(def.type, what, ": the op"));
  if (def.type.empty()) return InvalidModel(what, ": has no op");
  if (!node_names_.emplace(g.node.name, index).second) {
    return InvalidModel(what, ": a node of that name is there already");
  }
  for (const stored::Argument& arg : def.arg) {
    MACE_RETURN_IF_ERROR(AddAttr(arg, what, &g.node));
  }
  for (const std::string_view name : def.input) {
    UseWeight(name);
    MACE_ASSIGN_OR_RETURN(const int id, FindInput(name, what));
    g.inputs.push_back(id);
  }
  MACE_RETURN_IF_ERROR(AddNodeOutputs(def, what, &g));
  graph.nodes.push_back(std::move(g));
  return Status();
}

Result<int> GraphBuilder::FindInput(std::string_view name,
                                    const std::string& what) const {
  if (name.empty()) return -1;  // an optional input that is absent
  const auto it = ids_.find(name);
  if (it != ids_.end()) return it->second;
  return InvalidModel(what, ": reads ", Quoted(name),
                      ", which no weight, input or earlier node makes");
}

void GraphBuilder::UseWeight(std::string_view name) {
  if (outer_ == nullptr || !IsWeight(name)) return;
  const int id = static_cast<int>(graph.values.size());
  if (!ids_.emplace(name, id).second) return;
  graph.values.push_back(outer_->graph.values[outer_->ids_.find(name)->second]);
}

Status GraphBuilder::AddNodeOutputs(const stored::OperatorDef& def,
                                    const std::string& what, GraphNode* g) {
  if (def.output.empty()) return InvalidModel(what, ": has no output");
  if (def.output_shape.size() > def.output.size() ||
      def.output_type.size() > def.output.size()) {
    return InvalidModel(what, ": declares more types than outputs");
  }
  const size_t quantized = def.output_quantization.size();
  if (quantized != 0 && quantized != def.output.size()) {
    return InvalidModel(what, ": declares the quantization of ", quantized,
                        " outputs of ", def.output.size());
  }
  auto shapes = def.output_shape.reader();
  auto types = def.output_type.reader();
  auto quantizations = def.output_quantization.reader();
  for (const std::string_view name : def.output) {
    MACE_ASSIGN_OR_RETURN(const int id, AddValue(name, what));
    g->outputs.push_back(id);
    stored::OutputShape shape;
    stored::DataType type;
    if (shapes.Next(&shape) && types.Next(&type)) {
      MACE_ASSIGN_OR_RETURN(declared[id],
                            MakeType(ToVector(shape.dims), type, what));
    }
    stored::Quantization quantization;
    if (!quantizations.Next(&quantization)) continue;
    const auto of = declared.find(id);
    if (of == declared.end() && !quantization.scales.empty()) {
      return InvalidModel(what, ": its quantized output ", Quoted(name),
                          " has no declared type");
    }
    MACE_RETURN_IF_ERROR(CheckQuantization(
        quantization, of == declared.end() ? TensorType() : of->second,
        StrCat(what, ": output ", Quoted(name))));
    g->node.output_quantization.push_back(FromStored(quantization));
    if (of != declared.end()) {
      of->second.quantization = g->node.output_quantization.back();
    }
  }
  g->node.outputs.resize(g->outputs.size());
  return Status();
}

Status GraphBuilder::StateOutput(const stored::TensorInfo& info, int id,
                                 const std::string& what) {
  TensorType& type = stated_outputs[id];
  MACE_ASSIGN_OR_RETURN(type.dtype, FromStored(info.data_type, what));
  if (info.dims.size() > kMaxRank) {
    return InvalidModel(what, ": rank ", info.dims.size(), " is above ",
                        kMaxRank);
  }
  type.shape = ToVector(info.dims);
  for (const int64_t extent : type.shape) {
    if (extent >= -1) continue;
    return InvalidModel(what, ": the extent ", extent,
                        " is negative; -1 stands for one that only a run "
                        "computes");
  }
  return Status();
}

Status GraphBuilder::AddOutputs(const StoredInfos& infos,
                                const std::string& kind,
                                const std::string& of) {
  std::set<std::string_view> seen;
  for (const stored::TensorInfo& info : infos) {
    const std::string what = StrCat(kind, " ", Quoted(info.name));
    UseWeight(info.name);
    const auto it = ids_.find(info.name);
    if (it == ids_.end()) {
      return InvalidModel(what, ": nothing in ", of, " makes it");
    }
    if (!seen.insert(info.name).second) {
      return InvalidModel(what, " is listed twice");
    }
    graph.outputs.push_back(it->second);
    output_order[it->second] = FromStored(info.data_format);
    MACE_RETURN_IF_ERROR(StateOutput(info, it->second, what));
    if (!info.quantization.has_value()) continue;
    Shape shape = ToVector(info.dims);
    std::replace(shape.begin(), shape.end(), int64_t{-1}, int64_t{1});
    MACE_ASSIGN_OR_RETURN(const TensorType type,
                          MakeType(std::move(shape), info.data_type, what));
    MACE_RETURN_IF_ERROR(CheckQuantization(info.quantization, type, what));
  }
  if (graph.outputs.empty()) return InvalidModel(of, " has no outputs");
  return Status();
}

Result<const TensorType*> GraphBuilder::Find(std::string_view name,
                                             const std::string& what) const {
  MACE_ASSIGN_OR_RETURN(const int id, FindInput(name, what));
  if (id < 0) return InvalidModel(what, ": a tensor has no name");
  const auto type = declared.find(id);
  if (type != declared.end()) return &type->second;
  const TensorType& own = graph.values[id].type;
  return own.dtype == DataType::kInvalid ? nullptr : &own;
}

}  // namespace mace
