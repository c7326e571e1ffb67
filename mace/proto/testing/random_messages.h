// Serialized NetDefs at random, and what damage makes of them.
// SPDX-License-Identifier: Apache-2.0
//
// Fields are taken from the descriptor of NetDef, so that new ones of
// mace.proto are tested without a change here.
#ifndef MACE_PROTO_TESTING_RANDOM_MESSAGES_H_
#define MACE_PROTO_TESTING_RANDOM_MESSAGES_H_

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

namespace mace {

// Gives the same messages for the same seed and order of calls. Not
// thread-safe.
class RandomMessages {
 public:
  explicit RandomMessages(uint32_t seed) : random_(seed) {}

  // Any fields with any values, as protobuf serializes them: each singular
  // field in every second message, lists of up to 3 elements.
  std::string Serialized();
  // Valid as well, but as no serializer writes it: fields in any order and
  // several times, packed or not, varints with more bytes than they need,
  // fields of other wire types, unknown fields and groups. Rarely, groups are
  // nested too deep to be valid.
  std::string Written();
  // Returns `bytes` after one change or more: bits flipped, a byte replaced,
  // bytes cut off, left out or doubled, the end taken from `other`, all of
  // `other` appended, or a field inserted. Most results are no messages.
  std::string Mutated(const std::string& bytes, const std::string& other);

 private:
  // In [0, n). REQUIRES: n > 0.
  uint32_t Below(uint32_t n);
  bool Percent(uint32_t p) { return Below(100) < p; }
  uint64_t Number();  // often a small or an extreme one
  // Any bytes, rarely many.
  std::string Text();
  // Set fields of a message through reflection, for Serialized.
  void Fill(google::protobuf::Message* message);
  void FillField(google::protobuf::Message* message,
                 const google::protobuf::FieldDescriptor* field);

  // Write bytes by hand, for Written and Mutated: a message, a field of it in
  // any form, an unknown field, and a group of `depth` + 1 levels.
  std::string WriteMessage(const google::protobuf::Descriptor* type);
  std::string WriteField(const google::protobuf::FieldDescriptor* field);
  std::string WriteAnyField(uint32_t number);
  std::string WriteGroup(uint32_t number, uint32_t depth);
  // A varint, sometimes with more bytes than it needs, up to `most_bytes`; with
  // `spare_bits`, the last one may have bits that nobody reads.
  std::string WriteVarint(uint64_t value, size_t most_bytes,
                          bool spare_bits = true);
  std::string WriteTag(uint32_t number, uint32_t type);
  // The size of the payload and the payload.
  std::string WriteSized(const std::string& payload);
  // Applies one of the changes of Mutated.
  void MutateOnce(const std::string& other, std::string* bytes);

  std::mt19937 random_;
};

}  // namespace mace

#endif  // MACE_PROTO_TESTING_RANDOM_MESSAGES_H_
