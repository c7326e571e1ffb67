// The interpreter of chat templates, and its limits.
// SPDX-License-Identifier: Apache-2.0
//
// Values, scopes and filters are those of Jinja 3 with Python values, as far as
// chat templates use them; other constructs are refused with MACE_UNSUPPORTED.
// Implemented in jinja_interpreter.cc (expressions), jinja_statements.cc,
// jinja_calls.cc (functions, methods, macros) and jinja_filters.cc (filters,
// tests).
#ifndef MACE_GENERATION_JINJA_INTERPRETER_H_
#define MACE_GENERATION_JINJA_INTERPRETER_H_

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mace/generation/jinja_parser.h"
#include "mace/generation/jinja_value.h"

namespace mace::generation::jinja {

// Limits of a rendering. kMaxSteps bounds its time: a node that is executed or
// evaluated is a step, and so are parts of long texts and lists that are copied
// or compared. kMaxDepth bounds the C++ stack: it counts nested blocks,
// expressions and macro calls.
constexpr int64_t kMaxSteps = 1000000;
constexpr int kMaxDepth = 400;

// Arguments of a call, filter or test, evaluated: those without a name, and
// behind them those with one.
struct Arguments {
  std::vector<Value> values;
  std::vector<std::pair<std::string, Value>> named;

  // Returns the argument of this name, else the one without a name at
  // `position`, else null. An empty name finds by position only.
  const Value* Find(const std::string& name, size_t position) const;
};

// Renders one template once. For one thread.
class Interpreter {
 public:
  // `variables` are the outermost scope.
  explicit Interpreter(std::map<std::string, Value> variables) {
    scopes_.push_back(std::move(variables));
  }
  Interpreter(const Interpreter&) = delete;
  Interpreter& operator=(const Interpreter&) = delete;

  // Returns the text of the template. `root` is that of Parse and must outlive
  // the object: macros point into it. Errors: MACE_UNSUPPORTED,
  // MACE_INVALID_ARGS; both with the line.
  Result<std::string> Render(const Node& root);

 private:
  // How a statement ended: with the next one, or by break or continue, which
  // leaves blocks up to the loop around it.
  enum class Flow { kNext, kBreak, kContinue };
  using Scope = std::map<std::string, Value>;

  // Statements append to `*out`. After an error all functions return soon, with
  // any value; the first error is in status_. Errors have the line of `node`.
  // Execute counts a step and the depth and calls ExecuteOne, which handles the
  // kinds of nodes.
  Flow Execute(const Node& node, std::string* out);
  Flow ExecuteOne(const Node& node, std::string* out);
  Flow ExecuteBlock(const Node& node, std::string* out);
  // A block whose output is not appended but becomes a variable, or the input
  // of filters.
  void ExecuteCapture(const Node& node, std::string* out);
  // Evaluates the list, keeps the elements for which the loop's condition
  // holds, and executes the body in a scope of its own for each; `loop` is a
  // dict of index, first, last and so on. The else block runs if no element is
  // left.
  Flow ExecuteFor(const Node& node, std::string* out);
  // Sets a variable of the innermost scope, so that a loop's variables end with
  // it, as in Jinja; or the attribute of a dict (a namespace), which outlives
  // the loop.
  void Assign(const Node& target, Value value);
  // Returns the value of an expression. Counts a step and the depth.
  Value Evaluate(const Node& node);
  // A list, or a dict with keys that are strings.
  Value EvaluateElements(const Node& node);
  Value EvaluateFilter(const Node& node);
  Value EvaluateUnary(const Node& node);
  // `and` and `or` return an operand and do not evaluate the second without
  // need, as in Python. Add: also of strings and of lists. Arithmetic: of two
  // integers the result is an integer, except of `/`; // and % round down;
  // overflow of integers and division by zero are errors.
  Value EvaluateBinary(const Node& node);
  Value Add(const Node& node, const Value& a, const Value& b);
  Value Arithmetic(const Node& node, const Value& a, const Value& b);
  Value Compare(const Node& node, const Value& a, const Value& b);
  // As ==. Each pair of values other than numbers that it compares is a step.
  bool Same(const Node& node, const Value& a, const Value& b);
  // As `in`: a part of a string, an element of a list, or a key of a dict.
  bool Contains(const Node& node, const Value& list, const Value& element);
  // Strings are indexed and sliced by their characters, not bytes. A subscript
  // that is out of range is undefined; a slice is clipped, as in Python.
  Value EvaluateSlice(const Node& node);
  Value EvaluateSubscript(const Node& node);
  Value EvaluateCall(const Node& node);
  // The functions that a template may call by name: raise_exception, namespace,
  // dict, range and strftime_now (local time).
  static bool IsFunction(const std::string& name);
  Value CallFunction(const Node& node, const std::string& name,
                     const Arguments& arguments);
  // Methods of strings, dicts and lists; `update` and `append` change the
  // object, which other values may share.
  Value CallMethod(const Node& node, const Value& object,
                   const std::string& name, const Arguments& arguments);
  Value CallStringMethod(const Node& node, const std::string& text,
                         const std::string& name, const Arguments& arguments);
  // Renders a macro's body to a string. It sees the outermost scope and its
  // parameters, not the scopes of its caller.
  Value CallMacro(const Node& node, const Node& macro,
                  const Arguments& arguments);
  // The arguments of a call, filter or test from child `first` on; the last
  // node.names.size() children have names.
  Arguments EvaluateArguments(const Node& node, size_t first);
  // Returns whether a call gives no more arguments than there are parameters,
  // and none of another name. If not, sets an error.
  bool Takes(const Node& node, const std::string& function,
             const std::vector<std::string>& parameters,
             const Arguments& arguments);
  // Applies a filter: FilterText has those of the text of a value or of a
  // number, FilterList those of its elements.
  Value Filter(const Node& node, const std::string& name, const Value& value,
               const Arguments& arguments);
  Value FilterText(const Node& node, const std::string& name,
                   const Value& value, const Arguments& arguments);
  // The filters items and dictsort: a list of [key, value], in the order of the
  // dict or of the keys in lower case.
  Value Items(const Node& node, const std::string& name, const Value& value);
  Value FilterList(const Node& node, const std::string& name,
                   const Value& value, const Arguments& arguments);
  // select, reject, selectattr and rejectattr: by a test, or by truth without
  // one.
  Value Select(const Node& node, const std::string& name, const List& list,
               const Arguments& arguments);
  // The attribute of each element, or each element filtered.
  Value Map(const Node& node, const List& list, const Arguments& arguments);
  bool Test(const Node& node, const std::string& name, const Value& value,
            const Arguments& arguments);
  // The elements that a loop goes through: of a list, the keys of a dict, the
  // characters of a string, none of an undefined value. Errors: other values,
  // and strings of more than kMaxElements characters.
  List Elements(const Node& node, const Value& value);
  // The number of elements or characters.
  Value Length(const Node& node, const Value& value);
  // A variable of the innermost scope that has it, else undefined. Attribute: a
  // key's value, else undefined.
  Value Lookup(const std::string& name) const;
  static Value Attribute(const Value& object, const std::string& name);
  // The text of a value as it is written to the output, within kMaxOutput.
  std::string Text(const Node& node, const Value& value);
  // Return the text or the list as a Value. Fail if it has more than kMaxOutput
  // bytes or kMaxElements elements. CheckedList counts a step per element.
  Value Checked(const Node& node, std::string text);
  Value CheckedList(const Node& node, List list);

  bool ok() const { return status_.ok(); }
  // Set the error, unless there is one already: Fail MACE_INVALID_ARGS, Refuse
  // MACE_UNSUPPORTED. Both return an undefined value.
  Value Fail(const Node& node, const std::string& what);
  Value Refuse(const Node& node, const std::string& what);
  // Sets a key of a dict, or fails if there are kMaxKeys others.
  void SetKey(const Node& node, Value dict, const std::string& key,
              Value value);
  // Counts steps, of which 256 bytes of new values are one, too. Returns
  // whether to go on: not after an error.
  bool Step(const Node& node, int64_t steps = 1);

  // From the outermost, the template's, to the innermost. In a macro: the
  // template's, the macro's, and those of its loops.
  std::vector<Scope> scopes_;
  Status status_;
  int64_t steps_ = 0;
  int depth_ = 0;
};

}  // namespace mace::generation::jinja

#endif  // MACE_GENERATION_JINJA_INTERPRETER_H_
