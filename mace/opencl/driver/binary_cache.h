// BinaryCache: keeps compiled programs in the application's key-value stores.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPENCL_DRIVER_BINARY_CACHE_H_
#define MACE_OPENCL_DRIVER_BINARY_CACHE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "mace/opencl/driver/device_info.h"
#include "mace/opencl/driver/program_pool.h"
#include "mace/public/mace_runtime.h"

namespace mace::opencl {

// Returns a hash of the text of `source`.cl and of prelude.cl, which changes
// with either.
uint64_t HashOfSource(const std::string& source);

// The key of an entry names the version of the engine, the platform, the
// device, the driver, and the program with a hash of its text. One store can
// therefore serve many models and devices, and a binary of another driver is
// never found. The value begins with a checksum, because drivers abort on
// damaged binaries. Not thread-safe: ProgramPool calls it from one thread at a
// time.
//
//   key    version|platform|name|OpenCL version|driver|hash|Program::key
//   value  Hash64 of the binary, 8 bytes, and the binary
class BinaryCache final : public BinaryStore {
 public:
  // Find looks in `read_only` first and then in `kept`; Insert writes to
  // `kept`, which may be null. REQUIRES: Load was called for all stores; none
  // of `read_only` is null.
  BinaryCache(const DeviceInfo& info,
              std::vector<std::shared_ptr<KVStorage>> read_only,
              std::shared_ptr<KVStorage> kept);

  std::vector<unsigned char> Find(const std::string& key) override;
  void Insert(const std::string& key,
              const std::vector<unsigned char>& binary) override;
  void Flush() override;

 private:
  std::string FullKey(const std::string& key) const;

  std::string prefix_;  // of each key
  std::vector<std::shared_ptr<KVStorage>> stores_;
  std::shared_ptr<KVStorage> kept_;
};

}  // namespace mace::opencl

#endif  // MACE_OPENCL_DRIVER_BINARY_CACHE_H_
