// Choosing tokens, beside the definitions of the options.
// SPDX-License-Identifier: Apache-2.0

#include "mace/generation/sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace mace::generation {
namespace {

using Floats = std::vector<float>;
using Doubles = std::vector<double>;

constexpr int kDraws = 20000;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Probabilities of tokens: the softmax of logits, of which one after the other
// keeps some and makes their sum 1 again.
Doubles Defined(const Floats& logits, const MaceSampling& s) {
  Doubles p;
  for (const float x : logits) p.push_back(std::exp(x / s.temperature));
  std::vector<size_t> order(p.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return p[a] > p[b]; });
  const auto normalize = [&] {
    double sum = 0;
    for (const double x : p) sum += x;
    for (double& x : p) x /= sum;
  };
  if (s.top_k > 0) {
    for (size_t i = static_cast<size_t>(s.top_k); i < order.size(); ++i) {
      p[order[i]] = 0;
    }
  }
  normalize();
  double sum = 0;
  for (const size_t i : order) {
    const bool enough = sum >= s.top_p && sum > 0;
    sum += p[i];
    if (enough && s.top_p < 1) p[i] = 0;
  }
  normalize();
  for (double& x : p) {
    if (x < s.min_p * p[order[0]]) x = 0;
  }
  normalize();
  return p;
}

const Floats& SomeLogits() {
  static const Floats logits = {0.3f, 2.1f, -1.0f, 2.1f, 1.4f,  -kInfinity,
                                0.9f, 1.1f, -0.2f, 1.9f, -3.0f, 0.0f};
  return logits;
}

int32_t Chosen(Sampler* sampler, const Floats& logits,
               const std::vector<int32_t>& seen = {}) {
  const auto id = sampler->Choose(logits.data(), logits.size(), seen);
  EXPECT_TRUE(id.ok()) << id.status().information();
  return id.ok() ? *id : -1;
}

// Draws many times: tokens that the definition leaves out never come, and the
// others as often as it says, within five standard deviations.
void ExpectDefined(const MaceSampling& s) {
  const Floats& logits = SomeLogits();
  const Doubles p = Defined(logits, s);
  Sampler sampler(s, static_cast<int32_t>(logits.size()));
  std::vector<int> counts(logits.size());
  for (int i = 0; i < kDraws; ++i) {
    ++counts[static_cast<size_t>(Chosen(&sampler, logits))];
  }
  for (size_t i = 0; i < p.size(); ++i) {
    if (p[i] == 0) {
      EXPECT_EQ(counts[i], 0) << i;
      continue;
    }
    const double deviation = std::sqrt(p[i] * (1 - p[i]) * kDraws);
    EXPECT_NEAR(counts[i], p[i] * kDraws, 5 * deviation + 1e-9) << i;
  }
}

MaceSampling At(float temperature) {
  MaceSampling s;
  s.temperature = temperature;
  s.seed = 17;
  return s;
}

TEST(SamplerTest, TemperatureIsThatOfTheDefinition) {
  for (const float t : {0.2f, 0.7f, 1.0f, 3.0f}) ExpectDefined(At(t));
}

TEST(SamplerTest, TopKKeepsTheLargest) {
  for (const int k : {1, 2, 3, 5, 11, 12, 99}) {
    MaceSampling s = At(1.5f);
    s.top_k = k;
    ExpectDefined(s);
  }
}

TEST(SamplerTest, TopPKeepsTheFewestThatReachIt) {
  for (const float p : {0.0f, 0.1f, 0.25f, 0.6f, 0.9f, 0.999f}) {
    MaceSampling s = At(1);
    s.top_p = p;
    ExpectDefined(s);
  }
}

TEST(SamplerTest, MinPIsAFractionOfTheFirst) {
  for (const float p : {0.01f, 0.3f, 0.7f, 1.0f}) {
    MaceSampling s = At(1);
    s.min_p = p;
    ExpectDefined(s);
  }
}

TEST(SamplerTest, OptionsFollowOneAnother) {
  for (const int k : {2, 6}) {
    for (const float p : {0.0f, 0.5f, 0.95f}) {
      for (const float min : {0.0f, 0.4f}) {
        MaceSampling s = At(1.3f);
        s.top_k = k;
        s.top_p = p;
        s.min_p = min;
        ExpectDefined(s);
      }
    }
  }
}

TEST(SamplerTest, GreedyTakesTheFirstOfTheLargest) {
  Sampler sampler(At(0), 12);
  EXPECT_EQ(Chosen(&sampler, SomeLogits()), 1);
}

TEST(SamplerTest, LogitsBeyondTheVocabularyAreLeftOut) {
  Sampler sampler(At(0), 2);
  EXPECT_EQ(Chosen(&sampler, {1, 2, 9}), 1);
}

TEST(SamplerTest, BiasThenPenalty) {
  MaceSampling s = At(0);
  s.repetition_penalty = 2;
  s.logit_bias = {{0, 1.5f}, {2, -kInfinity}};
  // 0: (1 + 1.5) / 2, 1: -1 * 2, 3: 1.2; a token that is seen twice counts
  // once.
  Sampler sampler(s, 4);
  EXPECT_EQ(Chosen(&sampler, {1, -1, 9, 1.2f}, {0, 1, 0}), 0);
  EXPECT_EQ(Chosen(&sampler, {1, -1, 9, 1.3f}, {0, 1, 0}), 3);
  s.penalty_tokens = 1;  // only the last one counts
  s.logit_bias = {};
  Sampler last(s, 3);
  EXPECT_EQ(Chosen(&last, {1, 1.1f, 0.4f}, {1, 0}), 1);
  EXPECT_EQ(Chosen(&last, {1, 1.1f, 0.4f}, {0, 1}), 0);
}

TEST(SamplerTest, ASeedDecides) {
  const auto draws = [](uint64_t seed) {
    MaceSampling s = At(1);
    s.seed = seed;
    Sampler sampler(s, 12);
    std::vector<int32_t> ids;
    for (int i = 0; i < 50; ++i) ids.push_back(Chosen(&sampler, SomeLogits()));
    return ids;
  };
  EXPECT_EQ(draws(5), draws(5));
  EXPECT_NE(draws(5), draws(6));
}

TEST(SamplerTest, LogitsWithoutAChoiceAreAnError) {
  for (const float temperature : {0.0f, 1.0f}) {
    Sampler sampler(At(temperature), 3);
    for (const Floats& logits :
         {Floats{1, NAN, 2}, Floats{1, kInfinity, 2},
          Floats{-kInfinity, -kInfinity, -kInfinity}, Floats{}}) {
      const auto id = sampler.Choose(logits.data(), logits.size(), {});
      EXPECT_EQ(id.status().code(), Status::MACE_INVALID_ARGS);
    }
  }
}

}  // namespace
}  // namespace mace::generation
