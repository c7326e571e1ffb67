// MaceTensor: a shape, an element type and the caller's memory.
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

// The meaning of a tensor's dimensions; NONE if only the shape is known.
enum class DataFormat { NONE = 0, NHWC = 1, NCHW = 2 };

enum class MemoryType { CPU_BUFFER = 0, GPU_BUFFER = 1, GPU_IMAGE = 2 };

// A dense row-major tensor in host memory or in GPU memory. A tensor shares its
// memory with the caller and never copies it.
class MACE_API MaceTensor {
 public:
  MaceTensor() = default;
  // A tensor of float32 elements in host memory.
  MaceTensor(const std::vector<int64_t>& shape, std::shared_ptr<float> data);
  // A tensor of any element type in host memory, whose address must be a
  // multiple of the element's bytes. The engine allocates the memory of an
  // output whose `data` is null.
  MaceTensor(const std::vector<int64_t>& shape, std::shared_ptr<void> data,
             IDataType data_type);
  // A tensor in GPU memory, which the engine uses without a copy. `memory` is a
  // cl_mem of the context that MaceEngine::GetGPUHandles returns. A GPU_BUFFER
  // holds float32 elements in the order of host memory. A GPU_IMAGE is a 2-D
  // image in CL_RGBA format, float32 or fp16, with at least
  // W * ((C + 3) / 4) x N * H pixels in channel-major order
  // (docs/memory_layout.md). Commands that fill an input must have finished
  // before Run is called; outputs are complete when Run returns.
  MaceTensor(const std::vector<int64_t>& shape, std::shared_ptr<void> memory,
             MemoryType memory_type);

  const std::vector<int64_t>& shape() const { return shape_; }
  IDataType data_type() const { return data_type_; }
  MemoryType memory_type() const { return memory_type_; }

  // Null unless the elements are float32 in host memory.
  const std::shared_ptr<float> data() const;
  std::shared_ptr<float> data();
  // The memory of any type: host memory or a cl_mem.
  const std::shared_ptr<void>& raw_data() const { return data_; }

 private:
  std::vector<int64_t> shape_;
  std::shared_ptr<void> data_;
  IDataType data_type_ = IDT_FLOAT;
  MemoryType memory_type_ = MemoryType::CPU_BUFFER;
};

// Memory that a camera, a decoder or another part of the system made; exactly
// one of the two is set.
struct MaceExternalMemory {
  int dma_buf = -1;  // a file, open for reading and writing; -1: none
  void* hardware_buffer = nullptr;  // an AHardwareBuffer* of the format BLOB
};

// The name, shape and type of a model's or an engine's input, output or state.
// -1 in a shape is a dynamic dimension: of an input of a model, each run
// chooses it; of an output, only a run computes it.
struct MaceTensorInfo {
  std::string name;
  std::vector<int64_t> shape;
  IDataType data_type = IDT_FLOAT;
  DataFormat data_format = DataFormat::NONE;
  // A value q of a quantized tensor stands for scale * (q - zero_point); scale
  // is 0 if the tensor is not quantized. Run also takes float32 in host memory
  // for a quantized int8, uint8 or int16 tensor: it quantizes inputs to the
  // nearest value, ties away from zero, clamped to the type's range, and writes
  // dequantized values to outputs that are given as float32 with memory.
  float scale = 0;
  int32_t zero_point = 0;
};

}  // namespace mace

#endif  // MACE_PUBLIC_MACE_TENSOR_H_
