// Tensors of callers: a shape, an element type and memory.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PUBLIC_MACE_TENSOR_H_
#define MACE_PUBLIC_MACE_TENSOR_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "mace/public/mace_api.h"

namespace mace {

// Element types of tensors.
enum IDataType {
  IDT_INVALID = 0,
  IDT_FLOAT = 1,
  IDT_UINT8 = 2,
  IDT_INT32 = 4,
  IDT_FLOAT16 = 5,
  IDT_BFLOAT16 = 6,
  IDT_INT16 = 7,
  IDT_INT8 = 8,
  IDT_BOOL = 11,
  IDT_INT64 = 12,
};

// The order of dimensions; NONE: no meaning beyond the shape.
enum class DataFormat { NONE = 0, NHWC = 1, NCHW = 2 };

enum class MemoryType { CPU_BUFFER = 0, GPU_BUFFER = 1, GPU_IMAGE = 2 };

// A dense row-major tensor in the caller's memory, which is shared, not copied;
// or one in GPU memory.
class MACE_API MaceTensor {
 public:
  MaceTensor() = default;
  // Float elements.
  MaceTensor(const std::vector<int64_t>& shape, std::shared_ptr<float> data);
  // Elements of any type, in host memory. An output with null `data` is sized
  // and allocated by the engine.
  MaceTensor(const std::vector<int64_t>& shape, std::shared_ptr<void> data,
             IDataType data_type);
  // Floats in GPU memory, used without a copy: `memory` is a cl_mem of the
  // context of MaceEngine::GetGPUHandles. GPU_BUFFER: floats as in host memory.
  // GPU_IMAGE: a 2-D image, CL_RGBA of floats or fp16, of at least
  // W * ((C + 3) / 4) x N * H pixels in channel-major order
  // (docs/memory_layout.md). Commands that fill an input must be done before
  // Run; when Run returns, outputs are written.
  MaceTensor(const std::vector<int64_t>& shape, std::shared_ptr<void> memory,
             MemoryType memory_type);

  const std::vector<int64_t>& shape() const { return shape_; }
  IDataType data_type() const { return data_type_; }
  MemoryType memory_type() const { return memory_type_; }

  // Null if the elements are not floats in host memory.
  const std::shared_ptr<float> data() const;
  std::shared_ptr<float> data();
  // The memory whatever its type.
  const std::shared_ptr<void>& raw_data() const { return data_; }

 private:
  std::vector<int64_t> shape_;
  std::shared_ptr<void> data_;
  IDataType data_type_ = IDT_FLOAT;
  MemoryType memory_type_ = MemoryType::CPU_BUFFER;
};

// An input or output of a model.
struct MaceTensorInfo {
  std::string name;
  std::vector<int64_t> shape;
  IDataType data_type = IDT_FLOAT;
  DataFormat data_format = DataFormat::NONE;
};

}  // namespace mace

#endif  // MACE_PUBLIC_MACE_TENSOR_H_
