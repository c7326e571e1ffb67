// Parsing a NetDef and verifying its structure.
// SPDX-License-Identifier: Apache-2.0

#include "mace/model/model.h"

#include <limits>
#include <utility>

#include "mace/base/aligned_buffer.h"
#include "mace/model/prepacked_weights.h"
#include "mace/model/utf8.h"
#include "mace/proto/mace.pb.h"

namespace mace {
namespace {

constexpr uint32_t kFormatVersion = 1;
constexpr int kMaxRank = 8;

std::string Quoted(const std::string& s) {
  return IsUtf8(s) ? "'" + s + "'" : "(bytes that are not UTF-8)";
}

// Names come back in messages, tables and JSON, which are text.
Status CheckText(const std::string& name, const std::string& what) {
  return IsUtf8(name) ? Status() : InvalidModel(what + " is not UTF-8");
}

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

class Builder {
 public:
  Builder(const proto::NetDef& net, WeightBytes weights) : net_(net) {
    model_.weights = std::move(weights);
    model_.graph.name = net.name();
  }

  Result<Model> Build() {
    MACE_RETURN_IF_ERROR(CheckText(net_.name(), "the model's name"));
    for (int i = 0; i < net_.tensors_size(); ++i) {
      MACE_RETURN_IF_ERROR(AddWeight(net_.tensors(i), i));
    }
    for (const proto::TensorInfo& info : net_.input_info()) {
      MACE_RETURN_IF_ERROR(AddInput(info));
    }
    for (int i = 0; i < net_.op_size(); ++i) {
      MACE_RETURN_IF_ERROR(AddNode(net_.op(i), i));
    }
    for (const proto::TensorInfo& info : net_.output_info()) {
      MACE_RETURN_IF_ERROR(AddOutput(info));
    }
    if (model_.graph.outputs.empty()) {
      return InvalidModel("the model has no outputs");
    }
    for (const proto::Argument& arg : net_.arg()) {
      MACE_RETURN_IF_ERROR(ReadSetting(arg));
    }
    if (net_.has_memory_plan()) ReadMemoryPlan(net_.memory_plan());
    if (net_.has_packed_weights()) {
      MACE_RETURN_IF_ERROR(ReadPackedWeights(net_, &model_));
    }
    return std::move(model_);
  }

 private:
  // What the deployment file said of the whole model. Settings of other devices
  // and releases are let pass.
  Status ReadSetting(const proto::Argument& arg) {
    if (arg.name() == "fixed_input_shapes") {
      if (arg.type() != proto::Argument::STRING || arg.s().empty()) {
        return InvalidModel(
            "the setting 'fixed_input_shapes' must name nodes of the source "
            "model");
      }
      model_.fixed_input_shapes = arg.s();
      return Status();
    }
    if (arg.name() != "winograd") return Status();
    if (arg.type() != proto::Argument::INT || arg.i() < 0 || arg.i() > 6 ||
        arg.i() % 2 != 0) {
      return InvalidModel("the setting 'winograd' must be 0, 2, 4 or 6");
    }
    model_.winograd = static_cast<int>(arg.i());
    return Status();
  }

  Result<int> AddValue(const std::string& name, const std::string& what) {
    if (name.empty()) return InvalidModel(what + ": a tensor has no name");
    MACE_RETURN_IF_ERROR(CheckText(name, what + ": a tensor's name"));
    const int id = static_cast<int>(model_.graph.values.size());
    if (!ids_.emplace(name, id).second) {
      return InvalidModel(what + ": a tensor named " + Quoted(name) +
                          " is there already");
    }
    model_.graph.values.emplace_back();
    model_.graph.values.back().name = name;
    return id;
  }

  Status AddWeight(const proto::ConstTensor& tensor, int index) {
    const std::string what = "weight " + Quoted(tensor.name());
    MACE_ASSIGN_OR_RETURN(const int id, AddValue(tensor.name(), what));
    Value& value = model_.graph.values[id];
    MACE_ASSIGN_OR_RETURN(value.type,
                          MakeType(tensor.dims(), tensor.data_type(), what));
    const int64_t elements = NumElements(value.type.shape);
    if (tensor.data_size() != elements) {
      return InvalidModel(what + ": has " + std::to_string(tensor.data_size()) +
                          " elements, its shape " + ToString(value.type.shape) +
                          " needs " + std::to_string(elements));
    }
    TensorType stored = value.type;
    if (tensor.has_stored_type()) {
      MACE_ASSIGN_OR_RETURN(stored.dtype,
                            FromProto(tensor.stored_type(), what));
      const bool is_fp16 =
          stored.dtype == DataType::kF16 || stored.dtype == DataType::kBF16;
      if (!is_fp16 || value.type.dtype != DataType::kF32) {
        return InvalidModel(what + ": " + Name(value.type.dtype) +
                            " stored as " + Name(stored.dtype) +
                            "; only f32 is stored as another type, f16 or "
                            "bf16");
      }
    }
    const int64_t bytes = Bytes(stored);
    const int64_t size = static_cast<int64_t>(model_.weights.size);
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
    static const uint8_t kEmpty[kAlignment] = {};
    value.data =
        bytes == 0 ? kEmpty : model_.weights.data.get() + tensor.offset();
    value.weight_id = index;
    if (stored.dtype != value.type.dtype) value.stored = stored.dtype;
    return Status();
  }

  Status AddInput(const proto::TensorInfo& info) {
    const std::string what = "model input " + Quoted(info.name());
    MACE_ASSIGN_OR_RETURN(const int id, AddValue(info.name(), what));
    MACE_ASSIGN_OR_RETURN(model_.graph.values[id].type,
                          MakeType(info.dims(), info.data_type(), what));
    model_.graph.inputs.push_back(id);
    model_.input_order[id] = FromProto(info.data_format());
    return Status();
  }

  Status AddNode(const proto::OperatorDef& def, int index) {
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
      MACE_RETURN_IF_ERROR(
          CheckText(arg.name(), what + ": an attribute's name"));
      MACE_ASSIGN_OR_RETURN(Attr attr, FromProto(arg, what));
      if (!g.node.attrs.emplace(arg.name(), std::move(attr)).second) {
        return InvalidModel(what + ": attribute " + Quoted(arg.name()) +
                            " is given twice");
      }
    }
    for (const std::string& name : def.input()) {
      MACE_ASSIGN_OR_RETURN(const int id, FindInput(name, what));
      g.inputs.push_back(id);
    }
    MACE_RETURN_IF_ERROR(AddNodeOutputs(def, what, g));
    model_.graph.nodes.push_back(std::move(g));
    return Status();
  }

  Result<int> FindInput(const std::string& name, const std::string& what) {
    if (name.empty()) return -1;  // an optional input that is not given
    const auto it = ids_.find(name);
    if (it != ids_.end()) return it->second;
    return InvalidModel(what + ": reads " + Quoted(name) +
                        ", which no weight, input or earlier node makes");
  }

  Status AddNodeOutputs(const proto::OperatorDef& def, const std::string& what,
                        GraphNode& g) {
    if (def.output_size() == 0) return InvalidModel(what + ": has no output");
    if (def.output_shape_size() > def.output_size() ||
        def.output_type_size() > def.output_size()) {
      return InvalidModel(what + ": declares more types than outputs");
    }
    for (int i = 0; i < def.output_size(); ++i) {
      MACE_ASSIGN_OR_RETURN(const int id, AddValue(def.output(i), what));
      g.outputs.push_back(id);
      if (i < def.output_shape_size() && i < def.output_type_size()) {
        MACE_ASSIGN_OR_RETURN(
            model_.declared[id],
            MakeType(def.output_shape(i).dims(), def.output_type(i), what));
      }
    }
    g.node.outputs.resize(g.outputs.size());
    return Status();
  }

  Status AddOutput(const proto::TensorInfo& info) {
    const auto it = ids_.find(info.name());
    if (it == ids_.end()) {
      return InvalidModel("model output " + Quoted(info.name()) +
                          ": nothing in the model makes it");
    }
    for (int id : model_.graph.outputs) {
      if (id == it->second) {
        return InvalidModel("model output " + Quoted(info.name()) +
                            " is listed twice");
      }
    }
    model_.graph.outputs.push_back(it->second);
    model_.output_order[it->second] = FromProto(info.data_format());
    return Status();
  }

  void ReadMemoryPlan(const proto::MemoryPlan& plan) {
    model_.memory_plan.version = plan.version();
    model_.memory_plan.records_hash = plan.records_hash();
    model_.memory_plan.offsets.assign(plan.offsets().begin(),
                                      plan.offsets().end());
    model_.memory_plan.total_bytes = plan.total_bytes();
    model_.memory_plan.lower_bound_bytes = plan.lower_bound_bytes();
    model_.memory_plan.optimal = plan.optimal();
  }

  const proto::NetDef& net_;
  Model model_;
  std::map<std::string, int> ids_;
  std::map<std::string, int> node_names_;
};

Status VerifyHead(const proto::NetDef& net, const WeightBytes& weights,
                  bool verify_checksum) {
  if (!net.has_format_version()) {
    return InvalidModel(
        "not a MACE model of this format: it has no format version; convert "
        "it again with tools/converter.py convert");
  }
  if (net.format_version() != kFormatVersion) {
    return InvalidModel(
        "format version " + std::to_string(net.format_version()) +
        " is not known, this library reads version " +
        std::to_string(kFormatVersion) +
        "; update the library, or convert the model with its converter");
  }
  if (weights.size == 0 && net.data_bytes() > 0) {
    return InvalidArgument(
        "the model needs " + std::to_string(net.data_bytes()) +
        " bytes of weights and was given none; give its weights file (.data), "
        "which the converter wrote beside it");
  }
  if (net.data_bytes() < 0 ||
      static_cast<uint64_t>(net.data_bytes()) != weights.size) {
    return InvalidModel("the weights are " + std::to_string(weights.size) +
                        " bytes, the model needs " +
                        std::to_string(net.data_bytes()) +
                        ": the weights file is cut short or belongs to "
                        "another model");
  }
  if (!verify_checksum) return Status();
  if (net.has_packed_weights()) {
    const proto::PackedWeights& packed = net.packed_weights();
    MACE_RETURN_IF_ERROR(CheckHeadBytes(packed, weights.size));
    return CheckHash(weights.data.get(),
                     static_cast<size_t>(packed.head_bytes()),
                     packed.head_xxh3());
  }
  return CheckHash(weights.data.get(), weights.size, net.data_xxh3());
}

}  // namespace

bool IsGraph(const uint8_t* bytes, size_t size) {
  proto::NetDef net;
  return size > 0 &&
         size <= static_cast<size_t>(std::numeric_limits<int>::max()) &&
         net.ParseFromArray(bytes, static_cast<int>(size)) &&
         net.has_format_version();
}

Result<Model> LoadModel(const uint8_t* graph_bytes, size_t graph_size,
                        WeightBytes weights, const LoadOptions& options) {
  if (graph_size == 0) return InvalidModel("the model file is empty");
  proto::NetDef net;
  if (graph_size > static_cast<size_t>(std::numeric_limits<int>::max()) ||
      !net.ParseFromArray(graph_bytes, static_cast<int>(graph_size))) {
    return InvalidModel(
        "not a MACE model: the bytes are no serialized NetDef; the file is cut "
        "short, damaged or of another kind (tools/converter.py convert makes "
        "MACE models of those of other frameworks)");
  }
  MACE_RETURN_IF_ERROR(VerifyHead(net, weights, options.verify_checksum));
  return Builder(net, std::move(weights)).Build();
}

}  // namespace mace
