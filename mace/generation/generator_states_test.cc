// Generators with a model that has a KV cache: an attention by its definition
// tells the logits of every sequence.
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "mace/base/file.h"
#include "mace/base/hash.h"
#include "mace/public/mace_generator.h"
#include "mace/testing/cached_model.h"
#include "mace/testing/tokenizer_builder.h"

namespace mace {
namespace {

using testing::ByteTokens;
using testing::CachedModel;
using testing::Embeddings;
using testing::OutputMatrix;
using Ids = std::vector<int32_t>;

constexpr int kVocab = testing::kCachedVocab;
constexpr int64_t kSize = testing::kCachedSize;
constexpr int64_t kCapacityOfCache = testing::kCachedCapacity;

// The logits after `ids`, by the definition.
std::vector<double> LogitsAfter(const Ids& ids) {
  const std::vector<float> table = Embeddings(), matrix = OutputMatrix(1);
  const auto row = [&](int32_t id) {
    const size_t at = static_cast<size_t>(id * kSize);
    return std::pair<double, double>(table[at], table[at + 1]);
  };
  const auto [a, b] = row(ids.back());
  double sum = 0, y0 = 0, y1 = 0;
  for (const int32_t id : ids) {
    const auto [c, d] = row(id);
    const double weight = std::exp((a * c + b * d) / std::sqrt(2.0));
    sum += weight;
    y0 += weight * c;
    y1 += weight * d;
  }
  std::vector<double> logits;
  for (size_t i = 0; i < kVocab; ++i) {
    logits.push_back((matrix[2 * i] * y0 + matrix[2 * i + 1] * y1) / sum);
  }
  return logits;
}

std::shared_ptr<MaceGenerator> CachedGenerator(
    const std::shared_ptr<MaceModel>& model) {
  std::shared_ptr<MaceGenerator> generator;
  const MaceStatus status =
      MaceGenerator::Create(model, ByteTokens({}).Load(),
                            MaceEngineConfig(DeviceType::CPU), &generator);
  EXPECT_TRUE(status.ok()) << status.information();
  return generator;
}

MaceGenerationOptions Tokens(int32_t count) {
  MaceGenerationOptions options;
  options.max_new_tokens = count;
  options.ignore_stop_tokens = true;
  return options;
}

Ids Continued(MaceGenerator& g, const Ids& prompt, int32_t count,
              MaceGeneration* made) {
  const MaceStatus status = g.GenerateFromTokens(prompt, Tokens(count), made);
  EXPECT_TRUE(status.ok()) << status.information();
  Ids all = prompt;
  all.insert(all.end(), made->tokens.begin(), made->tokens.end());
  return all;
}

// Whether each token behind `begin` has the largest logit after those before
// it, within what the type of the cache rounds.
void ExpectGreedy(const Ids& all, size_t begin, double tolerance) {
  for (size_t i = begin; i < all.size(); ++i) {
    const std::vector<double> logits =
        LogitsAfter({all.begin(), all.begin() + static_cast<long>(i)});
    const double max = *std::max_element(logits.begin(), logits.end());
    EXPECT_GE(logits[static_cast<size_t>(all[i])], max - tolerance) << i;
  }
}

TEST(GeneratorStatesTest, GreedyTokensAreThoseOfTheDefinition) {
  for (const auto& [type, tolerance] : {std::make_pair(proto::DT_FLOAT, 1e-5),
                                        std::make_pair(proto::DT_HALF, 4e-3),
                                        std::make_pair(proto::DT_INT8, 4e-2)}) {
    const auto g = CachedGenerator(CachedModel(type));
    EXPECT_EQ(g->context_length(), kCapacityOfCache);
    MaceGeneration made;
    const Ids all = Continued(*g, {'h', 'e', 'l', 'l', 'o'}, 12, &made);
    ASSERT_EQ(all.size(), 17);
    ExpectGreedy(all, 5, tolerance);
    EXPECT_EQ(made.stats.reused_tokens, 0);
    // The last token is not computed before it is needed.
    EXPECT_EQ(g->tokens(), Ids(all.begin(), all.end() - 1));
  }
}

TEST(GeneratorStatesTest, APrefixIsKeptAndChangesNothing) {
  const auto model = CachedModel(proto::DT_FLOAT);
  const auto g = CachedGenerator(model);
  MaceGeneration made, fresh;
  const Ids first = Continued(*g, {'a', 'b', 'c'}, 6, &made);
  for (const size_t kept :
       {first.size() - 1, size_t{5}, size_t{2}, size_t{0}}) {
    Ids prompt(first.begin(), first.begin() + static_cast<long>(kept));
    prompt.insert(prompt.end(), {'x', 'y'});
    const Ids all = Continued(*g, prompt, 5, &made);
    EXPECT_EQ(made.stats.reused_tokens, kept);
    EXPECT_EQ(all, Continued(*CachedGenerator(model), prompt, 5, &fresh));
    Continued(*g, {'a', 'b', 'c'}, 6, &made);  // as before
  }
  // The same prompt once more: its last token is run again.
  const Ids again = Continued(*g, {'a', 'b', 'c'}, 6, &made);
  EXPECT_EQ(again, first);
  EXPECT_EQ(made.stats.reused_tokens, 2);
  ASSERT_TRUE(g->Reset().ok());
  EXPECT_TRUE(g->tokens().empty());
  EXPECT_EQ(Continued(*g, {'a', 'b', 'c'}, 6, &made), first);
  EXPECT_EQ(made.stats.reused_tokens, 0);
}

TEST(GeneratorStatesTest, SequencesOfAModelDoNotMeet) {
  const auto model = CachedModel(proto::DT_FLOAT);
  const auto one = CachedGenerator(model), two = CachedGenerator(model);
  MaceGeneration made;
  Ids a = {'a', 'b'}, b = {'q', 'r', 's'};
  for (int i = 0; i < 5; ++i) {
    a = Continued(*one, a, 1, &made);
    b = Continued(*two, b, 1, &made);
  }
  EXPECT_EQ(a, Continued(*CachedGenerator(model), {'a', 'b'}, 5, &made));
  EXPECT_EQ(b, Continued(*CachedGenerator(model), {'q', 'r', 's'}, 5, &made));
}

TEST(GeneratorStatesTest, AFullCacheEndsATextAndRefusesALongPrompt) {
  const auto g = CachedGenerator(CachedModel(proto::DT_FLOAT));
  MaceGeneration made;
  const Ids all = Continued(*g, {'a'}, 100, &made);
  EXPECT_EQ(made.finish_reason, MaceFinishReason::CONTEXT);
  ASSERT_EQ(all.size(), kCapacityOfCache + 1);  // the last is not in the cache
  ExpectGreedy(all, 1, 1e-5);
  const Ids before = g->tokens();
  const MaceStatus status =
      g->GenerateFromTokens(Ids(kCapacityOfCache + 1, 'a'), {}, &made);
  EXPECT_EQ(status.code(), MaceStatus::MACE_INVALID_ARGS);
  EXPECT_NE(status.information().find(
                "the prompt has 25 tokens; the model's KV cache holds 24"),
            std::string::npos);
  EXPECT_EQ(g->tokens(), before);
  Continued(*g, Ids(kCapacityOfCache, 'a'), 3, &made);
  EXPECT_EQ(made.tokens.size(), 1);
}

TEST(GeneratorStatesTest, ARunThatIsEndedLeavesTheSequence) {
  const auto model = CachedModel(proto::DT_FLOAT);
  const auto g = CachedGenerator(model);
  MaceGeneration made, fresh;
  const Ids first = Continued(*g, {'a', 'b', 'c'}, 4, &made);
  MaceGenerationOptions options = Tokens(4);
  MaceDeadline passed(0);
  options.deadline = &passed;
  ASSERT_TRUE(g->GenerateFromTokens({'a', 'b', 'z'}, options, &made).ok());
  EXPECT_EQ(made.finish_reason, MaceFinishReason::DEADLINE);
  EXPECT_TRUE(made.tokens.empty());
  EXPECT_EQ(g->tokens(), Ids({'a', 'b'}));
  EXPECT_EQ(Continued(*g, {'a', 'b', 'z'}, 4, &made),
            Continued(*CachedGenerator(model), {'a', 'b', 'z'}, 4, &fresh));
}

TEST(GeneratorStatesTest, ASavedSequenceGoesOnAsIfItHadNotEnded) {
  const std::string path = ::testing::TempDir() + "/states_sequence";
  for (const auto type : {proto::DT_FLOAT, proto::DT_HALF, proto::DT_INT8}) {
    const auto model = CachedModel(type);
    const auto g = CachedGenerator(model), other = CachedGenerator(model);
    MaceGeneration made;
    Ids first = Continued(*g, {'a', 'b', 'c', 'd'}, 5, &made);
    ASSERT_TRUE(g->Save(path).ok());
    MaceGeneration wrong;
    Continued(*other, {'z'}, 20, &wrong);  // what is restored replaces it
    ASSERT_TRUE(other->Restore(path).ok());
    EXPECT_EQ(other->tokens(), g->tokens());
    first.push_back('!');
    const Ids all = Continued(*other, first, 6, &made);
    EXPECT_EQ(made.stats.reused_tokens, 8);
    EXPECT_EQ(all, Continued(*g, first, 6, &made));
  }
  std::remove(path.c_str());
}

TEST(GeneratorStatesTest, ASequenceOfAnotherModelIsRefused) {
  const std::string path = ::testing::TempDir() + "/other_sequence";
  MaceGeneration made;
  const auto g = CachedGenerator(CachedModel(proto::DT_FLOAT));
  Continued(*g, {'a', 'b'}, 2, &made);
  ASSERT_TRUE(g->Save(path).ok());
  // Another type of cache; other weights of the same graph.
  for (const auto& model :
       {CachedModel(proto::DT_HALF), CachedModel(proto::DT_FLOAT, 2)}) {
    const auto other = CachedGenerator(model);
    Continued(*other, {'q'}, 2, &made);
    const Ids before = other->tokens();
    const MaceStatus status = other->Restore(path);
    EXPECT_EQ(status.code(), MaceStatus::MACE_INVALID_MODEL);
    EXPECT_NE(status.information().find("saved with another model"),
              std::string::npos);
    EXPECT_EQ(other->tokens(), before);
  }
  std::remove(path.c_str());
}

// Whatever a file holds, nothing outside of it is read, and a file that is
// refused changes nothing: run by the sanitizers.
TEST(GeneratorStatesTest, MutatedSequencesDoNoHarm) {
  const std::string path = ::testing::TempDir() + "/mutated_sequence";
  const auto g = CachedGenerator(CachedModel(proto::DT_FLOAT));
  MaceGeneration made;
  Continued(*g, {'a', 'b', 'c', 'd'}, 5, &made);
  ASSERT_TRUE(g->Save(path).ok());
  const auto read = ReadFile(path);
  ASSERT_TRUE(read.ok());
  const std::string saved(read->begin(), read->end());
  std::mt19937 random(1);
  int restored = 0;
  for (int i = 0; i < 1000; ++i) {
    std::string file = saved.substr(0, saved.size() - sizeof(uint64_t));
    if (i % 10 == 0) file.resize(random() % file.size());
    for (int k = 0; k < 1 + i % 3 && !file.empty(); ++k) {
      const size_t at = random() % file.size();
      file[at] = static_cast<char>(i % 5 == 0 ? random()
                                              : file[at] ^ 1 << random() % 8);
    }
    const uint64_t hash = Hash64(file.data(), file.size());
    file.append(reinterpret_cast<const char*>(&hash), sizeof(hash));
    ASSERT_TRUE(WriteFileAtomically(path, file.data(), file.size()).ok());
    const Ids before = g->tokens();
    const MaceStatus status = g->Restore(path);
    if (!status.ok()) {
      EXPECT_EQ(status.code(), MaceStatus::MACE_INVALID_MODEL);
      EXPECT_EQ(g->tokens(), before);
      continue;
    }
    ++restored;
    Ids more = g->tokens();
    more.push_back('!');
    (void)g->GenerateFromTokens(more, Tokens(2), &made);  // fails of NaN
  }
  EXPECT_GT(restored, 100);
  std::remove(path.c_str());
}

TEST(GeneratorStatesTest, PerplexityIsThatOfTheDefinition) {
  const auto g = CachedGenerator(CachedModel(proto::DT_FLOAT));
  const std::string text = "in the beginning";
  double sum = 0, found = 0;
  for (size_t i = 1; i < text.size(); ++i) {
    const auto logits =
        LogitsAfter(Ids(text.begin(), text.begin() + static_cast<long>(i)));
    double total = 0;
    for (const double x : logits) total += std::exp(x);
    sum += std::log(total) - logits[static_cast<size_t>(text[i])];
  }
  ASSERT_TRUE(g->Perplexity(text, &found).ok());
  const double expected = std::exp(sum / static_cast<double>(text.size() - 1));
  EXPECT_NEAR(found / expected, 1, 1e-6);
}

}  // namespace
}  // namespace mace
