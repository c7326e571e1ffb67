// BinaryCache: compiled programs in the stores of the application.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPENCL_DRIVER_BINARY_CACHE_H_
#define MACE_OPENCL_DRIVER_BINARY_CACHE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "mace/opencl/driver/device_facts.h"
#include "mace/opencl/driver/program_pool.h"
#include "mace/public/mace_runtime.h"

namespace mace::opencl {

// Of the text of `source`.cl with that of the prelude.
uint64_t HashOfSource(const std::string& source);

// An entry's key names the engine's version, the platform, device and driver,
// and the program with a hash of its text, so that a store serves many models
// and devices, and what another driver made is never found. Its value begins
// with a checksum: a damaged binary is not handed to the driver, as drivers
// abort on them.
class BinaryCache final : public BinaryStore {
 public:
  // `read_only` are asked first; what is compiled goes to `kept`, which may be
  // null. All are loaded already.
  BinaryCache(const DeviceFacts& facts,
              std::vector<std::shared_ptr<KVStorage>> read_only,
              std::shared_ptr<KVStorage> kept);

  std::vector<unsigned char> Find(const std::string& key) override;
  void Insert(const std::string& key,
              const std::vector<unsigned char>& binary) override;
  void Flush() override;

 private:
  std::string FullKey(const std::string& key) const;

  std::string prefix_;  // of every key
  std::vector<std::shared_ptr<KVStorage>> stores_;
  std::shared_ptr<KVStorage> kept_;
};

}  // namespace mace::opencl

#endif  // MACE_OPENCL_DRIVER_BINARY_CACHE_H_
