// Generates texts with llama.cpp by its C API, as `mace_run --generate=-` does.
// SPDX-License-Identifier: Apache-2.0
//
// llama_worker MODEL THREADS CAPACITY NEW_TOKENS reads prompts from stdin, each
// ended by NUL, and prints for each, in a line: its tokens, how many of them
// an earlier prompt left in the cache, tokens of the prompt per second, and
// new tokens per second.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "llama.h"

namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

[[noreturn]] void Fail(const char* what) {
  std::fprintf(stderr, "ERROR: %s\n", what);
  std::exit(1);
}

void Decode(llama_context* context, llama_token* tokens, size_t count) {
  const llama_batch batch =
      llama_batch_get_one(tokens, static_cast<int32_t>(count));
  if (llama_decode(context, batch) != 0) Fail("llama_decode");
}

std::vector<llama_token> Tokenize(const llama_vocab* vocab,
                                  const std::string& text) {
  std::vector<llama_token> tokens(text.size() + 8);
  const int32_t count = llama_tokenize(
      vocab, text.data(), static_cast<int32_t>(text.size()), tokens.data(),
      static_cast<int32_t>(tokens.size()), true, false);
  if (count <= 0) Fail("llama_tokenize");
  tokens.resize(static_cast<size_t>(count));
  return tokens;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) Fail("llama_worker MODEL THREADS CAPACITY NEW_TOKENS");
  llama_log_set([](ggml_log_level, const char*, void*) {}, nullptr);
  llama_backend_init();
  llama_model* model =
      llama_model_load_from_file(argv[1], llama_model_default_params());
  if (model == nullptr) Fail("llama_model_load_from_file");
  llama_context_params params = llama_context_default_params();
  params.n_ctx = static_cast<uint32_t>(std::atoi(argv[3]));
  params.n_threads = params.n_threads_batch = std::atoi(argv[2]);
  llama_context* context = llama_init_from_model(model, params);
  if (context == nullptr) Fail("llama_init_from_model");
  const llama_vocab* vocab = llama_model_get_vocab(model);
  llama_sampler* greedy = llama_sampler_init_greedy();
  const int new_tokens = std::atoi(argv[4]);
  std::vector<llama_token> held;  // in the cache
  for (std::string text; std::getline(std::cin, text, '\0');) {
    const Clock::time_point start = Clock::now();
    std::vector<llama_token> tokens = Tokenize(vocab, text);
    size_t same = 0;
    while (same < held.size() && same + 1 < tokens.size() &&
           held[same] == tokens[same]) {
      ++same;
    }
    llama_memory_seq_rm(llama_get_memory(context), 0,
                        static_cast<llama_pos>(same), -1);
    Decode(context, tokens.data() + same, tokens.size() - same);
    held = tokens;
    llama_token next = llama_sampler_sample(greedy, context, -1);
    const double prompt_s = SecondsSince(start);
    const Clock::time_point first = Clock::now();
    for (int i = 1; i < new_tokens; ++i) {
      Decode(context, &next, 1);
      held.push_back(next);
      next = llama_sampler_sample(greedy, context, -1);
    }
    std::printf("%zu %zu %.3f %.3f\n", tokens.size(), same,
                static_cast<double>(tokens.size() - same) / prompt_s,
                new_tokens > 1 ? (new_tokens - 1) / SecondsSince(first) : 0.0);
    std::fflush(stdout);
  }
  return 0;
}
