// Values of chat templates.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_GENERATION_JINJA_VALUE_H_
#define MACE_GENERATION_JINJA_VALUE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mace/base/status.h"

namespace mace::generation::jinja {

struct Node;
struct Value;

using List = std::vector<Value>;
// In the order in which keys were set, as in Python.
using Dict = std::vector<std::pair<std::string, Value>>;

struct Value {
  enum Kind {
    kUndefined,
    kNone,
    kBool,
    kInt,
    kFloat,
    kString,
    kList,
    kDict,
    kMacro,
  };

  Value() = default;
  static Value None() { return Of(kNone); }
  static Value Bool(bool b) {
    Value v = Of(kBool);
    v.number = b;
    return v;
  }
  static Value Int(int64_t i) {
    Value v = Of(kInt);
    v.number = i;
    return v;
  }
  static Value Float(double d) {
    Value v = Of(kFloat);
    v.real = d;
    return v;
  }
  static Value String(std::string s) {
    Value v = Of(kString);
    v.text = std::make_shared<const std::string>(std::move(s));
    return v;
  }
  static Value ListOf(List list) {
    Value v = Of(kList);
    v.list = std::make_shared<List>(std::move(list));
    return v;
  }
  static Value DictOf(Dict dict) {
    Value v = Of(kDict);
    v.dict = std::make_shared<Dict>(std::move(dict));
    return v;
  }

  bool is_number() const {
    return kind == kInt || kind == kFloat || kind == kBool;
  }
  double as_double() const {
    return kind == kFloat ? real : static_cast<double>(number);
  }
  const std::string& str() const { return *text; }
  bool IsTrue() const;
  // The value of a key; null if there is none.
  const Value* Get(std::string_view key) const;
  void Set(const std::string& key, Value value);

  Kind kind = kUndefined;
  int64_t number = 0;
  double real = 0;
  std::shared_ptr<const std::string> text;
  std::shared_ptr<List> list;
  std::shared_ptr<Dict> dict;
  const Node* macro = nullptr;

 private:
  static Value Of(Kind kind) {
    Value v;
    v.kind = kind;
    return v;
  }
};

const char* NameOf(Value::Kind kind);
constexpr size_t kMaxOutput = size_t{4} << 20;  // bytes of a text

// As Python compares: numbers of all kinds with each other. `*steps` is how
// many values it may compare; below 0 afterwards: they were more, or too deep.
bool Equal(const Value& a, const Value& b, int64_t* steps, int depth = 0);
// As Python's str(), or repr() if `quoted`. Ends soon after kMaxOutput bytes,
// as does AppendJson: a list may be in itself.
void AppendText(const Value& value, bool quoted, std::string* text);
// As json.dumps(ensure_ascii=False); `indent` below 0: in one line.
void AppendJson(const Value& value, int indent, int depth, std::string* text);
Result<Value> ParseJson(std::string_view text);

}  // namespace mace::generation::jinja

#endif  // MACE_GENERATION_JINJA_VALUE_H_
