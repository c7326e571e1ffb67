// DecoderModel: a language model as an engine, and the tokens that it has seen.
// SPDX-License-Identifier: Apache-2.0
//
// A run appends tokens to the sequence. With a KV cache only the new tokens are
// computed; without states the whole sequence is computed again:
//
// sequence   | kept: tokens_, in the states | tokens of this run |
// KV cache                                  input_ids
// no states    <------------- input_ids ------------->
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

// Logits of some of the tokens of a run: `rows` rows of `size` floats, dense,
// one row for each token in the order of the sequence. Points into an output
// tensor of the DecoderModel and is valid until the next Run of that.
struct Logits {
  const float* data = nullptr;
  size_t rows = 0, size = 0;
  const float* row(size_t i) const { return data + i * size; }
};

constexpr char kPosition[] = "position";  // a state
constexpr size_t kCapacityAxis = 2;       // of caches

// Returns the bytes of an element. 1 for a type that does not exist.
size_t BytesOf(IDataType type);
// Returns the number of elements along the dimensions from `first` to before
// `last`, or to the rank if that is less. Dynamic dimensions, which are
// negative, count as 0. REQUIRES: the result fits size_t.
size_t Elements(const std::vector<int64_t>& shape, size_t first, size_t last);
// Allocates a tensor of the type of `info` and of `shape` in host memory that
// it owns. Its bytes are not initialized. Errors: MACE_OUT_OF_RESOURCES.
Result<MaceTensor> HostTensor(const MaceTensorInfo& info,
                              const std::vector<int64_t>& shape);

// An engine for a decoder, and the sequence that its states belong to.
//
// Inputs, all of int32 or int64:
//   input_ids       [1, tokens] or [tokens], or the only input of another name
//   logits_at       [rows], indices within the run of the tokens whose logits
//                   are computed
//   position_ids    [1, tokens] or [tokens], counted from the sequence's start
//   attention_mask  [1, length of the sequence after the run], all 1
// All but the first are optional. The output is `logits`, or the only one,
// float32 [1, rows, vocabulary]. Without `logits_at` it may have a row for each
// token; the last rows are used.
//
// A state `position` [1], int64, holds the number of tokens in the other
// states. Of these, states of rank 4 are KV caches, whose capacity is
// dimension 2. A model without `position` has states that grow from run to run,
// or no states. Without states each run takes the whole sequence.
//
// Not thread-safe: MaceGenerator calls it under its mutex.
class DecoderModel {
 public:
  // Creates the engine of `model`, which computes the logits and `tensors`:
  // names of further outputs or inner tensors, which Tensor() returns. Errors:
  // MACE_INVALID_MODEL for inputs or outputs that are not those of a language
  // model; those of MaceEngine::Create.
  static Result<std::unique_ptr<DecoderModel>> Create(
      std::shared_ptr<MaceModel> model, const MaceEngineConfig& config,
      const std::vector<std::string>& tensors);

  // Makes the sequence the longest common prefix of itself and of all `tokens`
  // but the last, which is left to be run, so that there are logits. Returns
  // how many tokens stay. Only a model with a `position` can go back to a
  // prefix. States that grow are reset unless all of the sequence stays; of a
  // model without states no token stays. REQUIRES: `tokens` is not empty.
  // Errors: those of MaceEngine::SetState and ResetState.
  Result<size_t> KeepPrefix(const std::vector<int32_t>& tokens);
  // Appends tokens to the sequence and computes the logits of each of them if
  // `all`, else of the last one. Of a model with states it runs only the first
  // `*done` of the `count` tokens, so that the memory of a run is bounded; the
  // caller goes on with the others. Without states it runs all. `deadline` may
  // be null. REQUIRES: count > 0; the tokens are in the vocabulary.
  // Errors: MACE_INVALID_ARGS if the sequence would exceed the capacity;
  // MACE_INVALID_MODEL if the logits are no float32 rows of the expected
  // number: then the tokens are in the sequence; those of MaceEngine::Run,
  // among them MACE_CANCELLED: then the sequence and its states are as before.
  Result<Logits> Run(const int32_t* tokens, size_t count, bool all,
                     const MaceDeadline* deadline, size_t* done);
  // Makes the sequence empty and gives states their first values. Errors: those
  // of MaceEngine::ResetState.
  Status Reset();

  const std::vector<int32_t>& tokens() const { return tokens_; }
  // The smallest capacity of the KV caches, in tokens; -1: unknown, or there
  // are none.
  int64_t capacity() const { return capacity_; }
  MaceEngine& engine() { return *engine_; }
  // Returns an output of the last run, or null if it has none of this name.
  // Valid until the next run.
  const MaceTensor* Tensor(const std::string& name) const;

  const MaceModel& model() const { return *model_; }
  const MaceEngine& engine() const { return *engine_; }
  bool has_position() const { return has_position_; }
  // Returns copies of all states; none if the model has none.
  Result<std::map<std::string, MaceTensor>> States() const;
  // Replaces all states, and the sequence by `tokens`, whose result the states
  // are. REQUIRES: `tokens` are in the vocabulary and fit the capacity. Errors:
  // as MaceEngine::SetState; then neither has changed.
  Status SetStates(const std::map<std::string, MaceTensor>& states,
                   std::vector<int32_t> tokens);
  // Returns how many rows along kCapacityAxis of a state hold data after
  // `tokens` tokens; the rows behind them may have any values. -1: the state is
  // no KV cache, and all of it counts.
  int64_t RowsOf(const MaceTensorInfo& state, int64_t tokens) const;

 private:
  DecoderModel() = default;
  // Set the names and infos below; FindInputs before the engine is created,
  // FindStates after it.
  Status FindInputs();
  Status FindStates();
  // Cuts the sequence to `position` tokens. REQUIRES: has_position_; `position`
  // is at most the present length.
  Status SetPosition(size_t position);
  // Returns a tensor of `shape` with these values, as int64 or int32 after the
  // type of `info`.
  static Result<MaceTensor> Integers(const MaceTensorInfo& info,
                                     const std::vector<int64_t>& shape,
                                     const std::vector<int64_t>& values);
  // Returns the inputs that the model has, for a run of `ids`; `rows` are the
  // indices within `ids` whose logits are computed.
  Result<std::map<std::string, MaceTensor>> InputsOf(
      const std::vector<int64_t>& ids, const std::vector<int64_t>& rows) const;

  std::shared_ptr<MaceModel> model_;
  std::shared_ptr<MaceEngine> engine_;
  MaceTensorInfo ids_, rows_, positions_, mask_;  // the name is "": absent
  std::string logits_;
  bool has_states_ = false, has_position_ = false;
  int64_t capacity_ = -1;
  int64_t max_run_ = 0;  // the maximum of tokens of a run
  // The sequence; states are those after the last of them.
  std::vector<int32_t> tokens_;
  // Of the last run. Kept while last_shape_ stays, so that the engine writes
  // into the same memory, and nothing is allocated for each token.
  std::map<std::string, MaceTensor> outputs_;
  std::pair<size_t, size_t> last_shape_;  // tokens and rows of the last run
};

}  // namespace mace::generation

#endif  // MACE_GENERATION_DECODER_MODEL_H_
