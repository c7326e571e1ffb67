// Generators with a model of two tables: the logits after a token are a row of
// a matrix, so that every text is known.
// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <cstdio>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "mace/public/mace_generator.h"
#include "mace/testing/model_builder.h"
#include "mace/testing/tokenizer_builder.h"

namespace mace {
namespace {

using testing::ByteTokens;
using testing::ModelBuilder;
using Ids = std::vector<int32_t>;

constexpr int kWords = 258;  // bytes, <s> and </s>

// After 'a' comes 'b' and so on; after 'z' comes </s>. The second best is the
// letter after the next one.
std::vector<float> AlphabetLogits() {
  std::vector<float> logits(kWords * kWords, 0);
  for (int c = 0; c < kWords; ++c) {
    const int next = c == 'z' ? 257 : (c + 1) % 256;
    logits[static_cast<size_t>(c * kWords + next)] = 5;
    logits[static_cast<size_t>(c * kWords + (c + 2) % 256)] = 4;
  }
  return logits;
}

// input_ids [1, tokens] -> logits [1, tokens, words].
std::shared_ptr<MaceModel> AlphabetModel() {
  ModelBuilder b;
  b.Input("input_ids", {1, 4});
  auto* input = b.net().mutable_input_info(0);
  input->set_data_type(proto::DT_INT32);
  input->set_dims(1, -1);
  b.Weight("table", {kWords, kWords}, AlphabetLogits());
  b.Op("Gather", {"table", "input_ids"}, {"logits"}, {{"axis", int64_t{0}}});
  b.Output("logits");
  return b.Load();
}

std::shared_ptr<MaceGenerator> MakeGenerator(
    const std::string& chat_template = std::string()) {
  auto tokens = ByteTokens({});
  if (!chat_template.empty()) tokens.Property("chat_template", chat_template);
  std::shared_ptr<MaceGenerator> generator;
  const MaceStatus status =
      MaceGenerator::Create(AlphabetModel(), tokens.Load(),
                            MaceEngineConfig(DeviceType::CPU), &generator);
  EXPECT_TRUE(status.ok()) << status.information();
  return generator;
}

MaceGeneration Generate(MaceGenerator& generator, const std::string& prompt,
                        const MaceGenerationOptions& options = {}) {
  MaceGeneration generation;
  const MaceStatus status = generator.Generate(prompt, options, &generation);
  EXPECT_TRUE(status.ok()) << status.information();
  return generation;
}

TEST(GeneratorTest, GreedyTextEndsAtTheStopToken) {
  const auto g = MakeGenerator();
  std::string streamed;
  MaceGenerationOptions options;
  options.on_text = [&](const std::string& part) {
    streamed += part;
    return true;
  };
  const MaceGeneration made = Generate(*g, "w", options);
  EXPECT_EQ(made.text, "xyz");
  EXPECT_EQ(streamed, made.text);
  EXPECT_EQ(made.tokens, Ids({'x', 'y', 'z', 257}));
  EXPECT_EQ(made.finish_reason, MaceFinishReason::STOP_TOKEN);
  EXPECT_EQ(made.stats.prompt_tokens, 1);
  EXPECT_EQ(made.stats.new_tokens, 4);
  EXPECT_GT(made.stats.first_token_ms, 0);
  EXPECT_STREQ(MaceFinishReasonName(made.finish_reason), "stop_token");
}

TEST(GeneratorTest, StopStringsLieAcrossTokensAndAreCut) {
  const auto g = MakeGenerator();
  MaceGenerationOptions options;
  options.stop = {"efg", "xyz"};
  const MaceGeneration made = Generate(*g, "a", options);
  EXPECT_EQ(made.text, "bcd");
  EXPECT_EQ(made.finish_reason, MaceFinishReason::STOP_STRING);
  options.stop = {"dx"};  // of which only the beginning comes
  options.max_new_tokens = 3;
  EXPECT_EQ(Generate(*g, "a", options).text, "bcd");
}

TEST(GeneratorTest, LimitsEndATextWithTheirReason) {
  const auto g = MakeGenerator();
  MaceGenerationOptions options;
  options.max_new_tokens = 2;
  EXPECT_EQ(Generate(*g, "a", options).finish_reason, MaceFinishReason::LENGTH);
  options.max_new_tokens = 0;
  EXPECT_EQ(Generate(*g, "a", options).text, "");
  options.max_new_tokens = 9;
  options.stop_tokens = {'d'};
  EXPECT_EQ(Generate(*g, "a", options).text, "bc");
  options.on_text = [](const std::string&) { return false; };
  const MaceGeneration made = Generate(*g, "a", options);
  EXPECT_EQ(made.text, "b");
  EXPECT_EQ(made.finish_reason, MaceFinishReason::CALLBACK);
}

TEST(GeneratorTest, IgnoredStopTokensGoOn) {
  const auto g = MakeGenerator();
  MaceGenerationOptions options;
  options.ignore_stop_tokens = true;
  options.max_new_tokens = 3;
  EXPECT_EQ(Generate(*g, "y", options).tokens.size(), 3);
}

TEST(GeneratorTest, CancellationKeepsTheTextSoFar) {
  const auto g = MakeGenerator();
  MaceDeadline cancellation;
  MaceGenerationOptions options;
  options.deadline = &cancellation;
  options.on_text = [&](const std::string& part) {
    if (part == "e") cancellation.Cancel();
    return true;
  };
  const MaceGeneration made = Generate(*g, "a", options);
  EXPECT_EQ(made.text, "bcde");
  EXPECT_EQ(made.finish_reason, MaceFinishReason::CANCELLED);
  options.deadline = nullptr;
  options.on_text = nullptr;
  EXPECT_EQ(Generate(*g, "x", options).text, "yz");
}

TEST(GeneratorTest, ADeadlineEndsATextInTime) {
  const auto g = MakeGenerator();
  MaceGenerationOptions options;
  MaceDeadline deadline(20000);
  options.deadline = &deadline;
  options.ignore_stop_tokens = true;
  options.max_new_tokens = 1 << 20;
  options.on_text = [](const std::string&) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return true;
  };
  EXPECT_EQ(Generate(*g, "a", options).finish_reason,
            MaceFinishReason::DEADLINE);
}

TEST(GeneratorTest, TheSameSeedGivesTheSameText) {
  const auto g = MakeGenerator();
  MaceGenerationOptions options;
  options.sampling.temperature = 1;
  options.sampling.top_k = 2;
  std::set<std::string> texts;
  for (uint64_t seed = 0; seed < 8; ++seed) {
    options.sampling.seed = seed;
    const std::string text = Generate(*g, "a", options).text;
    EXPECT_EQ(Generate(*g, "a", options).text, text);
    texts.insert(text);
  }
  EXPECT_GT(texts.size(), 4);
}

TEST(GeneratorTest, LogitBiasAndPenaltyChangeTheChoice) {
  const auto g = MakeGenerator();
  MaceGenerationOptions options;
  options.max_new_tokens = 3;
  options.sampling.logit_bias = {{'c', -100}};
  EXPECT_EQ(Generate(*g, "b", options).text, "def");
  options.sampling.logit_bias = {{'q', 100}};
  options.sampling.repetition_penalty = 3;  // 100 / 3 is still the largest
  EXPECT_EQ(Generate(*g, "b", options).text, "qqq");
  options.sampling.logit_bias = {{'b', 4.5}};
  EXPECT_EQ(Generate(*g, "b", options).text[0], 'c');  // b: 4.5 / 3
}

TEST(GeneratorTest, PerplexityIsThatOfItsDefinition) {
  const auto g = MakeGenerator();
  double found = 0;
  ASSERT_TRUE(g->Perplexity("abce", &found).ok());
  // Two steps to the best token and one to the second best.
  const double sum = std::exp(5.0) + std::exp(4.0) + kWords - 2;
  const double nll = 3 * std::log(sum) - 5 - 5 - 4;
  EXPECT_NEAR(found, std::exp(nll / 3), 1e-5);
  EXPECT_FALSE(g->Perplexity("a", &found).ok());
}

TEST(GeneratorTest, EmbeddingIsTheMeanWithLengthOne) {
  const auto g = MakeGenerator();
  std::vector<float> found;
  const MaceStatus status = g->Embed("ab", "logits", &found);
  ASSERT_TRUE(status.ok()) << status.information();
  ASSERT_EQ(found.size(), kWords);
  // 'b' 5, 'c' 4 + 5, 'd' 4.
  const float length = std::sqrt(25.0f + 81.0f + 16.0f);
  EXPECT_NEAR(found['c'], 9 / length, 1e-6);
  EXPECT_NEAR(found['d'], 4 / length, 1e-6);
  EXPECT_FALSE(g->Embed("ab", "nothing", &found).ok());
}

TEST(GeneratorTest, WrongOptionsAreNamed) {
  const auto g = MakeGenerator();
  MaceGeneration generation;
  const auto refused = [&](const MaceGenerationOptions& options) {
    const MaceStatus status = g->Generate("a", options, &generation);
    EXPECT_EQ(status.code(), MaceStatus::MACE_INVALID_ARGS);
    return status.information();
  };
  MaceGenerationOptions o;
  o.sampling.temperature = NAN;
  EXPECT_EQ(refused(o).find("temperature"), 0);
  o = {};
  o.sampling.top_p = 1.5;
  EXPECT_EQ(refused(o).find("top_p is 1.5"), 0);
  o = {};
  o.sampling.top_k = -1;
  EXPECT_EQ(refused(o).find("top_k"), 0);
  o = {};
  o.sampling.logit_bias = {{kWords, 1}};
  EXPECT_EQ(refused(o).find("logit_bias"), 0);
  o = {};
  o.max_new_tokens = -1;
  EXPECT_EQ(refused(o).find("max_new_tokens"), 0);
  EXPECT_FALSE(g->Generate("", {}, &generation).ok());
  EXPECT_FALSE(g->GenerateFromTokens({-1}, {}, &generation).ok());
  EXPECT_FALSE(g->Generate("a", {}, nullptr).ok());
}

TEST(GeneratorTest, OtherModelsAreRefused) {
  ModelBuilder b;
  b.Input("image", {1, 4})
      .Op("Activation", {"image"}, {"y"},
          {{"activation", std::string("RELU")}});
  b.Output("y");
  std::shared_ptr<MaceGenerator> g;
  const MaceStatus status = MaceGenerator::Create(
      b.Load(), ByteTokens({}).Load(), MaceEngineConfig(DeviceType::CPU), &g);
  EXPECT_EQ(status.code(), MaceStatus::MACE_INVALID_MODEL);
  EXPECT_NE(status.information().find("inputs 'image'"), std::string::npos);
  auto more = ByteTokens({{"a", "b"}});
  EXPECT_EQ(MaceGenerator::Create(AlphabetModel(), more.Load(),
                                  MaceEngineConfig(DeviceType::CPU), &g)
                .code(),
            MaceStatus::MACE_INVALID_MODEL);
}

TEST(GeneratorTest, ChatUsesTheTemplateOfTheTokenizer) {
  const auto g =
      MakeGenerator("{% for m in messages %}<s>{{ m['content'] }}{% endfor %}");
  std::string prompt;
  ASSERT_TRUE(g->RenderChat({{"user", "u"}, {"user", "v"}}, &prompt).ok());
  EXPECT_EQ(prompt, "<s>u<s>v");
  MaceGeneration made;
  ASSERT_TRUE(g->Chat({{"user", "w"}}, {}, &made).ok());
  EXPECT_EQ(made.text, "xyz");
  EXPECT_EQ(made.stats.prompt_tokens, 2);
  EXPECT_FALSE(MakeGenerator()->Chat({{"user", "w"}}, {}, &made).ok());
}

TEST(GeneratorTest, SavedSequencesAreCheckedWhenTheyAreRead) {
  const std::string path = ::testing::TempDir() + "/sequence";
  const auto g = MakeGenerator();
  Generate(*g, "v");
  ASSERT_TRUE(g->Save(path).ok());
  const auto other = MakeGenerator();
  ASSERT_TRUE(other->Restore(path).ok());
  EXPECT_EQ(other->tokens(), g->tokens());
  const auto another = MakeGenerator("template");
  EXPECT_NE(another->Restore(path).information().find("another tokenizer"),
            std::string::npos);
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(40);
  file.put('x');
  file.close();
  EXPECT_EQ(g->Restore(path).code(), MaceStatus::MACE_INVALID_MODEL);
  EXPECT_EQ(g->Restore("/nowhere").code(), MaceStatus::MACE_INVALID_ARGS);
  std::remove(path.c_str());
}

}  // namespace
}  // namespace mace
