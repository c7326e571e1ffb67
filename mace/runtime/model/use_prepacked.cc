// Weights that were packed when the model was converted.
// SPDX-License-Identifier: Apache-2.0

#include "mace/base/logging.h"
#include "mace/runtime/model/mace_model.h"

namespace mace {

Status UsePrepacked(const Model& model, bool verify, PackedWeights* packed) {
  if (model.packing_version != kPackingVersion) {
    if (model.packing_version == 0) return Status();
    LOG(INFO) << "the model's packed weights are of version "
              << model.packing_version << ", this library's of "
              << kPackingVersion << ": packing them again";
    return verify ? VerifyTail(model) : Status();
  }
  for (const PrepackedWeights& ahead : model.packed) {
    packed->AddPacked(ahead.weight, ahead.how, ahead.name,
                      {model.weights.data, ahead.data}, ahead.bytes);
  }
  if (!verify) return Status();
  packed->SetVerify([&model, verified = false]() mutable {
    if (verified) return Status();
    MACE_RETURN_IF_ERROR(VerifyTail(model));
    verified = true;
    return Status();
  });
  return Status();
}

}  // namespace mace
