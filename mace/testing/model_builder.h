// ModelBuilder: small models in memory, for tests.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_TESTING_MODEL_BUILDER_H_
#define MACE_TESTING_MODEL_BUILDER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "mace/graph/node.h"
#include "mace/proto/mace.pb.h"
#include "mace/public/mace.h"

namespace mace::testing {

// Each call adds to the model and returns the builder, to be chained. Names are
// those of tensors; nodes must follow the nodes that they read.
//
//  ModelBuilder()
//      .Input("x", {1, 4}).Weight("w", {2, 4}, values)
//      .Op("FullyConnected", {"x", "w"}, {"y"}).Output("y").Load()
//
// What a call does not offer is set in net().
class ModelBuilder {
 public:
  // A float32 input. A size of -1 is dynamic.
  ModelBuilder& Input(const std::string& name, const Shape& shape);
  // A float32 weight.
  ModelBuilder& Weight(const std::string& name, const Shape& shape,
                       const std::vector<float>& values);
  // Stored as int8, with a scale for each row (stored_weight.h).
  ModelBuilder& QuantizedWeight(const std::string& name, const Shape& shape,
                                const std::vector<int8_t>& quantized,
                                const std::vector<float>& scales);
  // The same with a quantization.
  ModelBuilder& QuantizedWeight(const std::string& name, const Shape& shape,
                                const std::vector<int8_t>& quantized,
                                const Quantization& quantization);
  // A vector of int32.
  ModelBuilder& WeightI32(const std::string& name,
                          const std::vector<int32_t>& values);
  // Adds a node, named like its first output. An input "" is absent.
  ModelBuilder& Op(const std::string& op,
                   const std::vector<std::string>& inputs,
                   const std::vector<std::string>& outputs,
                   const AttrMap& attrs = {});
  ModelBuilder& Output(const std::string& name);

  proto::NetDef& net() { return net_; }
  // The serialized graph, complete with the version and the weights' size and
  // checksum.
  std::vector<unsigned char> Graph();
  std::shared_ptr<unsigned char> Data() const;  // 64-byte aligned copy
  size_t data_size() const { return data_.size(); }

  // Loads the model, with a copy of the weights. Expects success; null if it
  // fails.
  std::shared_ptr<MaceModel> Load();

 private:
  void AddWeight(const std::string& name, const Shape& shape,
                 proto::DataType type, const void* values, size_t bytes);

  proto::NetDef net_;
  std::vector<unsigned char> data_;
};

// A float tensor that owns a copy of `values`, which must be as many as the
// shape holds.
MaceTensor FloatTensor(const Shape& shape, const std::vector<float>& values);
// Weights of `n` elements, from -3/64 to 3/64 in turn.
std::vector<float> SmallWeights(int64_t n);
// The elements of a float tensor.
std::vector<float> Values(const MaceTensor& tensor);

}  // namespace mace::testing

#endif  // MACE_TESTING_MODEL_BUILDER_H_
