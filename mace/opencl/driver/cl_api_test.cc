// Finding the functions of OpenCL in the libraries that systems have.
// SPDX-License-Identifier: Apache-2.0

#include "mace/opencl/driver/cl_api.h"

#include <gtest/gtest.h>

#include <string>

namespace mace::opencl {
namespace {

constexpr char kPixel[] = "mace/opencl/libpixel_stand_in.so";

bool HasAll(ClApi api) {
  for (const ClEntry& entry : Entries(api)) {
    if (*entry.slot == nullptr) return false;
  }
  return true;
}

TEST(ClApi, APixelsFunctionsComeAfterItsCall) {
  const auto api = LoadClApi({kPixel});
  ASSERT_TRUE(api.ok()) << api.status().information();
  EXPECT_TRUE(HasAll(*api));
}

TEST(ClApi, TheSearchGoesOnBehindALibraryWithoutTheFunctions) {
  const auto api = LoadClApi({"libnone.so", "libm.so.6", kPixel});
  ASSERT_TRUE(api.ok()) << api.status().information();
  EXPECT_TRUE(HasAll(*api));
}

TEST(ClApi, AMessageNamesWhatWasLookedAt) {
  EXPECT_EQ(LoadClApi({"libnone.so", "libnope.so"}).status().information(),
            "there is no OpenCL library on this system; looked for libnone.so, "
            "libnope.so");
  EXPECT_EQ(LoadClApi({"libnone.so", "libm.so.6"}).status().information(),
            "no OpenCL library of this system has OpenCL 1.2: libm.so.6 lacks "
            "clGetPlatformIDs; there is no libnone.so");
}

}  // namespace
}  // namespace mace::opencl
