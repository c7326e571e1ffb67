// Importing through cl_arm_import_memory and cl_qcom_ext_host_ptr.
// SPDX-License-Identifier: Apache-2.0

#include "mace/opencl/driver/import_memory.h"

#include "mace/base/str_cat.h"

namespace mace::opencl {
namespace {

constexpr char kArm[] = "cl_arm_import_memory";
constexpr char kArmDmaBuf[] = "cl_arm_import_memory_dma_buf";
constexpr char kArmHardwareBuffer[] =
    "cl_arm_import_memory_android_hardware_buffer";
constexpr char kQualcommDmaBuf[] = "cl_qcom_dmabuf_host_ptr";
constexpr char kQualcommHardwareBuffer[] =
    "cl_qcom_android_ahardwarebuffer_host_ptr";

// Values and types of Qualcomm's extensions, which the Khronos headers lack.
constexpr cl_uint kHardwareBufferHostPtr = 0x4119;
constexpr cl_uint kDmaBufHostPtr = 0x411D;
struct HardwareBufferHostPtr {
  cl_mem_ext_host_ptr head;
  void* buffer;
};
struct DmaBufHostPtr {
  cl_mem_ext_host_ptr head;
  int file;
  void* mapped;
};

// Of which devices have those for both kinds of memory, or older ones the first
// name alone.
bool HasArm(const DeviceInfo& info, bool is_dma_buf) {
  return info.has_extension(kArm) ||
         info.has_extension(is_dma_buf ? kArmDmaBuf : kArmHardwareBuffer);
}

Result<ClMem> ImportByArm(const ClContext& context,
                          const ExternalMemory& memory) {
  const ClApi& api = context.api();
  cl_platform_id platform = nullptr;
  MACE_RETURN_IF_ERROR(
      ClStatus(api.clGetDeviceInfo(context.device(), CL_DEVICE_PLATFORM,
                                   sizeof(platform), &platform, nullptr),
               "clGetDeviceInfo of CL_DEVICE_PLATFORM"));
  const auto import = reinterpret_cast<decltype(&::clImportMemoryARM)>(
      api.clGetExtensionFunctionAddressForPlatform(platform,
                                                   "clImportMemoryARM"));
  if (import == nullptr) {
    return RuntimeError("the driver has ", kArm, " and no clImportMemoryARM");
  }
  const bool is_dma_buf = memory.hardware_buffer == nullptr;
  const cl_import_properties_arm properties[] = {
      CL_IMPORT_TYPE_ARM,
      is_dma_buf ? CL_IMPORT_TYPE_DMA_BUF_ARM
                 : CL_IMPORT_TYPE_ANDROID_HARDWARE_BUFFER_ARM,
      0};
  int file = memory.dma_buf;
  cl_int code = CL_SUCCESS;
  cl_mem made = import(
      context.get(), CL_MEM_READ_WRITE, properties,
      is_dma_buf ? &file : memory.hardware_buffer,
      is_dma_buf ? memory.bytes : CL_IMPORT_MEMORY_WHOLE_ALLOCATION_ARM, &code);
  MACE_RETURN_IF_ERROR(ClStatus(code, "clImportMemoryARM"));
  return ClMem(made, api.clReleaseMemObject);
}

Result<ClMem> ImportByQualcomm(const ClContext& context,
                               const ExternalMemory& memory) {
  const ClApi& api = context.api();
  HardwareBufferHostPtr hardware_buffer = {
      {kHardwareBufferHostPtr, CL_MEM_HOST_WRITEBACK_QCOM},
      memory.hardware_buffer};
  DmaBufHostPtr dma_buf = {{kDmaBufHostPtr, CL_MEM_HOST_WRITEBACK_QCOM},
                           memory.dma_buf,
                           memory.mapped};
  cl_int code = CL_SUCCESS;
  cl_mem made = api.clCreateBuffer(
      context.get(),
      CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR | CL_MEM_EXT_HOST_PTR_QCOM,
      memory.bytes,
      memory.hardware_buffer != nullptr ? static_cast<void*>(&hardware_buffer)
                                        : static_cast<void*>(&dma_buf),
      &code);
  MACE_RETURN_IF_ERROR(
      ClStatus(code, "clCreateBuffer with CL_MEM_EXT_HOST_PTR_QCOM"));
  return ClMem(made, api.clReleaseMemObject);
}

}  // namespace

Result<ClMem> ImportMemory(const ClContext& context,
                           const ExternalMemory& memory) {
  const bool is_dma_buf = memory.hardware_buffer == nullptr;
  const char* const qualcomm =
      is_dma_buf ? kQualcommDmaBuf : kQualcommHardwareBuffer;
  if (HasArm(context.info(), is_dma_buf)) return ImportByArm(context, memory);
  if (context.info().has_extension(qualcomm)) {
    return ImportByQualcomm(context, memory);
  }
  return Unsupported("'", context.info().name, "' has neither ",
                     is_dma_buf ? kArmDmaBuf : kArmHardwareBuffer, " nor ",
                     qualcomm);
}

}  // namespace mace::opencl
