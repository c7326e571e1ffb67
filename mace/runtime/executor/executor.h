// Executor: a plan bound to memory, ready to run.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_RUNTIME_EXECUTOR_EXECUTOR_H_
#define MACE_RUNTIME_EXECUTOR_EXECUTOR_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "mace/base/status.h"
#include "mace/base/thread_pool.h"
#include "mace/plan/types/one_device.h"
#include "mace/plan/types/plan.h"
#include "mace/public/mace.h"
#include "mace/runtime/executor/device_tensors.h"
#include "mace/runtime/executor/numeric_check.h"
#include "mace/runtime/executor/poison.h"
#include "mace/runtime/executor/trace.h"

namespace mace {

struct ControlFlowStage;  // mace/runtime/control_flow/control_flow_executor.h

// Everything that a step needs is put into its RunArgs ahead of time: pointers
// into constants when the executor is made, those into the arena, images,
// inputs and outputs when these are bound. A run then only calls kernels. Not
// thread-safe.
//
//   Location            slot                      args_[step]
//   kArena, 256   ->  arena_slots_   {p, 256} ->  inputs[0] = arena + 256
//   kInput 0, 0   ->  input_slots_[0]  {p, 0} ->  inputs[1] = data
class Executor {
 public:
  explicit Executor(std::unique_ptr<Plan> plan);

  const Plan& plan() const { return *plan_; }

  // What ControlFlowExecutor keeps for this plan. Null until it has run it.
  std::shared_ptr<ControlFlowStage>& stage() { return stage_; }

  // Makes every later Run fill every byte of the arena that holds nothing live
  // with NaN, before the first step and after each one. Errors:
  // MACE_UNSUPPORTED if this library does not poison memory.
  Status PoisonUnused();

  // Makes every later Run fail at the first tensor that holds NaN, infinity or,
  // in fp16, the largest value, and name the tensor (NumericCheck); such runs
  // take no tensors in memory of a device. Errors: as NumericCheck::Create.
  Status CheckNumerics();

  // Makes every later Run with metadata trace its ops to `trace`, which must
  // outlive this object; null: they do not.
  void set_trace(const Trace* trace) { trace_ = trace; }

  // Lets the device with images measure how its kernels run best. REQUIRES: the
  // images are bound. Errors: those of the device.
  Status Tune();

  // Sets the memory that Run uses: plan().arena_bytes bytes at a 64-byte
  // boundary. The caller keeps ownership. Does nothing if it is the arena of
  // the latest call, so that it may be called before each run.
  void BindArena(void* arena);
  // Sets the images of plan().images, also if they are those of the latest
  // call, and undoes the bindings of inputs and outputs to memory of a device.
  // `generation` is a number of the caller, which generation() returns.
  void BindImages(const std::vector<Buffer>& images, uint64_t generation);
  // The `generation` of the latest BindImages; nullopt if there was none.
  std::optional<uint64_t> generation() const { return generation_; }

  // Sets the caller's memory of graph input or output `index` for the next Run.
  // The memory must stay until Run returns, which writes to that of an input
  // only if it is an output's as well (a state that is updated in place).
  // Errors: as DeviceTensors::Bind.
  Status BindInput(int index, MemoryType type, const void* data);
  Status BindOutput(int index, MemoryType type, void* data);

  // Runs the steps in order. Allocates nothing, unless `metadata` is not null
  // or numbers are checked. Ends early once `cancellation`, if not null, is
  // cancelled. REQUIRES: the arena, the images, all inputs and all outputs are
  // bound. Errors: as Kernel::Run; MACE_CANCELLED; after CheckNumerics, those
  // of NumericCheck, and MACE_UNSUPPORTED for tensors in memory of a device.
  Status Run(RunMetadata* metadata, const Cancellation* cancellation = nullptr);

 private:
  // A pointer in args_ or copy_from_ that becomes `offset` bytes into the
  // memory that is bound. These vectors must not grow: slots point into them.
  struct Slot {
    void** pointer;
    int64_t offset;
  };
  // Sets the pointers of all slots, for memory that begins at `base`.
  static void Bind(const std::vector<Slot>& slots, void* base);
  void AddSlot(const Location& location, void** pointer);

  Status BindOnDevice(bool is_input, int index, MemoryType type, void* memory);
  bool is_poisoned() const { return !unused_.empty(); }
  bool checks() const { return check_ != nullptr; }
  bool skips(size_t s) const {
    return has_device_tensors() && device_tensors_->skips(s);
  }
  bool has_device_tensors() const {
    return !kOneDevice && device_tensors_ != nullptr;
  }
  // Runs the steps that are not skipped, then copies outputs. Between two
  // steps, checks the cancellation.
  Status RunSteps(RunMetadata* metadata, const Cancellation* cancellation);
  Status RunStep(size_t s, RunMetadata* metadata);
  // Waits for all devices. Returns the first error.
  Status FinishDevices();
  Status CheckInputs() const;

  std::unique_ptr<Plan> plan_;
  std::unique_ptr<NumericCheck> check_;  // null: off
  const Trace* trace_ = nullptr;
  void* arena_ = nullptr;
  std::vector<std::vector<ByteRange>> unused_;  // empty: no poison
  std::vector<RunArgs> args_;                   // by step
  std::vector<DeviceActivity*> activities_;     // of the steps' devices
  // By the memory into which they point.
  std::vector<Slot> arena_slots_;
  struct ImageSlot {
    void** pointer;
    int image;  // of the plan
  };
  std::vector<ImageSlot> image_slots_;
  std::optional<uint64_t> generation_;
  std::vector<std::vector<Slot>> input_slots_;   // by graph input
  std::vector<std::vector<Slot>> output_slots_;  // by graph output
  std::vector<Buffer> copy_from_;                // by plan copy
  // Null: all on the CPU, or no images are bound.
  std::unique_ptr<DeviceTensors> device_tensors_;
  std::vector<const void*> inputs_;  // by graph input
  std::vector<void*> outputs_;       // by graph output
  std::shared_ptr<ControlFlowStage> stage_;
  WakeTimes wake_times_;
};

}  // namespace mace

#endif  // MACE_RUNTIME_EXECUTOR_EXECUTOR_H_
