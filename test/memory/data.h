// The instances that the tables are about, read from the conformance folder.
// SPDX-License-Identifier: Apache-2.0
#ifndef TEST_MEMORY_DATA_H_
#define TEST_MEMORY_DATA_H_

#include <map>
#include <string>
#include <vector>

#include "mace/memory/problem/problem.h"

namespace mace::test {

// A network of nets_records.json: what its tensors take in an arena, in bytes,
// and as images of 16-byte pixels with four channels each: rows of width times
// ceil(channels / 4) pixels, batch times height of them.
struct Net {
  std::string name;
  memory::Problem bytes;
  memory::Problem images;
  // Totals of the reference's heuristics, in bytes, by strategy, as
  // "offsets_GREEDY_BY_SIZE".
  std::map<std::string, int64_t> reference;
};

// One of MiniMalloc's hard instances with its published figures.
struct Hard {
  std::string name;
  memory::Problem problem;
  int64_t capacity = 0;
  double reference_s = 0;       // MiniMalloc's, on the reference's machine
  double reference_height = 0;  // the best heuristic's, in capacities
};

// A test of TensorFlow Lite Micro's greedy planner, and the bytes it takes.
struct Micro {
  std::string name;
  memory::Problem problem;
  int64_t reference = 0;
};

// Errors: MACE_INVALID_ARGS if a file is missing or is not JSON. JSON that has
// other fields than it should ends the program.
Result<std::vector<Net>> ReadNets(const std::string& folder);
Result<std::vector<Micro>> ReadMicro(const std::string& folder);
Result<std::vector<Hard>> ReadHard(const std::string& folder);

}  // namespace mace::test

#endif  // TEST_MEMORY_DATA_H_
