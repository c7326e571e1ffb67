// Scanning tensors, and the messages about what is found.
// SPDX-License-Identifier: Apache-2.0

#include "mace/runtime/executor/numeric_check.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "mace/base/fp16.h"
#include "mace/base/str_cat.h"

namespace mace {
namespace {

// Some drivers write a value that fp16 cannot hold as infinity, others as the
// largest fp16 value.
constexpr float kLargestFp16 = 65504;

float ValueAt(DataType dtype, const void* data, int64_t i) {
  switch (dtype) {
    case DataType::kF32:
      return static_cast<const float*>(data)[i];
    case DataType::kF16:
      return FromFp16(static_cast<const uint16_t*>(data)[i]);
    case DataType::kBF16:
      return FromBfloat16(static_cast<const uint16_t*>(data)[i]);
    default:
      return 0;  // integers are always finite
  }
}

// Returns the index of the first element that is NaN or at least `limit` in
// magnitude, or -1.
int64_t FirstOdd(DataType dtype, const void* data, int64_t n,
                 float limit = INFINITY) {
  for (int64_t i = 0; i < n; ++i) {
    if (!(std::fabs(ValueAt(dtype, data, i)) < limit)) return i;
  }
  return -1;
}

// Makes rows that are `stride` bytes apart dense.
std::vector<char> Gather(const TensorType& type, const void* data,
                         int64_t stride) {
  std::vector<char> dense(static_cast<size_t>(Bytes(type)));
  const auto row = static_cast<size_t>(type.shape.back()) * SizeOf(type.dtype);
  const char* from = static_cast<const char*>(data);
  for (size_t at = 0; at < dense.size(); at += row, from += stride) {
    std::memcpy(dense.data() + at, from, row);
  }
  return dense;
}

// Returns the position of element `i` of a dense tensor, such as "[0,3,7]".
std::string PositionOf(const Shape& shape, int64_t i) {
  Shape position(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    position[d] = i % shape[d];
    i /= shape[d];
  }
  return ToString(position);
}

std::string Describe(float value, const Shape& shape, int64_t i) {
  const char* name = std::isnan(value)      ? "NaN"
                     : std::isfinite(value) ? "the largest fp16 value"
                     : value > 0            ? "infinity"
                                            : "-infinity";
  return StrCat(name, " at ", PositionOf(shape, i), " (element ", i, ")");
}

}  // namespace

Result<std::unique_ptr<NumericCheck>> NumericCheck::Create(const Plan& plan) {
  std::unique_ptr<NumericCheck> check(new NumericCheck(plan));
  for (const Step& step : plan.steps) {
    MACE_RETURN_IF_ERROR(check->AddLooks(step));
  }
  if (plan.image_device != nullptr) {
    MACE_RETURN_IF_ERROR(plan.image_device->kernels()->FinishPrepare());
  }
  return check;
}

Status NumericCheck::AddLooks(const Step& step) {
  const Node& node = plan_.graph.nodes[step.node].node;
  std::vector<Look> looks(node.outputs.size());
  for (size_t i = 0; i < looks.size(); ++i) {
    const TensorType& type = node.outputs[i];
    if (type.layout != Layout::kImage) continue;
    Node download;
    download.name = node.name;
    download.op = "Download";
    download.inputs.push_back({type, nullptr, -1});
    download.outputs.push_back({DataType::kF32, type.shape});
    MACE_ASSIGN_OR_RETURN(looks[i].download,
                          step.device->storage()->PrepareConvert(download));
    MACE_ASSIGN_OR_RETURN(looks[i].host,
                          LargeArray<float>::Create(NumElements(type.shape),
                                                    "looking at a tensor"));
  }
  looks_.push_back(std::move(looks));
  return Status();
}

Status NumericCheck::CheckInput(int index, const void* data) const {
  const Value& value = plan_.graph.values[plan_.graph.inputs[index]];
  const int64_t odd =
      FirstOdd(value.type.dtype, data, NumElements(value.type.shape));
  if (odd < 0) return Status();
  return InvalidArgument(
      "input '", value.name, "' ", ToString(value.type), " holds ",
      Describe(ValueAt(value.type.dtype, data, odd), value.type.shape, odd),
      "; fix the values that are passed to the model");
}

Status NumericCheck::CheckStep(size_t s, const RunArgs& args) {
  const Step& step = plan_.steps[s];
  const Node& node = plan_.graph.nodes[step.node].node;
  for (size_t i = 0; i < looks_[s].size(); ++i) {
    Look& look = looks_[s][i];
    DataType dtype = node.outputs[i].dtype;
    const void* data = args.outputs[i].handle;
    if (look.download != nullptr) {
      RunArgs copy;
      copy.inputs.push_back(args.outputs[i]);
      copy.outputs.push_back({look.host.data()});
      MACE_RETURN_IF_ERROR(look.download->Run(copy));
      dtype = DataType::kF32;
      data = look.host.data();
    }
    const Shape& shape = node.outputs[i].shape;
    if (data == nullptr) continue;  // no node reads it
    std::vector<char> dense;
    if (i == 0 && step.kernel->row_stride() != 0) {
      dense = Gather(node.outputs[i], data, step.kernel->row_stride());
      data = dense.data();
    }
    const bool is_fp16 = node.outputs[i].dtype == DataType::kF16;
    const int64_t odd = FirstOdd(dtype, data, NumElements(shape),
                                 is_fp16 ? kLargestFp16 : INFINITY);
    if (odd < 0) continue;
    const float value = ValueAt(dtype, data, odd);
    return Found(step, i, Describe(value, shape, odd), !std::isnan(value));
  }
  return Status();
}

Status NumericCheck::Found(const Step& step, size_t output,
                           const std::string& what, bool is_too_large) const {
  const GraphNode& g = plan_.graph.nodes[step.node];
  const Value& value = plan_.graph.values[g.outputs[output]];
  const bool is_image = value.type.layout == Layout::kImage;
  return {Status::MACE_RUNTIME_ERROR,
          StrCat(Label(g.node), " is the first with a bad value: its output '",
                 value.name, "' ", ToString(value.type),
                 is_image ? ", an image on the " : ", on the ",
                 step.device->name(), " (", step.kernel->variant(), "), holds ",
                 what, "; ", CureOf(step, g.outputs[output], is_too_large))};
}

std::string NumericCheck::CureOf(const Step& step, int value,
                                 bool is_too_large) const {
  const Node& node = plan_.graph.nodes[step.node].node;
  if (plan_.graph.values[value].type.dtype != DataType::kF16) {
    return StrCat(
        "all that was computed before it is finite, and it works with ",
        Name(plan_.graph.values[value].type.dtype),
        ": look at its weights and at how large its inputs are");
  }
  // An upload stores its image in the type that the nodes reading it want.
  std::string names = node.name;
  if (node.op == "Upload") {
    names.clear();
    for (const GraphNode& g : plan_.graph.nodes) {
      if (std::count(g.inputs.begin(), g.inputs.end(), value) == 0) continue;
      names += StrCat(names.empty() ? "" : ",", g.node.name);
    }
  }
  return StrCat(is_too_large
                    ? "the largest fp16 value is 65504: run this in float32"
                    : "fp16 values may have overflowed within: run this in "
                      "float32",
                " (SetFloat32Nodes, float32_nodes: [", names,
                "] in the deployment file, --float32_nodes=", names, ")");
}

}  // namespace mace
