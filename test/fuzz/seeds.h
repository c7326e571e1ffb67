// The models from which mutations start, read from folders.
// SPDX-License-Identifier: Apache-2.0
#ifndef TEST_FUZZ_SEEDS_H_
#define TEST_FUZZ_SEEDS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "test/fuzz/draft.h"

namespace mace::fuzz {

// Returns the empty model, from which GrowModel starts.
Seed EmptySeed();

// Allocates zeros for `size` bytes of weights of a file, rounded up to 64, and
// for kMaxAddedBytes after them; aligned to 64 bytes.
std::shared_ptr<uint8_t> AllocateWeights(int64_t size);

// Reads every X.pb below the folder, with its X.data if it has weights, ordered
// by path. A seed may be invalid: a mutation may make it valid. A model for
// large images is added a second time, with those of the last three dimensions
// of images that are 32 or more divided by 8, 4 or 2: the smallest that it
// accepts. Sets `error` if a file or folder cannot be read; the other files are
// read all the same.
std::vector<Seed> ReadSeeds(const std::string& folder, std::string* error);

// Draws groups equally often, and within a group the cheaper seeds more often:
// those with fewer nodes and less work.
class SeedUrn {
 public:
  // REQUIRES: `seeds` is not empty and outlives the urn.
  explicit SeedUrn(const std::vector<Seed>& seeds);
  const Seed& Draw(Random& random) const;
  // All seeds, each once, from which mutations may take nodes.
  const std::vector<const Seed*>& all() const { return all_; }

 private:
  struct Group {
    std::vector<const Seed*> seeds;
    std::vector<int64_t> ends;  // running sums of their shares
  };
  std::vector<Group> groups_;
  std::vector<const Seed*> all_;
};

}  // namespace mace::fuzz

#endif  // TEST_FUZZ_SEEDS_H_
