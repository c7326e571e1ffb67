// The parser of chat templates.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_GENERATION_JINJA_PARSER_H_
#define MACE_GENERATION_JINJA_PARSER_H_

#include <memory>
#include <string>
#include <vector>

#include "mace/generation/jinja_value.h"

namespace mace::generation::jinja {

// A node of the syntax tree. The comment of each kind lists what `children`
// are, in their order (in brackets; those that may be absent are null or
// missing at the end), and what `name`, `names` and `value` mean; other fields
// are not used by the kind.
struct Node {
  enum Kind {
    // Statements.
    kText,         // name: the text
    kOutput,       // [expression]
    kIf,           // [condition, body, else]
    kFor,          // names: targets; [list, condition or null, body, else]
    kSet,          // [target, expression]
    kSetBlock,     // [target, body]
    kMacro,        // name; names: parameters; [body, defaults or null...]
    kFilterBlock,  // [body, filters; the innermost operand is an empty kName]
    kBreak,
    kContinue,
    kBlock,  // [statements...]
    // Expressions.
    kConstant,   // value
    kName,       // name: the variable
    kList,       // [elements...]
    kDict,       // [key, value, key, value...]
    kBinary,     // name: the operator; [left, right]
    kUnary,      // name; [operand]
    kCondition,  // [then, condition, else or null]
    kAttribute,  // [object], name
    kSubscript,  // [object, index]
    kSlice,      // [object, from, to, step], any but the first null
    kCall,       // [function, arguments...]; names: of the last arguments
    kFilter,     // name; [operand, arguments...]; names as of calls
    kTest,       // name; [operand, arguments...]; names as of calls
  };

  Kind kind;
  // The line of the token at which the node was made; for messages.
  int line;
  std::string name;
  Value value;
  std::vector<std::string> names;
  std::vector<std::unique_ptr<Node>> children;
  // Of the tree below: 0 without children. It is bounded, so that destroying a
  // tree, which is recursive, does not exhaust the stack.
  int height = 0;

  // Returns null if there is no such child.
  const Node* child(size_t i) const {
    return i < children.size() ? children[i].get() : nullptr;
  }
};

// Whether there is a filter of this name (jinja_filters.cc).
bool IsFilter(const std::string& name);

// Parses a template, with trim_blocks and lstrip_blocks, as templates of
// Hugging Face are rendered. The root is a kBlock and owns all that it needs of
// `source`. Errors: MACE_UNSUPPORTED with the name of the construct, also for
// an unknown filter or test, even where it would not be reached;
// MACE_INVALID_ARGS for a syntax error, too many levels of nesting or too high
// a tree; both with the line.
Result<std::unique_ptr<Node>> Parse(const std::string& source);

}  // namespace mace::generation::jinja

#endif  // MACE_GENERATION_JINJA_PARSER_H_
