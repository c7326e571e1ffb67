// Encrypted models, saved sequences and states.
// SPDX-License-Identifier: Apache-2.0

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <vector>

#include "mace/base/hash.h"
#include "mace/public/mace_generator.h"
#include "mace/testing/cached_model.h"
#include "mace/testing/seal.h"
#include "mace/testing/tokenizer_builder.h"
#include "test/robustness/read_bytes.h"

namespace mace::robustness {
namespace {

using Tensors = std::map<std::string, MaceTensor>;

constexpr size_t kMaxStateBytes = 1 << 20;

std::vector<uint8_t> EncryptionKey() { return std::vector<uint8_t>(32, 7); }

MaceTensor Ids(int64_t count) {
  std::shared_ptr<void> ids(std::calloc(static_cast<size_t>(count), 8),
                            std::free);
  for (int64_t i = 0; i < count; ++i) static_cast<int64_t*>(ids.get())[i] = i;
  return MaceTensor({1, count}, ids, IDT_INT64);
}

MaceStatus RunOnce(MaceEngine& engine, Tensors* outputs) {
  return engine.Run({{"input_ids", Ids(3)}}, outputs);
}

std::shared_ptr<MaceGenerator> NewGenerator() {
  std::shared_ptr<MaceGenerator> generator;
  (void)MaceGenerator::Create(testing::CachedModel(proto::DT_FLOAT),
                              testing::ByteTokens({}).Load(),
                              MaceEngineConfig(CPU), &generator);
  return generator;
}

std::string ReadAll(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string((std::istreambuf_iterator<char>(in)), {});
}

// The bytes as a file while it lives.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& bytes)
      : path_("/tmp/read_bytes." + std::to_string(getpid())) {
    std::ofstream(path_, std::ios::binary) << bytes;
  }
  ~TemporaryFile() { unlink(path_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  const std::string path_;
};

// Restores a sequence and goes on with it.
MaceStatus GoOn(const std::string& bytes) {
  const TemporaryFile file(bytes);
  const auto generator = NewGenerator();
  MaceGenerationOptions options;
  options.max_new_tokens = 3;
  MaceGeneration made;
  const MaceStatus restored = generator->Restore(file.path());
  // One that is refused leaves the generator as it was.
  const MaceStatus status =
      generator->GenerateFromTokens({97, 98, 99}, options, &made);
  if (!restored.ok()) {
    return status.ok() ? restored
                       : MaceStatus(MaceStatus::MACE_INTERNAL_ERROR,
                                    "it broke: " + status.information());
  }
  return status;
}

std::shared_ptr<MaceEngine> NewEngine(bool is_quantized) {
  std::shared_ptr<MaceEngine> engine;
  (void)MaceEngine::Create(
      testing::CachedModel(is_quantized ? proto::DT_INT8 : proto::DT_FLOAT), {},
      {}, MaceEngineConfig(CPU), &engine);
  return engine;
}

size_t BytesOfType(IDataType type) {
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

// A tensor of any type and shape that the bytes name, with as much memory as
// that says, if it is not much.
MaceTensor TakeState(Numbers* numbers) {
  const auto type = static_cast<IDataType>(numbers->Next<uint8_t>() % 16);
  std::vector<int64_t> shape(numbers->Next<uint8_t>() % 9);
  size_t bytes = BytesOfType(type);
  for (int64_t& n : shape) {
    n = numbers->Next<int64_t>();
    const auto size = static_cast<size_t>(std::max<int64_t>(n, 0));
    bytes = size > kMaxStateBytes ? 0 : std::min(bytes * size, kMaxStateBytes);
  }
  return MaceTensor(shape, numbers->Take(bytes), type);
}

}  // namespace

std::string EncryptedModel() {
  testing::ModelBuilder b;
  b.Input("x", {1, 4})
      .Weight("w", {3, 4}, testing::SmallWeights(12))
      .Op("FullyConnected", {"x", "w"}, {"y"})
      .Output("y");
  const std::vector<uint8_t> graph = b.Graph();
  const auto data = b.Data();
  const auto encrypted = Seal(graph, {data.get(), data.get() + b.data_size()},
                              EncryptionKey(), "key");
  return std::string(encrypted.begin(), encrypted.end());
}

std::string ReadEncrypted(const std::string& bytes) {
  Numbers numbers(bytes);
  const auto exact = numbers.Take(bytes.size());
  std::shared_ptr<MaceModel> model;
  std::shared_ptr<MaceEngine> engine;
  MaceStatus status = MaceModel::LoadSealed(
      static_cast<const unsigned char*>(exact.get()), bytes.size(),
      [](const std::string&, unsigned char* key) {
        const std::vector<uint8_t> right = EncryptionKey();
        std::copy(right.begin(), right.end(), key);
        return MaceStatus();
      },
      &model);
  if (status.ok()) {
    status = MaceEngine::Create(model, {}, {}, MaceEngineConfig(CPU), &engine);
  }
  Tensors outputs;
  if (status.ok()) {
    status = engine->Run({{"x", testing::FloatTensor({1, 4}, {1, 2, 3, 4})}},
                         &outputs);
  }
  return Refusal(status);
}

std::string SavedSequence() {
  const TemporaryFile file("");
  const auto generator = NewGenerator();
  MaceGenerationOptions options;
  options.max_new_tokens = 2;
  MaceGeneration made;
  if (!generator->GenerateFromTokens({97, 98, 99}, options, &made).ok() ||
      !generator->Save(file.path()).ok()) {
    return "";
  }
  return ReadAll(file.path());
}

std::string ReadSavedSequence(const std::string& bytes) {
  const MaceStatus as_it_is = GoOn(bytes);
  if (as_it_is.code() == MaceStatus::MACE_INTERNAL_ERROR || bytes.size() < 8) {
    return Refusal(as_it_is);
  }
  std::string fixed = bytes.substr(0, bytes.size() - 8);
  Append(Hash64(fixed.data(), fixed.size()), &fixed);
  return Refusal(GoOn(fixed));
}

std::string States() {
  std::string bytes(1, '\1');
  const auto engine = NewEngine(true);
  Tensors states;
  if (!engine->GetState(&states).ok()) return "";
  for (const MaceTensorInfo& info : engine->states()) {
    size_t size = BytesOfType(info.data_type);
    Append(static_cast<uint8_t>(info.data_type), &bytes);
    Append(static_cast<uint8_t>(info.shape.size()), &bytes);
    for (const int64_t n : info.shape) {
      Append(n, &bytes);
      size *= static_cast<size_t>(n);
    }
    bytes.append(
        static_cast<const char*>(states.at(info.name).raw_data().get()), size);
  }
  return bytes;
}

std::string ReadStates(const std::string& bytes) {
  Numbers numbers(bytes);
  const auto engine = NewEngine(numbers.Next<uint8_t>() % 2 == 1);
  Tensors first, later, states, read;
  MaceStatus status = RunOnce(*engine, &first);
  for (const MaceTensorInfo& info : engine->states()) {
    states.emplace(info.name, TakeState(&numbers));
  }
  const MaceStatus given = engine->SetState(states);
  for (int i = 0; i < 3 && status.ok() && given.ok(); ++i) {
    Tensors outputs;
    const MaceStatus ran = RunOnce(*engine, &outputs);
    if (ran.code() == MaceStatus::MACE_INTERNAL_ERROR) return Refusal(ran);
  }
  if (status.ok()) status = engine->GetState(&read);
  (void)engine->ResetState();
  if (status.ok()) status = RunOnce(*engine, &later);
  if (!status.ok()) return "internal error: " + status.information();
  const auto last = later.begin()->second.data();
  const auto wanted = first.begin()->second.data();
  if (std::memcmp(last.get(), wanted.get(),
                  sizeof(float) * 3 * testing::kCachedVocab) != 0) {
    return "internal error: the states left something after ResetState";
  }
  return Refusal(given);
}

}  // namespace mace::robustness
