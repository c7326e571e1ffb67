// Choosing tokens.
// SPDX-License-Identifier: Apache-2.0
//
// Repetition penalty: Keskar et al. 2019 (CTRL). top_p: Holtzman et al. 2020.
// min_p: Nguyen et al. 2024. The generator of numbers is SplitMix64 (Steele et
// al. 2014). Sums are taken in one order, so that the same logits and seed give
// the same token everywhere.

#include "mace/generation/sampler.h"

#include <algorithm>
#include <cmath>

namespace mace::generation {

Status CheckSampling(const MaceSampling& s, int32_t vocab_size) {
  const struct {
    const char* name;
    double value, low, high;
  } kRanges[] = {
      {"temperature", s.temperature, 0, 100},
      {"top_k", static_cast<double>(s.top_k), 0, 1 << 30},
      {"top_p", s.top_p, 0, 1},
      {"min_p", s.min_p, 0, 1},
      {"repetition_penalty", s.repetition_penalty, 0.01, 100},
      {"penalty_tokens", static_cast<double>(s.penalty_tokens), 0, 1 << 30},
  };
  for (const auto& r : kRanges) {
    if (!(r.value >= r.low && r.value <= r.high)) {  // nor if it is NaN
      return InvalidArgument(r.name, " is ", r.value, "; it must be from ",
                             r.low, " to ", r.high);
    }
  }
  for (const auto& [id, bias] : s.logit_bias) {
    if (id < 0 || id >= vocab_size) {
      return InvalidArgument("logit_bias: ", id,
                             " is no token; the vocabulary has ", vocab_size);
    }
    if (std::isnan(bias))
      return InvalidArgument("logit_bias of ", id, " is NaN");
  }
  return Status();
}

Result<int32_t> Sampler::Choose(const float* logits, size_t size,
                                const std::vector<int32_t>& seen) {
  const size_t count = std::min(size, static_cast<size_t>(vocab_size_));
  logits_.assign(logits, logits + count);
  Change(seen);
  int32_t best = -1;
  double largest = -INFINITY;
  for (size_t i = 0; i < count; ++i) {
    const double x = logits_[i];
    if (!(x < INFINITY)) {  // NaN, too
      return InvalidArgument("the model computed the logit ", x, " for token ",
                             i, "; its numbers overflow");
    }
    if (x > largest) {
      largest = x;
      best = static_cast<int32_t>(i);
    }
  }
  if (best < 0) {
    return InvalidArgument(
        "no token is left to choose from: all logits are "
        "-infinity; see logit_bias");
  }
  if (options_.temperature <= 0) return best;
  candidates_.clear();
  const double temperature = options_.temperature;
  const double max = logits_[static_cast<size_t>(best)] / temperature;
  const double lowest =
      options_.min_p > 0 ? max + std::log(options_.min_p) : -INFINITY;
  double total = 0;
  for (size_t i = 0; i < count; ++i) {
    const double x = logits_[i] / temperature;
    total += std::exp(x - max);
    // top_k tokens are chosen before min_p acts: they count for top_p.
    if ((x >= lowest || options_.top_k > 0) && x > -INFINITY) {
      candidates_.push_back({x - max, static_cast<int32_t>(i)});
    }
  }
  return Draw(total, lowest - max);
}

// Bias and penalty.
void Sampler::Change(const std::vector<int32_t>& seen) {
  for (const auto& [id, bias] : options_.logit_bias) {
    if (static_cast<size_t>(id) < logits_.size()) {
      logits_[static_cast<size_t>(id)] += bias;
    }
  }
  const double penalty = options_.repetition_penalty;
  if (penalty == 1) return;
  is_seen_.assign(logits_.size(), 0);
  const size_t window =
      options_.penalty_tokens == 0
          ? seen.size()
          : std::min<size_t>(seen.size(), options_.penalty_tokens);
  for (size_t i = seen.size() - window; i < seen.size(); ++i) {
    const size_t id = static_cast<size_t>(seen[i]);
    if (id >= logits_.size() || is_seen_[id] != 0) continue;
    is_seen_[id] = 1;
    logits_[id] =
        logits_[id] > 0 ? logits_[id] / penalty : logits_[id] * penalty;
  }
}

// Keeps the candidates that top_k, top_p and min_p leave, and draws one.
// `total`: the sum of exp(logit) of all tokens.
int32_t Sampler::Draw(double total, double lowest) {
  const auto later = [](const Candidate& a, const Candidate& b) {
    return a.logit != b.logit ? a.logit < b.logit : a.id > b.id;
  };
  const bool in_order = options_.top_k > 0 || options_.top_p < 1;
  if (in_order) {
    size_t most = candidates_.size();
    double goal = options_.top_p < 1 ? options_.top_p * total : INFINITY;
    if (options_.top_k > 0) {
      most = std::min(most, static_cast<size_t>(options_.top_k));
      goal = INFINITY;
    }
    std::make_heap(candidates_.begin(), candidates_.end(), later);
    std::vector<Candidate> chosen;
    double sum = 0;
    for (auto end = candidates_.end();
         chosen.empty() || (chosen.size() < most && sum < goal);) {
      std::pop_heap(candidates_.begin(), end, later);
      chosen.push_back(*--end);
      sum += std::exp(chosen.back().logit);
    }
    if (options_.top_k > 0 && options_.top_p < 1) {
      double part = 0;
      size_t keep = 0;
      while (keep < chosen.size() &&
             (keep == 0 || part < options_.top_p * sum)) {
        part += std::exp(chosen[keep++].logit);
      }
      chosen.resize(keep);
    }
    while (chosen.size() > 1 && chosen.back().logit < lowest) chosen.pop_back();
    candidates_.swap(chosen);
  }
  double sum = 0;
  for (const Candidate& c : candidates_) sum += std::exp(c.logit);
  const double goal = NextUniform() * sum;
  double reached = 0;
  for (const Candidate& candidate : candidates_) {
    reached += std::exp(candidate.logit);
    if (reached > goal) return candidate.id;
  }
  return candidates_.back().id;
}

double Sampler::NextUniform() {
  uint64_t z = state_ += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  z ^= z >> 31;
  return static_cast<double>(z >> 11) * 0x1p-53;
}

double NegativeLogLikelihood(const float* logits, size_t size, size_t id) {
  double max = -INFINITY, sum = 0;
  for (size_t i = 0; i < size; ++i) max = std::max<double>(max, logits[i]);
  for (size_t i = 0; i < size; ++i) sum += std::exp(logits[i] - max);
  return std::log(sum) + max - logits[id];
}

}  // namespace mace::generation
