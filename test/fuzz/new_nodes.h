// Random nodes of every op in the library.
// SPDX-License-Identifier: Apache-2.0
#ifndef TEST_FUZZ_NEW_NODES_H_
#define TEST_FUZZ_NEW_NODES_H_

#include <string>
#include <vector>

#include "test/fuzz/draft.h"

namespace mace::fuzz {

// Appends a node of a random op with random operands and attributes, drawn
// repeatedly until shape inference accepts it. If it accepts none, or sometimes
// on purpose, the last node stays although it is not valid. Returns its op.
std::string AppendRandomNode(Draft* draft, Random& random);

// Inserts such a node between a random node and one of its operands. Returns
// false if the model has no nodes, or the node drawn no such operand.
bool InsertRandomNode(Draft* draft, Random& random);

// Appends a node of another model, with its attributes and small weights. Its
// other operands are tensors of this model, of the same type if possible.
// Returns false if the donor drawn has no nodes, or there are no donors.
bool TransplantNode(const std::vector<const Seed*>& donors, Draft* draft,
                    Random& random);

// Makes a model of up to `max_nodes` such nodes. `empty` is the empty model.
Draft GrowModel(const Seed& empty, int max_nodes, Random& random);

}  // namespace mace::fuzz

#endif  // TEST_FUZZ_NEW_NODES_H_
