// Tokenizers in memory: tokens, streams, and files that are damaged. What the
// libraries of other formats make of texts is compared by
// tools/mace_tools/convert/tokenizers/tokenizers_test.py.
// SPDX-License-Identifier: Apache-2.0

#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "mace/public/mace_tokenizer.h"
#include "mace/testing/tokenizer_builder.h"

namespace mace {
namespace {

using testing::ByteTokens;
using testing::TokenizerBuilder;
using testing::WithChecksum;
using Ids = std::vector<int32_t>;

Ids Encode(const MaceTokenizer& tokenizer, const std::string& text,
           const MaceEncodeOptions& options = {}) {
  Ids ids;
  const MaceStatus status = tokenizer.Encode(text, &ids, options);
  EXPECT_TRUE(status.ok()) << status.information();
  return ids;
}

std::string Decode(const MaceTokenizer& tokenizer, const Ids& ids,
                   bool skip = true) {
  std::string text;
  const MaceStatus status = tokenizer.Decode(ids, &text, skip);
  EXPECT_TRUE(status.ok()) << status.information();
  return text;
}

MaceStatus LoadBytes(const std::string& file,
                     std::shared_ptr<MaceTokenizer>* tokenizer) {
  return MaceTokenizer::Load(
      reinterpret_cast<const unsigned char*>(file.data()), file.size(),
      tokenizer);
}

TEST(TokenizerTest, MergesByRankThenFromTheLeft) {
  const auto t =
      ByteTokens({{"b", "c"}, {"a", "b"}, {"a", "bc"}, {"a", "a"}}).Load();
  EXPECT_EQ(Encode(*t, "abc"), Ids({260}));
  EXPECT_EQ(Encode(*t, "ab"), Ids({259}));
  EXPECT_EQ(Encode(*t, "aaa"), Ids({261, 'a'}));
  EXPECT_EQ(Encode(*t, "abab"), Ids({259, 259}));
  EXPECT_EQ(Decode(*t, {261, 'a', 260}), "aaaabc");
}

TEST(TokenizerTest, LongRunsTakeNoStackAndLittleTime) {
  const auto t = ByteTokens({{"a", "a"}, {"aa", "aa"}}).Load();
  const std::string run(200000, 'a');
  const Ids ids = Encode(*t, run);
  EXPECT_EQ(ids.size(), run.size() / 4);
  EXPECT_EQ(Decode(*t, ids), run);
}

TEST(TokenizerTest, SpecialTokensAreReadOnlyWhereTheyMayBe) {
  auto b = ByteTokens({});
  b.prefix() = {256};
  const auto t = b.Load();
  EXPECT_EQ(Encode(*t, "a</s>b"), Ids({256, 'a', 257, 'b'}));
  MaceEncodeOptions plain;
  plain.parse_special_tokens = plain.add_special_tokens = false;
  EXPECT_EQ(Encode(*t, "</s>", plain), Ids({'<', '/', 's', '>'}));
  EXPECT_EQ(Decode(*t, {256, 'a', 257}), "a");
  EXPECT_EQ(Decode(*t, {256, 'a', 257}, false), "<s>a</s>");
  EXPECT_EQ(t->bos(), 256);
  EXPECT_EQ(t->pad(), -1);
  EXPECT_EQ(t->FindToken("</s>"), 257);
  EXPECT_EQ(t->FindToken("none"), -1);
  EXPECT_TRUE(t->IsSpecial(257));
  EXPECT_FALSE(t->IsSpecial(-1));
  EXPECT_EQ(t->TokenText(300), "");
  EXPECT_EQ(t->property("eos_token"), "</s>");
}

TEST(TokenizerTest, BytesThatAreNoUtf8BecomeReplacementCharacters) {
  const auto t = ByteTokens({}).Load();
  const std::string fffd = "\xef\xbf\xbd";
  EXPECT_EQ(Decode(*t, Encode(*t, "a\xff\xe4\xbd z")),
            "a" + fffd + fffd + fffd + " z");
  // Tokens of bytes: one for each beginning of a character.
  EXPECT_EQ(Decode(*t, {0xe4, 0xbd, 'z', 0xed, 0xa0, 0x80, 0xf0, 0x9f}),
            fffd + "z" + fffd + fffd + fffd + fffd);
}

TEST(TokenizerTest, StreamsEmitWholeCharactersOnly) {
  const auto t = ByteTokens({}).Load();
  const std::string all = "a\xc3\xa9\xe4\xbd\xa0\xf0\x9f\x91\x8d!";
  MaceTokenStream stream(t);
  std::string joined;
  for (const int32_t id : Encode(*t, all)) {
    std::string part;
    ASSERT_TRUE(stream.Add(id, &part).ok());
    EXPECT_EQ(Encode(*t, part).size(), part.size());
    if (!part.empty()) {
      EXPECT_NE(static_cast<unsigned char>(part[0]) & 0xc0, 0x80);
    }
    joined += part;
  }
  EXPECT_EQ(joined, all);
  std::string part;
  ASSERT_TRUE(stream.Add(0xe4, &part).ok());
  EXPECT_EQ(part, "");
  ASSERT_TRUE(stream.Finish(&part).ok());
  EXPECT_EQ(part, "\xef\xbf\xbd");
}

TEST(TokenizerTest, UnigramTakesTheBestSum) {
  TokenizerBuilder b(text::ModelKind::kUnigram, text::kFuseUnknown);
  b.Token("<unk>", 0).Token("a", text::kInModel, -2);
  b.Token("b", text::kInModel, -2).Token("ab", text::kInModel, -3);
  b.Token("aba", text::kInModel, -4.5).settings().unknown = 0;
  const auto t = b.Load();
  EXPECT_EQ(Encode(*t, "ab"), Ids({3}));
  EXPECT_EQ(Encode(*t, "abab"), Ids({3, 3}));  // -6 against -6.5
  EXPECT_EQ(Encode(*t, "aba"), Ids({4}));
  EXPECT_EQ(Encode(*t, "axyb"), Ids({1, 0, 2}));  // one for both
}

TEST(TokenizerTest, WordPieceTakesTheLongestTokens) {
  TokenizerBuilder b(text::ModelKind::kWordPiece, text::kWordPieces);
  b.settings().continuing = b.String("##");
  b.Token("[UNK]", 0).Token("un").Token("##aff").Token("##able").Token("una");
  b.settings().unknown = 0;
  const auto t = b.Load();
  EXPECT_EQ(Encode(*t, "unaffable"), Ids({0}));  // "una", then nothing
  EXPECT_EQ(Encode(*t, "unable"), Ids({0}));
  EXPECT_EQ(Decode(*t, {1, 2, 3, 1}), "unaffable un");
}

TEST(TokenizerTest, WrongArgumentsAreRefused) {
  const auto t = ByteTokens({}).Load();
  Ids ids;
  std::string text;
  EXPECT_EQ(t->Encode("a", nullptr).code(), MaceStatus::MACE_INVALID_ARGS);
  EXPECT_EQ(t->Decode({1}, nullptr).code(), MaceStatus::MACE_INVALID_ARGS);
  EXPECT_EQ(t->Decode({258}, &text).information(),
            "258 is no token; the vocabulary has 258");
  EXPECT_EQ(t->Decode({-1}, &text).code(), MaceStatus::MACE_INVALID_ARGS);
  EXPECT_EQ(t->Encode(std::string((4 << 20) + 1, 'a'), &ids).code(),
            MaceStatus::MACE_INVALID_ARGS);
  MaceTokenStream none(nullptr);
  EXPECT_EQ(none.Add(1, &text).code(), MaceStatus::MACE_INVALID_ARGS);
  std::shared_ptr<MaceTokenizer> loaded;
  EXPECT_EQ(MaceTokenizer::Load("/nowhere/t.tokenizer", &loaded).code(),
            MaceStatus::MACE_INVALID_ARGS);
}

TEST(TokenizerTest, DamagedFilesAreRefused) {
  const std::string file = ByteTokens({{"a", "b"}}).Build();
  std::shared_ptr<MaceTokenizer> t;
  for (size_t size = 0; size < file.size(); size += 7) {
    EXPECT_EQ(LoadBytes(file.substr(0, size), &t).code(),
              MaceStatus::MACE_INVALID_MODEL);
  }
  std::string changed = file;
  changed[file.size() / 2] ^= 1;
  EXPECT_NE(LoadBytes(changed, &t).information().find("checksum"),
            std::string::npos);
  changed = file;
  changed[8] = 9;
  EXPECT_NE(LoadBytes(changed, &t).information().find("version 9"),
            std::string::npos);
  auto outside = ByteTokens({});
  outside.prefix() = {258};
  EXPECT_NE(LoadBytes(outside.Build(), &t)
                .information()
                .find("'prefix' names a token outside of the vocabulary"),
            std::string::npos);
}

// Whatever a file holds, nothing outside of it is read: run by the sanitizers.
TEST(TokenizerTest, MutatedFilesDoNoHarm) {
  TokenizerBuilder unigram(text::ModelKind::kUnigram,
                           text::kFuseUnknown | text::kMetaspaces);
  unigram.Token("<unk>", 0).Token("a", text::kInModel, -2);
  unigram.Token("ab", text::kInModel, -3).Token("\xe2\x96\x81");
  unigram.AddStep(text::StepKind::kReplace, unigram.String(" "),
                  unigram.String("\xe2\x96\x81"));
  const std::string seeds[] = {ByteTokens({{"a", "b"}, {"ab", "ab"}}).Build(),
                               unigram.Build()};
  std::mt19937 random(1);
  int loaded = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string file = seeds[i % 2];
    for (int k = 0; k < 1 + i % 4; ++k) {
      // Mostly the table and the settings, where offsets and counts are.
      const size_t most = i % 3 == 0 ? file.size() : 500;
      const size_t at = 8 + random() % (most - 8);
      file[at] = static_cast<char>(i % 5 == 0 ? random()
                                              : file[at] ^ 1 << random() % 8);
    }
    std::shared_ptr<MaceTokenizer> t;
    const MaceStatus status = LoadBytes(WithChecksum(file), &t);
    if (!status.ok()) {
      EXPECT_FALSE(status.information().empty());
      continue;
    }
    ++loaded;
    std::vector<int32_t> ids;
    std::string text;
    ASSERT_TRUE(t->Encode("abab <s> b\xff</s>", &ids).ok());
    for (const int32_t id : ids) EXPECT_LT(id, t->vocab_size());
    (void)t->Decode(ids, &text);
  }
  EXPECT_GT(loaded, 100);
}

}  // namespace
}  // namespace mace
