// Values as text.
// SPDX-License-Identifier: Apache-2.0

#include "mace/generation/jinja_value.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace mace::generation::jinja {
namespace {

constexpr int kMaxValueDepth = 64;  // of values in values

// The shortest digits that read back as the same number, as Python writes them.
std::string FloatText(double d) {
  if (std::isnan(d)) return "nan";
  if (std::isinf(d)) return d > 0 ? "inf" : "-inf";
  char digits[40];
  int precision = 0;
  do {
    std::snprintf(digits, sizeof(digits), "%.*e", precision, d);
  } while (std::strtod(digits, nullptr) != d && ++precision < 17);
  // Without an exponent from 1e-4 to below 1e16.
  const int exponent = std::atoi(std::strchr(digits, 'e') + 1);
  if (exponent >= -4 && exponent < 16) {
    std::snprintf(digits, sizeof(digits), "%.*f",
                  std::max(precision - exponent, 0), d);
  }
  std::string text = digits;
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

void AppendQuoted(const std::string& s, std::string* text) {
  const bool has_single = s.find('\'') != std::string::npos;
  const char quote =
      has_single && s.find('"') == std::string::npos ? '"' : '\'';
  text->push_back(quote);
  for (const char c : s) {
    if (c == '\n') {
      text->append("\\n");
    } else if (c == '\t') {
      text->append("\\t");
    } else if (c == '\r') {
      text->append("\\r");
    } else {
      if (c == '\\' || c == quote) text->push_back('\\');
      text->push_back(c);
    }
  }
  text->push_back(quote);
}

void AppendJsonString(const std::string& s, std::string* text) {
  text->push_back('"');
  for (const char c : s) {
    switch (c) {
      case '"':
        text->append("\\\"");
        break;
      case '\\':
        text->append("\\\\");
        break;
      case '\n':
        text->append("\\n");
        break;
      case '\r':
        text->append("\\r");
        break;
      case '\t':
        text->append("\\t");
        break;
      case '\b':
        text->append("\\b");
        break;
      case '\f':
        text->append("\\f");
        break;
      default:
        if (static_cast<unsigned char>(c) < 32) {
          char code[8];
          std::snprintf(code, sizeof(code), "\\u%04x", c);
          text->append(code);
        } else {
          text->push_back(c);
        }
    }
  }
  text->push_back('"');
}

void AppendContainer(const Value& value, bool quoted_texts, int indent,
                     int depth, std::string* text) {
  const bool is_list = value.kind == Value::kList;
  const size_t n = is_list ? value.list->size() : value.dict->size();
  const auto line = [&](int level) {
    if (indent < 0) return;
    text->push_back('\n');
    text->append(static_cast<size_t>(indent) * static_cast<size_t>(level), ' ');
  };
  text->push_back(is_list ? '[' : '{');
  for (size_t i = 0; i < n && text->size() <= kMaxOutput; ++i) {
    if (i > 0) text->append(indent < 0 ? ", " : ",");
    line(depth + 1);
    if (!is_list) {
      const std::string& key = (*value.dict)[i].first;
      quoted_texts ? AppendQuoted(key, text) : AppendJsonString(key, text);
      text->append(": ");
    }
    const Value& element = is_list ? (*value.list)[i] : (*value.dict)[i].second;
    if (depth > kMaxValueDepth) {
      text->append("...");
    } else if (!quoted_texts) {
      AppendJson(element, indent, depth + 1, text);
    } else if (element.kind == Value::kList || element.kind == Value::kDict) {
      AppendContainer(element, true, indent, depth + 1, text);
    } else {
      AppendText(element, /*quoted=*/true, text);
    }
  }
  if (n > 0) line(depth);
  text->push_back(is_list ? ']' : '}');
}

// Reads JSON.
class JsonReader {
 public:
  explicit JsonReader(std::string_view text) : text_(text) {}

  Result<Value> Read() {
    Value value;
    if (!ReadValue(0, &value) || (Spaces(), at_ != text_.size())) {
      return InvalidArgument(
          "from_json: the text is no JSON, or a number is too large, at byte ",
          at_);
    }
    return value;
  }

 private:
  void Spaces() {
    while (at_ < text_.size() && std::strchr(" \t\r\n", text_[at_])) ++at_;
  }
  bool Take(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }
  bool ReadValue(int depth, Value* value) {
    Spaces();
    if (depth > kMaxValueDepth || at_ == text_.size() ||
        ++values_ > kMaxElements) {
      return false;
    }
    std::string text;
    if (text_[at_] == '"') {
      if (!ReadString(&text)) return false;
      *value = Value::String(std::move(text));
      return true;
    }
    if (Take("true")) return *value = Value::Bool(true), true;
    if (Take("false")) return *value = Value::Bool(false), true;
    if (Take("null")) return *value = Value::None(), true;
    if (Take("[")) return ReadList(depth, value);
    if (Take("{")) return ReadDict(depth, value);
    return ReadNumber(value);
  }
  bool ReadNumber(Value* value) {
    const size_t end =
        std::min(text_.find_first_not_of("+-0123456789.eE", at_), text_.size());
    const std::string digits(text_.substr(at_, end - at_));
    char* last = nullptr;
    const double d = std::strtod(digits.c_str(), &last);
    if (digits.empty() || *last != 0) return false;
    at_ = end;
    errno = 0;
    *value = digits.find_first_of(".eE") == std::string::npos
                 ? Value::Int(std::strtoll(digits.c_str(), nullptr, 10))
                 : Value::Float(d);
    return errno == 0;  // else it does not fit 64 bits
  }
  bool ReadString(std::string* text) {
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      char c = text_[at_];
      if (c == '\\') {
        if (++at_ == text_.size()) return false;
        static constexpr char kFrom[] = "\"\\/bfnrt", kTo[] = "\"\\/\b\f\n\r\t";
        const char* found = std::strchr(kFrom, text_[at_]);
        if (found == nullptr || *found == 0) return false;  // \u: refused
        c = kTo[found - kFrom];
      }
      text->push_back(c);
    }
    return at_++ < text_.size();
  }
  bool ReadList(int depth, Value* value) {
    List list;
    Spaces();
    bool goes_on = !Take("]");
    while (goes_on) {
      Value element;
      if (!ReadValue(depth + 1, &element)) return false;
      list.push_back(std::move(element));
      Spaces();
      goes_on = Take(",");
      if (!goes_on && !Take("]")) return false;
    }
    *value = Value::ListOf(std::move(list));
    return true;
  }
  bool ReadDict(int depth, Value* value) {
    *value = Value::DictOf({});
    Spaces();
    bool goes_on = !Take("}");
    while (goes_on) {
      std::string key;
      Value element;
      Spaces();
      if (at_ == text_.size() || text_[at_] != '"' || !ReadString(&key)) {
        return false;
      }
      Spaces();
      if (!Take(":") || !ReadValue(depth + 1, &element)) return false;
      if (value->dict->size() >= kMaxKeys) return false;
      value->Set(key, std::move(element));
      Spaces();
      goes_on = Take(",");
      if (!goes_on && !Take("}")) return false;
    }
    return true;
  }

  const std::string_view text_;
  size_t at_ = 0, values_ = 0;
};

thread_local ValueScope* scope = nullptr;

}  // namespace

ValueScope::ValueScope() { scope = this; }

ValueScope::~ValueScope() {
  scope = nullptr;
  for (const auto& list : lists_) list->clear();
  for (const auto& dict : dicts_) dict->clear();
}

int64_t ValueScope::bytes() { return scope == nullptr ? 0 : scope->bytes_; }

void ValueScope::Count(size_t bytes) {
  if (scope != nullptr) scope->bytes_ += static_cast<int64_t>(bytes);
}

Value Value::String(std::string s) {
  ValueScope::Count(s.size());
  Value v = Of(kString);
  v.text = std::make_shared<const std::string>(std::move(s));
  return v;
}

Value Value::ListOf(List list) {
  ValueScope::Count(list.size() * sizeof(Value));
  Value v = Of(kList);
  v.list = std::make_shared<List>(std::move(list));
  if (scope != nullptr) scope->lists_.push_back(v.list);
  return v;
}

Value Value::DictOf(Dict dict) {
  ValueScope::Count(dict.size() * sizeof(Dict::value_type));
  Value v = Of(kDict);
  v.dict = std::make_shared<Dict>(std::move(dict));
  if (scope != nullptr) scope->dicts_.push_back(v.dict);
  return v;
}

bool Value::IsTrue() const {
  switch (kind) {
    case kUndefined:
    case kNone:
      return false;
    case kBool:
    case kInt:
      return number != 0;
    case kFloat:
      return real != 0;
    case kString:
      return !text->empty();
    case kList:
      return !list->empty();
    case kDict:
      return !dict->empty();
    case kMacro:
      return true;
  }
  return false;
}

const Value* Value::Get(std::string_view key) const {
  if (kind != kDict) return nullptr;
  for (const auto& [name, value] : *dict) {
    if (name == key) return &value;
  }
  return nullptr;
}

void Value::Set(const std::string& key, Value value) {
  for (auto& [name, old] : *dict) {
    if (name != key) continue;
    old = std::move(value);
    return;
  }
  ValueScope::Count(key.size() + sizeof(Dict::value_type));
  dict->emplace_back(key, std::move(value));
}

const char* NameOf(Value::Kind kind) {
  static const char* const kNames[] = {"undefined", "none",     "a boolean",
                                       "a number",  "a number", "a string",
                                       "a list",    "a dict",   "a macro"};
  return kNames[kind];
}

size_t FindText(const std::string& text, const std::string& part, size_t from) {
  if (from > text.size()) return std::string::npos;
  const void* found =
      memmem(text.data() + from, text.size() - from, part.data(), part.size());
  return found == nullptr ? std::string::npos
                          : static_cast<size_t>(
                                static_cast<const char*>(found) - text.data());
}

bool IsLess(const Value& a, const Value& b) {
  const bool floats = a.kind == Value::kFloat || b.kind == Value::kFloat;
  return floats ? a.as_double() < b.as_double() : a.number < b.number;
}

bool Equal(const Value& a, const Value& b, int64_t* steps, int depth) {
  --*steps;
  if (a.is_number() && b.is_number()) {
    const bool floats = a.kind == Value::kFloat || b.kind == Value::kFloat;
    return floats ? a.as_double() == b.as_double() : a.number == b.number;
  }
  if (depth > kMaxValueDepth) *steps = -1;
  if (a.kind != b.kind || *steps < 0) return false;
  const auto same = [&](const Value& x, const Value& y) {
    return Equal(x, y, steps, depth + 1);
  };
  switch (a.kind) {
    case Value::kString:
      return a.str() == b.str();
    case Value::kList:
      return a.list == b.list ||
             std::equal(a.list->begin(), a.list->end(), b.list->begin(),
                        b.list->end(), same);
    case Value::kDict:
      if (a.dict == b.dict) return true;
      if (a.dict->size() != b.dict->size()) return false;
      return std::all_of(a.dict->begin(), a.dict->end(), [&](const auto& e) {
        *steps -= static_cast<int64_t>(b.dict->size() / 16);
        const Value* other = b.Get(e.first);
        return other != nullptr && same(e.second, *other);
      });
    case Value::kMacro:
      return a.macro == b.macro;
    default:
      return true;
  }
}

void AppendText(const Value& value, bool quoted, std::string* text) {
  switch (value.kind) {
    case Value::kUndefined:
      if (quoted) text->append("Undefined");
      break;
    case Value::kNone:
      text->append("None");
      break;
    case Value::kBool:
      text->append(value.number != 0 ? "True" : "False");
      break;
    case Value::kInt:
      text->append(std::to_string(value.number));
      break;
    case Value::kFloat:
      text->append(FloatText(value.real));
      break;
    case Value::kString:
      quoted ? AppendQuoted(value.str(), text)
             : (void)text->append(value.str());
      break;
    case Value::kMacro:
      text->append("<macro>");
      break;
    default:
      AppendContainer(value, /*quoted_texts=*/true, -1, 0, text);
  }
}

void AppendJson(const Value& value, int indent, int depth, std::string* text) {
  switch (value.kind) {
    case Value::kUndefined:
    case Value::kNone:
    case Value::kMacro:
      text->append("null");
      break;
    case Value::kBool:
      text->append(value.number != 0 ? "true" : "false");
      break;
    case Value::kString:
      AppendJsonString(value.str(), text);
      break;
    case Value::kList:
    case Value::kDict:
      if (!value.IsTrue()) {
        text->append(value.kind == Value::kList ? "[]" : "{}");
      } else {
        AppendContainer(value, /*quoted_texts=*/false, indent, depth, text);
      }
      break;
    default:
      AppendText(value, /*quoted=*/false, text);
  }
}

Result<Value> ParseJson(std::string_view text) {
  return JsonReader(text).Read();
}

}  // namespace mace::generation::jinja
