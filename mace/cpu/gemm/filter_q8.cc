// Packing filters of quantized values.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/gemm/filter_q8.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "mace/base/aligned_buffer.h"
#include "mace/base/str_cat.h"
#include "mace/cpu/common/blocking.h"
#include "mace/ops/common/operands.h"

namespace mace::cpu {
namespace {

// The bits of a float, which name it exactly.
uint32_t BitsOf(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, sizeof(bits));
  return bits;
}

// Packs one output channel, whose elements are `inputs` runs of all taps, to
// groups that are `step` bytes apart.
template <typename T>
void PackColumn(const T* from, const FilterOrder& order, int32_t offset,
                int64_t group, int64_t step, int8_t* to) {
  const auto element = [offset](T value) {
    return static_cast<int8_t>(value - offset);
  };
  int64_t i = 0, in_group = 0;
  if (order.taps == 1 && order.in_stride == 1) {
    // Whole groups without a look at each element.
    for (; i + group <= order.inputs; i += group, to += step) {
      for (int64_t e = 0; e < group; ++e) to[e] = element(from[i + e]);
    }
  }
  for (int64_t t = 0; t < order.taps; ++t) {
    const T* at = from + t + i * order.in_stride;
    for (int64_t left = order.inputs - i; left > 0; --left) {
      to[in_group] = element(*at);
      at += order.in_stride;
      if (++in_group < group) continue;
      in_group = 0;
      to += step;
    }
  }
}

// Packs n columns from `first` on.
template <typename T>
void PackPanelQ8(const void* quantized, const FilterOrder& order, int64_t first,
                 int64_t n, int32_t offset, const GemmUkernel& micro,
                 int8_t* to) {
  const int64_t group = micro.packing.group, step = micro.nr * group;
  for (int64_t j = 0; j < n; ++j) {
    const T* from = static_cast<const T*>(quantized) + order.offset(first + j);
    int8_t* column = to + j * group;
    // A constant makes a group one copy.
    if (group == 4) {
      PackColumn(from, order, offset, 4, step, column);
    } else {
      PackColumn(from, order, offset, group, step, column);
    }
  }
}

// The sum of quantized values, and that of their distances from `zero`.
struct ValueSums {
  int64_t quantized = 0, distances = 0;

  template <typename T>
  void Add(const T* from, int64_t n, int32_t zero) {
    constexpr int64_t kAtOnce = 1 << 20;  // their sums fit into 32 bits
    for (int64_t begin = 0; begin < n; begin += kAtOnce) {
      const int64_t end = std::min(n, begin + kAtOnce);
      int32_t sum = 0, distance = 0;
      for (int64_t i = begin; i < end; ++i) {
        sum += from[i];
        distance += std::abs(from[i] - zero);
      }
      quantized += sum;
      distances += distance;
    }
  }
};

template <typename T>
ValueSums SumsOfChannel(const void* data, const FilterOrder& order, int64_t o,
                        int32_t zero) {
  const T* from = static_cast<const T*>(data) + order.offset(o);
  ValueSums sums;
  if (order.in_stride == order.taps) {
    sums.Add(from, order.depth(), zero);
    return sums;
  }
  for (int64_t i = 0; i < order.inputs; ++i, from += order.in_stride) {
    sums.Add(from, order.taps, zero);
  }
  return sums;
}

}  // namespace

int64_t FilterOrder::offset(int64_t o) const {
  const int64_t at = o % multiplier * (outputs / multiplier) + o / multiplier;
  return at * inputs * taps;
}

FlippedInput FlipFor(const TensorType& x, bool reads_unsigned) {
  const int32_t zero = x.quantization->zero_point();
  const bool is_unsigned = x.dtype == DataType::kU8;
  if (is_unsigned == reads_unsigned) return {0, zero};
  return {0x80, is_unsigned ? zero - 128 : zero + 128};
}

Status CheckConstantQ8(const Node& node) {
  if (node.inputs[1].data == nullptr) {
    return Unsupported(Label(node), ": a quantized filter must be constant");
  }
  if (node.has_input(2) && node.inputs[2].data == nullptr) {
    return Unsupported(Label(node), ": a quantized bias must be constant");
  }
  return Status();
}

std::string NameOfNumbersQ8(const Node& node) {
  const Quantization& x = *node.inputs[0].type.quantization;
  const Quantization& y = *node.outputs[0].quantization;
  const bool is_unsigned = node.inputs[0].type.dtype == DataType::kU8;
  return StrCat(is_unsigned ? " u8 x " : " x ", BitsOf(x.scale()), " ",
                x.zero_point(), " y ", BitsOf(y.scale()), " bias ",
                node.has_input(2) ? node.inputs[2].weight_id : -2);
}

int64_t SharedIdQ8(const Node& node) {
  if (node.has_input(2) && node.inputs[2].weight_id < 0) return -1;
  return node.inputs[1].weight_id;
}

ChannelSums SumsQ8(const Node& node, const FilterOrder& order, int64_t o,
                   int32_t x_zero, int32_t offset) {
  const Operand& w = node.inputs[1];
  const int32_t zero = w.type.quantization->zero_point();
  const ValueSums sums = w.type.dtype == DataType::kU8
                             ? SumsOfChannel<uint8_t>(w.data, order, o, zero)
                             : SumsOfChannel<int8_t>(w.data, order, o, zero);
  const int64_t sum = sums.quantized - order.depth() * offset;
  const int32_t bias = node.has_input(2)
                           ? static_cast<const int32_t*>(node.inputs[2].data)[o]
                           : 0;
  const int64_t corrections =
      order.depth() * (zero - offset) * int64_t{x_zero} - x_zero * sum;
  // Quantized values are at most 255 from the zero point of the input.
  return {static_cast<uint32_t>(corrections + bias),
          255 * sums.distances + std::abs(int64_t{bias})};
}

Result<PanelsQ8> PanelsQ8::Create(const Node& node, const FilterOrder& order,
                                  const OutputStage& stage,
                                  const GemmUkernel& micro,
                                  CpuContext& context) {
  MACE_RETURN_IF_ERROR(CheckConstantQ8(node));
  const Operand& w = node.inputs[1];
  const bool is_unsigned = w.type.dtype == DataType::kU8;
  const int32_t offset = is_unsigned ? 128 : 0;
  PanelsQ8 filter;
  filter.nr_ = micro.nr;
  filter.zero_point_ = w.type.quantization->zero_point() - offset;
  filter.panels_per_group_ = CeilDiv(order.per_group(), micro.nr);
  filter.panel_bytes_ = AlignUp(order.depth(), micro.packing.k_pad) * micro.nr;
  const int64_t panels = order.group * filter.panels_per_group_;
  const int64_t channels = panels * micro.nr;
  const int64_t stage_bytes = AlignUp(StageQ8::Bytes(channels), kAlignment);
  const auto bytes =
      static_cast<size_t>(stage_bytes + panels * filter.panel_bytes_);
  const int32_t x_zero =
      FlipFor(node.inputs[0].type, micro.reads_unsigned()).zero_point;
  const auto pack = [&](void* to) -> Status {
    std::memset(to, 0, bytes);
    auto* panel = static_cast<int8_t*>(to) + stage_bytes;
    const auto pack_panel =
        is_unsigned ? PackPanelQ8<uint8_t> : PackPanelQ8<int8_t>;
    for (int64_t p = 0; p < panels; ++p, panel += filter.panel_bytes_) {
      const int64_t begin = p % filter.panels_per_group_ * micro.nr;
      const int64_t n = std::min<int64_t>(micro.nr, order.per_group() - begin);
      const int64_t first =
          p / filter.panels_per_group_ * order.per_group() + begin;
      pack_panel(w.data, order, first, n, offset, micro, panel);
      for (int64_t o = first; o < first + n; ++o) {
        StageQ8::Pack(channels, p * micro.nr + o - first, stage, o,
                      SumsQ8(node, order, o, x_zero, offset), to);
      }
    }
    return Status();
  };
  const std::string how =
      StrCat("q8 ", order.group, " groups of ", order.per_group(), "x",
             order.taps, "x", order.inputs, " m ", order.multiplier, " by ",
             micro.nr, "x", micro.packing.group, "x", micro.packing.k_pad,
             micro.reads_unsigned() ? "u" : "s", NameOfNumbersQ8(node),
             stage.multipliers.empty() ? "" : " once");
  MACE_ASSIGN_OR_RETURN(
      filter.packed_,
      context.packed->GetOrPack(SharedIdQ8(node), how, bytes, pack));
  filter.panels_ =
      static_cast<const int8_t*>(filter.packed_.get()) + stage_bytes;
  filter.stage_ =
      StageQ8(stage, channels, filter.packed_.get(), context.features);
  return filter;
}

}  // namespace mace::cpu
