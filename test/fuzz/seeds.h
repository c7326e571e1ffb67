// The models that mutations start from, read from folders.
// SPDX-License-Identifier: Apache-2.0
#ifndef TEST_FUZZ_SEEDS_H_
#define TEST_FUZZ_SEEDS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "test/fuzz/draft.h"

namespace mace::fuzz {

// A model without anything, to grow others from.
Seed EmptySeed();

// Bytes that a file's weights are read into; `size` of them are used.
std::shared_ptr<uint8_t> AllocateWeights(int64_t size);

// Every X.pb with its X.data below the folder, ordered by path; of large images
// a second time with the smallest ones that the model takes. Sets `error` if a
// file cannot be read.
std::vector<Seed> ReadSeeds(const std::string& folder, std::string* error);

// Picks groups equally often, and in each the cheaper seeds more often.
class SeedUrn {
 public:
  // REQUIRES: not empty. `seeds` must outlive this.
  explicit SeedUrn(const std::vector<Seed>& seeds);
  const Seed& Draw(Random& random) const;
  // Every seed once, as donors of nodes.
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
