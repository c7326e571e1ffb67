// Rounding floats to codes, and back.
// SPDX-License-Identifier: Apache-2.0

#include "mace/runtime/io/real_tensors.h"

#include <limits>
#include <memory>
#include <utility>

#include "mace/base/aligned_buffer.h"
#include "mace/base/make_shared.h"
#include "mace/base/search.h"
#include "mace/base/str_cat.h"
#include "mace/runtime/model/mace_model.h"

namespace mace {
namespace {

using RealTensorsMap = std::map<std::string, MaceTensor>;

const Value* FindRealTensors(const Graph& graph, const std::vector<int>& ids,
                             const std::string& name) {
  for (int id : ids) {
    if (graph.values[id].name == name) return &graph.values[id];
  }
  return nullptr;
}

bool IsReal(const Value* value, const MaceTensor& tensor) {
  return value != nullptr && value->type.is_quantized() &&
         tensor.memory_type() == MemoryType::CPU_BUFFER &&
         tensor.data_type() == IDT_FLOAT && tensor.raw_data() != nullptr;
}

bool HaveReal(const Graph& graph, const std::vector<int>& ids,
              const RealTensorsMap& tensors) {
  return AnyOf(ids, [&](int id) {
    const Value& value = graph.values[id];
    if (!value.type.is_quantized()) return false;
    const auto it = tensors.find(value.name);
    return it != tensors.end() && IsReal(&value, it->second);
  });
}

template <typename T>
void ToCodes(const float* reals, const Quantization& quantization, int64_t n,
             void* codes) {
  for (int64_t i = 0; i < n; ++i) {
    static_cast<T*>(codes)[i] = static_cast<T>(NearestCode(
        reals[i] / quantization.scale(), quantization.zero_point(),
        std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
  }
}

template <typename T>
void ToReals(const void* codes, const Quantization& quantization, int64_t n,
             float* reals) {
  const double scale = quantization.scale();
  const int32_t zero = quantization.zero_point();
  for (int64_t i = 0; i < n; ++i) {
    const int32_t code = static_cast<const T*>(codes)[i];
    reals[i] = static_cast<float>(scale * (code - zero));
  }
}

Result<MaceTensor> CodesOf(const Value& value, const MaceTensor& tensor) {
  const auto elements = CheckedNumElements(tensor.shape());
  if (!elements.ok()) {
    return InvalidArgument("input '", value.name,
                           "': ", elements.status().information());
  }
  const int64_t n = *elements;
  const TensorType type = {value.type.dtype, tensor.shape()};
  MACE_ASSIGN_OR_RETURN(
      AlignedBuffer buffer,
      AlignedBuffer::Create(Bytes(type), "the codes of an input"));
  const auto owner = MakeShared<AlignedBuffer>(std::move(buffer));
  const auto* reals = static_cast<const float*>(tensor.raw_data().get());
  const Quantization& quantization = *value.type.quantization;
  switch (type.dtype) {
    case DataType::kI8:
      ToCodes<int8_t>(reals, quantization, n, owner->data());
      break;
    case DataType::kU8:
      ToCodes<uint8_t>(reals, quantization, n, owner->data());
      break;
    case DataType::kI16:
      ToCodes<int16_t>(reals, quantization, n, owner->data());
      break;
    default:
      return tensor;  // its type is refused later
  }
  return MaceTensor(tensor.shape(), std::shared_ptr<void>(owner, owner->data()),
                    ToPublic(type.dtype));
}

Status CheckCount(const Value& value, const MaceTensor& codes,
                  const MaceTensor& tensor) {
  const auto elements = CheckedNumElements(tensor.shape());
  if (elements.ok() && *elements == NumElements(codes.shape())) return Status();
  return InvalidArgument("output '", value.name, "': expected ",
                         ToString(codes.shape()), ", the tensor given has ",
                         ToString(tensor.shape()));
}

Status FillReal(const Value& value, const MaceTensor& codes,
                const MaceTensor& tensor) {
  const int64_t n = NumElements(codes.shape());
  auto* reals = static_cast<float*>(tensor.raw_data().get());
  const Quantization& quantization = *value.type.quantization;
  const void* from = codes.raw_data().get();
  switch (value.type.dtype) {
    case DataType::kI8:
      ToReals<int8_t>(from, quantization, n, reals);
      return Status();
    case DataType::kU8:
      ToReals<uint8_t>(from, quantization, n, reals);
      return Status();
    case DataType::kI16:
      ToReals<int16_t>(from, quantization, n, reals);
      return Status();
    default:
      return InvalidArgument("output '", value.name, "' is ",
                             ToString(value.type),
                             ", which cannot be given as f32");
  }
}

}  // namespace

bool HasReals(const Graph& graph, const RealTensorsMap& inputs,
              const RealTensorsMap& outputs) {
  return HaveReal(graph, graph.inputs, inputs) ||
         HaveReal(graph, graph.outputs, outputs);
}

Result<RealTensorsMap> WithCodes(const Graph& graph,
                                 const RealTensorsMap& inputs) {
  RealTensorsMap codes = inputs;
  for (auto& [name, tensor] : codes) {
    const Value* value = FindRealTensors(graph, graph.inputs, name);
    if (!IsReal(value, tensor)) continue;
    MACE_ASSIGN_OR_RETURN(tensor, CodesOf(*value, tensor));
  }
  return codes;
}

RealTensorsMap WithoutReals(const Graph& graph, const RealTensorsMap& outputs) {
  RealTensorsMap codes = outputs;
  for (auto& [name, tensor] : codes) {
    if (IsReal(FindRealTensors(graph, graph.outputs, name), tensor))
      tensor = MaceTensor();
  }
  return codes;
}

Status FillReals(const Graph& graph, const RealTensorsMap& codes,
                 RealTensorsMap* outputs) {
  for (const auto& [name, tensor] : codes) {
    const Value* value = FindRealTensors(graph, graph.outputs, name);
    const MaceTensor& given = (*outputs)[name];
    if (!IsReal(value, given)) continue;
    MACE_RETURN_IF_ERROR(CheckCount(*value, tensor, given));
  }
  for (const auto& [name, tensor] : codes) {
    const Value* value = FindRealTensors(graph, graph.outputs, name);
    MaceTensor& given = (*outputs)[name];
    if (!IsReal(value, given)) {
      given = tensor;
      continue;
    }
    MACE_RETURN_IF_ERROR(FillReal(*value, tensor, given));
  }
  return Status();
}

}  // namespace mace
