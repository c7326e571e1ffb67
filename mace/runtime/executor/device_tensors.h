// DeviceTensors: inputs and outputs in the caller's memory on a device, in
// place of host memory and without copies.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_RUNTIME_EXECUTOR_DEVICE_TENSORS_H_
#define MACE_RUNTIME_EXECUTOR_DEVICE_TENSORS_H_

#include <vector>

#include "mace/base/status.h"
#include "mace/plan/types/plan.h"
#include "mace/public/mace.h"
#include "mace/runtime/executor/boundary_converts.h"

namespace mace {

// The inputs and outputs of one plan, with the arguments of its steps. Not
// thread-safe. What a run does to input x, which a GPU reads as an image:
//
//     host memory   x --Upload--> image --> kernels    as planned
//     GPU_BUFFER    x --Upload--> image --> kernels    reads the buffer
//     GPU_IMAGE     x --------------------> kernels    Upload is skipped
class DeviceTensors {
 public:
  // `plan` and `args` must outlive the object and must not move. REQUIRES: the
  // plan has a device with images.
  DeviceTensors(const Plan& plan, std::vector<RunArgs>& args);

  // Sets the memory of an input or output for the next Run. `memory` is used
  // only if `type` is memory of a device. Errors: MACE_INVALID_ARGS or
  // MACE_UNSUPPORTED, with the tensor, what is wrong and the cure.
  Status Bind(bool is_input, int index, MemoryType type, void* memory);

  // Undoes all calls of Bind.
  void Restore();

  // Returns whether Run must skip step `s`, a convert that is not needed
  // because the caller's tensor already lies on the device.
  bool skips(size_t s) const { return skipped_[s]; }
  // Returns whether any tensor lies on the device.
  bool any() const;

 private:
  // `uses` and `planned` are parallel; `type` is that of the memory bound now.
  // Restore writes `planned` back.
  struct Tensor {
    BoundaryConvert convert;
    MemoryType type = MemoryType::CPU_BUFFER;
    std::vector<Buffer*> uses;    // arguments that are the tensor's image
    std::vector<Buffer> planned;  // their values in the plan
  };

  // Finds the arguments of all steps that are the image of the tensor, or a
  // view of it.
  void AddUses(Tensor& tensor, std::vector<RunArgs>& args) const;
  Status Check(const Tensor& tensor, bool is_input, int id, MemoryType type,
               void* memory) const;
  void Restore(Tensor& tensor);

  const Plan& plan_;
  std::vector<Tensor> inputs_, outputs_;
  std::vector<bool> skipped_;  // by step
};

}  // namespace mace

#endif  // MACE_RUNTIME_EXECUTOR_DEVICE_TENSORS_H_
