// Functions, methods and macros of chat templates.
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <ctime>
#include <string_view>

#include "mace/generation/jinja_interpreter.h"

namespace mace::generation::jinja {
namespace {

constexpr std::string_view kStripped = " \t\n\r\v\f";

std::string Stripped(std::string_view text, std::string_view characters,
                     bool left, bool right) {
  if (left) {
    text.remove_prefix(
        std::min(text.find_first_not_of(characters), text.size()));
  }
  if (right) text = text.substr(0, text.find_last_not_of(characters) + 1);
  return std::string(text);
}

std::string Replaced(const std::string& text, const std::string& from,
                     const std::string& to) {
  if (from.empty()) return text;
  std::string result;
  size_t at = 0;
  for (size_t found; (found = FindText(text, from, at)) != std::string::npos;) {
    result.append(text, at, found - at).append(to);
    at = found + from.size();
    if (result.size() > kMaxOutput) break;
  }
  return result.append(text, at);
}

// str.split: by white space if `by` is null.
List SplitBy(const std::string& text, const std::string* by, int64_t limit) {
  List parts;
  const auto is_full = [&] { return parts.size() > kMaxElements; };
  size_t at = 0;
  if (by == nullptr) {
    while (!is_full() &&
           (at = text.find_first_not_of(kStripped, at)) != std::string::npos) {
      const size_t end =
          limit >= 0 && static_cast<int64_t>(parts.size()) == limit
              ? text.size()
              : text.find_first_of(kStripped, at);
      parts.push_back(Value::String(text.substr(at, end - at)));
      if (end == std::string::npos) break;
      at = end;
    }
    return parts;
  }
  for (size_t found;
       !is_full() &&
       (limit < 0 || static_cast<int64_t>(parts.size()) < limit) &&
       (found = FindText(text, *by, at)) != std::string::npos;) {
    parts.push_back(Value::String(text.substr(at, found - at)));
    at = found + by->size();
  }
  parts.push_back(Value::String(text.substr(at)));
  return parts;
}

}  // namespace

Value Interpreter::EvaluateCall(const Node& node) {
  const Node& function = *node.child(0);
  if (function.kind == Node::kAttribute) {
    const Value object = Evaluate(*function.child(0));
    const Arguments arguments = EvaluateArguments(node, 1);
    if (!ok()) return Value();
    const Value own = Attribute(object, function.name);
    if (own.macro != nullptr) return CallMacro(node, *own.macro, arguments);
    return CallMethod(node, object, function.name, arguments);
  }
  if (function.kind != Node::kName) return Refuse(node, "calling a value");
  const Value macro = Lookup(function.name);
  const Arguments arguments = EvaluateArguments(node, 1);
  if (!ok()) return Value();
  if (macro.macro != nullptr) return CallMacro(node, *macro.macro, arguments);
  return CallFunction(node, function.name, arguments);
}

bool Interpreter::IsFunction(const std::string& name) {
  for (const char* known :
       {"raise_exception", "namespace", "dict", "range", "strftime_now"}) {
    if (name == known) return true;
  }
  return false;
}

Value Interpreter::CallFunction(const Node& node, const std::string& name,
                                const Arguments& arguments) {
  const Value* first = arguments.Find("", 0);
  if (name == "raise_exception") {
    return Fail(node,
                StrCat("the template refuses these messages: ",
                       first == nullptr ? std::string() : Text(node, *first)));
  }
  if (name == "namespace" || name == "dict") {
    Value made = Value::DictOf({});
    if (first != nullptr && first->kind == Value::kDict) {
      *made.dict = *first->dict;
    }
    ValueScope::Count(made.dict->size() * sizeof(Dict::value_type));
    for (const auto& [key, value] : arguments.named) {
      SetKey(node, made, key, value);
    }
    return made;
  }
  if (name == "range") {
    int64_t bounds[3] = {0, 0, 1};
    const size_t n = arguments.values.size();
    for (size_t i = 0; i < n && i < 3; ++i) {
      if (arguments.values[i].kind != Value::kInt) {
        return Fail(node, "range needs whole numbers");
      }
      bounds[n == 1 ? 1 : i] = arguments.values[i].number;
    }
    const auto [begin, end, step] = bounds;
    if (n == 0 || n > 3 || step == 0) return Fail(node, "range needs a step");
    List list;
    for (int64_t i = begin; step > 0 ? i < end : i > end;) {
      list.push_back(Value::Int(i));
      if (list.size() > kMaxElements || __builtin_add_overflow(i, step, &i)) {
        break;
      }
    }
    return CheckedList(node, std::move(list));
  }
  if (name == "strftime_now" && first != nullptr &&
      first->kind == Value::kString) {
    const std::time_t now = std::time(nullptr);
    std::tm parts = {};
    char text[256];
    localtime_r(&now, &parts);
    const size_t n =
        std::strftime(text, sizeof(text), first->str().c_str(), &parts);
    return Value::String(std::string(text, n));
  }
  return Refuse(node, StrCat("the function '", name, "'"));
}

Value Interpreter::CallMacro(const Node& node, const Node& macro,
                             const Arguments& arguments) {
  if (++depth_ > kMaxDepth) Fail(node, "blocks and calls are too deep");
  Takes(node, macro.name, macro.names, arguments);
  // It sees what the template has set outside of loops.
  std::vector<Scope> callers;
  callers.swap(scopes_);
  scopes_.push_back(std::move(callers[0]));
  scopes_.emplace_back();
  for (size_t i = 0; i < macro.names.size() && ok(); ++i) {
    const Value* given = arguments.Find(macro.names[i], i);
    const Node* otherwise = macro.child(i + 1);
    Value value = given != nullptr       ? *given
                  : otherwise != nullptr ? Evaluate(*otherwise)
                                         : Value();
    scopes_[1][macro.names[i]] = std::move(value);
  }
  std::string out;
  Execute(*macro.child(0), &out);
  callers[0] = std::move(scopes_[0]);
  scopes_.swap(callers);
  --depth_;
  return Checked(node, std::move(out));
}

Value Interpreter::CallMethod(const Node& node, const Value& object,
                              const std::string& name,
                              const Arguments& arguments) {
  if (object.kind == Value::kString) {
    return CallStringMethod(node, object.str(), name, arguments);
  }
  if (object.kind == Value::kDict) {
    if (name == "get") {
      const Value* key = arguments.Find("", 0);
      const Value* otherwise = arguments.Find("", 1);
      if (key == nullptr) return Fail(node, "get needs a key");
      const Value* found =
          key->kind == Value::kString ? object.Get(key->str()) : nullptr;
      if (found != nullptr) return *found;
      return otherwise != nullptr ? *otherwise : Value::None();
    }
    if (name == "items" || name == "keys" || name == "values") {
      List list;
      for (const auto& [key, value] : *object.dict) {
        const Value k = Value::String(key);
        list.push_back(name == "keys"     ? k
                       : name == "values" ? value
                                          : Value::ListOf({k, value}));
      }
      return CheckedList(node, std::move(list));
    }
    if (name == "update" && arguments.values.size() == 1 &&
        arguments.values[0].kind == Value::kDict) {
      Value target = object;
      const Dict added = *arguments.values[0].dict;  // may be the same
      const auto searched =
          static_cast<int64_t>(added.size() * target.dict->size());
      if (!Step(node, searched / 16)) return Value();
      for (const auto& [key, value] : added) SetKey(node, target, key, value);
      return Value::None();
    }
  }
  if (object.kind == Value::kList && name == "append" &&
      arguments.values.size() == 1) {
    if (object.list->size() >= kMaxElements) {
      return Fail(node, "a list has too many elements");
    }
    object.list->push_back(arguments.values[0]);
    return Value::None();
  }
  return Refuse(node,
                StrCat("the method '", name, "' of ", NameOf(object.kind)));
}

Value Interpreter::CallStringMethod(const Node& node, const std::string& text,
                                    const std::string& name,
                                    const Arguments& arguments) {
  std::string words[2];
  size_t given = 0;
  for (const Value& value : arguments.values) {
    if (given == 2 || value.kind != Value::kString) break;
    words[given++] = value.str();
  }
  const bool splits = name == "split";
  if (!splits &&
      (given < arguments.values.size() || !arguments.named.empty())) {
    return Refuse(node, StrCat("'", name, "' with such arguments"));
  }
  if (name == "strip" || name == "lstrip" || name == "rstrip") {
    const std::string_view set =
        given > 0 ? std::string_view(words[0]) : kStripped;
    return Value::String(
        Stripped(text, set, name != "rstrip", name != "lstrip"));
  }
  if (name == "startswith" || name == "endswith") {
    if (given != 1) return Fail(node, StrCat(name, " needs a string"));
    const std::string& part = words[0];
    if (part.size() > text.size()) return Value::Bool(false);
    const size_t at = name == "startswith" ? 0 : text.size() - part.size();
    return Value::Bool(text.compare(at, part.size(), part) == 0);
  }
  if (name == "replace") {
    if (given != 2) {
      return Fail(node, "replace needs two strings");
    }
    return Checked(node, Replaced(text, words[0], words[1]));
  }
  if (splits) {
    if (!Takes(node, name, {"sep", "maxsplit"}, arguments)) return Value();
    const Value* by = arguments.Find("sep", 0);
    const Value* limit = arguments.Find("maxsplit", 1);
    const bool blanks = by == nullptr || by->kind == Value::kNone;
    if (!blanks && (by->kind != Value::kString || by->str().empty())) {
      return Fail(node, "split needs a separator of one or more characters");
    }
    if (limit != nullptr && limit->kind != Value::kInt) {
      return Fail(node, "split: maxsplit is a whole number");
    }
    return CheckedList(node, SplitBy(text, blanks ? nullptr : &by->str(),
                                     limit != nullptr ? limit->number : -1));
  }
  if (name == "find" && given == 1) {
    const size_t at = FindText(text, words[0]);
    return Value::Int(at == std::string::npos ? -1 : static_cast<int64_t>(at));
  }
  if (given == 0 && (name == "upper" || name == "lower" || name == "title" ||
                     name == "capitalize")) {
    return FilterText(node, name == "title" ? "str.title" : name,
                      Value::String(text), {});
  }
  return Refuse(node, StrCat("the method '", name, "' of a string"));
}

}  // namespace mace::generation::jinja
