// Where compiled OpenCL programs are cached, in C.
// SPDX-License-Identifier: Apache-2.0

#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "mace/capi/status.h"
#include "mace/public/mace_c_runtime.h"
#include "mace/public/mace_runtime.h"

namespace mace::capi {
namespace {

// The functions of the app; those that copies of it share are released once.
class Calls {
 public:
  explicit Calls(const mace_kv_storage_t& calls) : c_(calls) {}
  ~Calls() {
    if (c_.release != nullptr) c_.release(c_.user);
  }
  Calls(const Calls&) = delete;
  Calls& operator=(const Calls&) = delete;

  const mace_kv_storage_t& operator*() const { return c_; }

 private:
  const mace_kv_storage_t c_;
};

class Storage final : public KVStorage {
 public:
  Storage(std::shared_ptr<const Calls> calls, void* storage)
      : calls_(std::move(calls)), c_(**calls_), storage_(storage) {}
  ~Storage() override { c_.close(storage_); }
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  int Load() override {
    std::lock_guard<std::mutex> lock(mutex_);
    return c_.load(storage_);
  }

  bool Insert(const std::string& key,
              const std::vector<unsigned char>& value) override {
    std::lock_guard<std::mutex> lock(mutex_);
    found_.erase(key);
    return c_.insert(storage_, key.c_str(), value.data(), value.size()) == 0;
  }

  const std::vector<unsigned char>* Find(const std::string& key) override {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto known = found_.find(key);
    if (known != found_.end()) return &known->second;
    const void* value = nullptr;
    size_t bytes = 0;
    if (c_.find(storage_, key.c_str(), &value, &bytes) != 1) return nullptr;
    if (value == nullptr && bytes > 0) return nullptr;
    const auto* begin = static_cast<const unsigned char*>(value);
    std::vector<unsigned char>& copy = found_[key];
    copy.assign(begin, begin + bytes);
    return &copy;
  }

  int Flush() override {
    std::lock_guard<std::mutex> lock(mutex_);
    return c_.flush(storage_);
  }

 private:
  const std::shared_ptr<const Calls> calls_;
  const mace_kv_storage_t& c_;
  void* const storage_;
  std::mutex mutex_;
  // What Find returned, which must stay.
  std::map<std::string, std::vector<unsigned char>> found_;
};

class Factory final : public KVStorageFactory {
 public:
  explicit Factory(const mace_kv_storage_t& calls)
      : calls_(std::make_shared<const Calls>(calls)) {}

  std::unique_ptr<KVStorage> CreateStorage(const std::string& name) override {
    void* storage = (**calls_).open((**calls_).user, name.c_str());
    if (storage == nullptr) return nullptr;
    return std::unique_ptr<KVStorage>(new Storage(calls_, storage));
  }

 private:
  const std::shared_ptr<const Calls> calls_;
};

}  // namespace
}  // namespace mace::capi

namespace capi = mace::capi;

extern "C" {

mace_status_t mace_set_kv_storage_folder(const char* folder) {
  std::shared_ptr<mace::KVStorageFactory> factory;
  if (folder != nullptr) {
    factory = std::make_shared<mace::FileStorageFactory>(folder);
  }
  mace::SetKVStorageFactory(std::move(factory));
  return MACE_SUCCESS;
}

mace_status_t mace_set_kv_storage(const mace_kv_storage_t* storage) {
  if (storage == nullptr) {
    mace::SetKVStorageFactory(nullptr);
    return MACE_SUCCESS;
  }
  if (storage->struct_bytes != sizeof(mace_kv_storage_t)) {
    return capi::Refuse(__func__,
                        "storage->struct_bytes is %zu; set it to "
                        "sizeof(mace_kv_storage_t), which is %zu",
                        storage->struct_bytes, sizeof(mace_kv_storage_t));
  }
  auto factory = std::make_shared<capi::Factory>(*storage);
  MACE_CAPI_NOT_NULL(storage->open);
  MACE_CAPI_NOT_NULL(storage->load);
  MACE_CAPI_NOT_NULL(storage->insert);
  MACE_CAPI_NOT_NULL(storage->find);
  MACE_CAPI_NOT_NULL(storage->flush);
  MACE_CAPI_NOT_NULL(storage->close);
  mace::SetKVStorageFactory(std::move(factory));
  return MACE_SUCCESS;
}

}  // extern "C"
