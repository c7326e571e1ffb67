// Sampler: chooses the next token by the logits of all.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_GENERATION_SAMPLER_H_
#define MACE_GENERATION_SAMPLER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mace/base/status.h"
#include "mace/public/mace_generator.h"

namespace mace::generation {

// Errors: MACE_INVALID_ARGS, naming the option.
Status CheckSampling(const MaceSampling& sampling, int32_t vocab_size);

class Sampler {
 public:
  Sampler(const MaceSampling& sampling, int32_t vocab_size)
      : options_(sampling), vocab_size_(vocab_size), state_(sampling.seed) {}

  // `logits` has `size` elements; those of tokens that are not in the
  // vocabulary are left out. `seen`: the tokens so far. One number is drawn for
  // each call that samples. Errors: MACE_INVALID_ARGS if no logit is finite.
  Result<int32_t> Choose(const float* logits, size_t size,
                         const std::vector<int32_t>& seen);

 private:
  struct Candidate {
    double logit;
    int32_t id;
  };
  void Change(const std::vector<int32_t>& seen);
  int32_t Draw(double total, double lowest);
  double NextUniform();

  const MaceSampling options_;
  const int32_t vocab_size_;
  uint64_t state_;
  std::vector<double> logits_;
  std::vector<Candidate> candidates_;
  std::vector<uint8_t> is_seen_;
};

// -log of the probability of `id`.
double NegativeLogLikelihood(const float* logits, size_t size, size_t id);

}  // namespace mace::generation

#endif  // MACE_GENERATION_SAMPLER_H_
