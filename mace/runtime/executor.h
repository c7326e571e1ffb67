// Executor: a plan bound to memory, ready to run.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_RUNTIME_EXECUTOR_H_
#define MACE_RUNTIME_EXECUTOR_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "mace/base/status.h"
#include "mace/plan/plan.h"
#include "mace/public/mace.h"
#include "mace/runtime/device_tensors.h"
#include "mace/runtime/guard.h"
#include "mace/runtime/numeric_check.h"

namespace mace {

// Not thread-safe.
class Executor {
 public:
  // `guard`: before the first step and after each, the bytes of the arena that
  // hold nothing live are made NaN. `images`: those of plan.images.
  Executor(std::unique_ptr<Plan> plan, std::unique_ptr<DeviceImages> images,
           bool guard);

  const Plan& plan() const { return *plan_; }

  // From now on Run fails at the first tensor with NaN or infinity, and says
  // where. Errors: of the device that has the images.
  Status CheckNumerics();

  // Lets the device with images choose how its kernels run. Errors: of it.
  Status Tune();

  // The memory of plan().arena_bytes bytes, 64-byte aligned, that Run uses.
  void BindArena(void* arena);

  // The caller's memory of graph input or output `index`, for the next Run.
  // Errors: as DeviceTensors::Bind.
  Status BindInput(int index, MemoryType type, const void* data);
  Status BindOutput(int index, MemoryType type, void* data);

  // Runs the steps in order; allocates nothing unless `metadata` is given.
  // REQUIRES: everything is bound. Errors: MACE_RUNTIME_ERROR.
  Status Run(RunMetadata* metadata);

 private:
  // A pointer in some step's arguments that is bound late.
  struct Slot {
    void** pointer;
    int64_t offset;
  };
  static void Bind(const std::vector<Slot>& slots, void* base);
  void AddSlot(const Place& place, void** pointer);

  Status BindOnDevice(bool is_input, int index, MemoryType type, void* memory);
  bool skips(size_t s) const {
    return device_tensors_ != nullptr && device_tensors_->skips(s);
  }
  Status RunSteps(RunMetadata* metadata);
  Status RunStep(size_t s, RunMetadata* metadata);
  Status FinishDevices();
  Status FinishMetadata(RunMetadata* metadata);
  Status CheckInputs() const;

  std::unique_ptr<Plan> plan_;
  std::unique_ptr<DeviceImages> images_;
  std::unique_ptr<NumericCheck> check_;  // null: nobody asked
  void* arena_ = nullptr;
  std::vector<std::vector<ByteRange>> dead_;  // of the guard; else empty
  std::vector<RunArgs> args_;                 // by step
  std::vector<DeviceActivity*> activities_;   // of the steps' devices
  std::vector<Slot> arena_slots_;
  std::vector<std::vector<Slot>> input_slots_;     // by graph input
  std::vector<std::vector<Slot>> output_slots_;    // by graph output
  std::vector<Buffer> copy_from_;                  // by plan copy
  std::unique_ptr<DeviceTensors> device_tensors_;  // null: all on the CPU
  std::vector<const void*> inputs_;                // by graph input
  std::vector<void*> outputs_;                     // by graph output
};

}  // namespace mace

#endif  // MACE_RUNTIME_EXECUTOR_H_
