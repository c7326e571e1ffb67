// Stop strings, which may lie across tokens.
// SPDX-License-Identifier: Apache-2.0

#include "mace/generation/stop_text.h"

#include <algorithm>
#include <utility>

namespace mace::generation {

StopText::StopText(std::vector<std::string> stops) {
  for (std::string& stop : stops) {
    if (!stop.empty()) stops_.push_back(std::move(stop));
  }
}

bool StopText::Add(std::string_view text, std::string* ready) {
  held_.append(text);
  size_t found = std::string::npos;
  for (const std::string& stop : stops_) {
    found = std::min(found, held_.find(stop));
  }
  if (found != std::string::npos) {
    ready->append(held_, 0, found);
    held_.clear();
    return true;
  }
  // The longest end that is the beginning of a stop string stays.
  size_t keep = 0;
  for (const std::string& stop : stops_) {
    for (size_t n = std::min(stop.size() - 1, held_.size()); n > keep; --n) {
      if (held_.compare(held_.size() - n, n, stop, 0, n) == 0) keep = n;
    }
  }
  ready->append(held_, 0, held_.size() - keep);
  held_.erase(0, held_.size() - keep);
  return false;
}

void StopText::Finish(std::string* ready) {
  ready->append(held_);
  held_.clear();
}

}  // namespace mace::generation
