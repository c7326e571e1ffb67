// StopText: text that is held back while it may become a stop string.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_GENERATION_STOP_TEXT_H_
#define MACE_GENERATION_STOP_TEXT_H_

#include <string>
#include <string_view>
#include <vector>

namespace mace::generation {

class StopText {
 public:
  explicit StopText(std::vector<std::string> stops);

  // Adds text and appends to `*ready` what no stop string can begin in. Returns
  // whether a stop string was found: `*ready` ends before it.
  bool Add(std::string_view text, std::string* ready);
  // Appends what is held back.
  void Finish(std::string* ready);

 private:
  std::vector<std::string> stops_;
  std::string held_;
};

}  // namespace mace::generation

#endif  // MACE_GENERATION_STOP_TEXT_H_
