// Checking the bytes of a NetDef, and filling in messages field by field.
// SPDX-License-Identifier: Apache-2.0

#include "mace/proto/messages.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <type_traits>

namespace mace::stored {
namespace {

using wire::Bytes;
using wire::Field;
using wire::FieldRule;
using wire::MessageRule;
using wire::Type;

// Calls `f` with the rule of each field of M that has one.
template <typename M, typename F>
constexpr void ForEachRule(const F& f);

template <typename M, size_t n>
struct Rules {
  FieldRule fields[n == 0 ? 1 : n];
};

template <typename M>
constexpr size_t CountRules() {
  size_t n = 0;
  ForEachRule<M>([&n](const FieldRule&) { ++n; });
  return n;
}

template <typename M>
constexpr auto MakeRules() {
  Rules<M, CountRules<M>()> rules{};
  size_t n = 0;
  ForEachRule<M>([&](const FieldRule& rule) { rules.fields[n++] = rule; });
  return rules;
}

template <typename M>
constexpr auto kRules = MakeRules<M>();

template <typename M>
constexpr MessageRule kRule = {kRules<M>.fields, CountRules<M>()};

// What a field is declared as: T, std::optional<T>, Repeated<T> or a Member.
template <typename T>
struct Declared {
  using Element = T;
  static constexpr bool kIsRepeated = false;
  static constexpr bool kIsOfOneof = false;
};
template <typename T>
struct Declared<std::optional<T>> : Declared<T> {};
template <typename T>
struct Declared<Repeated<T>> : Declared<T> {
  static constexpr bool kIsRepeated = true;
};
template <typename T, typename Variant>
struct Declared<Member<T, Variant>> : Declared<T> {
  static constexpr bool kIsOfOneof = true;
};

// A visitor of fields.
template <typename F>
struct RuleCollector {
  const F& f;

  template <typename T>
  constexpr void operator()(uint32_t number, T&&) const {
    using Of = Declared<std::decay_t<T>>;
    using Element = typename Of::Element;
    if constexpr (kIsMessage<Element>) {
      f({number, Type::kLength, &kRule<Element>});
    } else if constexpr (Of::kIsRepeated &&
                         kWireType<Element> != Type::kLength) {
      f({number, kWireType<Element>, nullptr});
    }
  }
};

template <typename M, typename F>
constexpr void ForEachRule(const F& f) {
  M message{};
  const RuleCollector<F> collector{f};
  message.Fields(collector);
}

// Where the message that is being read lies: in the fields path[0] of the
// outermost one, in these in the fields path[1], and so on. `outermost` is the
// field of the outermost message that is being read.
struct Place {
  Bytes outermost;
  uint32_t path[wire::kMaxPath] = {};
  uint8_t path_size = 0;
};

template <typename M>
void Merge(Bytes bytes, const Place* place, M* message);

// How many elements a field adds to a list of T.
template <typename T>
uint32_t CountElements(const Field& field) {
  if constexpr (kWireType<T> == Type::kLength) {
    return field.type == Type::kLength;
  } else {
    const auto counts = [](const Field& number) {
      T element{};
      return !std::is_enum_v<T> || Convert(number, &element);
    };
    if (field.type == kWireType<T>) return counts(field);
    if (field.type != Type::kLength) return 0;
    Bytes packed = field.payload;
    Field number;
    uint32_t count = 0;
    while (ReadNumber(&packed, kWireType<T>, &number.value)) {
      count += counts(number);
    }
    return count;
  }
}

// A visitor of fields that sets the one that has just been read.
class Setter {
 public:
  Setter(const Field& field, const Place& place)
      : field_(field), place_(place) {}

  template <typename T>
  void operator()(uint32_t number, T&& member) {
    if (number == field_.number) Set(member);
  }

 private:
  // False if the field is another one to protobuf: not of this wire type.
  template <typename T>
  bool Set(T& value) {
    if (field_.type != kWireType<T>) return false;
    if constexpr (kIsMessage<T>) {
      Place inside = place_;
      inside.path[inside.path_size++] = field_.number;
      Merge(field_.payload, &inside, &value);
      return true;
    } else {
      return Convert(field_, &value);
    }
  }

  template <typename T>
  bool Set(std::optional<T>& field) {
    T value = field.value_or(T());
    if (!Set(value)) return false;
    field = value;
    return true;
  }

  template <typename T>
  bool Set(Repeated<T>& list) {
    const uint32_t count = CountElements<T>(field_);
    if (count > 0) Extend(count, &list.place);
    return true;
  }

  template <typename T, typename Variant>
  bool Set(Member<T, Variant>& member) {
    const T* now = std::get_if<T>(member.of);
    T value = now == nullptr ? T() : *now;
    if (!Set(value)) return false;
    *member.of = value;
    return true;
  }

  void Extend(uint32_t count, wire::ListPlace* list) const {
    if (list->count == 0) {
      list->bytes.begin = place_.outermost.begin;
      for (int i = 0; i < place_.path_size; ++i) list->path[i] = place_.path[i];
      list->path[place_.path_size] = field_.number;
      list->path_size = static_cast<uint8_t>(place_.path_size + 1);
    }
    list->bytes.end = place_.outermost.end;
    list->count += count;
  }

  const Field& field_;
  const Place& place_;
};

// Adds the fields in `bytes`, which are all of the outermost message (`place`
// is null) or a singular message inside it.
template <typename M>
void Merge(Bytes bytes, const Place* place, M* message) {
  Field field;
  Place own;
  while (!bytes.empty()) {
    own.outermost.begin = bytes.begin;
    if (!ReadField(&bytes, &field)) return;
    own.outermost.end = bytes.begin;
    Setter setter(field, place == nullptr ? own : *place);
    message->Fields(setter);
  }
}

// A visitor of fields that looks into singular messages.
struct Nesting {
  int depth = 0;  // the most of them inside one another
  bool has_oneof = false;
  bool has_oneof_inside = false;

  template <typename T>
  constexpr void operator()(uint32_t, T&&) {
    using Of = Declared<std::decay_t<T>>;
    using Element = typename Of::Element;
    if (Of::kIsOfOneof) has_oneof = true;
    if constexpr (kIsMessage<Element> && !Of::kIsRepeated) {
      LookInto<Element>();
    }
  }

  template <typename T>
  constexpr void LookInto() {
    Nesting inside;
    T message{};
    message.Fields(inside);
    depth = std::max(depth, inside.depth + 1);
    if (inside.has_oneof || inside.has_oneof_inside) has_oneof_inside = true;
  }
};

template <typename M>
constexpr Nesting NestingOf() {
  Nesting nesting;
  M message{};
  message.Fields(nesting);
  return nesting;
}

}  // namespace

template <typename M>
void Parse(Bytes bytes, M* message) {
  static_assert(NestingOf<M>().depth < wire::kMaxPath);
  // Of a singular message in pieces, those before another member of a oneof do
  // not count; a ListPlace can leave them out only at the outermost level.
  static_assert(!NestingOf<M>().has_oneof_inside);
  Merge(bytes, nullptr, message);
}

template void Parse(Bytes, Argument*);
template void Parse(Bytes, ConstTensor*);
template void Parse(Bytes, OperatorDef*);
template void Parse(Bytes, OutputShape*);
template void Parse(Bytes, PackedWeight*);
template void Parse(Bytes, Quantization*);
template void Parse(Bytes, Setting*);
template void Parse(Bytes, Subgraph*);
template void Parse(Bytes, TensorInfo*);
template void Parse(Bytes, Variable*);

// Views only: nothing of it was allocated.
static_assert(std::is_trivially_copyable_v<NetDef>);

bool Read(const uint8_t* bytes, size_t size, NetDef* net) {
  if (size > static_cast<size_t>(std::numeric_limits<int32_t>::max())) {
    return false;
  }
  const Bytes all = {bytes, bytes + size};
  if (!IsValid(all, kRule<NetDef>)) return false;
  *net = NetDef();
  Parse(all, net);
  return true;
}

}  // namespace mace::stored
