// Case: the model that belongs to a number.
// SPDX-License-Identifier: Apache-2.0
#ifndef TEST_FUZZ_CASES_H_
#define TEST_FUZZ_CASES_H_

#include <cstdint>
#include <memory>
#include <string>

#include "test/fuzz/seeds.h"

namespace mace::fuzz {

struct Case {
  std::string graph;  // a serialized NetDef, or nearly
  std::shared_ptr<const uint8_t> weights;
  size_t weight_bytes = 0;
  int64_t settings = 0;  // of the engine
  std::string about;     // the seed and the mutations
};

// The same for the same seeds, `series` and `number`. Writes the weights that
// mutations add behind those of the seed: one case at a time.
Case MakeCase(const SeedUrn& urn, const Seed& empty, uint64_t series,
              int64_t number);

// A serialized model with fitting weights, as libFuzzer keeps it: weights of
// plausible contents, the last of them as the model carries them in its
// setting kWeightsSetting. False if it is no model or asks for more than 1 MB.
bool ReadCase(const uint8_t* data, size_t size, Seed* seed, int64_t* settings);

// The case that follows from what ReadCase read.
Case MutateCase(const Seed& seed, uint64_t number);

}  // namespace mace::fuzz

#endif  // TEST_FUZZ_CASES_H_
