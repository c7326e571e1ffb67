// Planning the rings of lines, and finding lines in them.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/fused/lines.h"

#include <algorithm>
#include <utility>

#include "mace/base/aligned_buffer.h"
#include "mace/base/search.h"
#include "mace/cpu/common/blocking.h"

namespace mace::cpu {
namespace {

// No machine has them: the plan fails.
constexpr int64_t kMaxThreadBytes = int64_t{1} << 50;

}  // namespace

Lines::Lines(std::vector<Stage> stages, int64_t step, int64_t copies)
    : stages_(std::move(stages)), step_(stages_.size(), step) {
  // The lines that a step of the last stage needs of each stage: at most all,
  // whatever the strides.
  for (size_t i = stages_.size() - 1; i > 0; --i) {
    const Window& h = stages_[i].h;
    step_[i - 1] = std::min(step_[i] * h.stride, std::max<int64_t>(h.in, 1));
  }
  const auto add = [this](int64_t bytes) {
    const int64_t at = thread_bytes_;
    thread_bytes_ = std::min<int64_t>(
        thread_bytes_ + static_cast<int64_t>(AlignUp(bytes, kAlignment)),
        kMaxThreadBytes);
    return at;
  };
  for (size_t i = 0; i < stages_.size(); ++i) {
    scratch_at_.push_back(add(stages_[i].scratch_bytes));
    if (i + 1 == stages_.size()) break;
    const Window& h = stages_[i + 1].h;
    ring_lines_.push_back(copies *
                          std::min((step_[i + 1] - 1) * h.stride + h.extent(),
                                   std::max<int64_t>(h.in, 1)));
    ring_at_.push_back(add(ring_lines_[i] * stages_[i].line_bytes));
  }
}

bool Lines::computes_twice() const {
  for (size_t i = 1; i < stages_.size(); ++i) {
    if (!stages_[i].reads_once) return true;
  }
  return false;
}

int64_t Lines::BandsOf(int64_t lines, int64_t threads) const {
  // Bands are as long as possible if lines are computed twice where they meet.
  const int64_t rounds = CeilDiv(CeilDiv(lines, step_.back()), threads);
  return std::min(computes_twice() ? threads : rounds * threads, lines);
}

int64_t Lines::FirstInput(int64_t p) const {
  for (size_t s = stages_.size(); s-- > 0;) p = FirstLine(s, p);
  return p;
}

int64_t Lines::FirstLine(size_t stage, int64_t p) const {
  const Window& h = stages_[stage].h;
  return std::clamp<int64_t>(p * h.stride - h.pad_before, 0, h.in);
}

int64_t Lines::LastLine(size_t stage, int64_t p) const {
  const Window& h = stages_[stage].h;
  return std::clamp<int64_t>(p * h.stride - h.pad_before + h.extent(), 0, h.in);
}

Lines::Ring Lines::InputRing(const Band& band, size_t stage) const {
  return {band.scratch + ring_at_[stage - 1], ring_lines_[stage - 1]};
}

void* Lines::OutputLine(const Band& band, size_t stage, int64_t line) const {
  const int64_t bytes = stages_[stage].line_bytes;
  if (stage + 1 == stages_.size()) return band.y + line * bytes;
  return band.scratch + ring_at_[stage] +
         (line - band.base[stage]) % ring_lines_[stage] * bytes;
}

int64_t Lines::Contiguous(const Band& band, size_t stage, int64_t line,
                          int64_t most) const {
  if (stage + 1 == stages_.size()) return most;
  const int64_t lines = ring_lines_[stage];
  return std::min(most, lines - (line - band.base[stage]) % lines);
}

}  // namespace mace::cpu
