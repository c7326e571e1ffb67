// The wire format of protobuf, read where it lies: nothing is copied.
// SPDX-License-Identifier: Apache-2.0
//
// Which bytes are a message and what they mean is what protobuf's C++ library
// says: fields that are not known, or come with another wire type than theirs,
// are skipped; varints of up to ten bytes lose the bits that their type does
// not have; messages and groups nest 100 deep.
#ifndef MACE_PROTO_WIRE_H_
#define MACE_PROTO_WIRE_H_

#include <cstddef>
#include <cstdint>

namespace mace::wire {

struct Bytes {
  const uint8_t* begin = nullptr;
  const uint8_t* end = nullptr;

  size_t size() const { return static_cast<size_t>(end - begin); }
  bool empty() const { return begin == end; }
};

// The numbers are those of the format.
enum class Type : uint8_t {
  kVarint = 0,
  kFixed64 = 1,
  kLength = 2,
  kStartGroup = 3,
  kEndGroup = 4,
  kFixed32 = 5,
};

struct Field {
  uint32_t number = 0;
  Type type = Type::kVarint;
  uint64_t value = 0;  // of kVarint, kFixed32 and kFixed64
  Bytes payload;       // of kLength
};

constexpr int kMaxDepth = 100;

// Reads the field at the front of `bytes` and takes it off; of a group, all of
// it. False if there is none, or if `depth` or more groups are nested in it.
bool ReadField(Bytes* bytes, Field* field, int depth = kMaxDepth);

// Reads a number as it lies in a packed field. False if `bytes` end too early.
bool ReadNumber(Bytes* bytes, Type type, uint64_t* value);

struct MessageRule;

// What makes a payload under this number valid.
struct FieldRule {
  uint32_t number = 0;
  Type packed = Type::kLength;           // of packed numbers: their type
  const MessageRule* message = nullptr;  // of messages: their rule
};

// Has a rule for each field that is a message or may be packed.
struct MessageRule {
  const FieldRule* fields;
  size_t size;
};

bool IsValid(Bytes bytes, const MessageRule& rule, int depth = kMaxDepth);

// How many levels of singular messages lie around a list, and the list itself.
constexpr int kMaxPath = 3;

// Where the elements of a repeated field are: in the fields path[0] of `bytes`,
// in these in the fields path[1], and so on. A path has more than one number
// where a singular message is around the list, for it may come in several
// pieces that count as one.
struct ListPlace {
  Bytes bytes;
  uint32_t path[kMaxPath] = {};
  uint8_t path_size = 0;
  uint32_t count = 0;  // of elements
};

// Goes through the elements of a list in a valid message.
class ListCursor {
 public:
  // `type` is that of one element.
  ListCursor(const ListPlace& place, Type type);
  bool Next(Field* element);

 private:
  Bytes levels_[kMaxPath];
  Bytes packed_;
  uint32_t path_[kMaxPath];
  uint8_t last_;  // level
  uint8_t level_ = 0;
  Type type_;
};

}  // namespace mace::wire

#endif  // MACE_PROTO_WIRE_H_
