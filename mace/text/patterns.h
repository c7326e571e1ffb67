// The regular expressions by which tokenizers split, as scanners.
// SPDX-License-Identifier: Apache-2.0
//
// A scanner splits a text in linear time, and does not recurse.
#ifndef MACE_TEXT_PATTERNS_H_
#define MACE_TEXT_PATTERNS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mace/text/tokenizer_data.h"
#include "mace/text/utf8_text.h"

namespace mace::text {

// A piece of text: its characters, and the class of each
// (TokenizerData::ClassOf).
struct ClassifiedText {
  ClassifiedText(const TokenizerData& data, std::string_view text);
  size_t size() const { return characters.size(); }

  Characters characters;
  std::vector<uint8_t> classes;
};

// Returns the end of the match of `step`'s expression that begins at character
// `at`; `at` if there is no match. REQUIRES: at < text.size(); the step is
// kGpt2, kLlama3 or kGpt4o.
size_t MatchEnd(const ClassifiedText& text, const Step& step, size_t at);

}  // namespace mace::text

#endif  // MACE_TEXT_PATTERNS_H_
