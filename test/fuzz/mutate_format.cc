// Mutations of what a file says of its format: versions, settings, dynamic
// dimensions, states and checksums.
// SPDX-License-Identifier: Apache-2.0

#include "test/fuzz/mutate.h"
#include "test/fuzz/values.h"

namespace mace::fuzz {
namespace {

// As a file of version 1 is, or a later or missing version. What version 1 has
// not is left out, or not.
bool ChangeVersion(const Donors&, Draft* draft, Random& random) {
  proto::NetDef& net = draft->net;
  if (random.Percent(20)) {
    net.clear_format_version();
    return true;
  }
  net.set_format_version(
      random.Percent(60) ? 1 : static_cast<uint32_t>(random.Below(5)));
  if (random.Percent(70)) {
    net.clear_settings();
    net.clear_fixed_input_shapes();
  }
  if (random.Percent(50)) net.clear_variables();
  while (random.Percent(50)) {
    static const std::vector<std::string> kNames = {
        "winograd", "fixed_input_shapes", "other"};
    proto::Argument* arg = net.add_arg();
    arg->set_name(random.Of(kNames));
    if (random.Percent(50)) {
      arg->set_type(proto::Argument::INT);
      arg->set_i(random.Percent(50) ? 2 : AnyInt(random));
    } else {
      arg->set_type(proto::Argument::STRING);
      arg->set_s(random.Percent(70) ? "a node" : "");
    }
  }
  return true;
}

bool AddSetting(const Donors&, Draft* draft, Random& random) {
  static const std::vector<std::string> kNames = {
      "winograd", "float32_nodes", "num_threads", "memory_strategy", "unknown",
      "",         "\xff"};
  if (random.Percent(25)) {
    draft->net.add_fixed_input_shapes(random.Percent(80) ? "a node" : "");
    return true;
  }
  proto::Setting* setting = draft->net.add_settings();
  setting->set_name(random.Of(kNames));
  if (random.Percent(30)) setting->set_changes_results(true);
  switch (random.Below(5)) {
    case 0:
      setting->set_i(random.Percent(50) ? random.Below(5) : AnyInt(random));
      break;
    case 1:
      setting->set_f(static_cast<double>(random.Unit()) * 1e30);
      break;
    case 2:
      setting->set_s(random.Percent(80) ? "AUTO" : "\xc0\xaf");
      break;
    case 3:
      for (int64_t n = random.Below(4); n > 0; --n) {
        setting->mutable_strings()->add_items(random.Percent(90) ? "y"
                                                                 : "\x80");
      }
      break;
    default:
      break;  // no value
  }
  return true;
}

// Names and maxima of the dimensions of an input, of which some are open.
bool OpenInput(const Donors&, Draft* draft, Random& random) {
  proto::TensorInfo* info = AnyOf(draft->net.mutable_input_info(), random);
  if (info == nullptr || info->dims_size() == 0) return false;
  for (int d = 0; d < info->dims_size(); ++d) {
    const bool opens = random.Percent(50);
    const int64_t extent = info->dims(d);
    if (opens) info->set_dims(d, -1);
    if (random.Percent(90)) {
      info->add_dim_names(opens && random.Percent(60) ? "n" : "");
    }
    if (random.Percent(90)) {
      const int64_t more =
          opens && extent < INT64_MAX - 2 ? random.Below(3) : 0;
      info->add_max_dims(random.Percent(10) ? AnyInt(random) : extent + more);
    }
  }
  if (random.Percent(20)) info->clear_dim_names();
  if (random.Percent(20)) info->clear_max_dims();
  return true;
}

// Makes a tensor, mostly of an input's type, a state that begins with a weight
// or with zeros.
bool AddState(const Donors&, Draft* draft, Random& random) {
  proto::TensorInfo* input = AnyOf(draft->net.mutable_input_info(), random);
  if (input == nullptr) return false;
  proto::Variable* state = draft->net.add_variables();
  *state->mutable_tensor() = *input;
  if (random.Percent(60)) {  // in place of the input
    const std::string name = input->name();
    auto* inputs = draft->net.mutable_input_info();
    for (int i = inputs->size() - 1; i >= 0; --i) {
      if (inputs->Get(i).name() == name) inputs->DeleteSubrange(i, 1);
    }
  } else {
    state->mutable_tensor()->set_name(draft->NewName("state"));
  }
  if (random.Percent(90)) state->set_next(draft->AnyTensor(random));
  if (random.Percent(50)) {
    const proto::TensorInfo& tensor = state->tensor();
    const TensorType type = {DataType::kF32,
                             Shape(tensor.dims().begin(), tensor.dims().end())};
    const bool fits = CheckedBytes(type).ok() && draft->HasSpace(type);
    state->set_initial(
        fits && random.Percent(70)
            ? draft->AddWeight(
                  type,
                  AnyContents(type.dtype, NumElements(type.shape), random))
            : draft->AnyTensor(random));
  }
  return true;
}

// Checksums that do not fit; packed weights that say they are all weights.
bool ChangeChecksums(const Donors&, Draft* draft, Random& random) {
  switch (random.Below(3)) {
    case 0:
      draft->net.set_graph_xxh3(random.Next());
      break;
    case 1:
      draft->net.set_data_xxh3(random.Next());
      break;
    default: {
      proto::PackedWeights* packed = draft->net.mutable_packed_weights();
      packed->set_version(1);
      packed->set_head_bytes(random.Percent(80) ? draft->net.data_bytes()
                                                : AnyInt(random));
      packed->set_head_xxh3(random.Next());
      for (int i = 0; i < 2; ++i) {
        proto::PackedWeight* weight = packed->add_weights();
        weight->set_tensor(static_cast<int32_t>(random.Below(2)));
        weight->set_how("oihw of 1 groups for gemm_f32_14x32__avx512");
        weight->set_offset(random.Percent(80) ? 0 : random.Below(200));
        weight->set_bytes(random.Percent(80) ? 64 : AnyInt(random));
      }
    }
  }
  return true;
}

// More dimensions than a tensor can have, and types that none has.
bool ChangeRankOrType(const Donors&, Draft* draft, Random& random) {
  proto::TensorInfo* info = AnyOf(draft->net.mutable_input_info(), random);
  proto::ConstTensor* tensor = AnyOf(draft->net.mutable_tensors(), random);
  const int64_t more = random.Below(10);
  if (tensor != nullptr && random.Percent(50)) {
    if (random.Percent(50)) {
      for (int64_t i = 0; i < more; ++i) tensor->add_dims(1);
    } else if (random.Percent(50)) {
      tensor->set_stored_type(random.Percent(50) ? proto::DT_INT8_BLOCKS
                                                 : proto::DT_UINT4_BLOCKS);
    } else {
      tensor->set_data_type(random.Percent(50) ? proto::DT_INVALID
                                               : proto::DT_INT8_BLOCKS);
    }
    return true;
  }
  if (info == nullptr) return false;
  for (int64_t i = 0; i < more; ++i) info->add_dims(1);
  if (random.Percent(20)) info->set_data_type(proto::DT_INVALID);
  return true;
}

}  // namespace

const std::vector<NamedMutation>& FormatMutations() {
  static const auto* mutations = new std::vector<NamedMutation>{
      {"version", 2, ChangeVersion},    {"setting", 2, AddSetting},
      {"open_input", 3, OpenInput},     {"state", 3, AddState},
      {"checksum", 1, ChangeChecksums}, {"rank_or_type", 1, ChangeRankOrType},
  };
  return *mutations;
}

}  // namespace mace::fuzz
