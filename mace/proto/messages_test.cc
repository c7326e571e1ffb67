// The reader of models finds in any bytes what protobuf finds in them.
// SPDX-License-Identifier: Apache-2.0

#include "mace/proto/messages.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "mace/proto/mace.pb.h"
#include "mace/proto/testing/judge.h"
#include "mace/proto/testing/random_messages.h"

namespace mace {
namespace {

using std::string_literals::operator""s;

constexpr int kRandom = 10000;
constexpr int kMutantsOfEach = 10;

std::string Hex(const std::string& bytes) {
  std::string text;
  for (const unsigned char byte : bytes) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

// Returns whether protobuf accepts the bytes.
bool JudgeAlike(const std::string& bytes) {
  const Verdict verdict = Judge(bytes);
  EXPECT_EQ(verdict.difference, "") << Hex(bytes);
  return verdict.accepted;
}

TEST(Messages, AreThoseOfTheProtoFile) { EXPECT_EQ(CompareDefinitions(), ""); }

// A field of a payload of less than 128 bytes.
std::string Sized(const std::string& tag, const std::string& payload) {
  return tag + static_cast<char>(payload.size()) + payload;
}

std::string Groups(int n) {
  std::string bytes;
  for (int i = 0; i < n; ++i) bytes = "\x1b" + bytes + "\x1c";
  return bytes;
}

struct Case {
  const char* name;
  std::string bytes;
  bool accepted;
};

// Where readers of the format differ from one another.
const Case kCases[] = {
    {"Empty", "", true},
    {"UnknownGroup", "\x1b\x08\x01\x1c"s, true},
    {"GroupOfAKnownField", "\x0b\x0c"s, true},
    {"GroupThatDoesNotEnd", "\x1b\x08\x01"s, false},
    {"GroupThatEndsAsAnother", "\x1b\x0c"s, false},
    {"EndOfNoGroup", "\x1c"s, false},
    {"100Groups", Groups(100), true},
    {"101Groups", Groups(101), false},
    {"99GroupsInAMessage", "\x12\xc6\x01" + Groups(99), true},
    {"100GroupsInAMessage", "\x12\xc8\x01" + Groups(100), false},
    {"PayloadOfAGroupIsNotLookedAt", "\x1b\x12\x01\xff\x1c"s, true},
    {"TextAsANumber", "\x08\x01"s, true},
    {"NumberAsText", "\xca\x0c\x01\x01"s, true},
    {"PackedTextIsText", Sized("\xb2\x0d", "\xff"), true},
    {"Field0", "\x00\x00"s, false},
    {"Field0InAMessage", "\x12\x01\x00"s, false},
    {"Type6", "\x0e\x00"s, false},
    {"Type7", "\x0f\x00"s, false},
    {"TagOf5Bytes", "\x8a\x80\x80\x80\x00\x00"s, true},
    {"TagBeyond32Bits", "\x8a\x80\x80\x80\x70\x00"s, true},
    {"TagOf6Bytes", "\x8a\x80\x80\x80\x80\x00\x00"s, false},
    {"SizeOf5Bytes", "\x0a\x81\x80\x80\x80\x00x"s, true},
    {"SizeBeyond31Bits", "\x0a\x81\x80\x80\x80\x08x"s, false},
    {"SizeOf6Bytes", "\x0a\x81\x80\x80\x80\x80\x00x"s, false},
    {"SizeOfAll2GB", "\x0a\xff\xff\xff\xff\x07x"s, false},
    {"SizeBeyondTheEnd", "\x0a\x02x"s, false},
    {"SizeBeyondTheMessage", "\x12\x02\x0a\x02xy"s, false},
    {"VarintOf10Bytes", "\xc8\x0c\x81\x80\x80\x80\x80\x80\x80\x80\x80\x7f"s,
     true},
    {"VarintOf11Bytes", "\xc8\x0c\x81\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00"s,
     false},
    {"VarintThatEndsEarly", "\xc8\x0c\x80"s, false},
    {"FixedThatEndsEarly", "\xd1\x0c\x01\x02\x03\x04\x05\x06\x07"s, false},
    {"UnsignedFrom64Bits", "\xc0\x0c\x81\x80\x80\x80\x80\x80\x80\x80\x80\x01"s,
     true},
    {"BoolFrom64Bits", "\xea\x0c\x06\x10\x80\x80\x80\x80\x10"s, true},
    {"UnknownEnum", "\x2a\x02\x10\x63"s, true},
    {"EnumFrom64Bits", "\x2a\x07\x10\x83\x80\x80\x80\x80\x01"s, true},
    {"PackedVarintThatEndsEarly", "\x2a\x03\x0a\x01\x80"s, false},
    {"PackedFloatOf3Bytes",
     Sized("\x2a",
           "\x4a\x05\x0a\x03"s
           "abc"),
     false},
    {"TextThatIsNotUtf8", "\x0a\x01\xff"s, true},
};

TEST(Read, EdgesOfTheFormatLikeProtobuf) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(JudgeAlike(c.bytes), c.accepted);
  }
}

stored::NetDef ReadSound(const std::string& bytes) {
  EXPECT_TRUE(JudgeAlike(bytes)) << Hex(bytes);
  stored::NetDef net;
  EXPECT_TRUE(
      Read(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(), &net));
  return net;
}

template <typename T>
std::vector<T> All(const stored::Repeated<T>& list) {
  std::vector<T> all;
  for (const T& element : list) all.push_back(element);
  EXPECT_EQ(all.size(), list.size());
  return all;
}

TEST(Read, TextsAreViewsOfTheBytes) {
  const std::string bytes = Sized("\x0a", "name");
  const stored::NetDef net = ReadSound(bytes);
  EXPECT_EQ(net.name, "name");
  EXPECT_EQ(net.name.data(), bytes.data() + 2);
}

TEST(Read, NumbersPackedOrNot) {
  const std::string bytes =
      Sized("\x2a", "\x0a\x02\x01\x02\x08\x03\x0a\x00\x0a\x01\x04"s);
  const auto tensors = All(ReadSound(bytes).tensors);
  ASSERT_EQ(tensors.size(), 1u);
  EXPECT_EQ(All(tensors[0].dims), (std::vector<int64_t>{1, 2, 3, 4}));
}

TEST(Read, NumbersOfNoEnumAreNotThere) {
  const std::string bytes =
      Sized("\x12", "\x38\x01\x3a\x03\x63\x03\x05\x38\x63\x38\x04"s) +
      Sized("\x2a", "\x10\x04\x10\x63"s);
  const stored::NetDef net = ReadSound(bytes);
  EXPECT_EQ(All(All(net.op).at(0).output_type),
            (std::vector<stored::DataType>{stored::DT_FLOAT, stored::DT_HALF,
                                           stored::DT_INT32}));
  EXPECT_EQ(All(net.tensors).at(0).data_type, stored::DT_INT32);
}

// A variable whose tensor comes in two pieces, each with two of a quantization.
TEST(Read, PiecesOfAMessageAreOne) {
  const auto quantization = [](const std::string& zero_points) {
    return Sized("\x3a", Sized("\x12", zero_points));
  };
  const std::string bytes =
      Sized("\x82\x0d",
            Sized("\x0a", quantization("\x01\x02") + "\x0a\x01x" +
                              quantization("\x03")) +
                "\x1a\x01n" +
                Sized("\x0a", quantization("\x04") + quantization("\x05\x06")));
  const auto variables = All(ReadSound(bytes).variables);
  ASSERT_EQ(variables.size(), 1u);
  EXPECT_EQ(variables[0].tensor.name, "x");
  EXPECT_EQ(variables[0].next, "n");
  EXPECT_EQ(All(variables[0].tensor.quantization->zero_points),
            (std::vector<int32_t>{1, 2, 3, 4, 5, 6}));
}

TEST(Read, TheLastMemberOfAOneofCounts) {
  const auto strings = [](const std::string& item) {
    return Sized("\x32", Sized("\x0a", item));
  };
  const std::string list =
      strings("a") + "\x18\x07" + strings("b") + strings("c");
  const std::string bytes =
      Sized("\xea\x0c", list) + Sized("\xea\x0c", list + "\x18\x07");
  const auto settings = All(ReadSound(bytes).settings);
  ASSERT_EQ(settings.size(), 2u);
  EXPECT_EQ(All(std::get<stored::StringList>(settings[0].value).items),
            (std::vector<std::string_view>{"b", "c"}));
  EXPECT_EQ(std::get<int64_t>(settings[1].value), 7);
}

TEST(Read, RandomAndMutatedMessagesLikeProtobuf) {
  RandomMessages random(20240229);
  int accepted = 0, accepted_mutants = 0;
  std::string last = random.Serialized();
  for (int i = 0; i < kRandom && !HasFailure(); ++i) {
    const std::string bytes =
        i % 10 == 0 ? random.Serialized() : random.Written();
    accepted += JudgeAlike(bytes);
    for (int k = 0; k < kMutantsOfEach && !HasFailure(); ++k) {
      accepted_mutants += JudgeAlike(random.Mutated(bytes, last));
    }
    last = bytes;
  }
  EXPECT_GT(accepted, kRandom * 9 / 10);
  // Both answers are common enough to be compared.
  EXPECT_GT(accepted_mutants, kRandom * kMutantsOfEach / 4);
  EXPECT_LT(accepted_mutants, kRandom * kMutantsOfEach * 3 / 4);
}

}  // namespace
}  // namespace mace
