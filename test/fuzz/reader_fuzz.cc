// Fuzzes the reader of models: it finds in any bytes what protobuf finds.
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "mace/proto/testing/judge.h"
#include "mace/proto/testing/random_messages.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const mace::Verdict verdict =
      mace::Judge(std::string(reinterpret_cast<const char*>(data), size));
  if (!verdict.difference.empty()) {
    std::fprintf(stderr, "%s\n", verdict.difference.c_str());
    std::abort();
  }
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size,
                                          size_t max_size, unsigned int seed) {
  if (seed % 2 == 0) return LLVMFuzzerMutate(data, size, max_size);
  mace::RandomMessages random(seed);
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  const std::string mutant = random.Mutated(bytes, random.Written());
  if (mutant.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::memcpy(data, mutant.data(), mutant.size());
  return mutant.size();
}
