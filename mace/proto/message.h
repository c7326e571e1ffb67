// What the fields of a message are read as: values, and lists that stay where
// they lie.
// SPDX-License-Identifier: Apache-2.0
//
// The bytes of a file become structs in two steps. IsValid (wire.h) checks all
// of them once; then Parse fills in a struct, which is only views: texts point
// into the bytes, and a list is where its elements are. Elements of lists are
// parsed while somebody goes through the list, and again the next time.
//
//  bytes of the file   | net | op | op | tensor | op | ...
//  NetDef::op            place = {all bytes from the first op to the last,
//                                 field 2, 3 elements}
//
// The bytes must outlive all structs. Nothing is ever written after Parse, so
// that any number of threads may read.
#ifndef MACE_PROTO_MESSAGE_H_
#define MACE_PROTO_MESSAGE_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "mace/proto/wire.h"

namespace mace::stored {

// A number of the type fixed64: 8 bytes. A uint64_t is a varint.
struct Fixed64 {
  uint64_t value = 0;
  constexpr operator uint64_t() const { return value; }  // NOLINT: a number
};

// The member T of a oneof: what Fields gives to a visitor instead of the
// variant, once for each member that has a number of its own.
template <typename T, typename Variant>
struct Member {
  using Type = T;
  Variant* of;
};

template <typename T, typename Variant>
constexpr Member<T, Variant> In(Variant& of) {
  return {&of};
}

// Text and bytes are views; all other classes are messages.
template <typename T>
constexpr bool kIsMessage =
    std::is_class_v<T> && !std::is_same_v<T, std::string_view> &&
    !std::is_same_v<T, Fixed64>;

// The wire type of one value, by which Parse tells a field from an unknown one:
//
//  text, bytes, messages              kLength
//  float                              kFixed32
//  double, Fixed64                    kFixed64
//  all integers, bool, enums          kVarint
//
// Numbers of a repeated field may also be packed: many in one kLength.
template <typename T>
constexpr wire::Type kWireType =
    std::is_same_v<T, std::string_view> || kIsMessage<T> ? wire::Type::kLength
    : std::is_same_v<T, float>                           ? wire::Type::kFixed32
    : std::is_same_v<T, double> || std::is_same_v<T, Fixed64>
        ? wire::Type::kFixed64
        : wire::Type::kVarint;

// Sets `value` to that of a field of its wire type. Integers keep the low bits
// that their type has, as protobuf's do. Returns false, and leaves `value` as
// it is, for the number of an enum that has no name, which protobuf treats like
// an unknown field.
template <typename T>
bool Convert(const wire::Field& field, T* value) {
  if constexpr (std::is_enum_v<T>) {
    const T number = static_cast<T>(static_cast<int32_t>(field.value));
    if (!IsKnown(number)) return false;
    *value = number;
  } else if constexpr (std::is_same_v<T, bool>) {
    *value = field.value != 0;
  } else if constexpr (std::is_same_v<T, std::string_view>) {
    *value = {reinterpret_cast<const char*>(field.payload.begin),
              field.payload.size()};
  } else if constexpr (std::is_floating_point_v<T>) {
    using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
    const Bits bits = static_cast<Bits>(field.value);
    static_assert(sizeof(Bits) == sizeof(T));
    std::memcpy(value, &bits, sizeof(T));
  } else if constexpr (std::is_same_v<T, Fixed64>) {
    value->value = field.value;
  } else {
    *value = static_cast<T>(field.value);
  }
  return true;
}

// Adds the fields in `bytes` to `*message`, which is M() before: of a singular
// field the last one counts, pieces of a singular message are merged, and lists
// grow. Unknown fields, and those of another wire type, are ignored. Defined
// for the messages that are elements of lists, and for NetDef (messages.cc).
// REQUIRES: IsValid found the bytes valid.
template <typename M>
void Parse(wire::Bytes bytes, M* message);

// A repeated field. A Reader goes through its elements in order and parses each
// one on the way, which takes time in the bytes that the list spans; there is
// no access by index, and size() costs nothing. A range-based for does the
// same, once for each begin(). Copies are cheap and independent.
template <typename T>
class Repeated {
 public:
  class Reader {
   public:
    explicit Reader(const Repeated& list) : cursor_(list.place, kWireType<T>) {}
    // Sets `*element` to the next one. False behind the last element. Enums
    // without a name are no elements, as they are not in size().
    bool Next(T* element) {
      wire::Field field;
      while (cursor_.Next(&field)) {
        if constexpr (kIsMessage<T>) {
          *element = T();
          Parse(field.payload, element);
          return true;
        } else if (Convert(field, element)) {
          return true;
        }
      }
      return false;
    }

   private:
    wire::ListCursor cursor_;
  };

  struct End {};
  // Just enough for a range-based for: dereferencing gives the element that the
  // reader has read last, until ++.
  class Iterator {
   public:
    explicit Iterator(const Repeated& list) : reader_(list) { ++*this; }
    const T& operator*() const { return element_; }
    Iterator& operator++() {
      more_ = reader_.Next(&element_);
      return *this;
    }
    bool operator!=(End) const { return more_; }

   private:
    Reader reader_;
    T element_{};
    bool more_ = false;
  };

  Reader reader() const { return Reader(*this); }
  Iterator begin() const { return Iterator(*this); }
  End end() const { return {}; }
  size_t size() const { return place.count; }
  bool empty() const { return place.count == 0; }

  // Where the elements are; filled by Parse.
  wire::ListPlace place;
};

}  // namespace mace::stored

#endif  // MACE_PROTO_MESSAGE_H_
