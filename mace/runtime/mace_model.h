// What a MaceModel holds.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_RUNTIME_MACE_MODEL_H_
#define MACE_RUNTIME_MACE_MODEL_H_

#include <memory>
#include <string>
#include <vector>

#include "mace/device/packed_weights.h"
#include "mace/model/model.h"
#include "mace/public/mace.h"

namespace mace {

class MaceModel::Impl {
 public:
  Model model;
  std::shared_ptr<PackedWeights> packed;
  std::vector<MaceTensorInfo> inputs;
  std::vector<MaceTensorInfo> outputs;  // shapes are known to engines only
};

IDataType ToPublic(DataType type);
DataFormat ToPublic(DimensionOrder order);
DataType FromPublic(IDataType type);

}  // namespace mace

#endif  // MACE_RUNTIME_MACE_MODEL_H_
