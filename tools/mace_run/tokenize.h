// --tokenize: the tokens of texts.
// SPDX-License-Identifier: Apache-2.0
#ifndef TOOLS_MACE_RUN_TOKENIZE_H_
#define TOOLS_MACE_RUN_TOKENIZE_H_

#include <cstdio>
#include <memory>
#include <string>

#include "mace/base/status.h"

namespace mace::tools {

// The texts of a file, which NUL bytes separate, each as soon as its end is
// there. A file has one text more than NUL bytes.
class TextReader {
 public:
  // Opens a file, or for "-" stdin. Errors: MACE_INVALID_ARGS.
  static Result<TextReader> Open(const std::string& path);

  // False behind the last text.
  Result<bool> Next(std::string* text);

 private:
  std::string path_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_{nullptr, nullptr};
};

// Prints a line of JSON for each of the texts in `file` ("-": stdin):
// {"tokens", "text"}, the text being what the tokens stand for. `plain`:
// special tokens are neither added nor read in texts.
Status PrintTokens(const std::string& tokenizer, const std::string& file,
                   bool plain);

}  // namespace mace::tools

#endif  // TOOLS_MACE_RUN_TOKENIZE_H_
