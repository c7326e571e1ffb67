// Verifies and reads the quantization parameters of tensors.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_MODEL_QUANTIZATION_H_
#define MACE_MODEL_QUANTIZATION_H_

#include <optional>
#include <string>

#include "mace/base/status.h"
#include "mace/graph/tensor_type.h"
#include "mace/proto/messages.h"

namespace mace {

// Checks that a tensor of `type` (i8, u8, i16 or i32) can be quantized in this
// way: one scale, or one for each index of an axis, all finite and above 0; no
// zero points, or as many as scales, each in the range of the type. Without
// scales, nothing else may be set. Accepts a quantization that is absent.
// Errors: MACE_INVALID_MODEL, beginning with `what`.
Status CheckQuantization(
    const std::optional<stored::Quantization>& quantization,
    const TensorType& type, const std::string& what);

// Returns the parameters, or null if there are no scales. Zero points that the
// file leaves out are 0. REQUIRES: CheckQuantization succeeded.
QuantizationPtr FromStored(
    const std::optional<stored::Quantization>& quantization);

}  // namespace mace

#endif  // MACE_MODEL_QUANTIZATION_H_
