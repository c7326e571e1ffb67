// Graphs and messages with faults, for tests of the executor's checks.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_HEXAGON_TESTING_MUTATE_H_
#define MACE_HEXAGON_TESTING_MUTATE_H_

#include <cstdint>
#include <vector>

#include "mace/hexagon/packing/graph_writer.h"
#include "mace/hexagon/testing/random.h"

namespace mace::hexagon::testing {

// A graph with a node of every op.
GraphWriter GraphOfAllOps(Random* random);

// Changes at most four words of a graph's text (rarely none): a flipped bit, a
// number at the ends of a range, a small difference, a word from elsewhere, or
// a random number. Returns the number of bytes for the request, which is
// sometimes wrong, too. REQUIRES: `bytes` is 4 or more.
uint32_t Mutate(uint8_t* text, uint32_t bytes, Random* random);

}  // namespace mace::hexagon::testing

#endif  // MACE_HEXAGON_TESTING_MUTATE_H_
