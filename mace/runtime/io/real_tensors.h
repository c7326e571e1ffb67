// The caller's floats in place of quantized inputs and outputs.
// SPDX-License-Identifier: Apache-2.0
//
// Tensors of f32 in host memory stand for the codes of quantized values; all
// others are left as they are.
#ifndef MACE_RUNTIME_IO_REAL_TENSORS_H_
#define MACE_RUNTIME_IO_REAL_TENSORS_H_

#include <map>
#include <string>

#include "mace/base/status.h"
#include "mace/graph/graph.h"
#include "mace/public/mace.h"

namespace mace {

// Returns whether any of the tensors holds floats for a quantized value.
bool HasReals(const Graph& graph,
              const std::map<std::string, MaceTensor>& inputs,
              const std::map<std::string, MaceTensor>& outputs);

// Returns the inputs, with the nearest codes of floats. Errors:
// MACE_INVALID_ARGS for a shape with a negative extent;
// MACE_OUT_OF_RESOURCES.
Result<std::map<std::string, MaceTensor>> WithCodes(
    const Graph& graph, const std::map<std::string, MaceTensor>& inputs);

// Returns the outputs, with an empty tensor, for which the engine allocates
// codes, in place of floats.
std::map<std::string, MaceTensor> WithoutReals(
    const Graph& graph, const std::map<std::string, MaceTensor>& outputs);

// Fills the floats among `outputs` from `codes`, and takes over its other
// tensors. Errors: MACE_INVALID_ARGS if floats have another number of elements.
Status FillReals(const Graph& graph,
                 const std::map<std::string, MaceTensor>& codes,
                 std::map<std::string, MaceTensor>* outputs);

}  // namespace mace

#endif  // MACE_RUNTIME_IO_REAL_TENSORS_H_
