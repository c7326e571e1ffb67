// Seed and Draft: a model from which mutations start, and a model that is being
// mutated.
// SPDX-License-Identifier: Apache-2.0
#ifndef TEST_FUZZ_DRAFT_H_
#define TEST_FUZZ_DRAFT_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mace/graph/node.h"
#include "mace/proto/mace.pb.h"
#include "test/fuzz/random.h"

namespace mace::fuzz {

// The most bytes of the tensors that mutations add. They lie after the model's
// own weights.
constexpr int64_t kMaxAddedBytes = 1 << 16;

// A model from which mutations start. Its tensors lie in one array:
//
//  0                bytes                     bytes + kMaxAddedBytes
//  | weights, padded | added ... | space for more |
//
// `bytes` is a multiple of 64.
struct Seed {
  std::string name;
  std::string group;  // the folder that it comes from
  proto::NetDef net;
  // The array. Cases of the seed write what they add at `bytes`.
  std::shared_ptr<uint8_t> weights;
  int64_t bytes = 0;
  // The contents of tensors that earlier mutations added, which lie after the
  // weights.
  std::string added;
  // The types of all tensors at the model's input shapes, as far as inference
  // succeeds.
  std::map<std::string, TensorType> types;
  int64_t work = 0;  // about the number of multiply-adds of a run
};

// Infers `types`, to which it adds, and `work`. Returns false if the model is
// not valid; `types` then holds what was inferred before the error.
bool InferTypes(Seed* seed);

// A tensor's scales, where the model says them. Points into the model.
struct Quantized {
  std::string name;  // of the tensor
  proto::Quantization* quantization;
};
// Returns all scales of the model: of weights, inputs, outputs and nodes.
std::vector<Quantized> QuantizationsOf(proto::NetDef* net);
void WriteQuantization(const QuantizationPtr& from, proto::Quantization* to);

// Removes the types that nodes declare for their outputs, but for nodes with a
// quantized output, which must declare them. The model's form leaves out nodes
// of subgraphs, as does Redeclare's.
void ForgetDeclared(proto::NetDef* net);
void ForgetDeclared(proto::OperatorDef* op);
// Declares these types for all outputs of nodes with a quantized output.
void Redeclare(const std::map<std::string, TensorType>& types,
               proto::NetDef* net);
void Redeclare(const std::map<std::string, TensorType>& types,
               proto::OperatorDef* op);

// A copy of the model of a seed, which mutations change. `types` may be out of
// date after a mutation: they are hints for what to try next.
class Draft {
 public:
  // `seed` must outlive the draft.
  explicit Draft(const Seed& seed);

  proto::NetDef net;
  std::map<std::string, TensorType> types;

  // Returns whether there is space for `bytes` bytes more.
  bool HasSpace(int64_t bytes) const;
  // False, too, for extents that no tensor has.
  bool HasSpace(const TensorType& type) const;
  // Adds a constant tensor of this type, after all others in the array, and
  // returns its name. REQUIRES: HasSpace(contents.size()).
  std::string AddWeight(const TensorType& type, const std::string& contents);
  // Gives a weight other contents. REQUIRES: HasSpace(contents.size()).
  void SetContents(const std::string& contents, proto::ConstTensor* weight);
  // Returns the operand for shape inference, with contents if they are known;
  // absent if there is no tensor of that name. Valid until something is added.
  Operand OperandOf(const std::string& name) const;
  // Returns a name that no earlier call has returned: the prefix, # and a
  // number.
  std::string NewName(const char* prefix);
  // Declares the types of quantized outputs as inference now finds them, since
  // models with others are refused before anything runs. Writes to the weights
  // of the seed.
  void Redeclare();
  // Returns any tensor, or "" if there is none.
  std::string AnyTensor(Random& random) const;

  // Returns the graph as a file, which carries the added tensors and `settings`
  // (of the engine) in settings that engines ignore. It adds these to `net`, so
  // call it once.
  std::string Serialize(int64_t settings);
  // The contents of the added tensors, which must lie after the weights of the
  // seed.
  const std::string& added() const { return added_; }

 private:
  const Seed& seed_;
  std::string added_;
  int names_;  // number of the next name; seeds may use some, too
};

// The settings that Serialize writes: how the case runs, and the weights that
// its mutations added. Engines do not know them and ignore them.
constexpr char kCaseSetting[] = "fuzz_case";
constexpr char kWeightsSetting[] = "fuzz_weights";

}  // namespace mace::fuzz

#endif  // TEST_FUZZ_DRAFT_H_
