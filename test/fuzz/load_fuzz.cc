// Fuzzes what meets untrusted bytes: the loader, then shape inference and
// constant folding over what it accepts.
// SPDX-License-Identifier: Apache-2.0
//
// The input is a serialized NetDef. The weights are as many bytes as it asks
// for, within reason, and always have the checksum skipped: a fuzzer cannot
// guess one.

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "mace/cpu/cpu_device.h"
#include "mace/device/widen_weights.h"
#include "mace/model/model.h"
#include "mace/plan/infer.h"
#include "mace/proto/mace.pb.h"

namespace mace {
namespace {

constexpr int64_t kMaxWeightBytes = 1 << 20;
// Folding small constants is what is tested, not a machine's memory.
constexpr int64_t kMaxElements = 1 << 20;

WeightBytes MakeWeights(const uint8_t* data, size_t size) {
  proto::NetDef net;
  if (!net.ParseFromArray(data, static_cast<int>(size))) return {};
  const int64_t bytes = net.data_bytes();
  if (bytes <= 0 || bytes > kMaxWeightBytes) return {};
  const size_t padded = (static_cast<size_t>(bytes) + 63) / 64 * 64;
  std::shared_ptr<uint8_t> weights(
      static_cast<uint8_t*>(std::aligned_alloc(64, padded)), std::free);
  std::memset(weights.get(), 1, padded);
  return {weights, static_cast<size_t>(bytes)};
}

bool IsSmall(const Graph& graph) {
  for (int id : graph.inputs) {
    if (NumElements(graph.values[id].type.shape) > kMaxElements) return false;
  }
  return graph.nodes.size() < 64;
}

void Load(const uint8_t* data, size_t size) {
  auto model = LoadModel(data, size, MakeWeights(data, size), {false});
  if (!model.ok()) {
    if (model.status().information().empty()) std::abort();
    return;
  }
  if (!IsSmall(model->graph)) return;
  const auto packed = std::make_shared<PackedWeights>();
  auto device = CpuDevice::Create({1, 0, true}, packed);
  if (!device.ok()) return;
  Status status = WidenWeights({device->get()}, *packed, model->graph);
  if (status.ok()) status = InferGraph(model->graph, **device);
  // An error must say something; our own invariants must hold.
  if (!status.ok() && (status.information().empty() ||
                       status.code() == Status::MACE_INTERNAL_ERROR)) {
    std::abort();
  }
}

}  // namespace
}  // namespace mace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  mace::Load(data, size);
  return 0;
}
