// Filters of quantized values as the micro-kernels read them, with the numbers
// of each output channel.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_GEMM_FILTER_Q8_H_
#define MACE_CPU_GEMM_FILTER_Q8_H_

#include <cstdint>
#include <memory>
#include <string>

#include "mace/cpu/common/cpu_context.h"
#include "mace/cpu/quantized/stage_q8.h"
#include "mace/cpu/ukernels/gemm/gemm_table.h"
#include "mace/graph/node.h"

namespace mace::cpu {

// Where element (output channel o, input channel i, tap t) of a filter lies in
// the weight of the model: at offset(o) + i * in_stride + t.
struct FilterOrder {
  int64_t outputs = 0;
  int64_t inputs = 0;  // of one group
  int64_t taps = 1;
  int64_t in_stride = 1;
  // Of a depthwise filter [M, C, kh, kw], whose output c * M + m is [m, c];
  // else 1.
  int64_t multiplier = 1;
  int64_t group = 1;

  int64_t offset(int64_t o) const;
  int64_t depth() const { return taps * inputs; }
  int64_t per_group() const { return outputs / group; }
};

// How quantized values of an input become what micro-kernels multiply: each is
// xor-ed with `flip`; `zero_point` is that of the result.
struct FlippedInput {
  uint8_t flip = 0;
  int32_t zero_point = 0;
};
// 0x80 turns a uint8 q into the int8 q - 128, and an int8 q into the uint8 q +
// 128; 0 keeps the type if the micro-kernel reads it.
FlippedInput FlipFor(const TensorType& x, bool reads_unsigned);

// Quantized values of a weight as int32, whatever their type.
struct FilterValuesQ8 {
  const void* data;
  bool is_unsigned;

  int32_t operator[](int64_t i) const {
    return is_unsigned ? int32_t{static_cast<const uint8_t*>(data)[i]}
                       : int32_t{static_cast<const int8_t*>(data)[i]};
  }
};

// Errors: MACE_UNSUPPORTED if the filter or the bias is not constant.
Status CheckConstantQ8(const Node& node);

// Names what packed numbers depend on besides the filter and how it is packed:
// the type and quantization of x, the scale of y, and the bias.
std::string NameOfNumbersQ8(const Node& node);

// Returns the id by which packed numbers are shared: that of the filter, or -1
// if the bias has none by which it could be told from others.
int64_t SharedIdQ8(const Node& node);

// Returns the sums of output channel `o`, if `x_zero` stands for 0 in the input
// and the filter's elements are quantized values minus `offset`.
ChannelSums SumsQ8(const Node& node, const FilterOrder& order, int64_t o,
                   int32_t x_zero, int32_t offset);

// What a GEMM reads of a filter: its panels, and the value with which the sum
// of each column starts.
struct FilterDataQ8 {
  const int8_t* panels;
  const int32_t* start;
};

// A filter for products of matrices. The depth of a group is [taps, inputs].
// Elements are quantized values, minus 128 if they are uint8; zero_point() is
// the zero point of the elements, which rows of the input account for.
class PanelsQ8 {
 public:
  // Errors: MACE_UNSUPPORTED if the filter or the bias is not constant;
  // MACE_OUT_OF_RESOURCES.
  static Result<PanelsQ8> Create(const Node& node, const FilterOrder& order,
                                 const OutputStage& stage,
                                 const GemmUkernel& micro, CpuContext& context);

  const StageQ8& stage() const { return stage_; }
  int32_t zero_point() const { return zero_point_; }
  int64_t panel_bytes() const { return panel_bytes_; }
  FilterDataQ8 data() const { return {panels_, stage_.start(0)}; }
  // Where panel `panel` of group `g` begins, in bytes.
  int64_t offset(int64_t g, int64_t panel) const {
    return (g * panels_per_group_ + panel) * panel_bytes_;
  }
  // Of the first column of that panel, among those of the stage.
  int64_t channel(int64_t g, int64_t panel) const {
    return (g * panels_per_group_ + panel) * nr_;
  }

 private:
  std::shared_ptr<const void> packed_;
  StageQ8 stage_;
  const int8_t* panels_ = nullptr;
  int64_t nr_ = 0, panels_per_group_ = 0, panel_bytes_ = 0;
  int32_t zero_point_ = 0;
};

}  // namespace mace::cpu

#endif  // MACE_CPU_GEMM_FILTER_Q8_H_
