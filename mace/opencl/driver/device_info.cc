// Asking a device for its properties.
// SPDX-License-Identifier: Apache-2.0

#include "mace/opencl/driver/device_info.h"

#include <cstdio>
#include <vector>

#include "mace/base/str_cat.h"

namespace mace::opencl {
namespace {

std::string Text(const ClApi& api, cl_device_id device, cl_device_info what) {
  size_t size = 0;
  if (api.clGetDeviceInfo(device, what, 0, nullptr, &size) != CL_SUCCESS ||
      size == 0) {
    return "";
  }
  std::string text(size, '\0');
  if (api.clGetDeviceInfo(device, what, size, text.data(), nullptr) !=
      CL_SUCCESS) {
    return "";
  }
  text.resize(text.find_last_not_of(std::string("\0 ", 2)) + 1);
  return text;
}

// Returns 0 if the driver does not report the property.
template <typename T>
T Number(const ClApi& api, cl_device_id device, cl_device_info what) {
  T value = 0;
  const cl_int code =
      api.clGetDeviceInfo(device, what, sizeof(value), &value, nullptr);
  return code == CL_SUCCESS ? value : T{0};
}

}  // namespace

bool DeviceInfo::has_extension(const std::string& extension) const {
  return (StrCat(" ", extensions, " ")).find(StrCat(" ", extension, " ")) !=
         std::string::npos;
}

DeviceInfo ReadInfo(const ClApi& api, cl_device_id device) {
  DeviceInfo info;
  info.name = Text(api, device, CL_DEVICE_NAME);
  info.driver = Text(api, device, CL_DRIVER_VERSION);
  info.version = Text(api, device, CL_DEVICE_VERSION);
  info.extensions = Text(api, device, CL_DEVICE_EXTENSIONS);
  // The standard's form: "OpenCL <major>.<minor> <vendor-specific text>".
  std::sscanf(info.version.c_str(), "OpenCL %d.%d", &info.major, &info.minor);
  const auto type = Number<cl_device_type>(api, device, CL_DEVICE_TYPE);
  info.is_gpu = (type & CL_DEVICE_TYPE_GPU) != 0;
  info.is_available = Number<cl_bool>(api, device, CL_DEVICE_AVAILABLE) != 0;
  info.has_compiler =
      Number<cl_bool>(api, device, CL_DEVICE_COMPILER_AVAILABLE) != 0;
  info.has_images = Number<cl_bool>(api, device, CL_DEVICE_IMAGE_SUPPORT) != 0;
  info.unified_memory =
      Number<cl_bool>(api, device, CL_DEVICE_HOST_UNIFIED_MEMORY) != 0;
  info.max_image_width =
      Number<size_t>(api, device, CL_DEVICE_IMAGE2D_MAX_WIDTH);
  info.max_image_height =
      Number<size_t>(api, device, CL_DEVICE_IMAGE2D_MAX_HEIGHT);
  info.max_group_size =
      Number<size_t>(api, device, CL_DEVICE_MAX_WORK_GROUP_SIZE);
  info.compute_units =
      Number<cl_uint>(api, device, CL_DEVICE_MAX_COMPUTE_UNITS);
  info.local_bytes = Number<cl_ulong>(api, device, CL_DEVICE_LOCAL_MEM_SIZE);
  size_t sizes[8] = {};  // one per dimension; the standard has three
  if (api.clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof(sizes),
                          sizes, nullptr) == CL_SUCCESS) {
    for (int i = 0; i < 3; ++i) info.max_group_sizes[i] = sizes[i];
  }
  return info;
}

void ReadImageFormats(const ClApi& api, cl_context context, DeviceInfo* info) {
  cl_uint count = 0;
  const auto ask = [&](cl_uint most, cl_image_format* formats, cl_uint* n) {
    return api.clGetSupportedImageFormats(context, CL_MEM_READ_ONLY,
                                          CL_MEM_OBJECT_IMAGE2D, most, formats,
                                          n) == CL_SUCCESS;
  };
  // Drivers report some tens.
  constexpr cl_uint kMaxFormats = 4096;
  if (!ask(0, nullptr, &count) || count == 0 || count > kMaxFormats) return;
  std::vector<cl_image_format> formats(count);
  if (!ask(count, formats.data(), nullptr)) return;
  for (const cl_image_format& format : formats) {
    if (format.image_channel_order != CL_RGBA) continue;
    const cl_channel_type type = format.image_channel_data_type;
    info->has_snorm8_images |= type == CL_SNORM_INT8;
    info->has_unorm8_images |= type == CL_UNORM_INT8;
  }
}

std::string WhyUnfit(const DeviceInfo& info) {
  if (!info.is_available) return "is not available";
  if (!info.has_compiler) return "has no compiler";
  if (info.major < 1 || (info.major == 1 && info.minor < 2)) {
    return StrCat("has ", info.version.empty() ? "no version" : info.version,
                  ", OpenCL 1.2 is needed");
  }
  // The standard demands at least 8192 pixels a side for the full profile.
  if (!info.has_images || info.max_image_width == 0 ||
      info.max_image_height == 0) {
    return "has no images";
  }
  if (info.max_group_size == 0 || info.max_group_sizes[0] == 0) {
    return "does not report the size of its work groups";
  }
  return "";
}

}  // namespace mace::opencl
