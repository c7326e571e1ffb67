// Sampler: chooses the next token by the logits of all.
// SPDX-License-Identifier: Apache-2.0
//
// The steps, in this order: bias, repetition penalty, temperature, top_k,
// top_p, min_p, then a draw by the probabilities that are left. Where no top_k
// is set, top_p refers to the probabilities of all tokens, else to those of the
// k. sampler.cc names the papers.
#ifndef MACE_GENERATION_SAMPLER_H_
#define MACE_GENERATION_SAMPLER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mace/base/status.h"
#include "mace/public/mace_generator.h"

namespace mace::generation {

// Checks the ranges of the options, and that logit_bias names tokens below
// `vocab_size` and has no NaN. Errors: MACE_INVALID_ARGS, naming the option.
Status CheckSampling(const MaceSampling& sampling, int32_t vocab_size);

// Samples the tokens of one generation. For one thread.
class Sampler {
 public:
  // REQUIRES: CheckSampling is OK.
  Sampler(const MaceSampling& sampling, int32_t vocab_size)
      : options_(sampling), vocab_size_(vocab_size), state_(sampling.seed) {}

  // Returns the next token. `logits` has `size` elements; ignores those of
  // tokens that are not in the vocabulary. `seen`: the prompt and the tokens so
  // far, for the repetition penalty. Temperature 0 is greedy: returns the token
  // with the largest logit after bias and penalty, of equal ones the first.
  // Otherwise draws one number from the seed's sequence for each call. Errors:
  // MACE_INVALID_ARGS if a logit is NaN or +infinity after bias and penalty, or
  // if all are -infinity.
  Result<int32_t> Choose(const float* logits, size_t size,
                         const std::vector<int32_t>& seen);

 private:
  // A token that may be drawn; its logit over the temperature, less the largest
  // such value, so that exp() of it is at most 1.
  struct Candidate {
    double logit;
    int32_t id;
  };
  // Adds the bias to logits_ and applies the repetition penalty, once for each
  // token that is among the last `penalty_tokens` of `seen`.
  void Change(const std::vector<int32_t>& seen);
  // Keeps the candidates that top_k, top_p and min_p leave, and draws one.
  // `total`: the sum of exp(logit) of all tokens. `lowest`: the smallest logit
  // that min_p keeps.
  int32_t Draw(double total, double lowest);
  // Returns a number in [0, 1) with 53 random bits (SplitMix64).
  double NextUniform();

  const MaceSampling options_;
  const int32_t vocab_size_;
  uint64_t state_;
  // Members only so that their memory is reused by the next call.
  std::vector<double> logits_;
  std::vector<Candidate> candidates_;
  std::vector<uint8_t> is_seen_;
};

// Returns -ln of the softmax probability of `id`, in double precision: ln(sum
// exp(x - max)) + max - x[id]. REQUIRES: id < size.
double NegativeLogLikelihood(const float* logits, size_t size, size_t id);

}  // namespace mace::generation

#endif  // MACE_GENERATION_SAMPLER_H_
