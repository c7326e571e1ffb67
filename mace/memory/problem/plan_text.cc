// Draws plans in ASCII.
// SPDX-License-Identifier: Apache-2.0

#include "mace/memory/problem/plan_text.h"

#include <algorithm>
#include <numeric>

#include "mace/base/sort.h"
#include "mace/base/str_cat.h"

namespace mace::memory {
namespace {

constexpr int64_t kColumns = 80;
// If there are more steps, only those at which something changes are drawn.
constexpr int64_t kMaxSteps = 4096;

char LetterOf(size_t id) {
  constexpr char kLetters[] =
      "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  return id < sizeof(kLetters) - 1 ? kLetters[id] : '*';
}

std::string Line(const Problem& p, const std::vector<int64_t>& offsets,
                 int64_t step, int64_t arena) {
  std::string line(kColumns, '.');
  int64_t live = 0;
  for (size_t i = 0; i < p.records.size(); ++i) {
    const Record& r = p.records[i];
    if (step < r.first || r.last < step) continue;
    const int64_t size = r.size.extent[0];
    live += size;
    // In double, because the product may overflow, and the column need not be
    // exact.
    const double scale = static_cast<double>(kColumns) / arena;
    const auto begin = static_cast<int64_t>(offsets[i] * scale);
    const auto end = static_cast<int64_t>((offsets[i] + size) * scale);
    for (int64_t k = begin; k < std::min(end, kColumns); ++k) {
      const char letter = r.first == r.last ? '*' : LetterOf(i);
      line[k] = line[k] == '.' ? letter : '!';
    }
  }
  return StrCat(line, " (", (live + 1023) / 1024, "k)");
}

}  // namespace

std::string PlanText(const Problem& p, const std::vector<int64_t>& offsets) {
  std::string text;
  int64_t arena = kColumns;
  std::vector<int64_t> steps;
  for (size_t i = 0; i < p.records.size(); ++i) {
    const Record& r = p.records[i];
    text += LetterOf(i);
    text += StrCat(" (id=", i, "): size=", r.size.extent[0],
                   ", offset=", offsets[i], ", first_used=", r.first,
                   " last_used=", r.last);
    text += r.name.empty() ? "\n" : StrCat(" ", r.name, "\n");
    arena = std::max(arena, offsets[i] + r.size.extent[0]);
    steps.push_back(r.first);
    steps.push_back(r.last);
  }
  StableSort(&steps);
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  if (!steps.empty() && steps.front() >= 0 && steps.back() < kMaxSteps) {
    const int64_t end = steps.back() + 1;
    steps.resize(end);
    std::iota(steps.begin(), steps.end(), int64_t{0});
  }
  for (int64_t step : steps) {
    text += StrCat(step >= 0 && step < 10 ? " " : "", step, ": ",
                   Line(p, offsets, step, arena), "\n");
  }
  return text;
}

}  // namespace mace::memory
