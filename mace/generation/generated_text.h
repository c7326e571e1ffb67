// Generation: the text of generated tokens, and when it ends.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_GENERATION_GENERATED_TEXT_H_
#define MACE_GENERATION_GENERATED_TEXT_H_

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "mace/base/fork.h"
#include "mace/base/status.h"
#include "mace/generation/stop_text.h"
#include "mace/public/mace_generator.h"

namespace mace::generation {

// Turns generated tokens into text, and finds out when the generation ends. The
// text passes three stages, of which two hold back what is not certain yet:
// token -> MaceTokenStream -> StopText -> MaceGeneration::text, on_text
//          (incomplete        (may become
//           character)         a stop string)
// The caller calls Add for each token until it returns false, or End where the
// caller itself ends the generation, and then Finish. For one thread.
class Generation {
 public:
  // `options` and `*result` must outlive the object. `*result` is filled in
  // token by token, and keeps what it has after an error.
  Generation(const MaceGenerationOptions& options,
             const std::shared_ptr<MaceTokenizer>& tokenizer,
             MaceGeneration* result)
      : o_(options),
        result_(result),
        stream_(tokenizer),
        stop_text_(options.stop),
        stop_tokens_(options.stop_tokens) {
    if (options.ignore_stop_tokens) return;
    const std::vector<int32_t> own = tokenizer->stop_tokens();
    stop_tokens_.insert(stop_tokens_.end(), own.begin(), own.end());
  }

  // Takes a token. Returns whether the generation goes on; if not, the reason
  // is set. A stop token is among result->tokens, but not in the text. Errors:
  // as MaceTokenStream::Add.
  Result<bool> Add(int32_t id) {
    result_->tokens.push_back(id);
    if (std::find(stop_tokens_.begin(), stop_tokens_.end(), id) !=
        stop_tokens_.end()) {
      return End(MaceFinishReason::STOP_TOKEN);
    }
    std::string text, ready;
    MACE_RETURN_IF_ERROR(stream_.Add(id, &text));
    const bool stopped = stop_text_.Add(text, &ready);
    if (!Emit(ready)) {
      is_complete_ = true;
      return End(MaceFinishReason::CALLBACK);
    }
    is_complete_ = stopped;
    return stopped ? End(MaceFinishReason::STOP_STRING) : true;
  }

  // Sets the reason. Returns false, for `return End(...)`.
  bool End(MaceFinishReason reason) {
    result_->finish_reason = reason;
    return false;
  }

  // Emits what was held back, and sets the reason to STOP_STRING if that
  // completes a stop string. Emits nothing after a stop string, or after
  // on_text returned false. What on_text returns now is ignored: the generation
  // has ended.
  Status Finish() {
    if (is_complete_) return Status();
    std::string text, ready;
    MACE_RETURN_IF_ERROR(stream_.Finish(&text));
    if (stop_text_.Add(text, &ready)) {
      result_->finish_reason = MaceFinishReason::STOP_STRING;
    } else {
      stop_text_.Finish(&ready);
    }
    Emit(ready);
    return Status();
  }

 private:
  // Appends to the text and calls on_text, unless `ready` is empty. Returns
  // whether to go on.
  bool Emit(const std::string& ready) {
    if (ready.empty()) return true;
    result_->text.append(ready);
    // The callback is code of the app, which may fork.
    const AllowFork in_app;
    return !o_.on_text || o_.on_text(ready);
  }

  const MaceGenerationOptions& o_;
  MaceGeneration* const result_;
  MaceTokenStream stream_;
  StopText stop_text_;
  std::vector<int32_t> stop_tokens_;
  bool is_complete_ = false;  // what is held back is not part of the text
};

}  // namespace mace::generation

#endif  // MACE_GENERATION_GENERATED_TEXT_H_
