// The wire format of protobuf, read where it lies: nothing is copied.
// SPDX-License-Identifier: Apache-2.0
//
// Which bytes are a message, and what they mean, follows protobuf's C++
// library: fields that are not known, or come with another wire type than
// theirs, are skipped; varints of up to ten bytes lose the bits that their type
// does not have; messages and groups nest 100 deep.
//
// A message is a sequence of fields, each of which is a tag and a value.
// Numbers are varints: 7 bits a byte, the lowest first; the top bit is set in
// all bytes but the last.
//
//  tag = varint of (number << 3 | type)
//
//  kVarint      varint
//  kFixed32     4 bytes, little-endian
//  kFixed64     8 bytes, little-endian
//  kLength      varint n, then n bytes: text, a message, or packed numbers
//  kStartGroup  fields, then a kEndGroup of the same number; only skipped here
//
// The same field may be there many times, in any order. The functions here take
// any bytes and read none outside of them. They keep no state: any thread may
// call them.
#ifndef MACE_PROTO_WIRE_H_
#define MACE_PROTO_WIRE_H_

#include <cstddef>
#include <cstdint>

namespace mace::wire {

// A view. Two null pointers are no bytes.
struct Bytes {
  const uint8_t* begin = nullptr;
  const uint8_t* end = nullptr;

  size_t size() const { return static_cast<size_t>(end - begin); }
  bool empty() const { return begin == end; }
};

// The numbers are those of the format; 6 and 7 are no types.
enum class Type : uint8_t {
  kVarint = 0,
  kFixed64 = 1,
  kLength = 2,
  kStartGroup = 3,
  kEndGroup = 4,
  kFixed32 = 5,
};

// One field. Only what its type has is set; the rest keeps the values of the
// field that was read into the object before.
struct Field {
  uint32_t number = 0;
  Type type = Type::kVarint;
  uint64_t value = 0;  // of kVarint, kFixed32 and kFixed64
  Bytes payload;       // of kLength
};

// How deep messages and groups may nest, as in protobuf: a limit of the stack.
constexpr int kMaxDepth = 100;

// Reads the field at the front of `bytes` and takes it off; of a group, all of
// it, and then the type is kStartGroup. A kEndGroup is a field of its own.
// Returns false if there is none: the bytes end too early, the number is 0, the
// type is unknown, a tag or a length has more than 5 bytes, a varint more than
// 10, a length is above 2^31 - 17, a group ends with another number, or groups
// are more than `depth` deep, this one counted. `bytes` then begins anywhere.
bool ReadField(Bytes* bytes, Field* field, int depth = kMaxDepth);

// Reads a number as it lies in a packed field, and takes it off. Bits of a
// varint above the 64th are lost. Returns false if `bytes` end too early, or if
// a varint has more than 10 bytes. REQUIRES: `type` is kVarint, kFixed32 or
// kFixed64.
bool ReadNumber(Bytes* bytes, Type type, uint64_t* value);

struct MessageRule;

// What makes a payload under this number valid. Either `message` is set, or
// `packed` is the type of the numbers in the payload.
struct FieldRule {
  uint32_t number = 0;
  Type packed = Type::kLength;           // of packed numbers: their type
  const MessageRule* message = nullptr;  // of messages: their rule
};

// Has a rule for each field that is a message or may be packed; messages.cc
// makes them from the structs. Fields without a rule have any payload.
struct MessageRule {
  const FieldRule* fields;
  size_t size;
};

// Returns whether the bytes are a message that protobuf would accept: fields up
// to the end, no kEndGroup without its start, packed payloads that are whole
// numbers, messages in it that are valid, all no more than `depth` deep. Takes
// time in the bytes times the nesting, and recurses as deep.
bool IsValid(Bytes bytes, const MessageRule& rule, int depth = kMaxDepth);

// How many levels of singular messages lie around a list, and the list itself:
// Variable.tensor, its quantization, its scales. messages.cc checks it.
constexpr int kMaxPath = 3;

// Where the elements of a repeated field are: in the fields path[0] of `bytes`,
// in these in the fields path[1], and so on. A path has more than one number
// where a singular message is around the list, for it may come in several
// pieces that count as one.
//
//  NetDef.memory_plan (203) .offsets (3)     path {203, 3}
//
//  ... | 203: 3 3 | other fields | 203: 1 3 | ...
//        ^ bytes                          ^ end, 3 elements (or more, packed)
//
// `bytes` are whole fields of the message around it all, from the first one
// with elements to the last.
struct ListPlace {
  Bytes bytes;
  uint32_t path[kMaxPath] = {};
  uint8_t path_size = 0;
  uint32_t count = 0;  // of elements
};

// Goes through the elements of a list in a valid message. Holds pointers into
// its bytes, and nothing else that must live.
class ListCursor {
 public:
  // `type` is that of one element: numbers of it are found alone and packed.
  // REQUIRES: IsValid found the message valid in which `place` is.
  ListCursor(const ListPlace& place, Type type);
  // Sets the type, and the value or payload, of the next element. Returns false
  // behind the last one. `number` is set only by some calls.
  bool Next(Field* element);

 private:
  // What is left to read: of each level down to the current one, and of the
  // packed field that has been entered.
  Bytes levels_[kMaxPath];
  Bytes packed_;
  uint32_t path_[kMaxPath];
  uint8_t last_;  // level
  uint8_t level_ = 0;
  Type type_;
};

}  // namespace mace::wire

#endif  // MACE_PROTO_WIRE_H_
