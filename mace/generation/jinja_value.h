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
  static Value String(std::string s);
  static Value ListOf(List list);
  static Value DictOf(Dict dict);

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

// The values that this thread makes while it lives, in one rendering at a time.
// Its end clears their lists and dicts, so that one that is in itself
// (`a.append(a)`) is freed, and that none is destroyed within a deep nesting of
// others.
class ValueScope {
 public:
  ValueScope();
  ~ValueScope();
  ValueScope(const ValueScope&) = delete;
  ValueScope& operator=(const ValueScope&) = delete;

  // Of the texts, keys and elements made so far, also of those that are freed.
  // 0 without a scope.
  static int64_t bytes();
  // Counts bytes that are no value of their own.
  static void Count(size_t bytes);

 private:
  friend struct Value;
  std::vector<std::shared_ptr<List>> lists_;
  std::vector<std::shared_ptr<Dict>> dicts_;
  int64_t bytes_ = 0;
};

// Returns the kind for messages: "a string". Static.
const char* NameOf(Value::Kind kind);
// The maximum size in bytes of the prompt, and of texts that are made of other
// values. String constants and the app's texts may be longer, and so may parts
// of them.
constexpr size_t kMaxOutput = size_t{4} << 20;
// Of a list that a template makes, but for literals; of a JSON text.
constexpr size_t kMaxElements = 100000;
constexpr size_t kMaxKeys = 1000;  // of a dict: they are searched

// As std::string::find, in linear time.
size_t FindText(const std::string& text, const std::string& part,
                size_t from = 0);
// Compares numbers, two whole ones exactly. REQUIRES: both are numbers.
bool IsLess(const Value& a, const Value& b);
// Compares as Python does: numbers of all kinds with each other, lists and
// dicts element by element. `*steps` is how many pairs of values may be
// compared; it is decremented for each, and for 16 keys of a dict that are
// searched. Below 0 afterwards: there were more, or they are nested more than
// 64 deep, and the result means nothing. `depth` is for its own recursion.
bool Equal(const Value& a, const Value& b, int64_t* steps, int depth = 0);
// Appends the value as Python's str() writes it, or repr() if `quoted`; strings
// within lists and dicts are always quoted. But undefined values are empty, or
// Undefined if quoted; a macro is <macro>; and of quoted strings only \, \n,
// \r, \t and the quote are escaped. Like AppendJson, begins no further element
// of a list or dict after kMaxOutput bytes, and writes "..." for what is in
// more than 65 lists and dicts: a list may contain itself.
void AppendText(const Value& value, bool quoted, std::string* text);
// Appends the value as json.dumps(ensure_ascii=False) writes it, with keys in
// the order of the dict. Differences, of which only the first is valid JSON:
// undefined values and macros are null; NaN and infinities are nan, inf and
// -inf; long or deep values are cut as by AppendText. `indent`: spaces per
// level; below 0: all in one line. `depth`: the level of the value, 0 for
// callers.
void AppendJson(const Value& value, int indent, int depth, std::string* text);
// Returns the value of a JSON text; of keys that occur twice the last one
// counts. Also takes some numbers that are no JSON, such as 01 and +1. Errors:
// MACE_INVALID_ARGS, with the byte, also for the escape \u, for
// integers beyond 64 bits, for values nested more than 64 deep, for more than
// kMaxElements values, and for objects of more than kMaxKeys keys.
Result<Value> ParseJson(std::string_view text);

}  // namespace mace::generation::jinja

#endif  // MACE_GENERATION_JINJA_VALUE_H_
