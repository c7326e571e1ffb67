// Tokenizers in memory: tokens, streams, and files that are damaged. What the
// libraries of other formats make of texts is compared by
// tools/mace_tools/convert/tokenizers/tokenizers_test.py.
// SPDX-License-Identifier: Apache-2.0

#include <cstring>
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

// The file with `data` as section `now` in place of section `before`.
std::string WithSection(std::string file, uint32_t before, uint32_t now,
                        const std::string& data) {
  file.resize((file.size() + 7) / 8 * 8);
  const uint64_t place[] = {file.size(), data.size()};
  file += data;
  const uint64_t size = file.size();
  std::memcpy(&file[16], &size, 8);
  for (size_t at = 32; at < 32 + 24 * size_t(file[12]); at += 24) {
    if (file[at] != static_cast<char>(before)) continue;
    file[at] = static_cast<char>(now);
    std::memcpy(&file[at + 8], place, 16);
  }
  return WithChecksum(std::move(file));
}

std::string Words(const std::vector<uint32_t>& words) {
  return std::string(reinterpret_cast<const char*>(words.data()),
                     words.size() * 4);
}

void ExpectRefused(const std::string& file, const std::string& what) {
  std::shared_ptr<MaceTokenizer> t;
  const MaceStatus status = LoadBytes(file, &t);
  EXPECT_EQ(status.code(), MaceStatus::MACE_INVALID_MODEL);
  EXPECT_NE(status.information().find(what), std::string::npos)
      << status.information();
}

// Byte-level BPE with `count` times a step of two strings.
TokenizerBuilder Repeated(int count, text::StepKind kind, const std::string& a,
                          const std::string& b = "") {
  auto builder = ByteTokens({});
  const uint32_t first = builder.String(a), second = builder.String(b);
  for (int i = 0; i < count; ++i) builder.AddStep(kind, first, second);
  return builder;
}

// Byte-level BPE behind a charsmap with these units of its double array.
std::string WithCharsmap(TokenizerBuilder b, const std::vector<uint32_t>& units,
                         const std::string& strings) {
  b.AddStep(text::StepKind::kCharsmap);
  return WithSection(b.Build(), 18, 15,
                     Words({static_cast<uint32_t>(units.size() * 4)}) +
                         Words(units) + strings + '\0');
}

TEST(TokenizerTest, StepsThatMakeATextTooLongAreRefused) {
  using text::StepKind;
  std::vector<uint32_t> units(256);  // of "a"
  units['a'] = ('a' ^ 200) << 10 | 'a' | 1 << 8;
  const std::string mapping = Words({1, 0xe9, 0, 3, 0xe9, 0xe9, 0xe9});
  const std::string files[] = {
      Repeated(64, StepKind::kReplace, "a", "aa").Build(),
      Repeated(64, StepKind::kPrepend, "aaaaaaaaaaaaaaaa").Build(),
      Repeated(1, StepKind::kCollapse, std::string(400, ' ')).Build(),
      Repeated(64, StepKind::kMetaspace, "  ").Build(),
      WithSection(Repeated(64, StepKind::kMap, "").Build(), 18, 32, mapping),
      WithSection(Repeated(64, StepKind::kDecompose, "").Build(), 18, 32,
                  mapping),
      WithCharsmap(ByteTokens({}), units, std::string(400, 'a'))};
  for (const std::string& file : files) {
    std::shared_ptr<MaceTokenizer> t;
    ASSERT_TRUE(LoadBytes(file, &t).ok());
    Ids ids;
    const MaceStatus status = t->Encode("a  a\xc3\xa9", &ids);
    EXPECT_EQ(status.code(), MaceStatus::MACE_INVALID_ARGS);
    EXPECT_NE(status.information().find("more than 352 bytes to the text of 6"),
              std::string::npos)
        << status.information();
  }
  auto added = Repeated(64, StepKind::kReplace, "a", "aa");
  added.Token("<a>", text::kAdded | text::kNormalized);
  ExpectRefused(added.Build(), "section 'steps' makes token 258 too long");
  ExpectRefused(Repeated(65, StepKind::kReplace, "a", "b").Build(),
                "'steps' has more than 64 steps");
  ExpectRefused(Repeated(1, StepKind::kReplace, std::string(2049, 'a')).Build(),
                "'strings' has a string of more than 2048 bytes");
}

// As NFKC and a metaspace make of U+FDFA.
TEST(TokenizerTest, StepsMayMakeATextLonger) {
  const auto t =
      Repeated(1, text::StepKind::kReplace, "abc", std::string(39, 'x')).Load();
  std::string all;
  for (int i = 0; i < 1000; ++i) all += "abc";
  EXPECT_EQ(Encode(*t, all).size(), 39000u);
}

TEST(TokenizerTest, FilesThatWouldTakeTooMuchTimeAreRefused) {
  auto b = ByteTokens({{"a", "b"}});
  b.settings().max_token_bytes = ~0u;
  ExpectRefused(b.Build(), "'settings' has tokens of more than 2048 bytes");
  // 682 of 1024 slots, in pairs, and then together.
  std::vector<uint32_t> slots(1024);
  for (uint32_t i = 0; i < 682; ++i) slots[i * 3 / 2] = 1;
  const std::string file = ByteTokens({{"a", "b"}}).Build();
  std::shared_ptr<MaceTokenizer> t;
  for (const uint32_t index : {6u, 9u}) {
    EXPECT_TRUE(
        LoadBytes(WithSection(file, index, index, Words(slots)), &t).ok());
  }
  slots.assign(1024, 0);
  std::fill(slots.begin(), slots.begin() + 682, 1);
  for (const uint32_t index : {6u, 9u}) {
    ExpectRefused(WithSection(file, index, index, Words(slots)),
                  "index' is too full, or full in one place");
  }
}

TEST(TokenizerTest, HiddenTokensAreInNoModel) {
  TokenizerBuilder b(text::ModelKind::kUnigram);
  b.Token("a").Token("b", text::kHidden | text::kInModel);
  text::Settings settings = b.settings();
  settings.vocab_size = settings.max_token_bytes = 1;
  ExpectRefused(
      WithSection(b.Build(), 1, 1,
                  std::string(reinterpret_cast<const char*>(&settings),
                              sizeof(settings))),
      "'flags' has a hidden token that a text may become");
}

// These would take minutes, if the time of one byte were not bounded.

TEST(TokenizerTest, LongWordsTakeLittleTime) {
  TokenizerBuilder b(text::ModelKind::kWordPiece);
  b.settings().continuing = b.String("##");
  b.settings().max_characters = ~0u;
  b.Token("a").Token("##a");
  const std::string run(1 << 20, 'a');
  EXPECT_EQ(Encode(*b.Load(), run).size(), run.size());
}

TEST(TokenizerTest, CharsmapsWithACycleTakeLittleTime) {
  std::vector<uint32_t> units(256);  // back to where it was, by each "a"
  units['a'] = 'a' << 10 | 'a';
  std::shared_ptr<MaceTokenizer> t;
  ASSERT_TRUE(LoadBytes(WithCharsmap(ByteTokens({}), units, ""), &t).ok());
  const std::string run(1 << 19, 'a');
  EXPECT_EQ(Encode(*t, run).size(), run.size());
}

TEST(TokenizerTest, ManySymbolsTakeLittleTime) {
  auto b = ByteTokens({});
  for (int i = 0; i < 300000; ++i) {
    b.Token("a" + std::to_string(i), text::kSymbol);
  }
  std::shared_ptr<MaceTokenizer> t;
  ASSERT_TRUE(
      LoadBytes(WithCharsmap(b, std::vector<uint32_t>(256), ""), &t).ok());
  const std::string run(1 << 19, 'a');
  EXPECT_EQ(Encode(*t, run + "17").size(), run.size() + 2);
}

TEST(TokenizerTest, AddedTokensThatAlmostFitTakeLittleTime) {
  auto b = ByteTokens({});
  for (int i = 1; i < 2000; ++i) {
    b.Token(std::string(i, 'a') + "A", text::kAdded);
  }
  const std::string run(50000, 'a');
  EXPECT_EQ(Encode(*b.Load(), run).size(), run.size());
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
