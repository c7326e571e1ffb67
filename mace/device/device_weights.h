// DeviceWeights: a model's constants in the memory of devices, shared by every
// plan of every engine of the model.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_DEVICE_DEVICE_WEIGHTS_H_
#define MACE_DEVICE_DEVICE_WEIGHTS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "mace/base/fork.h"
#include "mace/base/status.h"

namespace mace {

// Thread-safe. It finds copies and does not own them: a copy is freed with the
// last kernel that holds it.
class DeviceWeights {
 public:
  using Copy = std::shared_ptr<const void>;
  struct Upload {
    Copy copy;
    int64_t bytes = 0;
  };

  // Returns the copy named `name` in `memory` (a cl_context). If none lives,
  // `upload` makes it, under this object's lock. An empty name stands for no
  // name: `upload` is called each time. REQUIRES: calls with the same name want
  // the same contents in the same arrangement; a living copy keeps `memory`
  // alive. Errors: those of `upload`.
  Result<Copy> GetOrUpload(const void* memory, const std::string& name,
                           const std::function<Result<Upload>()>& upload);

  // Of the copies that live now, with a name or without.
  int64_t total_bytes() const;
  int64_t count() const;

 private:
  struct Known {
    std::weak_ptr<const void> copy;
    int64_t bytes = 0;
  };

  // REQUIRES: the mutex is held.
  void ForgetDead();

  mutable Mutex mutex_;
  std::map<std::pair<const void*, std::string>, Known> named_;
  std::map<int64_t, Known> nameless_;  // by the number of its upload
  int64_t num_uploads_ = 0;
};

}  // namespace mace

#endif  // MACE_DEVICE_DEVICE_WEIGHTS_H_
