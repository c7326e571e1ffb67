// Packing filters of codes.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/quantized/filter_q8.h"

#include "mace/base/aligned_buffer.h"
#include "mace/base/str_cat.h"
#include "mace/ops/common/operands.h"

namespace mace::cpu {
namespace {

template <typename T>
void Pack(const T* w, int32_t zero_point, const FilterOrder& order,
          bool is_depthwise, int16_t* codes, int32_t* sums) {
  for (int64_t o = 0; o < order.outputs; ++o) {
    const T* from = w + order.offset(o);
    for (int64_t t = 0; t < order.taps; ++t) {
      int32_t sum = 0;
      for (int64_t i = 0; i < order.inputs; ++i) {
        const int32_t code = from[i * order.in_stride + t] - zero_point;
        codes[is_depthwise ? t * order.outputs + o
                           : (o * order.taps + t) * order.inputs + i] =
            static_cast<int16_t>(code);
        sum += code;
      }
      sums[o * order.taps + t] = sum;
    }
  }
}

}  // namespace

int64_t FilterOrder::offset(int64_t o) const {
  const int64_t at = o % multiplier * (outputs / multiplier) + o / multiplier;
  return at * inputs * taps;
}

Result<FilterQ8> FilterQ8::Create(const Node& node, const FilterOrder& order,
                                  bool is_depthwise, CpuContext& context) {
  const Operand& w = node.inputs[1];
  if (w.data == nullptr) {
    return Unsupported(Label(node), ": a quantized filter must be constant");
  }
  FilterQ8 filter;
  filter.order_ = order;
  const size_t code_bytes =
      AlignUp(order.outputs * order.depth() * sizeof(int16_t), kAlignment);
  const size_t bytes =
      code_bytes + order.outputs * order.taps * sizeof(int32_t);
  const auto pack = [&](void* to) -> Status {
    auto* codes = static_cast<int16_t*>(to);
    auto* sums =
        reinterpret_cast<int32_t*>(static_cast<char*>(to) + code_bytes);
    const int32_t zero = w.type.quantization->zero_point();
    if (w.type.dtype == DataType::kU8) {
      Pack(static_cast<const uint8_t*>(w.data), zero, order, is_depthwise,
           codes, sums);
    } else {
      Pack(static_cast<const int8_t*>(w.data), zero, order, is_depthwise, codes,
           sums);
    }
    return Status();
  };
  const std::string how =
      StrCat(is_depthwise ? "q8_depthwise_" : "q8_", order.outputs, "x",
             order.taps, "x", order.inputs, "_", order.multiplier);
  MACE_ASSIGN_OR_RETURN(
      filter.packed_, context.packed->GetOrPack(w.weight_id, how, bytes, pack));
  const auto* data = static_cast<const char*>(filter.packed_.get());
  filter.codes_ = reinterpret_cast<const int16_t*>(data);
  filter.sums_ = reinterpret_cast<const int32_t*>(data + code_bytes);
  return filter;
}

}  // namespace mace::cpu
