// Device: what a backend offers to the plan and the engine.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_DEVICE_DEVICE_H_
#define MACE_DEVICE_DEVICE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "mace/base/status.h"
#include "mace/device/kernel.h"
#include "mace/graph/node.h"

namespace mace {

// The images that a device made for one plan; freed with the object.
class DeviceImages {
 public:
  virtual ~DeviceImages() = default;
  virtual Buffer at(size_t i) const = 0;
};

// A node of a chain: each but the first reads output 0 of the one before as its
// input `previous`, and nothing else reads it.
struct FusedNode {
  const Node* node = nullptr;
  int previous = -1;
};

// How fast a device is, for deciding what runs where. Only the ratios between
// the devices of a plan matter.
struct DeviceSpeed {
  double macs_per_us = 1;
  double bytes_per_us = 1;     // read and written by a kernel
  double launch_us = 0;        // of any kernel
  double transfer_us = 0;      // of moving a tensor from or to the host,
  double transfer_per_us = 1;  // and bytes of it per microsecond
};

// What a device did so far.
struct DeviceCounts {
  int64_t compiled_programs = 0;  // from source, for all engines together
  int64_t loaded_programs = 0;    // from binaries, likewise
  int64_t kernels = 0;            // passes asked for
  int64_t enqueues = 0;           // commands sent for them
  int64_t measurements = 0;       // passes run to measure them
  int64_t bytes_from_host = 0;    // copied
  int64_t bytes_to_host = 0;
};

// The caller's memory for a tensor, on the device: a buffer with the elements
// as host memory would have them, or an image as the device's kernels do.
struct DeviceMemory {
  void* handle = nullptr;
  bool is_image = false;
  bool is_output = false;
};

// What callers make such memory with: a cl_context and its cl_device_id.
struct NativeHandles {
  void* context = nullptr;
  void* device = nullptr;
};

// A kernel as it will run: its device's images are bound, and what the caller
// gives at each Run is not.
struct BoundKernel {
  Kernel* kernel = nullptr;
  const RunArgs* args = nullptr;
};

// The calls below Prepare are for devices that keep activations in images of
// their own; the defaults are those of a device that works in host memory.
class Device {
 public:
  virtual ~Device() = default;

  virtual const char* name() const = 0;  // "CPU", "GPU"

  // Checks that this device can run `node`, whose types are inferred, then
  // does all one-time work: choosing a micro-kernel, packing weights,
  // asking for a program. The only place that says what a device supports.
  // Errors: MACE_UNSUPPORTED sends the node to the next device of the list.
  virtual Result<KernelPtr> Prepare(const Node& node) = 0;

  // Whether Prepare of such a node takes input `i` as fp16 (Operand::stored)
  // and Run does not read it; else they see floats.
  virtual bool TakesFp16(const Node& /*node*/, size_t /*i*/) const {
    return false;
  }

  // Whether Prepare also takes such a node with f16 in place of f32 in all
  // activations that it reads and writes, and that is faster; its constants
  // stay as they are.
  virtual bool ComputesFp16(const Node& /*node*/) const { return false; }

  virtual DeviceSpeed speed() const { return {}; }

  // Whether its kernels may want Layout::kImage.
  virtual bool has_images() const { return false; }

  // A kernel that moves a tensor between the host and an image, from the type
  // of the node's input to that of its output.
  virtual Result<KernelPtr> PrepareConvert(const Node& node);

  // Pixels that a tensor takes as an image. Errors: MACE_UNSUPPORTED, with the
  // limit and the cure, for one that is too large or of another type.
  virtual Result<Extent2D> ImageExtentOf(const TensorType& type) const;

  // What an image holds that no kernel asks to be of another type, and the
  // largest one.
  virtual DataType image_dtype() const { return DataType::kF32; }
  virtual Extent2D max_image_extent() const { return {}; }

  // Compiles what the kernels prepared so far need; before their first Run.
  virtual Status FinishPrepare() { return Status(); }

  virtual Result<std::unique_ptr<DeviceImages>> CreateImages(
      const std::vector<ImageType>& types);

  // Whether it may serve as a tensor of this type. Errors: MACE_INVALID_ARGS
  // with what is wrong (context, kind, size, format, access) and what would be
  // right; MACE_UNSUPPORTED for a device without memory of its own.
  virtual Status CheckMemory(const DeviceMemory& memory,
                             const TensorType& type) const;
  virtual NativeHandles native_handles() const { return {}; }

  // The buffer that `convert`, of PrepareConvert, reads or writes from now on
  // in place of host memory; null: host memory again.
  virtual void UseBuffer(Kernel& /*convert*/, void* /*buffer*/) {}

  // Lets a device that works in host memory measure how nodes run best, before
  // the plan is made that will run. `dry_run` makes another one, through
  // Prepare and PrepareFused; what its nodes point to lives as long as its
  // result. Errors: MACE_OUT_OF_RESOURCES, those of `dry_run`.
  using DryRun = std::function<Result<std::shared_ptr<const void>>()>;
  virtual Status TunePlan(const DryRun& /*dry_run*/) { return Status(); }

  // Lets kernels of this device choose among their variants, by what was
  // measured before or, within its budget, by measuring now.
  virtual Status Tune(const std::vector<BoundKernel>& /*kernels*/) {
    return Status();
  }
  // What Tune found, a line for each kernel; for people.
  virtual std::string DumpTuning() const { return ""; }

  virtual DeviceCounts counts() const { return {}; }

  // Whether kernels measure their own time (Kernel::device_us).
  virtual void SetProfiling(bool /*on*/) {}

  // Waits until everything that kernels have started is done.
  virtual Status Finish() { return Status(); }

  // One kernel for a chain of nodes that were all prepared, if that is faster
  // than one after the other and gives the same bits. Its inputs are those of
  // the nodes in turn but for the `previous` ones, its output the last one's.
  // Errors: MACE_UNSUPPORTED: they stay apart.
  virtual Result<KernelPtr> PrepareFused(const std::vector<FusedNode>& chain);
};

}  // namespace mace

#endif  // MACE_DEVICE_DEVICE_H_
