// The lexer of chat templates.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_GENERATION_JINJA_LEXER_H_
#define MACE_GENERATION_JINJA_LEXER_H_

#include <string>
#include <string_view>
#include <vector>

#include "mace/base/status.h"

namespace mace::generation::jinja {

// A token of a tag, or the text between tags:
// Hi {{ user.name }}!   ->   kText "Hi "  kOutputBegin  kName "user"
//                            kOperator "."  kName "name"  kOutputEnd  kText "!"
// White space around tags is treated as by trim_blocks and lstrip_blocks, and
// by the signs in {%- -%} and {%+ +%}; comments leave no token, and {% raw %}
// leaves text.
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
  // `text`: the characters of names, numbers and operators; strings without
  // their quotes and escapes; empty for the ends of tags and of the source.
  // `line` counts from 1.
  Kind kind;
  std::string text;
  int line;
};

// Returns all tokens of a template; the last one is kEnd. They do not refer to
// `source`. Linear in its size. Errors: MACE_INVALID_ARGS, with the line, for
// what is not closed, and for a character or an escape that is unknown.
Result<std::vector<Token>> Lex(std::string_view source);

}  // namespace mace::generation::jinja

#endif  // MACE_GENERATION_JINJA_LEXER_H_
