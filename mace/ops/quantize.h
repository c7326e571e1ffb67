// Attributes of Quantize.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_QUANTIZE_H_
#define MACE_OPS_QUANTIZE_H_

#include <string>

namespace mace {

struct QuantizeAttrs {
  std::string to = "i8";  // element type of y: i8, u8 or i16
  // How requantization rounds with AWAY: in FIXED point, or in FLOAT, as in
  // TFLite's CONCATENATION.
  std::string arithmetic = "FIXED";
  // Halves are rounded AWAY from zero, or to the EVEN number, as in ONNX.
  std::string rounding = "AWAY";

  template <typename V>
  void Fields(V& v) {
    v("to", to);
    v("arithmetic", arithmetic);
    v("rounding", rounding);
  }
};

}  // namespace mace

#endif  // MACE_OPS_QUANTIZE_H_
