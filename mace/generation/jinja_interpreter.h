// The interpreter of chat templates, and its limits.
// SPDX-License-Identifier: Apache-2.0
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

constexpr int64_t kMaxSteps = 1000000;
constexpr int kMaxDepth = 400;
constexpr size_t kMaxElements = 100000;  // of a list

// Arguments of a call.
struct Arguments {
  std::vector<Value> values;
  std::vector<std::pair<std::string, Value>> named;

  const Value* Find(const std::string& name, size_t position) const;
};

class Interpreter {
 public:
  explicit Interpreter(std::map<std::string, Value> variables) {
    scopes_.push_back(std::move(variables));
  }
  ~Interpreter();
  Interpreter(const Interpreter&) = delete;
  Interpreter& operator=(const Interpreter&) = delete;

  Result<std::string> Render(const Node& root);

 private:
  enum class Flow { kNext, kBreak, kContinue };
  using Scope = std::map<std::string, Value>;

  // After an error they return any value; the error is in status_.
  Flow Execute(const Node& node, std::string* out);
  Flow ExecuteOne(const Node& node, std::string* out);
  Flow ExecuteBlock(const Node& node, std::string* out);
  void ExecuteCapture(const Node& node, std::string* out);
  Flow ExecuteFor(const Node& node, std::string* out);
  void Assign(const Node& target, Value value);
  Value Evaluate(const Node& node);
  Value EvaluateElements(const Node& node);
  Value EvaluateFilter(const Node& node);
  Value EvaluateUnary(const Node& node);
  Value EvaluateBinary(const Node& node);
  Value Add(const Node& node, const Value& a, const Value& b);
  Value Arithmetic(const Node& node, const Value& a, const Value& b);
  Value Compare(const Node& node, const Value& a, const Value& b);
  bool Same(const Node& node, const Value& a, const Value& b);
  bool Contains(const Node& node, const Value& list, const Value& element);
  Value EvaluateSlice(const Node& node);
  Value EvaluateSubscript(const Node& node);
  Value EvaluateCall(const Node& node);
  static bool IsFunction(const std::string& name);
  Value CallFunction(const Node& node, const std::string& name,
                     const Arguments& arguments);
  Value CallMethod(const Node& node, const Value& object,
                   const std::string& name, const Arguments& arguments);
  Value CallStringMethod(const Node& node, const std::string& text,
                         const std::string& name, const Arguments& arguments);
  Value CallMacro(const Node& node, const Node& macro,
                  const Arguments& arguments);
  Arguments EvaluateArguments(const Node& node, size_t first);
  Value Filter(const Node& node, const std::string& name, const Value& value,
               const Arguments& arguments);
  Value FilterText(const Node& node, const std::string& name,
                   const Value& value, const Arguments& arguments);
  Value Items(const Node& node, const std::string& name, const Value& value);
  Value FilterList(const Node& node, const std::string& name,
                   const Value& value, const Arguments& arguments);
  Value Select(const Node& node, const std::string& name, const List& list,
               const Arguments& arguments);
  Value Map(const Node& node, const List& list, const Arguments& arguments);
  bool Test(const Node& node, const std::string& name, const Value& value,
            const Arguments& arguments);
  // The elements that a loop goes through.
  List Elements(const Node& node, const Value& value);
  Value Length(const Node& node, const Value& value);
  Value Lookup(const std::string& name) const;
  static Value Attribute(const Value& object, const std::string& name);
  // The text of a value, within the limit.
  std::string Text(const Node& node, const Value& value);
  // Keeps a list or dict until the end, so that none is destroyed within
  // others, of which it may be one.
  void Keep(const Value& made);
  Value Checked(const Node& node, std::string text);
  Value CheckedList(const Node& node, List list);

  bool ok() const { return status_.ok(); }
  Value Fail(const Node& node, const std::string& what);
  Value Refuse(const Node& node, const std::string& what);
  bool Step(const Node& node, int64_t steps = 1);

  std::vector<std::shared_ptr<List>> lists_;
  std::vector<std::shared_ptr<Dict>> dicts_;
  std::vector<Scope> scopes_;
  Status status_;
  int64_t steps_ = 0;
  int depth_ = 0;
};

}  // namespace mace::generation::jinja

#endif  // MACE_GENERATION_JINJA_INTERPRETER_H_
