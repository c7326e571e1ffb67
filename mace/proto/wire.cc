// Varints, fields, and which bytes are a message.
// SPDX-License-Identifier: Apache-2.0

#include "mace/proto/wire.h"

#include <algorithm>
#include <limits>

namespace mace::wire {
namespace {

constexpr int kMaxVarintBytes = 10;
constexpr int kMaxTagBytes = 5;
// protobuf adds up to 16 to a length, in an int.
constexpr uint64_t kMaxLength = std::numeric_limits<int32_t>::max() - 16;

bool ReadVarint(Bytes* bytes, int most_bytes, uint64_t* value) {
  *value = 0;
  for (int i = 0; i < most_bytes && !bytes->empty(); ++i) {
    const uint8_t byte = *bytes->begin++;
    *value |= uint64_t{byte & 0x7fu} << 7 * i;
    if (byte < 0x80) return true;
  }
  return false;
}

bool ReadFixed(Bytes* bytes, size_t size, uint64_t* value) {
  if (bytes->size() < size) return false;
  *value = 0;
  for (size_t i = 0; i < size; ++i) {
    *value |= uint64_t{bytes->begin[i]} << 8 * i;
  }
  bytes->begin += size;
  return true;
}

bool ReadPayload(Bytes* bytes, Bytes* payload) {
  uint64_t size;
  if (!ReadVarint(bytes, kMaxTagBytes, &size)) return false;
  if (size > std::min<uint64_t>(bytes->size(), kMaxLength)) return false;
  *payload = {bytes->begin, bytes->begin + size};
  bytes->begin += size;
  return true;
}

bool SkipGroup(Bytes* bytes, uint32_t number, int depth) {
  if (depth == 0) return false;
  Field field;
  while (ReadField(bytes, &field, depth - 1)) {
    if (field.type == Type::kEndGroup) return field.number == number;
  }
  return false;
}

const FieldRule* Find(const MessageRule& rule, uint32_t number) {
  const FieldRule* end = rule.fields + rule.size;
  for (const FieldRule* field = rule.fields; field != end; ++field) {
    if (field->number == number) return field;
  }
  return nullptr;
}

bool IsPacked(Bytes bytes, Type type) {
  uint64_t value;
  while (!bytes.empty()) {
    if (!ReadNumber(&bytes, type, &value)) return false;
  }
  return true;
}

}  // namespace

bool ReadField(Bytes* bytes, Field* field, int depth) {
  uint64_t wide_tag;
  if (!ReadVarint(bytes, kMaxTagBytes, &wide_tag)) return false;
  const uint32_t tag = static_cast<uint32_t>(wide_tag);
  field->number = tag >> 3;
  field->type = static_cast<Type>(tag & 7);
  if (field->number == 0) return false;
  switch (field->type) {
    case Type::kVarint:
    case Type::kFixed32:
    case Type::kFixed64:
      return ReadNumber(bytes, field->type, &field->value);
    case Type::kLength:
      return ReadPayload(bytes, &field->payload);
    case Type::kStartGroup:
      return SkipGroup(bytes, field->number, depth);
    case Type::kEndGroup:
      return true;
  }
  return false;
}

bool ReadNumber(Bytes* bytes, Type type, uint64_t* value) {
  if (type == Type::kFixed32) return ReadFixed(bytes, 4, value);
  if (type == Type::kFixed64) return ReadFixed(bytes, 8, value);
  return ReadVarint(bytes, kMaxVarintBytes, value);
}

bool IsValid(Bytes bytes, const MessageRule& rule, int depth) {
  Field field;
  while (!bytes.empty()) {
    if (!ReadField(&bytes, &field, depth)) return false;
    if (field.type == Type::kEndGroup) return false;  // of no group
    if (field.type != Type::kLength) continue;
    const FieldRule* of = Find(rule, field.number);
    if (of == nullptr) continue;
    if (of->message == nullptr) {
      if (!IsPacked(field.payload, of->packed)) return false;
    } else if (depth == 0 || !IsValid(field.payload, *of->message, depth - 1)) {
      return false;
    }
  }
  return true;
}

ListCursor::ListCursor(const ListPlace& place, Type type)
    : last_(static_cast<uint8_t>(std::max(place.path_size - 1, 0))),
      type_(type) {
  levels_[0] = place.bytes;
  std::copy_n(place.path, kMaxPath, path_);
}

bool ListCursor::Next(Field* element) {
  for (;;) {
    if (!packed_.empty()) {
      element->type = type_;
      return ReadNumber(&packed_, type_, &element->value);
    }
    if (levels_[level_].empty()) {
      if (level_ == 0) return false;
      --level_;
      continue;
    }
    if (!ReadField(&levels_[level_], element)) return false;
    if (element->number != path_[level_]) continue;
    if (level_ == last_ && element->type == type_) return true;
    if (element->type != Type::kLength) continue;
    if (level_ == last_) {
      packed_ = element->payload;
    } else {
      levels_[++level_] = element->payload;
    }
  }
}

}  // namespace mace::wire
