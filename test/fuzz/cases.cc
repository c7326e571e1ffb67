// Making cases from seeds by number, and from libFuzzer's files.
// SPDX-License-Identifier: Apache-2.0

#include "test/fuzz/cases.h"

#include <algorithm>
#include <utility>

#include "mace/base/aligned_buffer.h"
#include "mace/graph/tensor_type.h"
#include "test/fuzz/mutate.h"
#include "test/fuzz/new_nodes.h"
#include "test/fuzz/values.h"

namespace mace::fuzz {
namespace {

constexpr int64_t kMaxWeightBytes = 1 << 20;

Case Finish(const Seed& seed, Draft* draft, Random& random) {
  Case c;
  c.settings = random.Below(int64_t{1} << 40);
  c.graph = draft->Serialize(c.settings);
  std::copy(draft->added().begin(), draft->added().end(),
            seed.weights.get() + seed.bytes);
  c.quantized = !QuantizationsOf(&draft->net).empty();
  c.weights = seed.weights;
  c.weight_bytes = static_cast<size_t>(seed.bytes) + draft->added().size();
  return c;
}

// Writes small numbers to all tensors of the model that lie inside the weights.
void FillWeights(const proto::NetDef& net, int64_t size, uint8_t* weights) {
  Random random(1);
  const std::string floats = AnyContents(DataType::kF32, size / 4, random);
  std::copy(floats.begin(), floats.end(), weights);
  for (const proto::ConstTensor& tensor : net.tensors()) {
    const DataType type = tensor.data_type() == proto::DT_INT32 ? DataType::kI32
                          : tensor.data_type() == proto::DT_INT64
                              ? DataType::kI64
                              : DataType::kInvalid;
    const int64_t element = static_cast<int64_t>(SizeOf(type));
    if (element == 0 || tensor.offset() < 0 || tensor.offset() > size ||
        tensor.data_size() < 0 ||
        tensor.data_size() > (size - tensor.offset()) / element) {
      continue;
    }
    const std::string ints = AnyContents(type, tensor.data_size(), random);
    std::copy(ints.begin(), ints.end(), weights + tensor.offset());
  }
}

}  // namespace

Case MakeCase(const SeedUrn& urn, const Seed& empty, uint64_t series,
              int64_t number) {
  Random random(series * 0x100000001b3u + static_cast<uint64_t>(number));
  const bool grows = random.Percent(30);
  const Seed& seed = grows ? empty : urn.Draw(random);
  Draft draft = grows ? GrowModel(seed, 10, random) : Draft(seed);
  std::string about = seed.group + "/" + seed.name;
  // Some models are not mutated, since the settings of engines vary, too.
  if (random.Percent(grows ? 60 : 95)) {
    about += ": " + Mutate(urn.all(), &draft, random);
  }
  Case c = Finish(seed, &draft, random);
  if (random.Percent(5)) {
    FlipBytes(&c.graph, random);
    about += ", bytes";
  }
  c.about = std::move(about);
  return c;
}

bool ReadCase(const uint8_t* data, size_t size, Seed* seed, int64_t* settings) {
  if (!seed->net.ParseFromArray(data, static_cast<int>(size))) return false;
  const int64_t bytes = std::max<int64_t>(seed->net.data_bytes(), 0);
  if (bytes > kMaxWeightBytes) return false;
  seed->net.clear_graph_xxh3();
  *settings = 0;
  auto* all = seed->net.mutable_settings();
  for (int i = all->size() - 1; i >= 0; --i) {
    const proto::Setting& setting = all->Get(i);
    if (setting.name() == kCaseSetting) {
      *settings = setting.i();
    } else if (setting.name() == kWeightsSetting) {
      seed->added = FromHex(setting.s());
    } else {
      continue;
    }
    all->DeleteSubrange(i, 1);
  }
  const int64_t added = static_cast<int64_t>(seed->added.size());
  if (added > std::min(bytes, kMaxAddedBytes) ||
      (bytes - added) % kAlignment != 0) {
    seed->added.clear();
  }
  seed->bytes = bytes - static_cast<int64_t>(seed->added.size());
  seed->weights = AllocateWeights(bytes);
  FillWeights(seed->net, bytes, seed->weights.get());
  std::copy(seed->added.begin(), seed->added.end(),
            seed->weights.get() + seed->bytes);
  // A draft begins at an aligned offset, but engines get exactly as many bytes
  // as the model asks for.
  seed->bytes = AlignUp(seed->bytes, kAlignment);
  return true;
}

Case MutateCase(const Seed& seed, uint64_t number) {
  Random random(number);
  Draft draft(seed);
  const std::string about = Mutate({&seed}, &draft, random);
  Case c = Finish(seed, &draft, random);
  c.about = about;
  return c;
}

}  // namespace mace::fuzz
