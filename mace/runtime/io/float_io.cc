// Quantizing float32 inputs, and dequantizing outputs to float32.
// SPDX-License-Identifier: Apache-2.0

#include "mace/runtime/io/float_io.h"

#include <limits>
#include <memory>
#include <utility>

#include "mace/base/aligned_buffer.h"
#include "mace/base/make_shared.h"
#include "mace/base/search.h"
#include "mace/base/str_cat.h"
#include "mace/runtime/io/caller_tensors.h"
#include "mace/runtime/model/mace_model.h"

namespace mace {
namespace {

using Tensors = IoAdapter::Tensors;

const Value* FindByName(const Graph& graph, const std::vector<int>& ids,
                        const std::string& name) {
  for (int id : ids) {
    if (graph.values[id].name == name) return &graph.values[id];
  }
  return nullptr;
}

// Whether the tensor is float32 where the value is quantized.
bool IsFloatFor(const Value* value, const MaceTensor& tensor) {
  return value != nullptr && value->type.is_quantized() &&
         tensor.memory_type() == MemoryType::CPU_BUFFER &&
         tensor.data_type() == IDT_FLOAT && tensor.raw_data() != nullptr;
}

bool AnyFloat(const Graph& graph, const std::vector<int>& ids,
              const Tensors& tensors) {
  return AnyOf(ids, [&](int id) {
    const Value& value = graph.values[id];
    if (!value.type.is_quantized()) return false;
    const auto it = tensors.find(value.name);
    return it != tensors.end() && IsFloatFor(&value, it->second);
  });
}

template <typename T>
void QuantizeTo(const float* floats, const Quantization& quantization,
                int64_t n, void* quantized) {
  for (int64_t i = 0; i < n; ++i) {
    static_cast<T*>(quantized)[i] = static_cast<T>(NearestQuantized(
        floats[i] / quantization.scale(), quantization.zero_point(),
        std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
  }
}

template <typename T>
void DequantizeFrom(const void* quantized, const Quantization& quantization,
                    int64_t n, float* floats) {
  const double scale = quantization.scale();
  const int32_t zero = quantization.zero_point();
  for (int64_t i = 0; i < n; ++i) {
    const int32_t value = static_cast<const T*>(quantized)[i];
    floats[i] = static_cast<float>(scale * (value - zero));
  }
}

Result<MaceTensor> QuantizeInput(const Value& value, const MaceTensor& tensor) {
  const auto elements = CheckedNumElements(tensor.shape());
  if (!elements.ok()) {
    return InvalidArgument("input '", value.name,
                           "': ", elements.status().information());
  }
  MACE_RETURN_IF_ERROR(
      CheckAligned(StrCat("input '", value.name, "'"), tensor));
  if (value.type.quantization->is_per_axis())
    return tensor;  // is refused later
  const int64_t n = *elements;
  const TensorType type = {value.type.dtype, tensor.shape()};
  MACE_ASSIGN_OR_RETURN(
      AlignedBuffer buffer,
      AlignedBuffer::Create(Bytes(type), "a quantized input"));
  const auto owner = MakeShared<AlignedBuffer>(std::move(buffer));
  const auto* floats = static_cast<const float*>(tensor.raw_data().get());
  const Quantization& quantization = *value.type.quantization;
  switch (type.dtype) {
    case DataType::kI8:
      QuantizeTo<int8_t>(floats, quantization, n, owner->data());
      break;
    case DataType::kU8:
      QuantizeTo<uint8_t>(floats, quantization, n, owner->data());
      break;
    case DataType::kI16:
      QuantizeTo<int16_t>(floats, quantization, n, owner->data());
      break;
    default:
      return tensor;  // its type is refused later
  }
  return MaceTensor(tensor.shape(), std::shared_ptr<void>(owner, owner->data()),
                    ToPublic(type.dtype));
}

Status CheckCount(const Value& value, const MaceTensor& quantized,
                  const MaceTensor& tensor) {
  const auto elements = CheckedNumElements(tensor.shape());
  if (elements.ok() && *elements == NumElements(quantized.shape()))
    return Status();
  return InvalidArgument("output '", value.name, "': expected ",
                         ToString(quantized.shape()), ", the tensor given has ",
                         ToString(tensor.shape()));
}

Status DequantizeOutput(const Value& value, const MaceTensor& quantized,
                        const MaceTensor& tensor) {
  const int64_t n = NumElements(quantized.shape());
  auto* floats = static_cast<float*>(tensor.raw_data().get());
  const Quantization& quantization = *value.type.quantization;
  const void* from = quantized.raw_data().get();
  switch (quantization.is_per_axis() ? DataType::kInvalid : value.type.dtype) {
    case DataType::kI8:
      DequantizeFrom<int8_t>(from, quantization, n, floats);
      return Status();
    case DataType::kU8:
      DequantizeFrom<uint8_t>(from, quantization, n, floats);
      return Status();
    case DataType::kI16:
      DequantizeFrom<int16_t>(from, quantization, n, floats);
      return Status();
    default:
      return InvalidArgument("output '", value.name, "' is ",
                             ToString(value.type),
                             ", which cannot be given as f32");
  }
}

}  // namespace

bool FloatIo::AppliesTo(const Graph& graph, const Tensors& inputs,
                        const Tensors& outputs) const {
  return AnyFloat(graph, graph.inputs, inputs) ||
         AnyFloat(graph, graph.outputs, outputs);
}

Status FloatIo::Adapt(const Graph& graph, Tensors* inputs, Tensors* outputs) {
  for (auto& [name, tensor] : *inputs) {
    const Value* value = FindByName(graph, graph.inputs, name);
    if (!IsFloatFor(value, tensor)) continue;
    MACE_ASSIGN_OR_RETURN(tensor, QuantizeInput(*value, tensor));
  }
  for (auto& [name, tensor] : *outputs) {
    if (!IsFloatFor(FindByName(graph, graph.outputs, name), tensor)) continue;
    MACE_RETURN_IF_ERROR(CheckAligned(StrCat("output '", name, "'"), tensor));
    tensor = MaceTensor();
  }
  return Status();
}

Status FloatIo::Restore(const Graph& graph, Tensors written, Tensors* outputs) {
  for (const auto& [name, tensor] : written) {
    const Value* value = FindByName(graph, graph.outputs, name);
    const MaceTensor& given = (*outputs)[name];
    if (!IsFloatFor(value, given)) continue;
    MACE_RETURN_IF_ERROR(CheckCount(*value, tensor, given));
  }
  for (const auto& [name, tensor] : written) {
    const Value* value = FindByName(graph, graph.outputs, name);
    MaceTensor& given = (*outputs)[name];
    if (!IsFloatFor(value, given)) {
      given = tensor;
      continue;
    }
    MACE_RETURN_IF_ERROR(DequantizeOutput(*value, tensor, given));
  }
  return Status();
}

}  // namespace mace
