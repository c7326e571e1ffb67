// Checking registrations, and calling init, prepare, invoke and free.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/common/custom_op.h"

#include <cstring>
#include <utility>

#include "mace/base/fork.h"
#include "mace/base/str_cat.h"
#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"

namespace mace {
namespace {

// The attribute by which a model asks for a version of an op.
constexpr char kVersion[] = "op_version";

// By number of MACE_OP_FLOAT32 and so on.
constexpr std::pair<int32_t, DataType> kTypes[] = {
    {MACE_OP_ABSENT, DataType::kInvalid}, {MACE_OP_FLOAT32, DataType::kF32},
    {MACE_OP_UINT8, DataType::kU8},       {MACE_OP_INT32, DataType::kI32},
    {MACE_OP_FLOAT16, DataType::kF16},    {MACE_OP_BFLOAT16, DataType::kBF16},
    {MACE_OP_INT16, DataType::kI16},      {MACE_OP_INT8, DataType::kI8},
    {MACE_OP_BOOL, DataType::kBool},      {MACE_OP_INT64, DataType::kI64},
};

int32_t ToPublic(DataType type) {
  for (const auto& [number, dtype] : kTypes) {
    if (dtype == type) return number;
  }
  return MACE_OP_ABSENT;
}

DataType FromPublic(int32_t type) {
  for (const auto& [number, dtype] : kTypes) {
    if (number == type) return dtype;
  }
  return DataType::kInvalid;
}

bool IsNameOfOp(const std::string& name) {
  if (name.empty()) return false;
  for (const char c : name) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool digit = c >= '0' && c <= '9';
    if (!letter && !digit && std::strchr("_.:/-", c) == nullptr) return false;
  }
  return true;
}

Status CheckName(const std::string& name) {
  if (!IsNameOfOp(name)) {
    return InvalidArgument(
        "the name of custom op '", name,
        "' must have letters, digits and any of _.:/- and at least one");
  }
  // The last two are steps of plans.
  if (FindOp(name) != nullptr || name == "Upload" || name == "Download") {
    return InvalidArgument("custom op '", name,
                           "': MACE has an op of this name; give it another "
                           "one, in the model too");
  }
  return Status();
}

// The attributes of a node as its op sees them. Points into the node.
class Attributes {
 public:
  explicit Attributes(const AttrMap& attrs) {
    list_.reserve(attrs.size());
    for (const auto& [name, attr] : attrs) {
      list_.push_back({});
      list_.back().name = name.c_str();
      Set(attr, list_.back());
      pointers_.push_back(&list_.back());
    }
  }

  const mace_op_attribute_t* const* pointers() const {
    return pointers_.data();
  }
  size_t size() const { return pointers_.size(); }

 private:
  static void Set(const Attr& attr, mace_op_attribute_t& a) {
    if (const auto* number = std::get_if<int64_t>(&attr)) {
      a.type = MACE_OP_INT;
      a.ints = number;
      a.count = 1;
    } else if (const auto* real = std::get_if<float>(&attr)) {
      a.type = MACE_OP_FLOAT;
      a.floats = real;
      a.count = 1;
    } else if (const auto* text = std::get_if<std::string>(&attr)) {
      a.type = MACE_OP_STRING;
      a.bytes = text->c_str();
      a.count = text->size();
    } else if (const auto* ints = std::get_if<std::vector<int64_t>>(&attr)) {
      a.type = MACE_OP_INTS;
      a.ints = ints->data();
      a.count = ints->size();
    } else if (const auto* floats = std::get_if<std::vector<float>>(&attr)) {
      a.type = MACE_OP_FLOATS;
      a.floats = floats->data();
      a.count = floats->size();
    }
  }

  std::vector<mace_op_attribute_t> list_;
  std::vector<const mace_op_attribute_t*> pointers_;
};

// Returns the error of a call that returned `code`.
Status Failure(const Node& node, Status::Code status, const char* call,
               int32_t code, mace_op_error_t& error) {
  error.message[MACE_OP_MESSAGE_BYTES - 1] = '\0';
  std::string reason = error.message;
  if (reason.empty()) {
    reason = StrCat("it returned ", code, " and no message");
  }
  return {status,
          StrCat(Label(node), ": the custom op's ", call, " failed: ", reason)};
}

Status CheckVersion(const CustomOp& op, const Node& node) {
  const auto attr = node.attrs.find(kVersion);
  int64_t version = 1;
  if (attr != node.attrs.end()) {
    const auto* number = std::get_if<int64_t>(&attr->second);
    if (number == nullptr) {
      return NodeError(node, "attribute 'op_version' must be an integer");
    }
    version = *number;
  }
  const int32_t known = op.calls().version;
  if (known == 0 || version <= known) return Status();
  return Unsupported(Label(node), ": the model asks for version ", version,
                     " of this custom op, and version ", known,
                     " is registered");
}

// Returns the type that prepare set, if it can be.
Result<TensorType> TypeOf(const Node& node, size_t i,
                          const mace_op_output_t& set) {
  const auto wrong = [&](const std::string& what) {
    return InvalidArgument(Label(node), ": the custom op's prepare ", what,
                           " output ", i);
  };
  TensorType type;
  type.dtype = FromPublic(set.data_type);
  if (type.dtype == DataType::kInvalid) {
    return wrong(
        set.data_type == MACE_OP_ABSENT
            ? std::string("sets no element type of")
            : StrCat("sets the unknown element type ", set.data_type, " of"));
  }
  if (set.rank < 0 || set.rank > MACE_OP_MAX_RANK) {
    return wrong(StrCat("sets the rank ", set.rank, " (it is 0 to ",
                        std::to_string(MACE_OP_MAX_RANK), ") of"));
  }
  type.shape.assign(set.shape, set.shape + set.rank);
  const auto bytes = CheckedBytes(type);
  if (!bytes.ok()) {
    return wrong(StrCat("sets the shape ", ToString(type.shape), " (",
                        bytes.status().information(), ") of"));
  }
  return type;
}

// Stores what prepare set besides the types of the outputs.
Status UseSettings(const mace_op_prepare_args_t& args, Node& node) {
  // As in CheckedNumElements.
  if (args.scratch_bytes > size_t{1} << (sizeof(size_t) * 8 - 2)) {
    return InvalidArgument(Label(node), ": the custom op's prepare asks for ",
                           args.scratch_bytes, " bytes of scratch");
  }
  if (args.in_place_input >= args.num_inputs ||
      (args.in_place_input >= 0 &&
       !node.inputs[args.in_place_input].present())) {
    return InvalidArgument(Label(node),
                           ": the custom op's prepare sets in_place_input to ",
                           args.in_place_input, ", which is no input of the ",
                           "node; it has ", args.num_inputs);
  }
  node.custom.scratch_bytes = static_cast<int64_t>(args.scratch_bytes);
  node.custom.in_place_input =
      args.in_place_input < 0 ? -1 : args.in_place_input;
  return Status();
}

}  // namespace

Result<std::shared_ptr<const CustomOp>> CustomOp::Create(
    const mace_op_registration_t& registration) {
  if (registration.struct_size < sizeof(mace_op_registration_t)) {
    return InvalidArgument("a custom op's struct_size is ",
                           registration.struct_size, ", it must be ",
                           "sizeof(mace_op_registration_t), ",
                           sizeof(mace_op_registration_t));
  }
  std::shared_ptr<CustomOp> op(new CustomOp);
  op->name_ = registration.name == nullptr ? "" : registration.name;
  op->calls_ = registration;
  op->calls_.name = op->name_.c_str();
  MACE_RETURN_IF_ERROR(CheckName(op->name_));
  const std::string what = StrCat("custom op '", op->name_, "': ");
  if (registration.prepare == nullptr) {
    return InvalidArgument(what, "prepare, its shape rule, is null");
  }
  if (registration.invoke == nullptr) {
    return InvalidArgument(what, "invoke is null");
  }
  if (registration.free != nullptr && registration.init == nullptr) {
    return InvalidArgument(what, "it has a free and no init");
  }
  if (registration.version < 0) {
    return InvalidArgument(what, "version ", registration.version,
                           " is negative");
  }
  op->owns_user_ = true;
  return std::shared_ptr<const CustomOp>(std::move(op));
}

CustomOp::~CustomOp() {
  if (!owns_user_ || calls_.release == nullptr) return;
  const AllowFork in_app;
  calls_.release(calls_.user);
}

Result<std::shared_ptr<CustomState>> CustomOp::MakeState(
    std::shared_ptr<const CustomOp> self, const Node& node,
    size_t num_inputs) const {
  return CustomState::Create(std::move(self), node, num_inputs);
}

void CustomTensors::Add(const TensorType& type, const void* data) {
  mace_op_tensor_t tensor = {};
  tensor.data_type = ToPublic(type.dtype);
  if (tensor.data_type != MACE_OP_ABSENT) {
    tensor.rank = type.rank();
    tensor.shape = type.shape.data();
    tensor.data = const_cast<void*>(data);
    tensor.bytes = static_cast<size_t>(Bytes(type));
  }
  tensors_.push_back(tensor);
}

const mace_op_tensor_t* const* CustomTensors::pointers() {
  pointers_.clear();
  for (const mace_op_tensor_t& tensor : tensors_) pointers_.push_back(&tensor);
  return pointers_.data();
}

Result<std::shared_ptr<CustomState>> CustomState::Create(
    std::shared_ptr<const CustomOp> op, const Node& node, size_t num_inputs) {
  std::shared_ptr<CustomState> state(new CustomState(std::move(op)));
  MACE_RETURN_IF_ERROR(CheckVersion(*state->op_, node));
  MACE_RETURN_IF_ERROR(state->Init(node, num_inputs));
  return state;
}

CustomState::~CustomState() {
  const mace_op_registration_t& calls = op_->calls();
  if (!called_init_ || calls.free == nullptr) return;
  const AllowFork in_app;
  calls.free(calls.user, state_);
}

Status CustomState::Init(const Node& node, size_t num_inputs) {
  const mace_op_registration_t& calls = op_->calls();
  if (calls.init == nullptr) return Status();
  const Attributes attributes(node.attrs);
  mace_op_init_args_t args = {};
  args.struct_size = sizeof(args);
  args.op = node.op.c_str();
  args.node = node.name.c_str();
  args.num_inputs = static_cast<int32_t>(num_inputs);
  args.num_outputs = static_cast<int32_t>(node.outputs.size());
  args.num_attributes = attributes.size();
  args.attributes = attributes.pointers();
  mace_op_error_t error = {};
  called_init_ = true;
  const AllowFork in_app;
  const int32_t code = calls.init(calls.user, &args, &state_, &error);
  return code == 0
             ? Status()
             : Failure(node, Status::MACE_INVALID_MODEL, "init", code, error);
}

Status CustomState::Prepare(Node& node) {
  CustomTensors inputs;
  for (const Operand& operand : node.inputs) {
    inputs.Add(operand.type, operand.data);
  }
  std::vector<mace_op_output_t> set(node.outputs.size());
  std::vector<mace_op_output_t*> outputs;
  for (mace_op_output_t& output : set) outputs.push_back(&output);
  mace_op_prepare_args_t args = {};
  args.struct_size = sizeof(args);
  args.num_inputs = static_cast<int32_t>(node.inputs.size());
  args.num_outputs = static_cast<int32_t>(set.size());
  args.inputs = inputs.pointers();
  args.outputs = outputs.data();
  args.in_place_input = -1;
  mace_op_error_t error = {};
  node.custom.prepared = ++prepared_;
  const mace_op_registration_t& calls = op_->calls();
  int32_t code;
  {
    const AllowFork in_app;
    code = calls.prepare(calls.user, state_, &args, &error);
  }
  if (code != 0) {
    return Failure(node, Status::MACE_INVALID_MODEL, "prepare", code, error);
  }
  for (size_t i = 0; i < set.size(); ++i) {
    MACE_ASSIGN_OR_RETURN(node.outputs[i], TypeOf(node, i, set[i]));
  }
  return UseSettings(args, node);
}

Status CustomState::Invoke(const Node& node,
                           const mace_op_invoke_args_t& args) {
  const mace_op_registration_t& calls = op_->calls();
  mace_op_error_t error = {};
  const int32_t code = calls.invoke(calls.user, state_, &args, &error);
  return code == 0
             ? Status()
             : Failure(node, Status::MACE_RUNTIME_ERROR, "invoke", code, error);
}

}  // namespace mace
