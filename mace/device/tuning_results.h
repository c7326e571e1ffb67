// TuningResults: what was measured to choose among kernels, kept in stores.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_DEVICE_TUNING_RESULTS_H_
#define MACE_DEVICE_TUNING_RESULTS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mace/public/mace_runtime.h"

namespace mace {

// An entry's key names the engine's version and `identity`, so that one store
// serves many devices and nothing measured on another is found. Its value is
// numbers behind a checksum. Not thread-safe.
class TuningResults {
 public:
  // `identity`: the device and its driver, or the processor. `stores`, already
  // loaded, are asked in order; `kept`, which may be null, is asked last and
  // takes what is inserted.
  TuningResults(const std::string& identity,
                std::vector<std::shared_ptr<KVStorage>> stores,
                std::shared_ptr<KVStorage> kept);

  // Returns the numbers of the first store that has an undamaged result; empty
  // if none has. A damaged one is logged. The caller checks what they mean.
  std::vector<int64_t> Find(const std::string& key);
  // Adds a result, which Find returns from now on, and in other processes after
  // Flush unless `kept` is null. REQUIRES: `numbers` is not empty.
  void Insert(const std::string& key, const std::vector<int64_t>& numbers);
  // Writes what was inserted to `kept`. A failure is logged.
  void Flush();

 private:
  std::string prefix_;  // of every key
  std::vector<std::shared_ptr<KVStorage>> stores_;
  std::shared_ptr<KVStorage> kept_;
  std::map<std::string, std::vector<int64_t>> known_;
  bool dirty_ = false;
};

}  // namespace mace

#endif  // MACE_DEVICE_TUNING_RESULTS_H_
