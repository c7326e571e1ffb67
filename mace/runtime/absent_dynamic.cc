// Engines without states, dynamic dimensions, and plans that depend on data.
// Models with any of them do not load.
// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mace/base/components.h"
#include "mace/runtime/control_flow/deferred_runner.h"
#include "mace/runtime/io/open_shapes.h"
#include "mace/runtime/io/states.h"
#include "mace/runtime/io/states_io.h"

namespace mace {

Status States::AddTo(const std::vector<StateVariable>&,
                     const std::map<int, OpenDims>&, Graph*) {
  return Status();
}
void States::GrowInPlace(Graph*) {}
Status States::Allocate(const Graph&) { return Status(); }
size_t States::CountTensors() const { return 0; }
bool States::grow() const { return false; }
int64_t States::bytes() const { return 0; }
int64_t States::held_bytes() const { return 0; }
std::vector<MaceTensorInfo> States::Infos() const { return {}; }
std::string States::Dump() const { return ""; }
Status States::CheckTypes(const Graph&) const { return Status(); }
bool States::Outgrows(const std::string&, const Shape&) const { return false; }

Status States::Reset() { return AbsentComponent("ResetState", "dynamic"); }
Status States::Get(Tensors*) const {
  return AbsentComponent("GetState", "dynamic");
}
Status States::Set(const Tensors&) {
  return AbsentComponent("SetState", "dynamic");
}

std::unique_ptr<IoAdapter> StatesIo::Create(States*) { return nullptr; }

bool OpenShapes::is_bounded() const { return false; }

Status OpenShapes::Check(const Graph&, const std::vector<Shape>&) const {
  return Status();
}

std::vector<Shape> OpenShapes::WithExtent(const Graph& graph, int64_t) const {
  std::vector<Shape> shapes;
  for (const int id : graph.inputs) {
    shapes.push_back(graph.values[id].type.shape);
  }
  return shapes;
}

Status DeferredRunner::Run(Executor&, const std::map<std::string, MaceTensor>&,
                           std::map<std::string, MaceTensor>*,
                           const Cancellation*, RunMetadata*) {
  return AbsentComponent("Run", "dynamic");
}

}  // namespace mace
