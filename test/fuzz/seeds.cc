// Reading seeds and choosing among them.
// SPDX-License-Identifier: Apache-2.0

#include "test/fuzz/seeds.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <utility>

#include "mace/base/aligned_buffer.h"

namespace mace::fuzz {
namespace {

// Seeds with more nodes and more work are drawn less often.
int64_t ShareOf(const Seed& seed) {
  constexpr int64_t kMax = 1 << 20;
  return kMax / (10 + seed.net.op_size() + seed.work / 200000) + 1;
}

bool ReadFile(const std::filesystem::path& path, std::string* bytes) {
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  if (!in) return false;
  bytes->resize(static_cast<size_t>(in.tellg()));
  in.seekg(0);
  in.read(bytes->data(), static_cast<std::streamsize>(bytes->size()));
  return in.good();
}

bool ReadSeed(const std::filesystem::path& path, Seed* seed) {
  std::string graph, weights;
  auto data = path;
  data.replace_extension(".data");
  if (!ReadFile(path, &graph) || !seed->net.ParseFromString(graph)) {
    return false;
  }
  seed->net.clear_graph_xxh3();  // it would be why mutated ones are refused
  if (seed->net.data_bytes() > 0 && !ReadFile(data, &weights)) return false;
  const int64_t size = static_cast<int64_t>(weights.size());
  seed->name = path.stem().string();
  seed->group = path.parent_path().filename().string();
  seed->bytes = AlignUp(size, kAlignment);
  seed->weights = AllocateWeights(seed->bytes);
  std::copy(weights.begin(), weights.end(), seed->weights.get());
  InferTypes(seed);  // it need not be valid: a mutated one may be
  return true;
}

// Makes the same model for images of an eighth, a quarter or half of the height
// and width. Returns false if it needs its size or has no images.
bool Shrink(const Seed& large, Seed* small) {
  for (int64_t divisor : {8, 4, 2}) {
    *small = large;
    bool changed = false;
    for (proto::TensorInfo& info : *small->net.mutable_input_info()) {
      if (info.dims_size() != 4) continue;
      for (int d = 1; d < 4; ++d) {
        if (info.dims(d) < 32 || info.dims(d) % divisor != 0) continue;
        info.set_dims(d, info.dims(d) / divisor);
        changed = true;
      }
    }
    ForgetDeclared(&small->net);
    small->name += "_" + std::to_string(divisor);
    small->types.clear();
    if (!changed || !InferTypes(small)) continue;
    Redeclare(small->types, &small->net);
    return true;
  }
  return false;
}

}  // namespace

std::shared_ptr<uint8_t> AllocateWeights(int64_t size) {
  const size_t bytes =
      static_cast<size_t>(AlignUp(size, kAlignment) + kMaxAddedBytes);
  std::shared_ptr<uint8_t> weights(
      static_cast<uint8_t*>(std::aligned_alloc(kAlignment, bytes)), std::free);
  std::fill_n(weights.get(), bytes, uint8_t{0});
  return weights;
}

Seed EmptySeed() {
  Seed seed;
  seed.name = "grown";
  seed.net.set_format_version(2);
  seed.weights = AllocateWeights(0);
  return seed;
}

std::vector<Seed> ReadSeeds(const std::string& folder, std::string* error) {
  std::vector<std::filesystem::path> paths;
  std::error_code failed;
  std::filesystem::recursive_directory_iterator files(folder, failed);
  for (const auto end = decltype(files)(); !failed && files != end;
       files.increment(failed)) {
    if (files->path().extension() == ".pb") paths.push_back(files->path());
  }
  if (failed) *error = folder + ": " + failed.message();
  std::sort(paths.begin(), paths.end());
  std::vector<Seed> seeds;
  for (const auto& path : paths) {
    Seed seed, small;
    if (!ReadSeed(path, &seed)) {
      *error = path.string() + ": cannot be read, or its weights cannot";
      continue;
    }
    const bool shrinks = Shrink(seed, &small);
    seeds.push_back(std::move(seed));
    if (shrinks) seeds.push_back(std::move(small));
  }
  return seeds;
}

SeedUrn::SeedUrn(const std::vector<Seed>& seeds) {
  std::map<std::string, Group> groups;
  for (const Seed& seed : seeds) {
    Group& group = groups[seed.group];
    group.seeds.push_back(&seed);
    group.ends.push_back((group.ends.empty() ? 0 : group.ends.back()) +
                         ShareOf(seed));
    all_.push_back(&seed);
  }
  for (auto& [name, group] : groups) groups_.push_back(std::move(group));
}

const Seed& SeedUrn::Draw(Random& random) const {
  const Group& group = random.Of(groups_);
  const int64_t at = random.Below(group.ends.back());
  const auto found = std::upper_bound(group.ends.begin(), group.ends.end(), at);
  return *group.seeds[static_cast<size_t>(found - group.ends.begin())];
}

}  // namespace mace::fuzz
