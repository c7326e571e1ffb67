// --tokenize: the tokens of texts.
// SPDX-License-Identifier: Apache-2.0
#ifndef TOOLS_MACE_RUN_TOKENIZE_H_
#define TOOLS_MACE_RUN_TOKENIZE_H_

#include <string>

#include "mace/base/status.h"

namespace mace::tools {

// What is in a file; "-": in stdin.
Result<std::string> ReadTexts(const std::string& path);

// Prints a line of JSON for each of the texts in `file` ("-": stdin), which NUL
// bytes separate: its tokens, and their text. `plain`: special tokens are
// neither added nor read in texts.
Status PrintTokens(const std::string& tokenizer, const std::string& file,
                   bool plain);

}  // namespace mace::tools

#endif  // TOOLS_MACE_RUN_TOKENIZE_H_
