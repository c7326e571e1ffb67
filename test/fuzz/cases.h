// Case: a mutated model, determined by a number.
// SPDX-License-Identifier: Apache-2.0
#ifndef TEST_FUZZ_CASES_H_
#define TEST_FUZZ_CASES_H_

#include <cstdint>
#include <memory>
#include <string>

#include "test/fuzz/seeds.h"

namespace mace::fuzz {

// What Exercise gets, and how it came about. `weights` are shared with the
// seed.
struct Case {
  std::string graph;  // a serialized NetDef, perhaps damaged
  std::shared_ptr<const uint8_t> weights;
  size_t weight_bytes = 0;
  int64_t settings = 0;    // seed for the settings of the engine
  std::string about;       // the seed and the mutations
  bool quantized = false;  // the model has scales of a tensor
};

// Returns the same case for the same seeds, `series` and `number`: a mutated
// seed, or a model grown from `empty`, now and then without a mutation, or with
// bytes flipped. Writes the weights that mutations add after those of the seed,
// so only one case of a seed can exist at a time.
Case MakeCase(const SeedUrn& urn, const Seed& empty, uint64_t series,
              int64_t number);

// Reads a serialized model in the form in which libFuzzer keeps it
// (Draft::Serialize), and gives it plausible weights; the last of them are
// those in the model's setting kWeightsSetting. The two settings are taken off.
// Returns false if it is not a model or asks for more than 1 MB.
bool ReadCase(const uint8_t* data, size_t size, Seed* seed, int64_t* settings);

// Returns a case that depends on what ReadCase read, and on `number`. Mutations
// have no other models to take parts from.
Case MutateCase(const Seed& seed, uint64_t number);

}  // namespace mace::fuzz

#endif  // TEST_FUZZ_CASES_H_
