// Shape inference alone, for the test of the converter's own inference.
// SPDX-License-Identifier: Apache-2.0

#include "tools/mace_run/infer_types.h"

#include <memory>
#include <utility>

#include "mace/base/file.h"
#include "mace/cpu/cpu_device.h"
#include "mace/device/widen_weights.h"
#include "mace/model/model.h"
#include "mace/plan/stages/infer.h"

namespace mace::tools {
namespace {

using Json = nlohmann::json;

Result<Json> TypesOf(const Job& job) {
  MACE_ASSIGN_OR_RETURN(const auto graph, ReadFile(job.model_file));
  MACE_ASSIGN_OR_RETURN(MappedFile file, MappedFile::Open(job.model_data_file));
  const auto weights = std::make_shared<MappedFile>(std::move(file));
  MACE_ASSIGN_OR_RETURN(
      Model model,
      LoadModel(graph.data(), graph.size(),
                {{weights, weights->data()}, weights->size()}, {false}));
  const auto packed = std::make_shared<PackedWeights>();
  MACE_ASSIGN_OR_RETURN(const auto device,
                        CpuDevice::Create({1, 0, true}, packed));
  MACE_RETURN_IF_ERROR(WidenWeights({device.get()}, *packed, model.graph));
  MACE_RETURN_IF_ERROR(InferGraph(model.graph, *device));
  Json types = Json::object();
  for (const Value& value : model.graph.values) {
    types[value.name] = {Name(value.type.dtype), value.type.shape};
  }
  return types;
}

}  // namespace

Json InferTypes(const std::vector<Job>& jobs) {
  Json list = Json::array();
  for (const Job& job : jobs) {
    const auto types = TypesOf(job);
    list.push_back(types.ok() ? Json{{"types", *types}}
                              : Json{{"error", types.status().information()}});
  }
  return list;
}

}  // namespace mace::tools
