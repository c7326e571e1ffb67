// Memory plans of model files, and verifying prepacked weights.
// SPDX-License-Identifier: Apache-2.0

#include "mace/model/prepacked_weights.h"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "mace/base/aligned_buffer.h"
#include "mace/base/memory_reserve.h"
#include "mace/base/str_cat.h"
#include "mace/graph/stored_weight.h"
#include "mace/model/text.h"

namespace mace {
namespace {

// Of one weight: its name is copied for each.
constexpr int kMaxWays = 64;

Status CheckPlace(const stored::PackedWeight& packed, const std::string& what,
                  int64_t head_bytes) {
  if (packed.bytes < 0 || packed.offset < 0 || packed.offset > head_bytes ||
      packed.bytes > head_bytes - packed.offset) {
    return InvalidModel(what, ": lies at byte ", packed.offset, " with ",
                        packed.bytes, " bytes, outside the first ", head_bytes,
                        " bytes of weights");
  }
  if (packed.offset % kAlignment != 0) {
    return InvalidModel(what, ": its offset ", packed.offset,
                        " is not a multiple of 64");
  }
  return Status();
}

// Weights that kernels read unpacked must lie in the head, which is verified.
Status CheckPlainWeights(const stored::NetDef& net,
                         const std::set<int>& packed_ones, const Model& model) {
  int i = 0;
  for (const stored::ConstTensor& tensor : net.tensors) {
    const Value& value = model.graph.values[i];
    const int64_t bytes = StoredBytes(value);
    if (packed_ones.count(i++) > 0 || bytes == 0) continue;
    if (static_cast<size_t>(tensor.offset + bytes) > model.head_bytes) {
      return InvalidModel("weight ", Quoted(tensor.name),
                          ": it is not packed and lies behind the first ",
                          model.head_bytes, " bytes of weights");
    }
  }
  return Status();
}

}  // namespace

Status CheckHeadBytes(const stored::PackedWeights& packed, size_t data_bytes) {
  if (packed.head_bytes >= 0 &&
      static_cast<uint64_t>(packed.head_bytes) <= data_bytes) {
    return Status();
  }
  return InvalidModel("packed weights: head_bytes is ", packed.head_bytes,
                      ", the weights are ", data_bytes, " bytes");
}

Status ReadPackedWeights(const stored::NetDef& net, Model* model) {
  const stored::PackedWeights& all = *net.packed_weights;
  if (all.version == 0) {
    return InvalidModel("packed weights: they have no version");
  }
  MACE_RETURN_IF_ERROR(CheckHeadBytes(all, model->weights.size));
  model->packing_version = all.version;
  model->head_bytes = static_cast<size_t>(all.head_bytes);
  model->tail_xxh3 = all.tail_xxh3;
  std::set<std::pair<int, std::string_view>> seen;
  std::set<int> packed_ones;
  std::map<int, int> ways;
  for (const stored::PackedWeight& packed : all.weights) {
    if (packed.tensor < 0 ||
        static_cast<size_t>(packed.tensor) >= net.tensors.size()) {
      return InvalidModel("packed weights: there is no weight ", packed.tensor,
                          " of ", net.tensors.size());
    }
    MACE_RETURN_IF_ERROR(FillMemoryReserve());
    const std::string& name = model->graph.values[packed.tensor].name;
    const std::string what =
        StrCat("weight ", Quoted(name), " packed as ", Quoted(packed.how));
    MACE_RETURN_IF_ERROR(CheckPlace(packed, what, all.head_bytes));
    if (!seen.emplace(packed.tensor, packed.how).second) {
      return InvalidModel(what, ": is there twice");
    }
    if (++ways[packed.tensor] > kMaxWays) {
      return InvalidModel(what, ": it is packed in more than ", kMaxWays,
                          " ways");
    }
    packed_ones.insert(packed.tensor);
    model->packed.push_back({packed.tensor, std::string(packed.how), name,
                             model->weights.data.get() + packed.offset,
                             static_cast<size_t>(packed.bytes)});
  }
  return CheckPlainWeights(net, packed_ones, *model);
}

EmbeddedMemoryPlan ReadMemoryPlan(const stored::MemoryPlan& stored) {
  EmbeddedMemoryPlan plan;
  plan.version = stored.version;
  plan.records_hash = stored.records_hash;
  plan.offsets.reserve(stored.offsets.size());
  for (const int64_t offset : stored.offsets) plan.offsets.push_back(offset);
  plan.total_bytes = stored.total_bytes;
  plan.lower_bound_bytes = stored.lower_bound_bytes;
  plan.optimal = stored.optimal;
  return plan;
}

Status CheckStoredPlans(const stored::NetDef&) { return Status(); }

Status VerifyTail(const Model& model) {
  return CheckHash(model.weights.data.get() + model.head_bytes,
                   model.weights.size - model.head_bytes, model.tail_xxh3);
}

}  // namespace mace
