// Reads which mutant is switched on, and writes which mutants were reached.
// SPDX-License-Identifier: Apache-2.0

#include <cstdio>
#include <cstdlib>

namespace {

constexpr int kMaxMutants = 1 << 16;

}  // namespace

extern "C" {

// The number in $MACE_MUTANT, or -1.
int mace_mutant = -1;
// By mutant: whether its position was executed. At the end of the process, the
// numbers of those are appended to the file $MACE_MUTANTS_REACHED.
unsigned char mace_mutants_reached[kMaxMutants];

// Runs before the constructors of C++ objects, whose values are mutated, too.
__attribute__((constructor(101))) void MaceReadMutant() {
  const char* number = std::getenv("MACE_MUTANT");
  if (number != nullptr) mace_mutant = std::atoi(number);
}

__attribute__((destructor)) void MaceWriteReachedMutants() {
  const char* path = std::getenv("MACE_MUTANTS_REACHED");
  std::FILE* file = path != nullptr ? std::fopen(path, "a") : nullptr;
  if (file == nullptr) return;
  for (int i = 0; i < kMaxMutants; ++i) {
    if (mace_mutants_reached[i] != 0) std::fprintf(file, "%d\n", i);
  }
  std::fclose(file);
}

}  // extern "C"
