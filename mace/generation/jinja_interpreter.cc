// Expressions and operators.
// SPDX-License-Identifier: Apache-2.0

#include "mace/generation/jinja_interpreter.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "mace/text/utf8_text.h"

namespace mace::generation::jinja {
namespace {

// Where the elements of a list or the characters of a string are.
class Pieces {
 public:
  explicit Pieces(const Value& value) {
    if (value.kind == Value::kList) {
      size_ = static_cast<int64_t>(value.list->size());
      return;
    }
    text_ = value.str();
    for (size_t at = 0; at < text_.size(); ++size_) {
      begins_.push_back(static_cast<uint32_t>(at));
      text::NextCharacter(text_, &at);
    }
    begins_.push_back(static_cast<uint32_t>(text_.size()));
  }
  int64_t size() const { return size_; }
  std::string Character(int64_t i) const {
    const size_t begin = begins_[static_cast<size_t>(i)];
    const size_t end = begins_[static_cast<size_t>(i) + 1];
    return std::string(text_.substr(begin, end - begin));
  }

 private:
  std::string_view text_;
  std::vector<uint32_t> begins_;  // of characters, and the end
  int64_t size_ = 0;
};

}  // namespace

Value Interpreter::Length(const Node& node, const Value& value) {
  if (value.kind == Value::kString || value.kind == Value::kList) {
    const int64_t n = Pieces(value).size();
    Step(node, n >> 4);
    return Value::Int(n);
  }
  return Value::Int(static_cast<int64_t>(Elements(node, value).size()));
}

const Value* Arguments::Find(const std::string& name, size_t position) const {
  for (const auto& [known, value] : named) {
    if (known == name) return &value;
  }
  return position < values.size() ? &values[position] : nullptr;
}

Result<std::string> Interpreter::Render(const Node& root) {
  std::string out;
  Execute(root, &out);
  if (!ok()) return status_;
  return out;
}

Value Interpreter::Fail(const Node& node, const std::string& what) {
  if (ok()) {
    status_ = InvalidArgument("chat template, line ", node.line, ": ", what);
  }
  return Value();
}

Value Interpreter::Refuse(const Node& node, const std::string& what) {
  if (ok()) {
    status_ = Unsupported("chat template, line ", node.line, ": ", what,
                          " is not supported; change the template, or write "
                          "the prompt yourself");
  }
  return Value();
}

bool Interpreter::Step(const Node& node, int64_t steps) {
  steps_ += steps;
  if (steps_ + (ValueScope::bytes() >> 8) > kMaxSteps) {
    Fail(node, StrCat("it takes more than ", kMaxSteps, " steps"));
  }
  return ok();
}

void Interpreter::SetKey(const Node& node, Value dict, const std::string& key,
                         Value value) {
  if (dict.dict->size() >= kMaxKeys && dict.Get(key) == nullptr) {
    Fail(node, StrCat("a dict has more than ", kMaxKeys, " keys"));
    return;
  }
  dict.Set(key, std::move(value));
}

Value Interpreter::Checked(const Node& node, std::string text) {
  if (text.size() > kMaxOutput) {
    return Fail(node, StrCat("a text has more than ", kMaxOutput, " bytes"));
  }
  return Value::String(std::move(text));
}

Value Interpreter::CheckedList(const Node& node, List list) {
  if (list.size() > kMaxElements) {
    return Fail(node,
                StrCat("a list has more than ", kMaxElements, " elements"));
  }
  Step(node, static_cast<int64_t>(list.size()));
  return Value::ListOf(std::move(list));
}

std::string Interpreter::Text(const Node& node, const Value& value) {
  std::string text;
  AppendText(value, /*quoted=*/false, &text);
  const Value checked = Checked(node, std::move(text));
  return ok() ? checked.str() : std::string();
}

Value Interpreter::Lookup(const std::string& name) const {
  for (size_t i = scopes_.size(); i-- > 0;) {
    const auto at = scopes_[i].find(name);
    if (at != scopes_[i].end()) return at->second;
  }
  return Value();
}

Value Interpreter::Attribute(const Value& object, const std::string& name) {
  const Value* found = object.Get(name);
  return found == nullptr ? Value() : *found;
}

Value Interpreter::Evaluate(const Node& node) {
  if (!ok() || !Step(node)) return Value();
  if (++depth_ > kMaxDepth) Fail(node, "expressions and calls are too deep");
  Value result;
  switch (node.kind) {
    case Node::kConstant:
      result = node.value;
      break;
    case Node::kName:
      result = Lookup(node.name);
      if (result.kind == Value::kUndefined && IsFunction(node.name)) {
        result.kind = Value::kMacro;  // which is defined, and can be called
      }
      break;
    case Node::kList:
    case Node::kDict:
      result = EvaluateElements(node);
      break;
    case Node::kBinary:
      result = EvaluateBinary(node);
      break;
    case Node::kUnary:
      result = EvaluateUnary(node);
      break;
    case Node::kCondition: {
      const bool holds = Evaluate(*node.child(1)).IsTrue();
      const Node* branch = node.child(holds ? 0 : 2);
      if (branch != nullptr) result = Evaluate(*branch);
      break;
    }
    case Node::kAttribute: {
      const Value object = Evaluate(*node.child(0));
      if (object.kind == Value::kUndefined) {
        Fail(node, StrCat("'", node.name, "' of a value that is undefined"));
      }
      result = Attribute(object, node.name);
      break;
    }
    case Node::kSubscript:
      result = EvaluateSubscript(node);
      break;
    case Node::kSlice:
      result = EvaluateSlice(node);
      break;
    case Node::kCall:
      result = EvaluateCall(node);
      break;
    case Node::kFilter:
    case Node::kTest:
      result = EvaluateFilter(node);
      break;
    default:
      Fail(node, "a statement stands in an expression");
  }
  --depth_;
  return result;
}

Value Interpreter::EvaluateElements(const Node& node) {
  if (node.kind == Node::kList) {
    List list;
    for (const auto& child : node.children) list.push_back(Evaluate(*child));
    return Value::ListOf(std::move(list));
  }
  Value dict = Value::DictOf({});
  for (size_t i = 0; i + 1 < node.children.size() && ok(); i += 2) {
    const Value key = Evaluate(*node.child(i));
    if (ok() && key.kind != Value::kString) {
      Refuse(node, "a dict whose keys are no strings");
    }
    if (ok()) SetKey(node, dict, key.str(), Evaluate(*node.child(i + 1)));
  }
  return dict;
}

bool Interpreter::Takes(const Node& node, const std::string& function,
                        const std::vector<std::string>& parameters,
                        const Arguments& arguments) {
  if (arguments.values.size() > parameters.size()) {
    Fail(node, StrCat("'", function, "' takes at most ", parameters.size(),
                      " arguments"));
  }
  for (const auto& [name, value] : arguments.named) {
    if (std::find(parameters.begin(), parameters.end(), name) ==
        parameters.end()) {
      Refuse(node, StrCat("the argument '", name, "' of '", function, "'"));
    }
  }
  return ok();
}

Value Interpreter::EvaluateFilter(const Node& node) {
  const Value value = Evaluate(*node.child(0));
  const Arguments arguments = EvaluateArguments(node, 1);
  if (!ok()) return Value();
  if (node.kind == Node::kFilter) {
    return Filter(node, node.name, value, arguments);
  }
  return Value::Bool(Test(node, node.name, value, arguments));
}

Value Interpreter::EvaluateUnary(const Node& node) {
  const Value operand = Evaluate(*node.child(0));
  if (node.name == "not") return Value::Bool(!operand.IsTrue());
  if (!operand.is_number()) {
    return Fail(node, StrCat("'", node.name, "' of ", NameOf(operand.kind)));
  }
  if (node.name == "+") return operand;
  if (operand.kind == Value::kFloat) return Value::Float(-operand.real);
  int64_t negative = 0;
  return __builtin_sub_overflow(int64_t{0}, operand.number, &negative)
             ? Fail(node, "a number is too large")
             : Value::Int(negative);
}

Arguments Interpreter::EvaluateArguments(const Node& node, size_t first) {
  Arguments arguments;
  const size_t plain = node.children.size() - node.names.size();
  for (size_t i = first; i < node.children.size() && ok(); ++i) {
    Value value = Evaluate(*node.children[i]);
    if (i < plain) {
      arguments.values.push_back(std::move(value));
    } else {
      arguments.named.emplace_back(node.names[i - plain], std::move(value));
    }
  }
  return arguments;
}

Value Interpreter::EvaluateBinary(const Node& node) {
  const std::string& op = node.name;
  const Value a = Evaluate(*node.child(0));
  if (op == "and" || op == "or") {
    return a.IsTrue() == (op == "or") ? a : Evaluate(*node.child(1));
  }
  const Value b = Evaluate(*node.child(1));
  if (!ok()) return Value();
  if (op == "==") return Value::Bool(Same(node, a, b));
  if (op == "!=") return Value::Bool(!Same(node, a, b));
  if (op == "in") return Value::Bool(Contains(node, b, a));
  if (op == "not in") return Value::Bool(!Contains(node, b, a));
  if (op == "~") return Checked(node, Text(node, a) + Text(node, b));
  if (op == "+") return Add(node, a, b);
  if (op[0] == '<' || op[0] == '>') return Compare(node, a, b);
  return Arithmetic(node, a, b);
}

Value Interpreter::Add(const Node& node, const Value& a, const Value& b) {
  if (a.kind == Value::kString && b.kind == Value::kString) {
    return Checked(node, a.str() + b.str());
  }
  if (a.kind == Value::kList && b.kind == Value::kList) {
    List both = *a.list;
    both.insert(both.end(), b.list->begin(), b.list->end());
    return CheckedList(node, std::move(both));
  }
  return Arithmetic(node, a, b);
}

Value Interpreter::Arithmetic(const Node& node, const Value& a,
                              const Value& b) {
  const std::string& op = node.name;
  if (!a.is_number() || !b.is_number()) {
    return Fail(node, StrCat("'", op, "' of ", NameOf(a.kind), " and ",
                             NameOf(b.kind)));
  }
  const bool divides = op == "/" || op == "//" || op == "%";
  if (divides && b.as_double() == 0) return Fail(node, "a division by zero");
  if (op == "/" || a.kind == Value::kFloat || b.kind == Value::kFloat) {
    const double x = a.as_double(), y = b.as_double();
    if (op == "+") return Value::Float(x + y);
    if (op == "-") return Value::Float(x - y);
    if (op == "*") return Value::Float(x * y);
    if (op == "/") return Value::Float(x / y);
    if (op == "//") return Value::Float(std::floor(x / y));
    return Value::Float(x - y * std::floor(x / y));
  }
  const int64_t x = a.number, y = b.number;
  int64_t result = 0;
  bool overflows = false;
  if (op == "+") {
    overflows = __builtin_add_overflow(x, y, &result);
  } else if (op == "-") {
    overflows = __builtin_sub_overflow(x, y, &result);
  } else if (op == "*") {
    overflows = __builtin_mul_overflow(x, y, &result);
  } else if (y == -1) {
    overflows = __builtin_sub_overflow(int64_t{0}, x, &result);
    if (op == "%") result = 0;
  } else {  // rounded down, as in Python
    const int64_t rest = x % y;
    const bool is_below = rest != 0 && (rest < 0) != (y < 0);
    result = op == "%" ? rest + (is_below ? y : 0) : x / y - is_below;
  }
  return overflows ? Fail(node, "a number is too large") : Value::Int(result);
}

Value Interpreter::Compare(const Node& node, const Value& a, const Value& b) {
  int order = 0;
  if (a.is_number() && b.is_number()) {
    order = IsLess(a, b) ? -1 : IsLess(b, a);
  } else if (a.kind == Value::kString && b.kind == Value::kString) {
    order = a.str().compare(b.str());
  } else {
    return Fail(node, StrCat("'", node.name, "' of ", NameOf(a.kind), " and ",
                             NameOf(b.kind)));
  }
  const bool or_equal = node.name.size() == 2;
  if (order == 0) return Value::Bool(or_equal);
  return Value::Bool((order < 0) == (node.name[0] == '<'));
}

bool Interpreter::Same(const Node& node, const Value& a, const Value& b) {
  const int64_t given = std::max<int64_t>(kMaxSteps - steps_, 0);
  int64_t left = given;
  const bool equal = Equal(a, b, &left);
  Step(node, left < 0 ? kMaxSteps : given - left);
  return equal;
}

bool Interpreter::Contains(const Node& node, const Value& list,
                           const Value& element) {
  switch (list.kind) {
    case Value::kString:
      if (element.kind != Value::kString) break;
      return FindText(list.str(), element.str()) != std::string::npos;
    case Value::kList:
      Step(node, static_cast<int64_t>(list.list->size()));
      return std::any_of(
          list.list->begin(), list.list->end(),
          [&](const Value& v) { return ok() && Same(node, v, element); });
    case Value::kDict:
      return element.kind == Value::kString &&
             list.Get(element.str()) != nullptr;
    case Value::kUndefined:
      return false;
    default:
      break;
  }
  Fail(node,
       StrCat("'in' of ", NameOf(element.kind), " and ", NameOf(list.kind)));
  return false;
}

Value Interpreter::EvaluateSubscript(const Node& node) {
  const Value object = Evaluate(*node.child(0));
  const Value index = Evaluate(*node.child(1));
  if (!ok()) return Value();
  if (index.kind == Value::kString && object.kind == Value::kDict) {
    return Attribute(object, index.str());
  }
  if (object.kind == Value::kUndefined) {
    return Fail(node, "an index of a value that is undefined");
  }
  if (index.kind != Value::kInt ||
      (object.kind != Value::kList && object.kind != Value::kString)) {
    return Value();  // as Jinja: undefined
  }
  const Pieces pieces(object);
  if (!Step(node, pieces.size() >> 4)) return Value();
  const int64_t n = pieces.size();
  const int64_t i = index.number < 0 ? index.number + n : index.number;
  if (i < 0 || i >= n) return Value();
  if (object.kind == Value::kList)
    return (*object.list)[static_cast<size_t>(i)];
  return Value::String(pieces.Character(i));
}

Value Interpreter::EvaluateSlice(const Node& node) {
  const Value object = Evaluate(*node.child(0));
  Value parts[3];
  for (size_t i = 0; i < 3; ++i) {
    if (node.child(i + 1) == nullptr) continue;
    parts[i] = Evaluate(*node.child(i + 1));
    if (ok() && parts[i].kind != Value::kInt && parts[i].kind != Value::kNone) {
      return Fail(node, "a slice needs whole numbers");
    }
  }
  if (ok() && object.kind != Value::kList && object.kind != Value::kString) {
    return Fail(node, StrCat("a slice of ", NameOf(object.kind)));
  }
  if (!ok()) return Value();
  const Pieces pieces(object);
  const int64_t n = pieces.size();
  if (!Step(node, n >> 4)) return Value();
  const int64_t step = parts[2].kind == Value::kInt ? parts[2].number : 1;
  if (step == 0 || step < -n - 1 || step > (int64_t{1} << 40)) {
    return Fail(node, "a slice with such a step");
  }
  const auto bound = [&](const Value& v, int64_t otherwise) {
    if (v.kind != Value::kInt) return otherwise;
    const int64_t i = v.number < 0 ? v.number + n : v.number;
    return std::clamp<int64_t>(i, step < 0 ? -1 : 0, step < 0 ? n - 1 : n);
  };
  const int64_t begin = bound(parts[0], step < 0 ? n - 1 : 0);
  const int64_t end = bound(parts[1], step < 0 ? -1 : n);
  List found;
  std::string text;
  for (int64_t i = begin; step < 0 ? i > end : i < end; i += step) {
    if (object.kind == Value::kString) {
      text.append(pieces.Character(i));
    } else {
      found.push_back((*object.list)[static_cast<size_t>(i)]);
    }
  }
  return object.kind == Value::kString ? Value::String(std::move(text))
                                       : CheckedList(node, std::move(found));
}

}  // namespace mace::generation::jinja
