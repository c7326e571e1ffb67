// StopText: text that is held back while it may become a stop string.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_GENERATION_STOP_TEXT_H_
#define MACE_GENERATION_STOP_TEXT_H_

#include <string>
#include <string_view>
#include <vector>

namespace mace::generation {

// Text comes in parts, and a stop string may lie across them:
// stop "END"   Add("the E")  -> ready "the ", held "E"
//              Add("ND now") -> ready "", returns true
// Strings are compared by bytes. The occurrence that is complete first counts;
// of those that one Add completes, the one that begins first. For one thread.
class StopText {
 public:
  // Empty strings are ignored.
  explicit StopText(std::vector<std::string> stops);

  // Adds text and appends to `*ready` all but the longest end that is the
  // beginning of a stop string. Returns whether a stop string was found: then
  // appends only what is before it, and drops it and what follows.
  bool Add(std::string_view text, std::string* ready);
  // Appends what is held back.
  void Finish(std::string* ready);

 private:
  std::vector<std::string> stops_;
  // Shorter than the longest stop string, between calls.
  std::string held_;
};

}  // namespace mace::generation

#endif  // MACE_GENERATION_STOP_TEXT_H_
