// Verifies and reads how tensors of integers represent real numbers.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_MODEL_QUANTIZATION_H_
#define MACE_MODEL_QUANTIZATION_H_

#include <optional>
#include <string>

#include "mace/base/status.h"
#include "mace/graph/tensor_type.h"
#include "mace/proto/messages.h"

namespace mace {

// Checks that a tensor of `type` can be quantized in this way. Without scales,
// nothing else may be set. Errors: MACE_INVALID_MODEL, beginning with `what`.
Status CheckQuantization(
    const std::optional<stored::Quantization>& quantization,
    const TensorType& type, const std::string& what);

// Returns null if there are no scales. REQUIRES: CheckQuantization succeeded.
QuantizationPtr FromStored(
    const std::optional<stored::Quantization>& quantization);

}  // namespace mace

#endif  // MACE_MODEL_QUANTIZATION_H_
