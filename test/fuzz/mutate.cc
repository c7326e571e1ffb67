// Choosing mutations and applying several to one model.
// SPDX-License-Identifier: Apache-2.0

#include "test/fuzz/mutate.h"

#include <algorithm>
#include <map>

namespace mace::fuzz {
namespace {

// All mutations; each is listed as often as its weight says.
const std::vector<const NamedMutation*>& Urn() {
  static const auto* urn = [] {
    auto* all = new std::vector<const NamedMutation*>;
    for (const auto* list : {&NodeMutations(), &ModelMutations(),
                             &FormatMutations(), &QuantizationMutations()}) {
      for (const NamedMutation& m : *list)
        all->insert(all->end(), m.weight, &m);
    }
    return all;
  }();
  return *urn;
}

// While it lives, a subgraph stands in the place of the model's own nodes,
// inputs and outputs, with the types that are known in it, so that mutations
// change the subgraph.
class InsideSubgraph {
 public:
  InsideSubgraph(Draft* draft, int index) : draft_(draft), index_(index) {
    Exchange();
    outer_types_.swap(draft->types);
    CopyTypesOfWeights(outer_types_, &draft->types);
    for (const proto::TensorInfo& input : draft->net.input_info()) {
      const TensorType type = {DataType::kF32,
                               Shape(input.dims().begin(), input.dims().end())};
      if (CheckedBytes(type).ok()) draft->types[input.name()] = type;
    }
  }
  ~InsideSubgraph() {
    Exchange();
    CopyTypesOfWeights(draft_->types, &outer_types_);  // of added ones, too
    draft_->types.swap(outer_types_);
  }
  InsideSubgraph(const InsideSubgraph&) = delete;
  InsideSubgraph& operator=(const InsideSubgraph&) = delete;

 private:
  using Types = std::map<std::string, TensorType>;
  void CopyTypesOfWeights(const Types& from, Types* to) const {
    for (const proto::ConstTensor& weight : draft_->net.tensors()) {
      const auto known = from.find(weight.name());
      if (known != from.end()) to->insert(*known);
    }
  }
  void Exchange() {
    proto::NetDef& net = draft_->net;
    proto::Subgraph* subgraph = net.mutable_subgraphs(index_);
    net.mutable_op()->Swap(subgraph->mutable_op());
    net.mutable_input_info()->Swap(subgraph->mutable_input_info());
    net.mutable_output_info()->Swap(subgraph->mutable_output_info());
  }

  Draft* const draft_;
  const int index_;
  Types outer_types_;
};

// Applies the mutation to the model or, often, to one of its subgraphs.
bool Apply(const NamedMutation& mutation, const Donors& donors, Draft* draft,
           Random& random) {
  const int subgraphs = draft->net.subgraphs_size();
  if (subgraphs == 0 || random.Percent(50)) {
    return mutation.apply(donors, draft, random);
  }
  const InsideSubgraph inside(draft, static_cast<int>(random.Below(subgraphs)));
  return mutation.apply(donors, draft, random);
}

}  // namespace

std::string Mutate(const std::vector<const Seed*>& donors, Draft* draft,
                   Random& random) {
  // Declared output types that no longer match would be the reason to refuse
  // most mutated models.
  const bool forget = random.Percent(95);
  if (forget) ForgetDeclared(&draft->net);
  std::string names;
  int count = 1;
  while (count < 8 && random.Percent(45)) ++count;
  for (int i = 0; i < count; ++i) {
    // A mutation that does not apply is replaced by another one.
    for (int tries = 0; tries < 10; ++tries) {
      const NamedMutation& mutation = *random.Of(Urn());
      if (!Apply(mutation, donors, draft, random)) continue;
      names += (names.empty() ? "" : " ") + std::string(mutation.name);
      break;
    }
  }
  if (forget) draft->Redeclare();
  return names;
}

void FlipBytes(std::string* bytes, Random& random) {
  if (bytes->empty()) return;
  const int64_t size = static_cast<int64_t>(bytes->size());
  for (int64_t n = random.Between(1, 4); n > 0; --n) {
    char& byte = (*bytes)[static_cast<size_t>(random.Below(size))];
    byte = static_cast<char>(random.Percent(50) ? byte ^ (1 << random.Below(8))
                                                : random.Below(256));
  }
  if (random.Percent(10)) {
    bytes->resize(static_cast<size_t>(random.Below(size)));
  }
}

}  // namespace mace::fuzz
