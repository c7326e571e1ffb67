// Mutations that know the format of models.
// SPDX-License-Identifier: Apache-2.0
#ifndef TEST_FUZZ_MUTATE_H_
#define TEST_FUZZ_MUTATE_H_

#include <string>
#include <vector>

#include "test/fuzz/draft.h"

namespace mace::fuzz {

// Models from which mutations may take parts.
using Donors = std::vector<const Seed*>;

// Changes a draft. Returns false if the mutation does not apply to this one.
using Mutation = bool (*)(const Donors& donors, Draft* draft, Random& random);
struct NamedMutation {
  const char* name;
  int weight;  // how often it is chosen, relative to the others
  Mutation apply;
};
// Mutations of nodes: attributes, operands, ops, order; and new nodes.
const std::vector<NamedMutation>& NodeMutations();
// Mutations of everything else: inputs, outputs, weights, stored plans.
const std::vector<NamedMutation>& ModelMutations();
// Mutations of what a file says of its format: versions, settings, dynamic
// dimensions, states, checksums.
const std::vector<NamedMutation>& FormatMutations();
// Mutations of scales, zero points and quantized values.
const std::vector<NamedMutation>& QuantizationMutations();

// Applies up to eight mutations. One that does not apply is replaced by
// another, and left out after ten tries. Returns their names, separated by
// spaces.
std::string Mutate(const Donors& donors, Draft* draft, Random& random);

// Returns a random item of a list of the format, or null if it is empty.
template <typename List>
auto* AnyOf(List* list, Random& random) {
  return list->empty()
             ? nullptr
             : list->Mutable(static_cast<int>(random.Below(list->size())));
}

// Changes some bytes at random, and sometimes cuts some off the end.
void FlipBytes(std::string* bytes, Random& random);

}  // namespace mace::fuzz

#endif  // TEST_FUZZ_MUTATE_H_
