// Kernel: one node prepared for one device. Prepare once, run many times.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_DEVICE_KERNEL_H_
#define MACE_DEVICE_KERNEL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "mace/base/status.h"
#include "mace/graph/node.h"

namespace mace {

// Memory chosen by the plan: a host pointer on the CPU, a cl_mem on OpenCL.
struct Buffer {
  void* handle = nullptr;

  template <typename T>
  T* as() const {
    return static_cast<T*>(handle);
  }
};

// Filled once per plan, handed to every Run.
struct RunArgs {
  std::vector<Buffer> inputs;  // null handle: an optional input not given
  std::vector<Buffer> outputs;
  Buffer scratch;  // scratch_bytes() bytes, 64-byte aligned
};

// Where output and input of a kernel may share memory.
struct Overlap {
  int input = -1;
  // The output may start this many bytes before the input's start (and end
  // wherever that puts it): every byte of the input is read before the output
  // overwrites it. 0: exactly in place.
  int64_t safe_distance_bytes = 0;
};

class Kernel {
 public:
  virtual ~Kernel() = default;

  // Bytes of scratch that Run uses; the plan places them like any tensor.
  virtual int64_t scratch_bytes() const { return 0; }

  // Overlaps of output 0 with an input under which Run is still right.
  virtual std::vector<Overlap> overlaps() const { return {}; }

  // Multiply-adds of one Run, 0 where the notion does not apply.
  virtual int64_t macs() const { return 0; }

  // What was chosen, for plans and profiles: "gemm_f32_8x16__avx512".
  virtual std::string variant() const { return "scalar"; }

  // Computes the outputs. Allocates nothing and re-checks nothing: Prepare did
  // both. Errors: MACE_RUNTIME_ERROR only.
  virtual Status Run(const RunArgs& args) = 0;
};

using KernelPtr = std::unique_ptr<Kernel>;

}  // namespace mace

#endif  // MACE_DEVICE_KERNEL_H_
