// Attributes and operands of QuantizedLstm.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_QUANTIZED_LSTM_H_
#define MACE_OPS_QUANTIZED_LSTM_H_

#include <cstddef>
#include <cstdint>

#include "mace/graph/node.h"

namespace mace {

// All are required. With B sequences of T steps of I elements, and H elements
// of the state:
//
//  x [T,B,I] (batch_major: [B,T,I]), w [4H,I], r [4H,H], h [B,H] int8;
//  bias [4H] int32; c [B,H] int16
//
// w, r and bias are constants. The rows of w and r are the gates i, o, f and g,
// H rows each; their zero points are 0.
enum QuantizedLstmInput : size_t {
  kQuantizedLstmX,
  kQuantizedLstmW,
  kQuantizedLstmR,
  kQuantizedLstmBias,
  kQuantizedLstmH,
  kQuantizedLstmC,
};

struct QuantizedLstmAttrs {
  bool batch_major = false;  // x is [B,T,I], not [T,B,I]; likewise y
  float cell_clip = 0;       // bound of c as a real number; 0: none

  template <typename V>
  void Fields(V& v) {
    v("batch_major", batch_major);
    v("cell_clip", cell_clip);
  }
};

struct QuantizedLstmShape {
  int64_t steps = 0, batch = 0, inputs = 0;
  int64_t hidden = 0;
  // A quantized value v of c is the number v * 2^cell_exponent; -15 to -9.
  int cell_exponent = 0;
};

// Checks the operands and returns their sizes. Errors: MACE_INVALID_MODEL for
// operands that do not fit together, weights or a bias that are not constant, a
// quantization that the op does not support, or a cell_clip that is negative or
// not finite.
Result<QuantizedLstmShape> ResolveQuantizedLstm(
    const Node& node, const QuantizedLstmAttrs& attrs);

}  // namespace mace

#endif  // MACE_OPS_QUANTIZED_LSTM_H_
