// CreateMaceEngineFromProto: model and engine in one call.
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>

#include "mace/base/aligned_buffer.h"
#include "mace/base/status.h"
#include "mace/public/mace.h"

namespace mace {

MaceStatus CreateMaceEngineFromProto(
    const std::vector<unsigned char>& model_pb,
    const std::string& model_data_file,
    const std::vector<std::string>& input_nodes,
    const std::vector<std::string>& output_nodes,
    const MaceEngineConfig& config, std::shared_ptr<MaceEngine>* engine) {
  std::shared_ptr<MaceModel> model;
  MACE_RETURN_IF_ERROR(MaceModel::Load(model_pb.data(), model_pb.size(),
                                       model_data_file, &model));
  return MaceEngine::Create(std::move(model), input_nodes, output_nodes, config,
                            engine);
}

MaceStatus CreateMaceEngineFromProto(
    const unsigned char* model_graph_proto, size_t model_graph_proto_size,
    const unsigned char* model_weights_data, size_t model_weights_data_size,
    const std::vector<std::string>& input_nodes,
    const std::vector<std::string>& output_nodes,
    const MaceEngineConfig& config, std::shared_ptr<MaceEngine>* engine,
    bool* model_data_unused) {
  // The app owns them.
  const std::shared_ptr<const unsigned char> weights(std::shared_ptr<void>(),
                                                     model_weights_data);
  std::shared_ptr<MaceModel> model;
  MACE_RETURN_IF_ERROR(MaceModel::Load(model_graph_proto,
                                       model_graph_proto_size, weights,
                                       model_weights_data_size, &model));
  if (model_data_unused != nullptr) {
    *model_data_unused =
        reinterpret_cast<uintptr_t>(model_weights_data) % kAlignment != 0;
  }
  return MaceEngine::Create(std::move(model), input_nodes, output_nodes, config,
                            engine);
}

}  // namespace mace
