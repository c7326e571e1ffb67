// Mutations of models that know the format.
// SPDX-License-Identifier: Apache-2.0
#ifndef TEST_FUZZ_MUTATE_H_
#define TEST_FUZZ_MUTATE_H_

#include <string>
#include <vector>

#include "test/fuzz/draft.h"

namespace mace::fuzz {

// Models that mutations may take parts from.
using Donors = std::vector<const Seed*>;

// Changes a draft; false if it does not apply to this one.
using Mutation = bool (*)(const Donors& donors, Draft* draft, Random& random);
struct NamedMutation {
  const char* name;
  int weight;  // how often, relative to the others
  Mutation apply;
};
// Of nodes: attributes, operands, ops, order; and new nodes.
const std::vector<NamedMutation>& NodeMutations();
// Of everything else: inputs, outputs, weights, what was planned ahead.
const std::vector<NamedMutation>& ModelMutations();

// Applies one to eight mutations; their names, separated by spaces.
std::string Mutate(const Donors& donors, Draft* draft, Random& random);

// One of a list of the format; null where it is empty.
template <typename List>
auto* AnyOf(List* list, Random& random) {
  return list->empty()
             ? nullptr
             : list->Mutable(static_cast<int>(random.Below(list->size())));
}

// Changes some bytes.
void FlipBytes(std::string* bytes, Random& random);

}  // namespace mace::fuzz

#endif  // TEST_FUZZ_MUTATE_H_
