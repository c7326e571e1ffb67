// Random nodes of every op that the library has.
// SPDX-License-Identifier: Apache-2.0
#ifndef TEST_FUZZ_NEW_NODES_H_
#define TEST_FUZZ_NEW_NODES_H_

#include <string>
#include <vector>

#include "test/fuzz/draft.h"

namespace mace::fuzz {

// Appends a node of a random op with random operands and attributes. Many are
// drawn until shape inference accepts one; if none does, or now and then on
// purpose, the last stays as it is. Returns its op.
std::string AppendRandomNode(Draft* draft, Random& random);

// Puts such a node between a random node and one of its operands.
bool InsertRandomNode(Draft* draft, Random& random);

// Appends a node of another model, with its attributes and small weights; its
// other operands are tensors of this model, of the same type where possible.
bool TransplantNode(const std::vector<const Seed*>& donors, Draft* draft,
                    Random& random);

// A model of up to `max_nodes` such nodes. `empty` has nothing.
Draft GrowModel(const Seed& empty, int max_nodes, Random& random);

}  // namespace mace::fuzz

#endif  // TEST_FUZZ_NEW_NODES_H_
