// Running language models.
// SPDX-License-Identifier: Apache-2.0

#include "mace/generation/decoder_model.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace mace::generation {
namespace {

constexpr int64_t kPromptRun = 512;  // tokens of a prompt in one run
constexpr int64_t kLogitRun = 32;    // with the logits of each

bool IsIndex(const MaceTensorInfo& info) {
  return info.data_type == IDT_INT32 || info.data_type == IDT_INT64;
}

std::string Names(const std::vector<MaceTensorInfo>& infos) {
  std::string names;
  for (const MaceTensorInfo& info : infos) {
    names.append(names.empty() ? "'" : ", '").append(info.name).append("'");
  }
  return names.empty() ? "none" : names;
}

}  // namespace

size_t BytesOf(IDataType type) {
  switch (type) {
    case IDT_INT64:
      return 8;
    case IDT_FLOAT:
    case IDT_INT32:
      return 4;
    case IDT_FLOAT16:
    case IDT_BFLOAT16:
    case IDT_INT16:
      return 2;
    default:
      return 1;
  }
}

size_t Elements(const std::vector<int64_t>& shape, size_t first, size_t last) {
  size_t n = 1;
  for (size_t i = first; i < std::min(last, shape.size()); ++i) {
    n *= static_cast<size_t>(std::max<int64_t>(shape[i], 0));
  }
  return n;
}

Result<MaceTensor> HostTensor(const MaceTensorInfo& info,
                              const std::vector<int64_t>& shape) {
  const size_t bytes =
      Elements(shape, 0, shape.size()) * BytesOf(info.data_type);
  std::shared_ptr<void> data(std::malloc(std::max<size_t>(bytes, 1)),
                             std::free);
  if (data == nullptr) {
    return OutOfResources("cannot allocate ", bytes, " bytes for '", info.name,
                          "'");
  }
  return MaceTensor(shape, std::move(data), info.data_type);
}

Result<std::unique_ptr<DecoderModel>> DecoderModel::Create(
    std::shared_ptr<MaceModel> model, const MaceEngineConfig& config,
    const std::vector<std::string>& tensors) {
  std::unique_ptr<DecoderModel> made(new DecoderModel());
  made->model_ = std::move(model);
  MACE_RETURN_IF_ERROR(made->FindInputs());
  std::vector<std::string> outputs = {made->logits_};
  for (const std::string& name : tensors) {
    if (name != made->logits_) outputs.push_back(name);
  }
  MACE_RETURN_IF_ERROR(
      MaceEngine::Create(made->model_, {}, outputs, config, &made->engine_));
  MACE_RETURN_IF_ERROR(made->FindStates());
  return made;
}

Status DecoderModel::FindInputs() {
  const auto& inputs = model_->inputs();
  std::vector<MaceTensorInfo> others;
  for (const MaceTensorInfo& info : inputs) {
    MaceTensorInfo* known = info.name == "input_ids"        ? &ids_
                            : info.name == "logits_at"      ? &rows_
                            : info.name == "position_ids"   ? &positions_
                            : info.name == "attention_mask" ? &mask_
                                                            : nullptr;
    if (known == nullptr || !IsIndex(info)) {
      others.push_back(info);
    } else {
      *known = info;
    }
  }
  if (ids_.name.empty() && others.size() == 1 && IsIndex(others[0])) {
    ids_ = others[0];
    others.clear();
  }
  if (ids_.name.empty() || !others.empty()) {
    return InvalidModel(
        "model '", model_->name(), "' is no language model: it has the inputs ",
        Names(inputs),
        "; a language model has input_ids, and may have logits_at, "
        "position_ids and attention_mask, all of integers");
  }
  const auto& outputs = model_->outputs();
  for (const MaceTensorInfo& info : outputs) {
    if (info.name == "logits" || outputs.size() == 1) logits_ = info.name;
  }
  if (logits_.empty()) {
    return InvalidModel("model '", model_->name(),
                        "' is no language model: it has the outputs ",
                        Names(outputs), ", none of them named logits");
  }
  max_run_ = kPromptRun;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const std::vector<MaceDimension>& dims = model_->input_dimensions()[i];
    if (inputs[i].name != ids_.name || dims.empty()) continue;
    const MaceDimension& tokens = dims.back();
    if (tokens.extent > 0) max_run_ = tokens.extent;
    if (tokens.extent < 0 && tokens.largest > 0) {
      max_run_ = std::min(max_run_, tokens.largest);
    }
  }
  return Status();
}

Status DecoderModel::FindStates() {
  for (const MaceTensorInfo& info : engine_->states()) {
    has_states_ = true;
    has_position_ |= info.name == kPosition && info.data_type == IDT_INT64 &&
                     info.shape == std::vector<int64_t>{1};
  }
  if (!has_position_) return Status();
  for (const MaceTensorInfo& info : engine_->states()) {
    if (info.shape.size() != 4) continue;
    const int64_t capacity = info.shape[kCapacityAxis];
    capacity_ = capacity_ < 0 ? capacity : std::min(capacity_, capacity);
  }
  return Status();
}

Result<MaceTensor> DecoderModel::Integers(const MaceTensorInfo& info,
                                          const std::vector<int64_t>& shape,
                                          const std::vector<int64_t>& values) {
  MACE_ASSIGN_OR_RETURN(MaceTensor tensor, HostTensor(info, shape));
  for (size_t i = 0; i < values.size(); ++i) {
    if (info.data_type == IDT_INT64) {
      static_cast<int64_t*>(tensor.raw_data().get())[i] = values[i];
    } else {
      static_cast<int32_t*>(tensor.raw_data().get())[i] =
          static_cast<int32_t>(values[i]);
    }
  }
  return tensor;
}

Status DecoderModel::SetPosition(size_t position) {
  const MaceTensorInfo info{kPosition, {1}, IDT_INT64};
  MACE_ASSIGN_OR_RETURN(const MaceTensor tensor,
                        Integers(info, {1}, {static_cast<int64_t>(position)}));
  MACE_RETURN_IF_ERROR(engine_->SetState({{kPosition, tensor}}));
  tokens_.resize(position);
  return Status();
}

Status DecoderModel::Reset() {
  MACE_RETURN_IF_ERROR(engine_->ResetState());
  tokens_.clear();
  return Status();
}

Result<size_t> DecoderModel::KeepPrefix(const std::vector<int32_t>& tokens) {
  size_t same = 0;
  while (same < tokens_.size() && same + 1 < tokens.size() &&
         tokens_[same] == tokens[same]) {
    ++same;
  }
  if (same == tokens_.size() && has_states_) return same;
  if (has_position_) {
    MACE_RETURN_IF_ERROR(SetPosition(same));
    return same;
  }
  // What has grown cannot be cut; without states, nothing was kept.
  MACE_RETURN_IF_ERROR(Reset());
  return size_t{0};
}

Result<Logits> DecoderModel::Run(const int32_t* tokens, size_t count, bool all,
                                 const MaceDeadline* deadline, size_t* done) {
  std::vector<int64_t> ids(tokens, tokens + count);
  const size_t past = tokens_.size();
  if (has_states_) {
    const int64_t limit = all ? std::min(max_run_, kLogitRun) : max_run_;
    ids.resize(std::min(count, static_cast<size_t>(limit)));
    *done = ids.size();
  } else {
    *done = count;
    ids.insert(ids.begin(), tokens_.begin(), tokens_.end());
  }
  if (capacity_ >= 0 && past + *done > static_cast<size_t>(capacity_)) {
    return InvalidArgument("a sequence of ", past + *done,
                           " tokens does not fit into the model's KV cache of ",
                           capacity_, "; convert the model with a larger one");
  }
  std::vector<int64_t> rows;
  for (size_t i = all ? ids.size() - *done : ids.size() - 1; i < ids.size();
       ++i) {
    rows.push_back(static_cast<int64_t>(i));
  }
  MACE_ASSIGN_OR_RETURN(const auto inputs, InputsOf(ids, rows));
  // Outputs of the same shape stay in their memory.
  const std::pair<size_t, size_t> shape = {ids.size(), rows.size()};
  if (shape != last_shape_) outputs_.clear();
  last_shape_ = shape;
  MACE_RETURN_IF_ERROR(deadline == nullptr
                           ? engine_->Run(inputs, &outputs_)
                           : engine_->Run(inputs, &outputs_, *deadline));
  tokens_.insert(tokens_.end(), tokens, tokens + *done);
  const MaceTensor& found = outputs_[logits_];
  if (found.shape().empty() || found.data() == nullptr) {
    return InvalidModel("the logits '", logits_, "' are no float32 tensor");
  }
  Logits logits;
  logits.data = found.data().get();
  logits.size = static_cast<size_t>(found.shape().back());
  const size_t computed = Elements(found.shape(), 0, found.shape().size() - 1);
  logits.rows = std::min(computed, rows.size());
  if (logits.size == 0 || logits.rows == 0 || (all && logits.rows != *done)) {
    return InvalidModel("the logits '", logits_, "' have ", computed,
                        " rows of ", logits.size, "; expected ", rows.size());
  }
  logits.data += (computed - logits.rows) * logits.size;
  return logits;
}

Result<std::map<std::string, MaceTensor>> DecoderModel::InputsOf(
    const std::vector<int64_t>& ids, const std::vector<int64_t>& rows) const {
  const int64_t n = static_cast<int64_t>(ids.size());
  const int64_t past = has_states_ ? static_cast<int64_t>(tokens_.size()) : 0;
  std::vector<int64_t> positions;
  for (int64_t i = 0; i < n; ++i) positions.push_back(past + i);
  const std::vector<int64_t> ones(static_cast<size_t>(past + n), 1);
  const std::vector<int64_t> flat = {n}, row = {1, n};
  std::map<std::string, MaceTensor> inputs;
  const struct {
    const MaceTensorInfo& info;
    std::vector<int64_t> shape;
    const std::vector<int64_t>& values;
  } kGiven[] = {
      {ids_, ids_.shape.size() == 1 ? flat : row, ids},
      {rows_, {static_cast<int64_t>(rows.size())}, rows},
      {positions_, positions_.shape.size() == 1 ? flat : row, positions},
      {mask_, {1, past + n}, ones},
  };
  for (const auto& given : kGiven) {
    if (given.info.name.empty()) continue;
    MACE_ASSIGN_OR_RETURN(inputs[given.info.name],
                          Integers(given.info, given.shape, given.values));
  }
  return inputs;
}

const MaceTensor* DecoderModel::Tensor(const std::string& name) const {
  const auto at = outputs_.find(name);
  return at == outputs_.end() ? nullptr : &at->second;
}

Result<std::map<std::string, MaceTensor>> DecoderModel::States() const {
  std::map<std::string, MaceTensor> states;
  if (has_states_) MACE_RETURN_IF_ERROR(engine_->GetState(&states));
  return states;
}

Status DecoderModel::SetStates(const std::map<std::string, MaceTensor>& states,
                               std::vector<int32_t> tokens) {
  if (has_states_) MACE_RETURN_IF_ERROR(engine_->SetState(states));
  tokens_ = std::move(tokens);
  return Status();
}

int64_t DecoderModel::RowsOf(const MaceTensorInfo& state,
                             int64_t tokens) const {
  const bool is_cache = has_position_ && state.shape.size() == 4;
  return is_cache ? std::min(tokens, state.shape[kCapacityAxis]) : -1;
}

}  // namespace mace::generation
