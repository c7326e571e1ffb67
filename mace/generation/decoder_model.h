// DecoderModel: a language model as an engine, and the tokens that it has seen.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_GENERATION_DECODER_MODEL_H_
#define MACE_GENERATION_DECODER_MODEL_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mace/base/status.h"
#include "mace/public/mace.h"

namespace mace::generation {

// Logits of some of the tokens of a run.
struct Logits {
  const float* data = nullptr;
  size_t rows = 0, size = 0;
  const float* row(size_t i) const { return data + i * size; }
};

constexpr char kPosition[] = "position";  // a state
constexpr size_t kCapacityAxis = 2;       // of caches

size_t BytesOf(IDataType type);
// Elements of all axes from `first` to before `last`.
size_t Elements(const std::vector<int64_t>& shape, size_t first, size_t last);
// Of that type. Errors: MACE_OUT_OF_RESOURCES.
Result<MaceTensor> HostTensor(const MaceTensorInfo& info,
                              const std::vector<int64_t>& shape);

// What it takes: `input_ids` or the only input [1, tokens] of integers; beside
// it, if the model has them, `logits_at` [rows], the tokens of the run whose
// logits are computed, `position_ids` [1, tokens], and `attention_mask`
// [1, tokens so far]. It computes `logits` or its only output [1, rows, words].
// A state `position` [1], i64, says how many tokens its other states hold; they
// have a capacity along their axis 2. Without it, states grow, or there are
// none, and each run takes the whole sequence.
class DecoderModel {
 public:
  // `tensors`: further tensors that Tensor() returns.
  static Result<std::unique_ptr<DecoderModel>> Create(
      std::shared_ptr<MaceModel> model, const MaceEngineConfig& config,
      const std::vector<std::string>& tensors);

  // Makes the sequence begin as `tokens` does, and drops what it has behind
  // that; one token at least of `tokens` is left to be run. Returns how many
  // stay.
  Result<size_t> KeepPrefix(const std::vector<int32_t>& tokens);
  // Runs tokens behind the sequence. `all`: with the logits of each of them,
  // else of the last one; they are valid until the next run. May run a part of
  // the tokens only: `*done` says how many.
  Result<Logits> Run(const int32_t* tokens, size_t count, bool all,
                     const MaceDeadline* deadline, size_t* done);
  Status Reset();

  const std::vector<int32_t>& tokens() const { return tokens_; }
  int64_t capacity() const { return capacity_; }  // -1: unknown
  MaceEngine& engine() { return *engine_; }
  const MaceTensor* Tensor(const std::string& name) const;

  const MaceModel& model() const { return *model_; }
  const MaceEngine& engine() const { return *engine_; }
  bool has_position() const { return has_position_; }
  Result<std::map<std::string, MaceTensor>> States() const;
  // All of them, as they are after `tokens`.
  Status SetStates(const std::map<std::string, MaceTensor>& states,
                   std::vector<int32_t> tokens);
  // Rows along the axis of the capacity that hold tokens; -1: all of the state
  // counts.
  int64_t RowsOf(const MaceTensorInfo& state, int64_t tokens) const;

 private:
  DecoderModel() = default;
  Status FindInputs();
  Status FindStates();
  Status SetPosition(size_t position);
  static Result<MaceTensor> Integers(const MaceTensorInfo& info,
                                     const std::vector<int64_t>& shape,
                                     const std::vector<int64_t>& values);
  // Those of a run of `ids`, with the logits of some of them.
  Result<std::map<std::string, MaceTensor>> InputsOf(
      const std::vector<int64_t>& ids, const std::vector<int64_t>& rows) const;

  std::shared_ptr<MaceModel> model_;
  std::shared_ptr<MaceEngine> engine_;
  MaceTensorInfo ids_, rows_, positions_, mask_;  // the name is "": absent
  std::string logits_;
  bool has_states_ = false, has_position_ = false;
  int64_t capacity_ = -1;
  int64_t max_run_ = 0;  // tokens of a run
  std::vector<int32_t> tokens_;
  std::map<std::string, MaceTensor> outputs_;
  std::pair<size_t, size_t> last_shape_;  // tokens and rows of the last run
};

}  // namespace mace::generation

#endif  // MACE_GENERATION_DECODER_MODEL_H_
