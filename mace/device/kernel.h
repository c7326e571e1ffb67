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

// Made once per plan, handed to every Run. Handles change where memory does,
// such as the caller's.
struct RunArgs {
  std::vector<Buffer> inputs;  // null handle: an optional input not given
  std::vector<Buffer> outputs;
  Buffer scratch;              // scratch_bytes() bytes, 64-byte aligned
  std::vector<Buffer> images;  // as scratch_images()
};

// Pixels of an image.
struct Extent2D {
  int64_t width = 0;
  int64_t height = 0;
};

// An image and what the four components of its pixels are: kF32 or kF16.
struct ImageType {
  Extent2D extent;
  DataType dtype = DataType::kF32;
};

// Where output and input of a kernel may share memory.
struct Overlap {
  int input = -1;
  // The output may start this many bytes or more before the input's start (and
  // end wherever that puts it): every byte of the input is read before the
  // output overwrites it. 0: both start at the same address, or share nothing.
  int64_t safe_distance_bytes = 0;
};

// How a device came to choose a kernel.
struct KernelOrigin {
  const char* by = "model";  // "tuned": measured now; "kept": at another time
  double micros = 0;         // that it took then; 0: was not measured
  double model_micros = 0;   // that the cost model's choice took
};

// The second interface of a kernel that takes or gives images of its device, or
// whose device measures its time.
class ImageKernel {
 public:
  // Where the kernel reads input `i` and writes its outputs: kImage, an image
  // of its device; kRowMajor, host memory.
  virtual Layout input_layout(size_t /*i*/) const { return Layout::kRowMajor; }
  virtual Layout output_layout() const { return Layout::kRowMajor; }

  // What its output and scratch images hold; its inputs may be any.
  virtual DataType image_dtype() const { return DataType::kF32; }

  // Images in which Run passes values from one of its passes to the next. The
  // plan allocates them like any tensor.
  virtual std::vector<Extent2D> scratch_images() const { return {}; }

  // Whether output 0 is the image of input 0, so that nothing needs to run.
  virtual bool renames_only() const { return false; }

  // Time of the latest Run on the device itself, once that Run is done; below 0
  // if it was not measured.
  virtual double device_us() const { return -1; }

 protected:
  ~ImageKernel() = default;
};

class Kernel {
 public:
  virtual ~Kernel() = default;

  const KernelOrigin& origin() const { return origin_; }
  void set_origin(const KernelOrigin& origin) { origin_ = origin; }

  // Bytes of scratch that Run uses; the plan places them like any tensor.
  virtual int64_t scratch_bytes() const { return 0; }

  // Null for kernels in host memory, which most are. One function instead of
  // those of ImageKernel: each costs 32 bytes for every class of kernels.
  virtual const ImageKernel* on_images() const { return nullptr; }

  // As in ImageKernel.
  Layout input_layout(size_t i) const {
    const ImageKernel* const images = on_images();
    return images == nullptr ? Layout::kRowMajor : images->input_layout(i);
  }
  Layout output_layout() const {
    const ImageKernel* const images = on_images();
    return images == nullptr ? Layout::kRowMajor : images->output_layout();
  }
  DataType image_dtype() const {
    const ImageKernel* const images = on_images();
    return images == nullptr ? DataType::kF32 : images->image_dtype();
  }
  std::vector<Extent2D> scratch_images() const {
    const ImageKernel* const images = on_images();
    return images == nullptr ? std::vector<Extent2D>()
                             : images->scratch_images();
  }
  bool renames_only() const {
    const ImageKernel* const images = on_images();
    return images != nullptr && images->renames_only();
  }
  double device_us() const {
    const ImageKernel* const images = on_images();
    return images == nullptr ? -1 : images->device_us();
  }

  // Whether Run can write rows of output 0 that do not lie one after the other.
  // A row is the elements along the last dimension. Not virtual, as that would
  // cost every class of kernels.
  bool writes_rows() const { return writes_rows_; }
  // Bytes from one such row to the next; 0: they lie one after the other. The
  // plan sets it before the first Run. REQUIRES: writes_rows(), unless it is 0.
  int64_t row_stride() const { return row_stride_; }
  void set_row_stride(int64_t bytes) { row_stride_ = bytes; }

  // Overlaps of output 0 with an input under which Run is still right.
  virtual std::vector<Overlap> overlaps() const { return {}; }

  // Multiply-adds of one Run, 0 where the notion does not apply.
  virtual int64_t macs() const { return 0; }

  // What one Run costs by the device's cost model, in multiply-adds at full
  // speed; macs() where there is no model.
  virtual int64_t cost_macs() const { return macs(); }

  // The micro-kernel that was chosen, for plans and profiles:
  // "gemm_f32_8x16__avx512".
  virtual std::string variant() const { return "scalar"; }

  // Computes the outputs. Allocates nothing and re-checks nothing: Prepare did
  // both. Errors: MACE_INVALID_ARGS for values of operands, such as an index
  // out of range; MACE_RUNTIME_ERROR; MACE_OUT_OF_RESOURCES of a driver;
  // MACE_CANCELLED (DeviceActivity::SetCancellation).
  virtual Status Run(const RunArgs& args) = 0;

 protected:
  void set_writes_rows() { writes_rows_ = true; }

 private:
  KernelOrigin origin_;
  bool writes_rows_ = false;
  int64_t row_stride_ = 0;
};

using KernelPtr = std::unique_ptr<Kernel>;

}  // namespace mace

#endif  // MACE_DEVICE_KERNEL_H_
