// The contents of a MaceModel.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_RUNTIME_MODEL_MACE_MODEL_H_
#define MACE_RUNTIME_MODEL_MACE_MODEL_H_

#include <memory>
#include <string>
#include <vector>

#include "mace/base/file.h"
#include "mace/device/device_weights.h"
#include "mace/device/packed_weights.h"
#include "mace/model/model.h"
#include "mace/public/mace.h"
#include "mace/runtime/settings/setting_values.h"

namespace mace {

// Immutable once loaded, so that any number of engines may share it; `packed`
// and `device_weights` are filled in by engines, and lock themselves.
class MaceModel::Impl {
 public:
  // Returns a MaceModel that owns `impl`, for models that are made in memory.
  static std::shared_ptr<MaceModel> Wrap(std::unique_ptr<Impl> impl);

  Model model;
  ChosenSettings settings;  // from the deployment file
  // Weights in the order of the micro-kernels, and on a GPU: made once for all
  // engines.
  std::shared_ptr<PackedWeights> packed;
  std::shared_ptr<DeviceWeights> device_weights;
  std::shared_ptr<const MappedFile> file;  // of weights; null: none is mapped
  uint64_t hash = 0;  // of the graph, which has the checksum of the weights

  bool uses_prepacked() const {
    return model.packing_version == kPackingVersion;
  }

  // Lets the system drop the pages of weights of 64 KiB and more in `file` that
  // are packed, which are hardly ever read again.
  void ForgetPackedWeights() const;

  std::vector<MaceTensorInfo> inputs;
  // With the types and shapes that the model file states, if it does.
  std::vector<MaceTensorInfo> outputs;
  std::vector<std::vector<MaceDimension>> dimensions;  // by input
};

// Registers the weights that the model file holds prepacked, if this release
// packs weights in the same way. `verify`: calls VerifyTail before the plain
// bytes of such weights are read: now if this release packs them otherwise,
// else when a kernel asks for another arrangement; `packed` then refers to
// `model`, which must outlive it. Errors: as VerifyTail.
Status UsePrepacked(const Model& model, bool verify, PackedWeights* packed);

// Return the types of the public headers for those of graphs, and back:
// IDT_INVALID and kInvalid if there is none.
IDataType ToPublic(DataType type);
DataFormat ToPublic(DimensionOrder order);
// Of a quantized tensor (per axis: of index 0); 0 for others.
float ScaleOf(const TensorType& type);
int32_t ZeroPointOf(const TensorType& type);
DataType FromPublic(IDataType type);

}  // namespace mace

#endif  // MACE_RUNTIME_MODEL_MACE_MODEL_H_
