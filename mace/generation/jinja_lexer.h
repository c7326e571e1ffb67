// The lexer of chat templates.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_GENERATION_JINJA_LEXER_H_
#define MACE_GENERATION_JINJA_LEXER_H_

#include <string>
#include <string_view>
#include <vector>

#include "mace/base/status.h"

namespace mace::generation::jinja {

struct Token {
  enum Kind {
    kText,         // between tags
    kOutputBegin,  // {{
    kOutputEnd,
    kTagBegin,  // {%
    kTagEnd,
    kName,
    kInt,
    kFloat,
    kString,
    kOperator,
    kEnd,
  };
  Kind kind;
  std::string text;
  int line;
};

// Errors: MACE_INVALID_ARGS, with the line.
Result<std::vector<Token>> Lex(std::string_view source);

}  // namespace mace::generation::jinja

#endif  // MACE_GENERATION_JINJA_LEXER_H_
