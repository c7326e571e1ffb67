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

// A value of any kind. Copies share text, list and dict, as Python's variables
// do: a change of a list is seen through all of them. Texts never change. Only
// the field of the kind is set.
struct Value {
  enum Kind {
    // No value, as of a missing key: false, and empty as text.
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
  // Return a value of the kind.
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

  // Whether arithmetic accepts it: booleans count as 0 and 1, as in Python.
  bool is_number() const {
    return kind == kInt || kind == kFloat || kind == kBool;
  }
  // REQUIRES: is_number().
  double as_double() const {
    return kind == kFloat ? real : static_cast<double>(number);
  }
  // REQUIRES: a string. Valid while a value shares the text.
  const std::string& str() const { return *text; }
  // As Python's bool(): 0, empty texts, lists and dicts, none and undefined are
  // false.
  bool IsTrue() const;
  // Returns the value of a key; null if there is none, or if this is no dict.
  // Valid until the dict changes. Searches all keys: dicts are small.
  const Value* Get(std::string_view key) const;
  // Replaces the value of a key, or adds it behind the others. REQUIRES: a
  // dict.
  void Set(const std::string& key, Value value);

  Kind kind = kUndefined;
  // Of kBool (0 or 1) and kInt.
  int64_t number = 0;
  // Of kFloat.
  double real = 0;
  std::shared_ptr<const std::string> text;
  std::shared_ptr<List> list;
  std::shared_ptr<Dict> dict;
  // Of kMacro: the kMacro node, not owned; null for a built-in function.
  const Node* macro = nullptr;

 private:
  static Value Of(Kind kind) {
    Value v;
    v.kind = kind;
    return v;
  }
};

// Returns the kind for messages: "a string". Static.
const char* NameOf(Value::Kind kind);
// The maximum size of a text, also of the whole prompt, in bytes.
constexpr size_t kMaxOutput = size_t{4} << 20;

// Compares numbers, two whole ones exactly. REQUIRES: both are numbers.
bool IsLess(const Value& a, const Value& b);
// Compares as Python does: numbers of all kinds with each other, lists and
// dicts element by element. `*steps` is how many values other than numbers may
// be compared, and is decremented for each; below 0 afterwards: there were
// more, or they are nested more than 64 deep, and the result means nothing.
// `depth` is for its own recursion.
bool Equal(const Value& a, const Value& b, int64_t* steps, int depth = 0);
// Appends the value as Python's str() writes it, or repr() if `quoted`; strings
// within lists and dicts are always quoted. Ends soon after kMaxOutput bytes,
// as does AppendJson, and writes "..." for what is nested more than 64 deep: a
// list may contain itself.
void AppendText(const Value& value, bool quoted, std::string* text);
// Appends the value as json.dumps(ensure_ascii=False) writes it, with keys in
// the order of the dict, but undefined values and macros as null, and NaN and
// infinity as nan and inf, which is no JSON. `indent`: spaces of a level; below
// 0: all in one line. `depth`: the level of the value, 0 for callers.
void AppendJson(const Value& value, int indent, int depth, std::string* text);
// Returns the value of a JSON text; of keys that occur twice the last one
// counts. Errors: MACE_INVALID_ARGS, with the byte, also for the escape \u, for
// integers beyond 64 bits, and for values nested more than 64 deep.
Result<Value> ParseJson(std::string_view text);

}  // namespace mace::generation::jinja

#endif  // MACE_GENERATION_JINJA_VALUE_H_
