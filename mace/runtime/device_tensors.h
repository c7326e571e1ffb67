// DeviceTensors: inputs and outputs in the caller's memory on a device, in
// place of host memory and without copies. SPDX-License-Identifier: Apache-2.0
#ifndef MACE_RUNTIME_DEVICE_TENSORS_H_
#define MACE_RUNTIME_DEVICE_TENSORS_H_

#include <vector>

#include "mace/base/status.h"
#include "mace/plan/plan.h"
#include "mace/public/mace.h"
#include "mace/runtime/borders.h"

namespace mace {

// Of one plan, and the arguments of its steps. Not thread-safe.
class DeviceTensors {
 public:
  // Both must outlive it, and stay where they are. REQUIRES: the plan has an
  // image device.
  DeviceTensors(const Plan& plan, std::vector<RunArgs>& args);

  // The memory of an input or output for the next Run. `memory` matters for
  // that on a device only. Errors: MACE_INVALID_ARGS or MACE_UNSUPPORTED, with
  // the tensor, what is wrong, and the cure.
  Status Bind(bool is_input, int index, MemoryType type, void* memory);

  // Whether step `s` is not to run: it would convert what needs no converting.
  bool skips(size_t s) const { return skipped_[s]; }
  // Whether any tensor lies on the device.
  bool any() const;

 private:
  struct Tensor {
    Border border;
    MemoryType type = MemoryType::CPU_BUFFER;
    std::vector<Buffer*> uses;    // of the image, in args
    std::vector<Buffer> planned;  // what they are without the caller's
  };

  void AddUses(Tensor& tensor, std::vector<RunArgs>& args) const;
  Status Check(const Tensor& tensor, bool is_input, int id, MemoryType type,
               void* memory) const;
  void Restore(Tensor& tensor);

  const Plan& plan_;
  std::vector<Tensor> inputs_, outputs_;
  std::vector<bool> skipped_;  // by step
};

}  // namespace mace

#endif  // MACE_RUNTIME_DEVICE_TENSORS_H_
