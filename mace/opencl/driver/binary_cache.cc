// Keys and checksums of stored programs.
// SPDX-License-Identifier: Apache-2.0

#include "mace/opencl/driver/binary_cache.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "mace/base/hash.h"
#include "mace/base/logging.h"
#include "mace/base/str_cat.h"
#include "mace/base/version.h"
#include "mace/opencl/driver/kernel_source.h"

namespace mace::opencl {
namespace {

constexpr size_t kHashBytes = sizeof(uint64_t);

uint64_t HashOfText(const char* text) {
  return text == nullptr ? 0 : Hash64(text, std::strlen(text));
}

}  // namespace

uint64_t HashOfSource(const std::string& source) {
  return HashOfText(FindKernelSource("prelude")) * 31 +
         HashOfText(FindKernelSource(source.c_str()));
}

BinaryCache::BinaryCache(const DeviceInfo& info,
                         std::vector<std::shared_ptr<KVStorage>> read_only,
                         std::shared_ptr<KVStorage> kept)
    : prefix_(StrCat(kVersion, "|", info.identity(), "|")),
      stores_(std::move(read_only)),
      kept_(std::move(kept)) {
  if (kept_ != nullptr) stores_.push_back(kept_);
}

std::string BinaryCache::FullKey(const std::string& key) const {
  const std::string source = key.substr(0, key.find(' '));
  return StrCat(prefix_, HashOfSource(source), "|", key);
}

std::vector<unsigned char> BinaryCache::Find(const std::string& key) {
  const std::string full = FullKey(key);
  for (const auto& store : stores_) {
    const std::vector<unsigned char>* value = store->Find(full);
    if (value == nullptr) continue;
    uint64_t hash = 0;
    if (value->size() > kHashBytes) {
      std::memcpy(&hash, value->data(), kHashBytes);
      if (hash ==
          Hash64(value->data() + kHashBytes, value->size() - kHashBytes)) {
        return {value->begin() + kHashBytes, value->end()};
      }
    }
    LOG(INFO) << "the kept GPU program " << key
              << " is damaged; it is compiled again";
  }
  return {};
}

void BinaryCache::Insert(const std::string& key,
                         const std::vector<unsigned char>& binary) {
  if (kept_ == nullptr) return;
  const uint64_t hash = Hash64(binary.data(), binary.size());
  std::vector<unsigned char> value(kHashBytes + binary.size());
  std::memcpy(value.data(), &hash, kHashBytes);
  std::copy(binary.begin(), binary.end(), value.begin() + kHashBytes);
  kept_->Insert(FullKey(key), value);
}

void BinaryCache::Flush() {
  if (kept_ != nullptr && kept_->Flush() != 0) {
    LOG(INFO) << "the compiled GPU programs could not be stored; the next "
                 "start compiles them again";
  }
}

}  // namespace mace::opencl
