// Asking OpenCL about memory that the caller made.
// SPDX-License-Identifier: Apache-2.0

#include "mace/opencl/driver/caller_memory.h"

#include <string>

#include "mace/base/str_cat.h"

namespace mace::opencl {
namespace {

template <typename T>
Status Ask(const ClContext& context, cl_mem memory, cl_mem_info what,
           T* value) {
  const cl_int code =
      context.api().clGetMemObjectInfo(memory, what, sizeof(T), value, nullptr);
  if (code == CL_SUCCESS) return Status();
  return InvalidArgument("it is not a cl_mem of the engine's driver: ",
                         ClErrorName(code));
}

template <typename T>
Status AskImage(const ClContext& context, cl_mem memory, cl_image_info what,
                T* value) {
  const cl_int code =
      context.api().clGetImageInfo(memory, what, sizeof(T), value, nullptr);
  if (code == CL_SUCCESS) return Status();
  return InvalidArgument("the driver does not describe the image: ",
                         ClErrorName(code));
}

std::string Pixels(size_t width, size_t height) {
  return StrCat(width, "x", height, " pixels");
}

Status CheckBuffer(const ClContext& context, cl_mem memory, size_t bytes) {
  size_t size = 0;
  MACE_RETURN_IF_ERROR(Ask(context, memory, CL_MEM_SIZE, &size));
  if (size >= bytes) return Status();
  return InvalidArgument("the buffer has ", size, " bytes, the tensor ", bytes);
}

Status CheckImage(const ClContext& context, cl_mem memory,
                  const Extent2D& extent) {
  cl_image_format format = {};
  MACE_RETURN_IF_ERROR(AskImage(context, memory, CL_IMAGE_FORMAT, &format));
  if (format.image_channel_order != CL_RGBA ||
      (format.image_channel_data_type != CL_FLOAT &&
       format.image_channel_data_type != CL_HALF_FLOAT)) {
    return InvalidArgument(
        "the image's format is order ", format.image_channel_order, " type ",
        format.image_channel_data_type,
        "; it must be CL_RGBA with CL_FLOAT or CL_HALF_FLOAT");
  }
  size_t width = 0, height = 0;
  MACE_RETURN_IF_ERROR(AskImage(context, memory, CL_IMAGE_WIDTH, &width));
  MACE_RETURN_IF_ERROR(AskImage(context, memory, CL_IMAGE_HEIGHT, &height));
  if (static_cast<int64_t>(width) >= extent.width &&
      static_cast<int64_t>(height) >= extent.height) {
    return Status();
  }
  return InvalidArgument("the image has ", Pixels(width, height),
                         ", the tensor needs ",
                         Pixels(static_cast<size_t>(extent.width),
                                static_cast<size_t>(extent.height)));
}

}  // namespace

Status CheckCallerMemory(const ClContext& context, const DeviceMemory& memory,
                         size_t bytes, const Extent2D& extent) {
  if (memory.handle == nullptr) return InvalidArgument("the cl_mem is null");
  const auto object = static_cast<cl_mem>(memory.handle);
  cl_context of = nullptr;
  MACE_RETURN_IF_ERROR(Ask(context, object, CL_MEM_CONTEXT, &of));
  if (of != context.get()) {
    return InvalidArgument(
        "it belongs to another OpenCL context; use that of GetGPUHandles");
  }
  cl_mem_object_type kind = 0;
  MACE_RETURN_IF_ERROR(Ask(context, object, CL_MEM_TYPE, &kind));
  const auto wanted = static_cast<cl_mem_object_type>(
      memory.is_image ? CL_MEM_OBJECT_IMAGE2D : CL_MEM_OBJECT_BUFFER);
  if (kind != wanted) {
    return InvalidArgument(memory.is_image
                               ? "GPU_IMAGE is given, and the cl_mem is no 2-D "
                                 "image"
                               : "GPU_BUFFER is given, and the cl_mem is no "
                                 "buffer");
  }
  cl_mem_flags flags = 0;
  MACE_RETURN_IF_ERROR(Ask(context, object, CL_MEM_FLAGS, &flags));
  const cl_mem_flags barred =
      memory.is_output ? CL_MEM_READ_ONLY : CL_MEM_WRITE_ONLY;
  if ((flags & barred) != 0) {
    return InvalidArgument(memory.is_output
                               ? "it is CL_MEM_READ_ONLY, and is to be written"
                               : "it is CL_MEM_WRITE_ONLY, and is to be read");
  }
  return memory.is_image ? CheckImage(context, object, extent)
                         : CheckBuffer(context, object, bytes);
}

}  // namespace mace::opencl
