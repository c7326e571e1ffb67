// Fuzzes everything that handles untrusted models: loading, planning and
// running.
// SPDX-License-Identifier: Apache-2.0
//
// The input is a serialized NetDef, which is mutated as a model (mutate.h) or,
// half of the time, as bytes. Its weights are small numbers, because a fuzzer
// cannot guess plausible ones byte by byte.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "test/fuzz/cases.h"
#include "test/fuzz/exercise.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace {

// That of the environment variable MACE_FUZZ_DEVICE, as libFuzzer reads the
// flags.
mace::DeviceType Device() {
  const char* const given = std::getenv("MACE_FUZZ_DEVICE");
  const std::string name = given == nullptr ? "" : given;
  return name == "GPU" ? mace::GPU : name == "DSP" ? mace::HEXAGON : mace::CPU;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  mace::fuzz::Seed seed;
  int64_t settings = 0;
  size_t weight_bytes = 0;
  if (mace::fuzz::ReadCase(data, size, &seed, &settings)) {
    weight_bytes =
        static_cast<size_t>(std::max<int64_t>(seed.net.data_bytes(), 0));
  }
  // Many small runs find more than a few large ones.
  mace::fuzz::Limits limits;
  limits.macs = 10000000;
  limits.memory = 1 << 26;
  limits.device = Device();
  const std::string graph(reinterpret_cast<const char*>(data), size);
  const mace::fuzz::Outcome outcome =
      mace::fuzz::Exercise(graph, seed.weights, weight_bytes, settings, limits);
  if (!outcome.complaint.empty()) {
    std::fprintf(stderr, "%s\n", outcome.complaint.c_str());
    std::abort();
  }
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size,
                                          size_t max_size, unsigned int seed) {
  mace::fuzz::Seed model;
  int64_t settings = 0;
  if (seed % 2 == 0 || !mace::fuzz::ReadCase(data, size, &model, &settings)) {
    return LLVMFuzzerMutate(data, size, max_size);
  }
  mace::fuzz::InferTypes(&model);
  const std::string graph = mace::fuzz::MutateCase(model, seed).graph;
  if (graph.empty() || graph.size() > max_size) {
    return LLVMFuzzerMutate(data, size, max_size);
  }
  std::memcpy(data, graph.data(), graph.size());
  return graph.size();
}
