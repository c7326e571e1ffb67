// FloatIo: the caller's float32 tensors in place of quantized ones.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_RUNTIME_IO_FLOAT_IO_H_
#define MACE_RUNTIME_IO_FLOAT_IO_H_

#include "mace/runtime/io/io_adapter.h"

namespace mace {

// Quantizes float32 inputs and dequantizes float32 outputs in host memory,
// where the model has quantized tensors; all others are left as they are.
class FloatIo final : public IoAdapter {
 public:
  // Whether any of the tensors has float32 elements in host memory where the
  // graph's is quantized. A tensor without data has none.
  bool AppliesTo(const Graph& graph, const Tensors& inputs,
                 const Tensors& outputs) const override;
  // Quantizes inputs, to the nearest value. Replaces float32 outputs by empty
  // tensors, for which the engine allocates memory. Errors: MACE_INVALID_ARGS
  // for a shape with a negative extent or too many elements, or memory that is
  // not aligned; MACE_OUT_OF_RESOURCES.
  Status Adapt(const Graph& graph, Tensors* inputs, Tensors* outputs) override;
  // Dequantizes what the run wrote. Errors: MACE_INVALID_ARGS if a float32
  // output has another number of elements (then nothing is written), or the
  // model's is not int8, uint8 or int16.
  Status Restore(const Graph& graph, Tensors written,
                 Tensors* outputs) override;
};

}  // namespace mace

#endif  // MACE_RUNTIME_IO_FLOAT_IO_H_
