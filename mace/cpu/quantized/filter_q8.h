// FilterQ8: a filter of codes, arranged for products with rows of pixels.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_QUANTIZED_FILTER_Q8_H_
#define MACE_CPU_QUANTIZED_FILTER_Q8_H_

#include <cstdint>
#include <memory>

#include "mace/cpu/common/cpu_context.h"
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

  int64_t offset(int64_t o) const;
  int64_t depth() const { return taps * inputs; }
};

// Codes without their zero point, as [outputs, taps, inputs], or as [taps,
// outputs] for a depthwise filter; and the sum of each output's codes at each
// tap, which stands for the zero point of the input.
class FilterQ8 {
 public:
  // Errors: MACE_UNSUPPORTED if the filter is not constant.
  static Result<FilterQ8> Create(const Node& node, const FilterOrder& order,
                                 bool is_depthwise, CpuContext& context);

  const int16_t* codes(int64_t output) const {
    return codes_ + output * order_.depth();
  }
  const int16_t* depthwise_codes(int64_t tap) const {
    return codes_ + tap * order_.outputs;
  }
  // Of the taps of `output`.
  const int32_t* sums(int64_t output) const {
    return sums_ + output * order_.taps;
  }

 private:
  FilterOrder order_;
  std::shared_ptr<const void> packed_;
  const int16_t* codes_ = nullptr;
  const int32_t* sums_ = nullptr;
};

}  // namespace mace::cpu

#endif  // MACE_CPU_QUANTIZED_FILTER_Q8_H_
