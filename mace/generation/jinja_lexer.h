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
// by the signs in {%- -%} and {%+ +%}; but signs at the end of {% raw %} and in
// {% endraw %} have no effect. Comments leave no token, {% raw %} leaves text,
// and a newline at the end of the template is dropped.
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
  // `text`: the characters of text, names, numbers and operators; strings
  // without their quotes and escapes; empty for the begin and the end of a tag
  // and for kEnd. `line`: where the token begins, or a string ends; from 1.
  Kind kind;
  std::string text;
  int line;
};

// Returns all tokens of a template; the last one is kEnd. They do not refer to
// `source`. Linear in its size. Errors: MACE_INVALID_ARGS, with the line, for
// what is not closed, for a character or an escape that is unknown, and for an
// integer beyond 64 bits.
Result<std::vector<Token>> Lex(std::string_view source);

}  // namespace mace::generation::jinja

#endif  // MACE_GENERATION_JINJA_LEXER_H_
