// Serialized NetDefs at random, and what damage makes of them.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PROTO_TESTING_RANDOM_MESSAGES_H_
#define MACE_PROTO_TESTING_RANDOM_MESSAGES_H_

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

namespace mace {

class RandomMessages {
 public:
  explicit RandomMessages(uint32_t seed) : random_(seed) {}

  // Any fields with any values, as protobuf serializes them.
  std::string Serialized();
  // Valid as well, but as no serializer writes it: fields in any order and
  // several times, packed or not, varints too long, fields of other wire types,
  // unknown fields and groups.
  std::string Written();
  // `bytes` with some bits flipped, cut, doubled, mixed with those of another
  // message, or with an unknown field in their midst.
  std::string Mutated(const std::string& bytes, const std::string& other);

 private:
  uint32_t Below(uint32_t n);
  bool Percent(uint32_t p) { return Below(100) < p; }
  uint64_t Number();  // often a small or an extreme one
  std::string Text();
  void Fill(google::protobuf::Message* message);
  void FillField(google::protobuf::Message* message,
                 const google::protobuf::FieldDescriptor* field);

  std::string WriteMessage(const google::protobuf::Descriptor* type);
  std::string WriteField(const google::protobuf::FieldDescriptor* field);
  std::string WriteAnyField(uint32_t number);
  std::string WriteGroup(uint32_t number, uint32_t depth);
  std::string WriteVarint(uint64_t value, size_t most_bytes,
                          bool spare_bits = true);
  std::string WriteTag(uint32_t number, uint32_t type);
  std::string WriteSized(const std::string& payload);
  void MutateOnce(const std::string& other, std::string* bytes);

  std::mt19937 random_;
};

}  // namespace mace

#endif  // MACE_PROTO_TESTING_RANDOM_MESSAGES_H_
