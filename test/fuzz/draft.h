// Seed and Draft: the models that mutations start from, and one being mutated.
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

// Contents of the tensors that mutations add lie behind a model's own weights
// and take at most so many bytes.
constexpr int64_t kMaxAddedBytes = 1 << 16;

struct Seed {
  std::string name;
  std::string group;  // the folder that it comes from
  proto::NetDef net;
  // `bytes` (a multiple of 64) of weights, and kMaxAddedBytes more.
  std::shared_ptr<uint8_t> weights;
  int64_t bytes = 0;
  // Contents of tensors that earlier mutations added, which lie behind them.
  std::string added;
  // Of every tensor at the model's input shapes, as far as inference succeeds.
  std::map<std::string, TensorType> types;
  int64_t work = 0;  // roughly, multiply-adds of a run
};

// Infers `types` and `work`. False if the model is not sound: `types` then
// holds what was inferred before the fault.
bool InferTypes(Seed* seed);

class Draft {
 public:
  // `seed` must outlive the draft.
  explicit Draft(const Seed& seed);

  proto::NetDef net;
  std::map<std::string, TensorType> types;

  // Room for a tensor of so many bytes among those added.
  bool HasRoom(int64_t bytes) const;
  // A weight of that type; its name. REQUIRES: HasRoom(contents.size()).
  std::string AddWeight(const TensorType& type, const std::string& contents);
  // The operand of shape inference, with contents where they are known.
  Operand OperandOf(const std::string& name) const;
  std::string NewName(const char* prefix);
  // Some tensor, or "" where there is none.
  std::string AnyTensor(Random& random) const;

  // The graph as a file of its own, with what was added and `settings` (of the
  // engine) in an argument that engines let pass.
  std::string Serialize(int64_t settings);
  // Contents of the tensors added, to lie behind the weights of the seed.
  const std::string& added() const { return added_; }

 private:
  const Seed& seed_;
  std::string added_;
  int names_;  // the next new one; a mutated model may be a seed
};

// The settings that Serialize writes, which engines do not know and ignore: how
// the case runs, and the weights that its mutations added.
constexpr char kCaseSetting[] = "fuzz_case";
constexpr char kWeightsSetting[] = "fuzz_weights";

}  // namespace mace::fuzz

#endif  // TEST_FUZZ_DRAFT_H_
