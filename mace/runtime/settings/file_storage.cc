// FileStorageFactory: a key-value store in one file.
// SPDX-License-Identifier: Apache-2.0
//
// The format of the file, little endian:
//   "MACEKV1\0"
//   u64 XXH3 hash of all bytes that follow
//   u64 count, then `count` entries: u64 key bytes, key, u64 value bytes, value

#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include "mace/base/file.h"
#include "mace/base/fork.h"
#include "mace/base/hash.h"
#include "mace/base/logging.h"
#include "mace/base/str_cat.h"
#include "mace/public/mace_runtime.h"
#include "mace/runtime/settings/gpu_settings.h"

namespace mace {
namespace {

constexpr char kMagic[8] = "MACEKV1";
constexpr size_t kHeadBytes = sizeof(kMagic) + sizeof(uint64_t);

bool IsFolder(const std::string& path) {
  struct stat found;
  return stat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode);
}

using Pairs = std::map<std::string, std::vector<unsigned char>>;

void Append(std::vector<uint8_t>& out, const void* data, size_t size) {
  const auto* p = static_cast<const uint8_t*>(data);
  out.insert(out.end(), p, p + size);
}

void AppendSized(std::vector<uint8_t>& out, const void* data, uint64_t size) {
  Append(out, &size, sizeof(size));
  Append(out, data, size);
}

std::vector<uint8_t> Serialize(const Pairs& pairs) {
  std::vector<uint8_t> body;
  const uint64_t count = pairs.size();
  Append(body, &count, sizeof(count));
  for (const auto& [key, value] : pairs) {
    AppendSized(body, key.data(), key.size());
    AppendSized(body, value.data(), value.size());
  }
  const uint64_t hash = Hash64(body.data(), body.size());
  std::vector<uint8_t> out;
  Append(out, kMagic, sizeof(kMagic));
  Append(out, &hash, sizeof(hash));
  Append(out, body.data(), body.size());
  return out;
}

// Reads numbers and strings from a range of bytes, and never past its end.
class Reader {
 public:
  Reader(const uint8_t* data, size_t size) : data_(data), left_(size) {}

  bool Read(uint64_t& v) {
    const uint8_t* p = Take(sizeof(v));
    if (p != nullptr) std::memcpy(&v, p, sizeof(v));
    return p != nullptr;
  }
  template <typename Bytes>
  bool ReadSized(Bytes& bytes) {
    uint64_t size;
    if (!Read(size)) return false;
    const uint8_t* p = Take(size);
    if (p != nullptr) bytes.assign(p, p + size);
    return p != nullptr;
  }

 private:
  const uint8_t* Take(uint64_t size) {
    if (size > left_) return nullptr;
    left_ -= size;
    return std::exchange(data_, data_ + size);
  }
  const uint8_t* data_;
  size_t left_;
};

bool Parse(const uint8_t* bytes, size_t num_bytes, Pairs& pairs) {
  uint64_t hash, count;
  if (num_bytes < kHeadBytes ||
      std::memcmp(bytes, kMagic, sizeof(kMagic)) != 0) {
    return false;
  }
  std::memcpy(&hash, bytes + sizeof(kMagic), sizeof(hash));
  const uint8_t* body = bytes + kHeadBytes;
  const size_t size = num_bytes - kHeadBytes;
  if (Hash64(body, size) != hash) return false;
  Reader reader(body, size);
  if (!reader.Read(count)) return false;
  for (uint64_t i = 0; i < count; ++i) {
    std::string key;
    std::vector<unsigned char> value;
    if (!reader.ReadSized(key) || !reader.ReadSized(value)) return false;
    pairs.emplace(std::move(key), std::move(value));
  }
  return true;
}

class FileStorage final : public KVStorage {
 public:
  explicit FileStorage(std::string path) : path_(std::move(path)) {}

  int Load() override {
    const HoldLog hold_log;
    std::lock_guard<Mutex> lock(mutex_);
    const auto file = MappedFile::Open(path_);
    if (!file.ok()) {
      if (access(path_.c_str(), F_OK) != 0) return 0;  // it does not exist yet
      LOG(WARNING) << file.status().information() << "; it is ignored";
      return -1;
    }
    Pairs pairs;
    if (!Parse(file->data(), file->size(), pairs)) {
      LOG(WARNING) << "'" << path_
                   << "' is damaged or not a key-value store; it is ignored";
      return -1;
    }
    pairs_ = std::move(pairs);
    return 0;
  }

  bool Insert(const std::string& key,
              const std::vector<unsigned char>& value) override {
    std::lock_guard<Mutex> lock(mutex_);
    pairs_[key] = value;
    dirty_ = true;
    return true;
  }

  const std::vector<unsigned char>* Find(const std::string& key) override {
    std::lock_guard<Mutex> lock(mutex_);
    const auto it = pairs_.find(key);
    return it == pairs_.end() ? nullptr : &it->second;
  }

  int Flush() override {
    const HoldLog hold_log;
    std::lock_guard<Mutex> lock(mutex_);
    if (!dirty_) return 0;
    const std::vector<uint8_t> bytes = Serialize(pairs_);
    const Status status =
        WriteFileAtomically(path_, bytes.data(), bytes.size());
    if (!status.ok()) {
      LOG(WARNING) << status.information();
      return -1;
    }
    dirty_ = false;
    return 0;
  }

 private:
  const std::string path_;
  Mutex mutex_;
  Pairs pairs_;
  bool dirty_ = false;
};

}  // namespace

class FileStorageFactory::Impl {
 public:
  std::string path;
};

FileStorageFactory::FileStorageFactory(const std::string& path)
    : impl_(new Impl{path}) {}

FileStorageFactory::~FileStorageFactory() = default;

std::unique_ptr<KVStorage> FileStorageFactory::CreateStorage(
    const std::string& name) {
  const std::string& path = impl_->path;
  if (name.empty()) return std::make_unique<FileStorage>(path);
  if (path.empty() || path.back() == '/') {
    return std::make_unique<FileStorage>(StrCat(path, name));
  }
  if (IsFolder(path)) {
    return std::make_unique<FileStorage>(StrCat(path, "/", name));
  }
  return std::make_unique<FileStorage>(
      name == kProgramStore ? path : StrCat(path, ".", name));
}

}  // namespace mace
