// CreateMaceEngineFromProto: model and engine in one call.
// SPDX-License-Identifier: Apache-2.0

#include "mace/base/file.h"
#include "mace/base/status.h"
#include "mace/public/mace.h"

namespace mace {

MaceStatus CreateMaceEngineFromProto(
    const std::vector<unsigned char>& model_pb,
    const std::string& model_data_file,
    const std::vector<std::string>& input_nodes,
    const std::vector<std::string>& output_nodes,
    const MaceEngineConfig& config, std::shared_ptr<MaceEngine>* engine) {
  std::shared_ptr<const unsigned char> weights;
  size_t size = 0;
  if (!model_data_file.empty()) {
    MACE_ASSIGN_OR_RETURN(MappedFile file, MappedFile::Open(model_data_file));
    auto owner = std::make_shared<MappedFile>(std::move(file));
    size = owner->size();
    weights = {owner, owner->data()};
  }
  std::shared_ptr<MaceModel> model;
  MACE_RETURN_IF_ERROR(MaceModel::Load(model_pb.data(), model_pb.size(),
                                       std::move(weights), size, &model));
  return MaceEngine::Create(std::move(model), input_nodes, output_nodes, config,
                            engine);
}

MaceStatus CreateMaceEngineFromProto(
    const std::vector<unsigned char>& model_pb,
    const std::string& model_data_file,
    const std::vector<std::string>& input_nodes,
    const std::vector<std::string>& output_nodes, const DeviceType device_type,
    std::shared_ptr<MaceEngine>* engine) {
  return CreateMaceEngineFromProto(model_pb, model_data_file, input_nodes,
                                   output_nodes, MaceEngineConfig(device_type),
                                   engine);
}

}  // namespace mace
