// Filters and tests of chat templates.
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "mace/generation/jinja_interpreter.h"

namespace mace::generation::jinja {
namespace {

// Names of filters, and the parameters that they take; kAny: those of the
// filter or test that is an argument.
constexpr const char* kAny = "*";
constexpr struct {
  const char* names;
  const char* parameters;
} kFilters[] = {
    {" length count string items list safe dictsort lower upper capitalize "
     "title first last abs reverse from_json unique e escape ",
     ""},
    {" tojson ", "indent ensure_ascii"},
    {" trim ", "chars"},
    {" default d ", "default_value boolean"},
    {" join ", "d attribute"},
    {" replace ", "old new"},
    {" int float ", "default"},
    {" indent ", "width"},
    {" selectattr rejectattr select reject map ", kAny},
};

// Returns the parameters of a filter, or null if there is none of this name.
const char* ParametersOf(const std::string& name) {
  if (name.find(' ') != std::string::npos) return nullptr;
  for (const auto& filters : kFilters) {
    const char* found =
        std::strstr(filters.names, StrCat(" ", name, " ").c_str());
    if (found != nullptr) return filters.parameters;
  }
  return nullptr;
}

std::vector<std::string> Words(const std::string& text) {
  std::vector<std::string> words;
  for (size_t at = 0; at < text.size(); at += words.back().size() + 1) {
    words.push_back(text.substr(at, text.find(' ', at) - at));
  }
  return words;
}

bool IsAscii(const std::string& text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<signed char>(c) >= 0; });
}

// upper, lower, capitalize, title (the filter) or str.title of ASCII.
std::string Cased(std::string text, const std::string& how) {
  bool start = true;
  for (char& c : text) {
    const unsigned char u = static_cast<unsigned char>(c);
    const bool up = how == "upper" || (how != "lower" && start);
    c = static_cast<char>(up ? std::toupper(u) : std::tolower(u));
    start = how == "title" ? std::string_view(" \t\n\r\v\f-([{<").find(c) !=
                                 std::string::npos
                           : how == "str.title" && std::isalpha(u) == 0;
  }
  return text;
}

std::string Indented(const std::string& text, int64_t width) {
  std::string result;
  for (size_t i = 0; i < text.size() && result.size() <= kMaxOutput; ++i) {
    result.push_back(text[i]);
    const bool blank = i + 1 == text.size() || text[i + 1] == '\n';
    if (text[i] == '\n' && !blank) {
      result.append(static_cast<size_t>(width), ' ');
    }
  }
  return result;
}

}  // namespace

bool IsFilter(const std::string& name) { return ParametersOf(name) != nullptr; }

Value Interpreter::Filter(const Node& node, const std::string& name,
                          const Value& value, const Arguments& arguments) {
  if (!ok() || !Step(node)) return Value();
  const char* parameters = ParametersOf(name);
  if (parameters == nullptr) {  // of map, which takes any text for a name
    return Refuse(node, StrCat("the filter '", name, "'"));
  }
  if (parameters != kAny && !Takes(node, name, Words(parameters), arguments)) {
    return Value();
  }
  if (name == "safe") return value;
  if (name == "default" || name == "d") {
    const Value* otherwise = arguments.Find("default_value", 0);
    const Value* boolean = arguments.Find("boolean", 1);
    const bool empty = boolean != nullptr && boolean->IsTrue()
                           ? !value.IsTrue()
                           : value.kind == Value::kUndefined;
    if (!empty) return value;
    return otherwise != nullptr ? *otherwise : Value::String("");
  }
  if (name == "tojson") {
    const Value* indent = arguments.Find("indent", 0);
    const bool is_set = indent != nullptr && indent->kind == Value::kInt;
    if (is_set && (indent->number < 0 || indent->number > 16)) {
      return Fail(node, "tojson: indent is from 0 to 16");
    }
    const Value* ascii = arguments.Find("ensure_ascii", 1);
    if (ascii != nullptr && ascii->IsTrue()) {
      return Refuse(node, "ensure_ascii=true of tojson");
    }
    std::string text;
    AppendJson(value, is_set ? static_cast<int>(indent->number) : -1, 0, &text);
    return Checked(node, std::move(text));
  }
  for (const char* of_text :
       {"trim", "string", "lower", "upper", "capitalize", "title", "replace",
        "from_json", "e", "escape", "indent", "int", "float", "abs"}) {
    if (name == of_text) return FilterText(node, name, value, arguments);
  }
  return FilterList(node, name, value, arguments);
}

Value Interpreter::FilterText(const Node& node, const std::string& name,
                              const Value& value, const Arguments& arguments) {
  if (name == "abs") {
    if (!value.is_number()) {
      return Fail(node, StrCat("abs of ", NameOf(value.kind)));
    }
    if (value.kind != Value::kFloat) {
      return value.number == INT64_MIN ? Fail(node, "a number is too large")
                                       : Value::Int(std::abs(value.number));
    }
    return Value::Float(std::fabs(value.as_double()));
  }
  if (name == "int" || name == "float") {
    const Value* otherwise = arguments.Find("default", 0);
    double d = value.as_double();
    bool known = value.is_number();
    if (value.kind == Value::kString) {
      const std::string digits =
          CallStringMethod(node, value.str(), "strip", {}).str();
      char* end = nullptr;
      d = std::strtod(digits.c_str(), &end);
      known = !digits.empty() && end == digits.c_str() + digits.size();
    }
    if (!known && otherwise != nullptr) return *otherwise;
    if (!known) d = 0;
    if (name == "float") return Value::Float(d);
    return std::fabs(d) < 9e18 ? Value::Int(static_cast<int64_t>(d))
                               : Fail(node, "a number is too large");
  }
  const std::string text = Text(node, value);
  if (!ok()) return Value();
  if (name == "string") return Value::String(text);
  if (name == "trim") return CallStringMethod(node, text, "strip", arguments);
  if (name == "replace") return CallStringMethod(node, text, name, arguments);
  if (name == "from_json") {
    Result<Value> parsed = ParseJson(text);
    return parsed.ok() ? *parsed : Fail(node, parsed.status().information());
  }
  if (name == "indent") {
    const Value* width = arguments.Find("width", 0);
    if (width == nullptr) return Checked(node, Indented(text, 4));
    if (width->kind != Value::kInt || width->number < 0 || width->number > 64) {
      return Fail(node, "indent: width is a whole number from 0 to 64");
    }
    return Checked(node, Indented(text, width->number));
  }
  if (name == "e" || name == "escape") {
    return Refuse(node, StrCat("the filter '", name, "'"));
  }
  if (!IsAscii(text)) {
    return Refuse(node, StrCat("'", name, "' of letters beyond ASCII"));
  }
  return Value::String(Cased(text, name));
}

// The keys and values of a dict; dictsort: in the order of keys.
Value Interpreter::Items(const Node& node, const std::string& name,
                         const Value& value) {
  if (value.kind == Value::kUndefined) return Value::ListOf({});
  if (value.kind != Value::kDict) {
    return Fail(node,
                StrCat("the filter '", name, "' of ", NameOf(value.kind)));
  }
  Value items = CallMethod(node, value, "items", {});
  if (name == "dictsort" && ok()) {
    std::stable_sort(items.list->begin(), items.list->end(),
                     [](const Value& a, const Value& b) {
                       return Cased((*a.list)[0].str(), "lower") <
                              Cased((*b.list)[0].str(), "lower");
                     });
  }
  return items;
}

Value Interpreter::FilterList(const Node& node, const std::string& name,
                              const Value& value, const Arguments& arguments) {
  if (name == "items" || name == "dictsort") return Items(node, name, value);
  if (name == "length" || name == "count") return Length(node, value);
  const bool selects =
      name == "map" || name.find("select") == 0 || name.find("reject") == 0;
  List list;  // what selects takes none for an empty list
  if (!selects || value.IsTrue()) list = Elements(node, value);
  if (!Step(node, static_cast<int64_t>(list.size()))) return Value();
  if (name == "list") return Value::ListOf(std::move(list));
  if (name == "first") return list.empty() ? Value() : list.front();
  if (name == "last") return list.empty() ? Value() : list.back();
  if (name == "map") return Map(node, list, arguments);
  if (name == "reverse") {
    std::reverse(list.begin(), list.end());
    if (value.kind != Value::kString) return Value::ListOf(std::move(list));
    std::string text;
    for (const Value& c : list) text.append(c.str());
    return Value::String(std::move(text));
  }
  if (name == "unique") {
    List unique, keys;  // which do not depend on the case
    for (const Value& v : list) {
      const Value key =
          v.kind == Value::kString ? Value::String(Cased(v.str(), "lower")) : v;
      const bool is_new = std::none_of(
          keys.begin(), keys.end(),
          [&](const Value& known) { return ok() && Same(node, known, key); });
      if (!ok()) return Value();
      if (!is_new) continue;
      unique.push_back(v);
      keys.push_back(key);
    }
    return Value::ListOf(std::move(unique));
  }
  if (name == "join") {
    const Value* separator = arguments.Find("d", 0);
    const Value* attribute = arguments.Find("attribute", 1);
    std::string text;
    for (size_t i = 0; i < list.size() && ok(); ++i) {
      if (i > 0 && separator != nullptr) text.append(Text(node, *separator));
      text.append(Text(node, attribute == nullptr
                                 ? list[i]
                                 : Attribute(list[i], Text(node, *attribute))));
      if (text.size() > kMaxOutput) break;
    }
    return Checked(node, std::move(text));
  }
  return Select(node, name, list, arguments);
}

// select, reject, selectattr and rejectattr.
Value Interpreter::Select(const Node& node, const std::string& name,
                          const List& list, const Arguments& arguments) {
  const bool by_attribute = name == "selectattr" || name == "rejectattr";
  const bool rejects = name == "reject" || name == "rejectattr";
  size_t next = by_attribute ? 1 : 0;
  if (by_attribute && arguments.values.empty()) {
    return Fail(node, StrCat(name, " needs an attribute"));
  }
  if (!arguments.named.empty()) {
    return Refuse(node, StrCat("the argument '", arguments.named[0].first,
                               "' of '", name, "'"));
  }
  std::string test;
  if (arguments.values.size() > next) {
    test = Text(node, arguments.values[next++]);
    if (test == "==") test = "equalto";
    if (test == "!=") test = "ne";
  }
  Arguments rest;
  for (; next < arguments.values.size(); ++next) {
    rest.values.push_back(arguments.values[next]);
  }
  List chosen;
  for (const Value& element : list) {
    if (!Step(node)) return Value();
    const Value tested =
        by_attribute ? Attribute(element, Text(node, arguments.values[0]))
                     : element;
    const bool holds =
        test.empty() ? tested.IsTrue() : Test(node, test, tested, rest);
    if (holds != rejects) chosen.push_back(element);
  }
  return Value::ListOf(std::move(chosen));
}

Value Interpreter::Map(const Node& node, const List& list,
                       const Arguments& arguments) {
  if (depth_ + 1 > kMaxDepth) return Fail(node, "map is nested too deeply");
  const Value* attribute = arguments.Find("attribute", arguments.values.size());
  const Value* otherwise = arguments.Find("default", arguments.values.size());
  if (attribute == nullptr && arguments.values.empty()) {
    return Fail(node, "map needs an attribute or a filter");
  }
  Arguments rest;
  if (attribute == nullptr) {
    rest.named = arguments.named;
  } else if (!Takes(node, "map", {"attribute", "default"}, arguments)) {
    return Value();
  }
  if (arguments.values.size() > 1) {
    rest.values.assign(arguments.values.begin() + 1, arguments.values.end());
  }
  List mapped;
  for (const Value& element : list) {
    if (!Step(node)) return Value();
    if (attribute != nullptr) {
      Value found = Attribute(element, Text(node, *attribute));
      const bool none = found.kind == Value::kUndefined && otherwise != nullptr;
      mapped.push_back(none ? *otherwise : std::move(found));
    } else {
      ++depth_;  // the filter may be map
      mapped.push_back(
          Filter(node, Text(node, arguments.values[0]), element, rest));
      --depth_;
    }
  }
  return Value::ListOf(std::move(mapped));
}

bool Interpreter::Test(const Node& node, const std::string& name,
                       const Value& value, const Arguments& arguments) {
  const Value::Kind kind = value.kind;
  const Value* other = arguments.Find("", 0);
  if (name == "defined") return kind != Value::kUndefined;
  if (name == "undefined") return kind == Value::kUndefined;
  if (name == "none") return kind == Value::kNone;
  if (name == "string") return kind == Value::kString;
  if (name == "mapping") return kind == Value::kDict;
  if (name == "iterable" || name == "sequence") {
    return kind == Value::kString || kind == Value::kList ||
           kind == Value::kDict;
  }
  if (name == "boolean") return kind == Value::kBool;
  if (name == "true") return kind == Value::kBool && value.number != 0;
  if (name == "false") return kind == Value::kBool && value.number == 0;
  if (name == "number") return value.is_number();
  if (name == "integer") return kind == Value::kInt;
  if (name == "float") return kind == Value::kFloat;
  if (name == "callable") return kind == Value::kMacro;
  if (name == "odd" || name == "even") {
    const double rest = kind == Value::kFloat
                            ? std::fabs(std::fmod(value.as_double(), 2))
                            : static_cast<double>(std::abs(value.number % 2));
    if (!value.is_number()) {
      Fail(node, StrCat("'", name, "' of ", NameOf(kind)));
    }
    return rest == (name == "odd" ? 1 : 0);
  }
  if (other != nullptr) {
    if (name == "equalto" || name == "eq") return Same(node, value, *other);
    if (name == "ne") return !Same(node, value, *other);
    if (name == "in") return Contains(node, *other, value);
  }
  Refuse(node, StrCat("the test '", name, "'"));
  return false;
}

}  // namespace mace::generation::jinja
