// Made from the descriptor, so that new fields are tested at once.
// SPDX-License-Identifier: Apache-2.0

#include "mace/proto/testing/random_messages.h"

#include <google/protobuf/stubs/logging.h>

#include <cstring>

#include "mace/proto/mace_full.pb.h"

namespace mace {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

enum WireType : uint32_t {
  kVarint = 0,
  kFixed64 = 1,
  kLength = 2,
  kStartGroup = 3,
  kEndGroup = 4,
  kFixed32 = 5,
};

constexpr size_t kMaxVarintBytes = 10;
constexpr size_t kMaxTagBytes = 5;
constexpr size_t kMaxLengthBytes = 5;

WireType TypeOf(const FieldDescriptor* field) {
  switch (field->type()) {
    case FieldDescriptor::TYPE_MESSAGE:
    case FieldDescriptor::TYPE_STRING:
    case FieldDescriptor::TYPE_BYTES:
      return kLength;
    case FieldDescriptor::TYPE_FLOAT:
      return kFixed32;
    case FieldDescriptor::TYPE_DOUBLE:
    case FieldDescriptor::TYPE_FIXED64:
      return kFixed64;
    default:
      return kVarint;
  }
}

std::string Fixed(uint64_t bits, size_t size) {
  std::string bytes;
  for (size_t i = 0; i < size; ++i) {
    bytes += static_cast<char>(bits >> 8 * i);
  }
  return bytes;
}

template <typename T>
T FromBits(uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

// Sets a field, or adds an element to it.
template <typename T>
void Put(Message* message, const FieldDescriptor* field, T value,
         void (Reflection::*set)(Message*, const FieldDescriptor*, T) const,
         void (Reflection::*add)(Message*, const FieldDescriptor*, T) const) {
  const Reflection* reflection = message->GetReflection();
  (reflection->*(field->is_repeated() ? add : set))(message, field,
                                                    std::move(value));
}

}  // namespace

uint32_t RandomMessages::Below(uint32_t n) {
  return static_cast<uint32_t>(random_() % n);
}

uint64_t RandomMessages::Number() {
  const uint64_t bits = uint64_t{random_()} << 32 | random_();
  switch (Below(4)) {
    case 0:
      return Below(16);
    case 1:
      return uint64_t{0} - Below(16);
    case 2:
      return (uint64_t{1} << Below(64)) - Below(2);
    default:
      return bits >> Below(64);
  }
}

std::string RandomMessages::Text() {
  std::string text(Below(Percent(5) ? 300 : 8), ' ');
  for (char& c : text) c = static_cast<char>(Below(256));
  return text;
}

std::string RandomMessages::Serialized() {
  // About text that is not UTF-8.
  const google::protobuf::LogSilencer silencer;
  full::NetDef net;
  Fill(&net);
  return net.SerializeAsString();
}

void RandomMessages::Fill(Message* message) {
  const Descriptor* type = message->GetDescriptor();
  for (int i = 0; i < type->field_count(); ++i) {
    const FieldDescriptor* field = type->field(i);
    for (uint32_t n = field->is_repeated() ? Below(4) : Below(2); n > 0; --n) {
      FillField(message, field);
    }
  }
}

void RandomMessages::FillField(Message* message, const FieldDescriptor* field) {
  using R = Reflection;
  const uint64_t bits = Number();
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT64:
      return Put(message, field, static_cast<int64_t>(bits), &R::SetInt64,
                 &R::AddInt64);
    case FieldDescriptor::CPPTYPE_INT32:
      return Put(message, field, static_cast<int32_t>(bits), &R::SetInt32,
                 &R::AddInt32);
    case FieldDescriptor::CPPTYPE_UINT64:
      return Put(message, field, bits, &R::SetUInt64, &R::AddUInt64);
    case FieldDescriptor::CPPTYPE_UINT32:
      return Put(message, field, static_cast<uint32_t>(bits), &R::SetUInt32,
                 &R::AddUInt32);
    case FieldDescriptor::CPPTYPE_BOOL:
      return Put(message, field, bits % 2 != 0, &R::SetBool, &R::AddBool);
    case FieldDescriptor::CPPTYPE_FLOAT:
      return Put(message, field, FromBits<float>(bits), &R::SetFloat,
                 &R::AddFloat);
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return Put(message, field, FromBits<double>(bits), &R::SetDouble,
                 &R::AddDouble);
    case FieldDescriptor::CPPTYPE_STRING:
      return Put(message, field, Text(), &R::SetString, &R::AddString);
    case FieldDescriptor::CPPTYPE_ENUM: {
      const auto* type = field->enum_type();
      const auto n = Below(static_cast<uint32_t>(type->value_count()));
      return Put(message, field, type->value(static_cast<int>(n)), &R::SetEnum,
                 &R::AddEnum);
    }
    case FieldDescriptor::CPPTYPE_MESSAGE: {
      const Reflection* reflection = message->GetReflection();
      return Fill(field->is_repeated()
                      ? reflection->AddMessage(message, field)
                      : reflection->MutableMessage(message, field));
    }
  }
}

std::string RandomMessages::Written() {
  return WriteMessage(full::NetDef::descriptor());
}

std::string RandomMessages::WriteMessage(const Descriptor* type) {
  std::string bytes;
  for (uint32_t n = Below(10); n > 0; --n) {
    if (Percent(8)) {
      bytes += WriteAnyField(1 + Below(Percent(50) ? 300 : (1 << 29) - 1));
      continue;
    }
    const auto i = Below(static_cast<uint32_t>(type->field_count()));
    const FieldDescriptor* field = type->field(static_cast<int>(i));
    const auto number = static_cast<uint32_t>(field->number());
    // A payload of other bytes may be no message or no packed numbers.
    const bool other = Percent(4) && TypeOf(field) != kLength;
    for (uint32_t times = 1 + Below(3); times > 0; --times) {
      bytes += other ? WriteTag(number, kStartGroup) +
                           WriteAnyField(1 + Below(20)) +
                           WriteTag(number, kEndGroup)
                     : WriteField(field);
    }
  }
  return bytes;
}

std::string RandomMessages::WriteField(const FieldDescriptor* field) {
  const auto number = static_cast<uint32_t>(field->number());
  const auto value = [&] {
    const uint64_t bits = Number();
    return TypeOf(field) == kFixed32   ? Fixed(bits, 4)
           : TypeOf(field) == kFixed64 ? Fixed(bits, 8)
                                       : WriteVarint(bits, kMaxVarintBytes);
  };
  std::string payload;
  if (field->type() == FieldDescriptor::TYPE_MESSAGE) {
    payload = WriteMessage(field->message_type());
  } else if (TypeOf(field) == kLength) {
    payload = Text();
  } else if (field->is_repeated() && Percent(50)) {
    for (uint32_t n = Below(6); n > 0; --n) payload += value();
  } else if (Percent(4)) {
    // A payload that is skipped where the field is not repeated.
    if (!field->is_repeated()) payload = Text();
  } else {
    return WriteTag(number, TypeOf(field)) + value();
  }
  return WriteTag(number, kLength) + WriteSized(payload);
}

std::string RandomMessages::WriteAnyField(uint32_t number) {
  switch (Below(5)) {
    case 0:
      return WriteTag(number, kVarint) + WriteVarint(Number(), kMaxVarintBytes);
    case 1:
      return WriteTag(number, kFixed64) + Fixed(Number(), 8);
    case 2:
      return WriteTag(number, kFixed32) + Fixed(Number(), 4);
    case 3:
      return WriteGroup(number, Percent(98) ? Below(4) : 90 + Below(14));
    default:
      return WriteTag(number, kLength) + WriteSized(Text());
  }
}

std::string RandomMessages::WriteGroup(uint32_t number, uint32_t depth) {
  std::string inside;
  if (Percent(30)) {
    inside = WriteTag(7, kLength) + WriteSized(Text()) +
             WriteTag(1 << 20, kVarint) +
             WriteVarint(Number(), kMaxVarintBytes);
  }
  if (depth > 0) inside += WriteGroup(1 + Below(40), depth - 1);
  return WriteTag(number, kStartGroup) + inside + WriteTag(number, kEndGroup);
}

// Sometimes with more bytes than are needed, and with bits that nobody reads.
std::string RandomMessages::WriteVarint(uint64_t value, size_t most_bytes,
                                        bool spare_bits) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  bytes += static_cast<char>(value);
  if (!Percent(5)) return bytes;
  while (bytes.size() < most_bytes && Percent(80)) {
    bytes.back() = static_cast<char>(bytes.back() | 0x80);
    bytes += '\0';
  }
  if (spare_bits && bytes.size() == most_bytes) {
    bytes.back() = static_cast<char>(bytes.back() | 0x70);
  }
  return bytes;
}

std::string RandomMessages::WriteTag(uint32_t number, uint32_t type) {
  return WriteVarint(number << 3 | type, kMaxTagBytes);
}

std::string RandomMessages::WriteSized(const std::string& payload) {
  return WriteVarint(payload.size(), kMaxLengthBytes, false) + payload;
}

std::string RandomMessages::Mutated(const std::string& bytes,
                                    const std::string& other) {
  std::string mutant = bytes;
  do MutateOnce(other, &mutant);
  while (Percent(30));
  return mutant;
}

void RandomMessages::MutateOnce(const std::string& other, std::string* bytes) {
  const auto position = [&](const std::string& of) {
    return Below(static_cast<uint32_t>(of.size()) + 1);
  };
  const uint32_t at = position(*bytes), length = Below(8);
  constexpr unsigned char kBytes[] = {0x00, 0x07, 0x0c, 0x7f, 0x80, 0xff};
  switch (Below(8)) {
    case 0:
      bytes->resize(at);
      return;
    case 1:
      bytes->erase(at, length);
      return;
    case 2:
      *bytes = bytes->substr(0, at) + other.substr(position(other));
      return;
    case 3:
      bytes->insert(Percent(50) ? at : 0, WriteAnyField(1 + Below(300)));
      return;
    case 4:
      *bytes += Percent(50) ? *bytes : other;
      return;
    case 5:
      bytes->insert(at, bytes->substr(at, length));
      return;
    case 6:
      if (at < bytes->size()) {
        (*bytes)[at] = static_cast<char>(kBytes[Below(sizeof(kBytes))]);
      }
      return;
    default:
      for (uint32_t n = 1 + Below(3); n > 0 && !bytes->empty(); --n) {
        char& byte = (*bytes)[position(*bytes) % bytes->size()];
        byte = static_cast<char>(byte ^ 1 << Below(8));
      }
  }
}

}  // namespace mace
