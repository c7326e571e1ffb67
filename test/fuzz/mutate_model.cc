// Mutations of inputs, outputs, weights and stored plans.
// SPDX-License-Identifier: Apache-2.0

#include <utility>

#include "test/fuzz/mutate.h"
#include "test/fuzz/values.h"

namespace mace::fuzz {
namespace {

// Changes an extent or the rank.
template <typename Dims>
void MutateShape(Dims* dims, Random& random) {
  if (dims->empty() || random.Percent(10)) {
    dims->Add(random.Percent(70) ? SmallExtent(random) : AnyInt(random));
    return;
  }
  const int i = static_cast<int>(random.Below(dims->size()));
  switch (random.Below(6)) {
    case 0:
      dims->RemoveLast();
      break;
    case 1:
      dims->SwapElements(i, static_cast<int>(random.Below(dims->size())));
      break;
    case 2:
      dims->Set(i, AnyInt(random));
      break;
    case 3:
      dims->Set(i, Wrapped(dims->Get(i), 1, random.Between(-1, 1)));
      break;
    default:
      dims->Set(i, SmallExtent(random));
  }
}

bool ChangeInput(const Donors&, Draft* draft, Random& random) {
  proto::TensorInfo* info = AnyOf(draft->net.mutable_input_info(), random);
  if (info == nullptr) return false;
  if (random.Percent(75)) {
    MutateShape(info->mutable_dims(), random);
  } else if (random.Percent(60)) {
    info->set_data_type(ToProto(AnyType(random)));
  } else {
    info->set_data_format(static_cast<proto::DataFormat>(random.Below(3)));
  }
  return true;
}

// Turns an input into a weight, or a weight into an input.
bool ExchangeInputAndWeight(const Donors&, Draft* draft, Random& random) {
  if (random.Percent(50)) {
    const int size = draft->net.tensors_size();
    if (size == 0) return false;
    const int at = static_cast<int>(random.Below(size));
    const proto::ConstTensor& tensor = draft->net.tensors(at);
    proto::TensorInfo* info = draft->net.add_input_info();
    info->set_name(tensor.name());
    *info->mutable_dims() = tensor.dims();
    info->set_data_type(tensor.data_type());
    draft->net.mutable_tensors()->DeleteSubrange(at, 1);
    return true;
  }
  const int size = draft->net.input_info_size();
  if (size == 0) return false;
  const int at = static_cast<int>(random.Below(size));
  const std::string name = draft->net.input_info(at).name();
  const TensorType type = draft->OperandOf(name).type;
  if (type.dtype == DataType::kInvalid) return false;
  if (!draft->HasSpace(type)) return false;
  draft->net.mutable_input_info()->DeleteSubrange(at, 1);
  const std::string made = draft->AddWeight(
      type, AnyContents(type.dtype, NumElements(type.shape), random));
  draft->types.erase(made);
  draft->net.mutable_tensors(draft->net.tensors_size() - 1)->set_name(name);
  return true;
}

bool DropOrRepeatInput(const Donors&, Draft* draft, Random& random) {
  const int size = draft->net.input_info_size();
  if (size == 0) return false;
  const int at = static_cast<int>(random.Below(size));
  if (random.Percent(50)) {
    draft->net.mutable_input_info()->DeleteSubrange(at, 1);
  } else {
    proto::TensorInfo copy = draft->net.input_info(at);
    if (random.Percent(70)) copy.set_name(draft->NewName("input"));
    *draft->net.add_input_info() = std::move(copy);
  }
  return true;
}

bool ChangeOutput(const Donors&, Draft* draft, Random& random) {
  proto::TensorInfo* info = AnyOf(draft->net.mutable_output_info(), random);
  if (info == nullptr) return false;
  switch (random.Below(4)) {
    case 0:
      info->set_name(random.Percent(50) ? "" : "nowhere");
      break;
    case 1:
      draft->net.mutable_output_info()->RemoveLast();
      break;
    case 2:
      MutateShape(info->mutable_dims(), random);
      break;
    default:
      info->set_name(draft->AnyTensor(random));
  }
  return true;
}

// Makes a tensor an output, which may be an input, a weight or inside the
// model.
bool AddOutput(const Donors&, Draft* draft, Random& random) {
  draft->net.add_output_info()->set_name(draft->AnyTensor(random));
  return true;
}

// Gives a weight another shape with as many elements.
bool ReshapeWeight(const Donors&, Draft* draft, Random& random) {
  proto::ConstTensor* tensor = AnyOf(draft->net.mutable_tensors(), random);
  if (tensor == nullptr) return false;
  auto* dims = tensor->mutable_dims();
  if (dims->size() >= 2 && random.Percent(70)) {
    dims->SwapElements(static_cast<int>(random.Below(dims->size())),
                       static_cast<int>(random.Below(dims->size())));
  } else if (random.Percent(50)) {
    dims->Add(1);
  } else {
    dims->Clear();
    dims->Add(tensor->data_size());
  }
  return true;
}

// Gives a weight another shape; the file declares the right size for it.
bool ResizeWeight(const Donors&, Draft* draft, Random& random) {
  proto::ConstTensor* tensor = AnyOf(draft->net.mutable_tensors(), random);
  if (tensor == nullptr) return false;
  MutateShape(tensor->mutable_dims(), random);
  const Shape shape(tensor->dims().begin(), tensor->dims().end());
  const auto elements = CheckedNumElements(shape);
  if (elements.ok()) tensor->set_data_size(*elements);
  return true;
}

bool ChangeWeight(const Donors&, Draft* draft, Random& random) {
  proto::ConstTensor* tensor = AnyOf(draft->net.mutable_tensors(), random);
  if (tensor == nullptr) return false;
  switch (random.Below(7)) {
    case 0:
      tensor->set_offset(random.Percent(70) ? Wrapped(64, AnyInt(random), 0)
                                            : AnyInt(random));
      break;
    case 1:
      tensor->set_data_size(AnyInt(random));
      break;
    case 2:
      tensor->set_data_type(ToProto(AnyType(random)));
      break;
    case 3:
      tensor->set_stored_type(random.Percent(50) ? proto::DT_HALF
                                                 : proto::DT_BFLOAT16);
      break;
    case 4:
      tensor->set_name(random.Percent(50) ? "" : draft->AnyTensor(random));
      break;
    case 5:
      MutateShape(tensor->mutable_dims(), random);
      break;
    default:  // the contents of another weight
      tensor->set_offset(AnyOf(draft->net.mutable_tensors(), random)->offset());
  }
  return true;
}

bool PlanAhead(const Donors&, Draft* draft, Random& random) {
  proto::MemoryPlan* plan = draft->net.mutable_memory_plan();
  plan->set_version(random.Percent(80) ? 1 : 7);
  plan->set_records_hash(random.Next());
  for (int64_t n = random.Below(6); n > 0; --n) {
    plan->add_offsets(random.Percent(50) ? 64 * random.Between(-1, 50)
                                         : AnyInt(random));
  }
  plan->set_total_bytes(AnyInt(random));
  plan->set_lower_bound_bytes(AnyInt(random));
  plan->set_optimal(random.Percent(50));
  return true;
}

bool Prepack(const Donors&, Draft* draft, Random& random) {
  proto::PackedWeights* packed = draft->net.mutable_packed_weights();
  packed->set_version(static_cast<uint32_t>(random.Below(12)));
  packed->set_head_bytes(random.Percent(50) ? draft->net.data_bytes()
                                            : AnyInt(random));
  proto::PackedWeight* weight = packed->add_weights();
  weight->set_tensor(static_cast<int32_t>(AnyInt(random)));
  weight->set_how("oihw of 1 groups for gemm_f32_14x32__avx512");
  weight->set_offset(random.Percent(70) ? 64 * random.Between(0, 9)
                                        : AnyInt(random));
  weight->set_bytes(AnyInt(random));
  return true;
}

// The loader must verify even the parts that no engine can run yet.
bool AddLaterParts(const Donors&, Draft* draft, Random& random) {
  const bool has_value =
      draft->net.op_size() > 0 && draft->net.op(0).output_size() > 0;
  const std::string some = has_value ? draft->net.op(0).output(0) : "v";
  switch (random.Below(2)) {
    case 0: {
      proto::Subgraph* subgraph = draft->net.add_subgraphs();
      subgraph->set_name(random.Percent(90) ? "branch" : "");
      *subgraph->mutable_op() = draft->net.op();
      *subgraph->mutable_input_info() = draft->net.input_info();
      *subgraph->mutable_output_info() = draft->net.output_info();
      break;
    }
    default: {
      proto::Variable* variable = draft->net.add_variables();
      variable->mutable_tensor()->set_name("state");
      variable->mutable_tensor()->add_dims(AnyInt(random));
      variable->set_initial(some);
      variable->set_next(some);
    }
  }
  return true;
}

bool ChangeHead(const Donors&, Draft* draft, Random& random) {
  switch (random.Below(4)) {
    case 0:
      draft->net.set_format_version(static_cast<uint32_t>(AnyInt(random)));
      break;
    case 1:
      draft->net.set_data_bytes(AnyInt(random));
      break;
    case 2:
      draft->net.set_name(random.Percent(50) ? "" : "\"\xff\n");
      break;
    default: {
      proto::Setting* setting = draft->net.add_settings();
      setting->set_name("winograd");
      setting->set_i(random.Percent(70) ? 2 * random.Below(4) : AnyInt(random));
    }
  }
  return true;
}

}  // namespace

const std::vector<NamedMutation>& ModelMutations() {
  static const auto* mutations = new std::vector<NamedMutation>{
      {"input", 10, ChangeInput},
      {"input_or_weight", 3, ExchangeInputAndWeight},
      {"input_count", 1, DropOrRepeatInput},
      {"output", 2, ChangeOutput},
      {"output_add", 4, AddOutput},
      {"weight_shape", 4, ReshapeWeight},
      {"weight_size", 4, ResizeWeight},
      {"weight", 4, ChangeWeight},
      {"memory_plan", 2, PlanAhead},
      {"packed_weights", 2, Prepack},
      {"later_parts", 1, AddLaterParts},
      {"head", 1, ChangeHead},
  };
  return *mutations;
}

}  // namespace mace::fuzz
