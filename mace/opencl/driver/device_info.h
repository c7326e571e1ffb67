// What an OpenCL device reports about itself.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPENCL_DRIVER_DEVICE_INFO_H_
#define MACE_OPENCL_DRIVER_DEVICE_INFO_H_

#include <cstdint>
#include <string>

#include "mace/base/str_cat.h"
#include "mace/opencl/driver/cl_api.h"

namespace mace::opencl {

// Sizes are in pixels, work items or bytes. What is not reported is 0, false or
// empty; a device with WhyUnfit() == "" has all that kernels need.
struct DeviceInfo {
  std::string platform;
  std::string name;
  std::string driver;   // the driver's version
  std::string version;  // "OpenCL 3.0 ..."
  int major = 0, minor = 0;
  bool is_gpu = false;
  bool is_available = false;
  bool has_compiler = false;
  bool has_images = false;
  bool unified_memory = false;  // shared with the host
  size_t max_image_width = 0;
  size_t max_image_height = 0;
  // Work items of a group, in all and in each dimension. A kernel may allow
  // less (Launch::max_items).
  size_t max_group_size = 0;
  size_t max_group_sizes[3] = {};
  cl_uint compute_units = 0;
  uint64_t local_bytes = 0;  // of memory that the items of a group share
  // Names with spaces between.
  std::string extensions;
  // Whether kernels can read RGBA images of 8 bits as -1 to 1, and as 0 to 1.
  bool has_snorm8_images = false;
  bool has_unorm8_images = false;

  // Returns the names of the platform, device and driver: programs and tuning
  // results of one are of no use to another.
  std::string identity() const {
    return StrCat(platform, "|", name, "|", version, "|", driver);
  }
  // Compares whole names.
  bool has_extension(const std::string& extension) const;
};

// Asks the device. A property that the driver does not report is 0 or empty.
// Leaves `platform` and what ReadImageFormats sets to others.
DeviceInfo ReadInfo(const ClApi& api, cl_device_id device);

// Asks which images of 8 bits kernels can read in a context. Where the driver
// does not answer, there are none.
void ReadImageFormats(const ClApi& api, cl_context context, DeviceInfo* info);

// Returns what the device lacks for this backend, or an empty string.
std::string WhyUnfit(const DeviceInfo& info);

}  // namespace mace::opencl

#endif  // MACE_OPENCL_DRIVER_DEVICE_INFO_H_
