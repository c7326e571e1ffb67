// Choosing a device and making its context.
// SPDX-License-Identifier: Apache-2.0

#include "mace/opencl/driver/cl_context.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "mace/base/logging.h"
#include "mace/base/str_cat.h"
#include "mace/graph/tensor_type.h"

namespace mace::opencl {
namespace {

struct Candidate {
  cl_platform_id platform;
  cl_device_id device;
  DeviceInfo info;
};

std::string PlatformName(const ClApi& api, cl_platform_id platform) {
  char name[128] = {};
  if (api.clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof(name) - 1, name,
                            nullptr) != CL_SUCCESS) {
    return "unnamed platform";
  }
  return name;
}

// Returns the devices of all platforms. A platform without devices is no error.
Result<std::vector<Candidate>> AllDevices(const ClApi& api) {
  cl_uint num_platforms = 0;
  const cl_int code = api.clGetPlatformIDs(0, nullptr, &num_platforms);
  // The ICD loader has an error code of its own if it finds no driver.
  constexpr cl_int kPlatformNotFoundKhr = -1001;
  if (code == kPlatformNotFoundKhr || (code == CL_SUCCESS && !num_platforms)) {
    return Unsupported("OpenCL has no platform: no driver is installed");
  }
  MACE_RETURN_IF_ERROR(ClStatus(code, "clGetPlatformIDs"));
  std::vector<cl_platform_id> platforms(num_platforms);
  MACE_RETURN_IF_ERROR(
      ClStatus(api.clGetPlatformIDs(num_platforms, platforms.data(), nullptr),
               "clGetPlatformIDs"));
  std::vector<Candidate> candidates;
  for (cl_platform_id platform : platforms) {
    cl_uint num_devices = 0;
    if (api.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr,
                           &num_devices) != CL_SUCCESS ||
        num_devices == 0) {
      continue;
    }
    std::vector<cl_device_id> devices(num_devices);
    if (api.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, num_devices,
                           devices.data(), nullptr) != CL_SUCCESS) {
      continue;
    }
    for (cl_device_id device : devices) {
      candidates.push_back({platform, device, ReadInfo(api, device)});
      candidates.back().info.platform = PlatformName(api, platform);
    }
  }
  return candidates;
}

Result<Candidate> ChooseDevice(const ClApi& api) {
  MACE_ASSIGN_OR_RETURN(const std::vector<Candidate> all, AllDevices(api));
  const Candidate* best = nullptr;
  std::string reasons;
  for (const Candidate& candidate : all) {
    const std::string unfit = WhyUnfit(candidate.info);
    if (!unfit.empty()) {
      reasons += StrCat("; '", candidate.info.name, "' ", unfit);
      continue;
    }
    if (best == nullptr || (candidate.info.is_gpu && !best->info.is_gpu)) {
      best = &candidate;
    }
  }
  if (best == nullptr) {
    return Unsupported("OpenCL has no device to run on",
                       reasons.empty() ? ": its platforms are empty" : reasons);
  }
  return *best;
}

// Values of cl_qcom_perf_hint and cl_qcom_priority_hint, from the text of the
// extensions in the Khronos registry.
constexpr cl_context_properties kContextPerfHint = 0x40C2;
constexpr cl_context_properties kPerfHints[] = {0, 0x40C5, 0x40C4, 0x40C3};
constexpr cl_context_properties kContextPriorityHint = 0x40C9;
constexpr cl_context_properties kPriorityHints[] = {0, 0x40CC, 0x40CB, 0x40CA};

std::vector<cl_context_properties> Properties(const Candidate& chosen,
                                              const ContextOptions& options) {
  std::vector<cl_context_properties> properties = {
      CL_CONTEXT_PLATFORM,
      reinterpret_cast<cl_context_properties>(chosen.platform)};
  const auto add = [&](const char* extension, cl_context_properties property,
                       cl_context_properties value) {
    if (value == 0) return;
    if (chosen.info.has_extension(extension)) {
      properties.insert(properties.end(), {property, value});
    } else {
      VLOG(1) << chosen.info.name << " has no " << extension
              << ": the hint is ignored";
    }
  };
  add("cl_qcom_perf_hint", kContextPerfHint, kPerfHints[options.perf_hint]);
  add("cl_qcom_priority_hint", kContextPriorityHint,
      kPriorityHints[options.priority_hint]);
  properties.push_back(0);
  return properties;
}

// The app's device, which its context must have.
Result<Candidate> DeviceOfApp(const ClApi& api, const ContextOptions& options) {
  size_t bytes = 0;
  cl_int code = api.clGetContextInfo(options.context, CL_CONTEXT_DEVICES, 0,
                                     nullptr, &bytes);
  std::vector<cl_device_id> devices(bytes / sizeof(cl_device_id));
  if (code == CL_SUCCESS) {
    code = api.clGetContextInfo(options.context, CL_CONTEXT_DEVICES, bytes,
                                devices.data(), nullptr);
  }
  if (code != CL_SUCCESS) {
    return InvalidArgument("SetOpenCLContext: the driver does not know the ",
                           "cl_context: ", ClErrorName(code));
  }
  if (std::count(devices.begin(), devices.end(), options.device) == 0) {
    return InvalidArgument(
        "SetOpenCLContext: the cl_context is not one of the cl_device_id");
  }
  Candidate chosen = {nullptr, options.device, ReadInfo(api, options.device)};
  MACE_RETURN_IF_ERROR(ClStatus(
      api.clGetDeviceInfo(chosen.device, CL_DEVICE_PLATFORM,
                          sizeof(chosen.platform), &chosen.platform, nullptr),
      "clGetDeviceInfo of CL_DEVICE_PLATFORM"));
  chosen.info.platform = PlatformName(api, chosen.platform);
  const std::string unfit = WhyUnfit(chosen.info);
  if (unfit.empty()) return chosen;
  return Unsupported("SetOpenCLContext: '", chosen.info.name, "' ", unfit);
}

Result<cl_context> RetainContext(const ClApi& api, cl_context context) {
  MACE_RETURN_IF_ERROR(
      ClStatus(api.clRetainContext(context), "clRetainContext"));
  return context;
}

Result<cl_context> CreateContext(const ClApi& api, const Candidate& chosen,
                                 const ContextOptions& options) {
  const auto properties = Properties(chosen, options);
  cl_int code = CL_SUCCESS;
  cl_context context = api.clCreateContext(properties.data(), 1, &chosen.device,
                                           nullptr, nullptr, &code);
  MACE_RETURN_IF_ERROR(ClStatus(code, "clCreateContext"));
  return context;
}

cl_channel_type ChannelTypeOf(PixelType type) {
  switch (type) {
    case PixelType::kFloat:
      return CL_FLOAT;
    case PixelType::kHalf:
      return CL_HALF_FLOAT;
    case PixelType::kSnorm8:
      return CL_SNORM_INT8;
    case PixelType::kUnorm8:
      return CL_UNORM_INT8;
  }
  return CL_FLOAT;
}

}  // namespace

int64_t BytesOfPixel(PixelType type) {
  return type == PixelType::kFloat ? 16 : type == PixelType::kHalf ? 8 : 4;
}

Result<std::unique_ptr<ClContext>> ClContext::Create(
    const ClApi& api, const ContextOptions& options) {
  const bool is_own = options.context == nullptr;
  MACE_ASSIGN_OR_RETURN(const Candidate chosen,
                        is_own ? ChooseDevice(api) : DeviceOfApp(api, options));
  MACE_ASSIGN_OR_RETURN(cl_context context,
                        is_own ? CreateContext(api, chosen, options)
                               : RetainContext(api, options.context));
  std::unique_ptr<ClContext> made(new ClContext);
  made->api_ = &api;
  made->device_ = chosen.device;
  made->info_ = chosen.info;
  made->context_ = {context, api.clReleaseContext};
  ReadImageFormats(api, context, &made->info_);
  VLOG(1) << "GPU: " << chosen.info.name << " of " << chosen.info.platform
          << ", " << chosen.info.version << ", driver " << chosen.info.driver;
  return made;
}

Result<ClQueueHandle> ClContext::CreateQueue(bool profiling) const {
  cl_int code = CL_SUCCESS;
  cl_command_queue queue = api_->clCreateCommandQueue(
      context_.get(), device_, profiling ? CL_QUEUE_PROFILING_ENABLE : 0,
      &code);
  MACE_RETURN_IF_ERROR(ClStatus(code, "clCreateCommandQueue"));
  return ClQueueHandle(queue, api_->clReleaseCommandQueue);
}

Result<ClMem> ClContext::CreateBuffer(size_t bytes,
                                      const void* contents) const {
  MACE_ASSIGN_OR_RETURN(
      MemoryShare share,
      MemoryShare::Take(static_cast<int64_t>(bytes), "a buffer of the GPU"));
  cl_int code = CL_SUCCESS;
  cl_mem memory = api_->clCreateBuffer(
      context_.get(),
      CL_MEM_READ_WRITE | (contents != nullptr ? CL_MEM_COPY_HOST_PTR : 0),
      bytes, const_cast<void*>(contents), &code);
  MACE_RETURN_IF_ERROR(
      ClStatus(code, StrCat("clCreateBuffer of ", bytes, " bytes")));
  return ClMem(memory, api_->clReleaseMemObject, std::move(share));
}

ClMem ClContext::WrapHost(void* data, size_t bytes) const {
  // Drivers copy memory that does not begin at a cache line.
  constexpr uintptr_t kLine = 64;
  if (!info_.unified_memory || reinterpret_cast<uintptr_t>(data) % kLine != 0) {
    return ClMem();
  }
  cl_int code = CL_SUCCESS;
  cl_mem memory = api_->clCreateBuffer(context_.get(),
                                       CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR,
                                       bytes, data, &code);
  return code == CL_SUCCESS ? ClMem(memory, api_->clReleaseMemObject) : ClMem();
}

Result<ClMem> ClContext::CreateImage(size_t width, size_t height,
                                     PixelType type,
                                     const void* contents) const {
  const int64_t bytes =
      SaturatedProduct({static_cast<int64_t>(width),
                        static_cast<int64_t>(height), BytesOfPixel(type)});
  MACE_ASSIGN_OR_RETURN(MemoryShare share,
                        MemoryShare::Take(bytes, "an image of the GPU"));
  const cl_image_format format = {CL_RGBA, ChannelTypeOf(type)};
  cl_image_desc desc = {};
  desc.image_type = CL_MEM_OBJECT_IMAGE2D;
  desc.image_width = width;
  desc.image_height = height;
  cl_int code = CL_SUCCESS;
  cl_mem memory = api_->clCreateImage(
      context_.get(),
      contents != nullptr ? CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR
                          : CL_MEM_READ_WRITE,
      &format, &desc, const_cast<void*>(contents), &code);
  MACE_RETURN_IF_ERROR(ClStatus(
      code, StrCat("clCreateImage of ", width, "x", height, " pixels")));
  return ClMem(memory, api_->clReleaseMemObject, std::move(share));
}

}  // namespace mace::opencl
