// The parser of chat templates.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_GENERATION_JINJA_PARSER_H_
#define MACE_GENERATION_JINJA_PARSER_H_

#include <memory>
#include <string>
#include <vector>

#include "mace/generation/jinja_value.h"

namespace mace::generation::jinja {

// A part of a template.
struct Node {
  enum Kind {
    // Statements.
    kText,         // name: the text
    kOutput,       // [expression]
    kIf,           // [condition, body, else]
    kFor,          // names: targets; [list, condition or null, body, else]
    kSet,          // [target, expression]
    kSetBlock,     // names[0]; [body]
    kMacro,        // name; names: parameters; [body, defaults or null...]
    kFilterBlock,  // [body, a filter over it]
    kBreak,
    kContinue,
    kBlock,  // statements in order
    // Expressions.
    kConstant,  // value
    kName,
    kList,
    kDict,       // key, value, key, value...
    kBinary,     // name: the operator; [left, right]
    kUnary,      // name; [operand]
    kCondition,  // [then, condition, else or null]
    kAttribute,  // [object], name
    kSubscript,  // [object, index]
    kSlice,      // [object, from, to, step], any but the first null
    kCall,       // [function, arguments...]; names: of the last arguments
    kFilter,     // name; [operand, arguments...]; names as of calls
    kTest,       // name; [operand, arguments...]
  };

  Kind kind;
  int line;
  std::string name;
  Value value;
  std::vector<std::string> names;
  std::vector<std::unique_ptr<Node>> children;
  int chain = 0;  // how many operators are below this one without parentheses

  const Node* child(size_t i) const {
    return i < children.size() ? children[i].get() : nullptr;
  }
};

// With trim_blocks and lstrip_blocks, as templates of Hugging Face are
// rendered. Errors: MACE_UNSUPPORTED with the name of the construct,
// MACE_INVALID_ARGS for a syntax error; both with the line.
Result<std::unique_ptr<Node>> Parse(const std::string& source);

}  // namespace mace::generation::jinja

#endif  // MACE_GENERATION_JINJA_PARSER_H_
