// Building a model that has a KV cache.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/cached_model.h"

#include <cmath>
#include <string>

namespace mace::testing {
namespace {

void AddState(const std::string& name, const std::string& next,
              proto::DataType type, const std::vector<int64_t>& dims,
              ModelBuilder* b) {
  proto::Variable& state = *b->net().add_variables();
  state.mutable_tensor()->set_name(name);
  state.mutable_tensor()->set_data_type(type);
  for (const int64_t d : dims) state.mutable_tensor()->add_dims(d);
  state.set_next(next);
}

}  // namespace

std::vector<float> Embeddings() {
  std::vector<float> table;
  for (int i = 0; i < kCachedVocab; ++i) {
    table.push_back(2 * std::cos(0.7f * static_cast<float>(i)));
    table.push_back(2 * std::sin(1.3f * static_cast<float>(i)));
  }
  return table;
}

std::vector<float> OutputMatrix(float scale) {
  std::vector<float> matrix;
  for (int i = 0; i < kCachedVocab; ++i) {
    matrix.push_back(scale * std::sin(0.37f * static_cast<float>(i)));
    matrix.push_back(scale * std::cos(2.1f * static_cast<float>(i)));
  }
  return matrix;
}

std::shared_ptr<MaceModel> CachedModel(proto::DataType type, float scale) {
  ModelBuilder b;
  b.Input("input_ids", {1, 1});
  b.net().mutable_input_info(0)->set_data_type(proto::DT_INT64);
  b.net().mutable_input_info(0)->set_dims(1, -1);
  AddState("position", "position/next", proto::DT_INT64, {1}, &b);
  AddState(
      "cache", "cache/next", type,
      {1, 1, kCachedCapacity, kCachedSize + (type == proto::DT_INT8 ? 4 : 0)},
      &b);
  b.Weight("table", {kCachedVocab, kCachedSize}, Embeddings())
      .Weight("matrix", {kCachedVocab, kCachedSize}, OutputMatrix(scale))
      .Op("Gather", {"table", "input_ids"}, {"rows"}, {{"axis", int64_t{0}}})
      .Op("Shape", {"input_ids"}, {"tokens"},
          {{"start", int64_t{1}}, {"end", int64_t{2}}})
      .Op("Eltwise", {"position", "tokens"}, {"position/next"},
          {{"type", std::string("SUM")}})
      .Op("ExpandDims", {"rows"}, {"x"}, {{"axis", std::vector<int64_t>{1}}})
      .Op("UpdateKvCache", {"cache", "x", "position"}, {"cache/next"})
      .Op("Attention", {"x", "cache/next", "cache/next", "", "position"}, {"y"},
          {{"right_window", int64_t{0}}})
      .Op("Squeeze", {"y"}, {"attended"}, {{"axis", std::vector<int64_t>{1}}})
      .Op("FullyConnected", {"attended", "matrix"}, {"logits"})
      .Output("logits");
  return b.Load();
}

}  // namespace mace::testing
