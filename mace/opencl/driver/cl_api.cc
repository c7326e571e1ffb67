// Finding libOpenCL and its entry points.
// SPDX-License-Identifier: Apache-2.0

#include "mace/opencl/driver/cl_api.h"

#include <dlfcn.h>

#include <atomic>

#include "mace/base/fork.h"
#include "mace/base/logging.h"
#include "mace/base/str_cat.h"

namespace mace::opencl {
namespace {

std::atomic<const ClApi*> test_api{nullptr};

// How to look up functions in a library. That of Pixels has them only after a
// call, and behind a function of its own.
class Library {
 public:
  explicit Library(void* handle) : handle_(handle) {
    const auto enable =
        reinterpret_cast<void (*)()>(dlsym(handle, "enableOpenCL"));
    find_ = reinterpret_cast<void* (*)(const char*)>(
        dlsym(handle, "loadOpenCLPointer"));
    if (enable != nullptr && find_ != nullptr) enable();
  }

  void* Find(const char* name) const {
    void* const found = find_ != nullptr ? find_(name) : nullptr;
    return found != nullptr ? found : dlsym(handle_, name);
  }

 private:
  void* const handle_;
  void* (*find_)(const char*);
};

// Returns the first function that the library lacks; null: it has all.
const char* FillFrom(const Library& library, ClApi* api) {
  for (const ClEntry& entry : Entries(*api)) {
    *entry.slot = library.Find(entry.name);
    if (*entry.slot == nullptr) return entry.name;
  }
  return nullptr;
}

}  // namespace

Result<ClApi> LoadClApi(const std::vector<std::string>& paths) {
  std::string absent, incomplete;
  for (const std::string& path : paths) {
    // Never closed: drivers start threads.
    void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
      absent += StrCat(absent.empty() ? "" : ", ", path);
      continue;
    }
    ClApi api = {};
    const char* const lacks = FillFrom(Library(handle), &api);
    if (lacks == nullptr) {
      VLOG(1) << "OpenCL library: " << path;
      return api;
    }
    incomplete +=
        StrCat(incomplete.empty() ? "" : ", ", path, " lacks ", lacks);
  }
  if (incomplete.empty()) {
    return Unsupported("there is no OpenCL library on this system; looked for ",
                       absent);
  }
  return Unsupported(
      "no OpenCL library of this system has OpenCL 1.2: ", incomplete,
      absent.empty() ? "" : StrCat("; there is no ", absent));
}

std::vector<std::string> LibraryPaths() {
  std::vector<std::string> paths;
#ifdef __ANDROID__
  const std::string lib = sizeof(void*) == 8 ? "lib64" : "lib";
  // The bare name follows the rules that the linker has for apps; the paths are
  // where vendors put OpenCL into their graphics drivers.
  paths = {"libOpenCL.so"};
  for (const char* root : {"/vendor/", "/system/vendor/", "/system/"}) {
    paths.push_back(root + lib + "/libOpenCL.so");
  }
  for (const char* root : {"/vendor/", "/system/vendor/", "/system/"}) {
    paths.push_back(root + lib + "/egl/libGLES_mali.so");
  }
  paths.push_back("/system/vendor/" + lib + "/libPVROCL.so");
  paths.push_back("libOpenCL-pixel.so");
  paths.push_back("libOpenCL-car.so");
#else
  paths = {"libOpenCL.so.1", "libOpenCL.so", "/usr/lib/libOpenCL.so.1",
           "/usr/local/lib/libOpenCL.so.1", "libmali.so"};
#endif
  return paths;
}

std::vector<ClEntry> Entries(ClApi& api) {
  const auto entry = [](const char* name, auto& slot) {
    return ClEntry{name, reinterpret_cast<void**>(&slot)};
  };
  return {
      entry("clGetPlatformIDs", api.clGetPlatformIDs),
      entry("clGetPlatformInfo", api.clGetPlatformInfo),
      entry("clGetDeviceIDs", api.clGetDeviceIDs),
      entry("clGetDeviceInfo", api.clGetDeviceInfo),
      entry("clGetExtensionFunctionAddressForPlatform",
            api.clGetExtensionFunctionAddressForPlatform),
      entry("clCreateContext", api.clCreateContext),
      entry("clGetContextInfo", api.clGetContextInfo),
      entry("clRetainContext", api.clRetainContext),
      entry("clReleaseContext", api.clReleaseContext),
      entry("clCreateCommandQueue", api.clCreateCommandQueue),
      entry("clReleaseCommandQueue", api.clReleaseCommandQueue),
      entry("clCreateBuffer", api.clCreateBuffer),
      entry("clCreateImage", api.clCreateImage),
      entry("clGetSupportedImageFormats", api.clGetSupportedImageFormats),
      entry("clReleaseMemObject", api.clReleaseMemObject),
      entry("clGetMemObjectInfo", api.clGetMemObjectInfo),
      entry("clGetImageInfo", api.clGetImageInfo),
      entry("clCreateProgramWithSource", api.clCreateProgramWithSource),
      entry("clCreateProgramWithBinary", api.clCreateProgramWithBinary),
      entry("clBuildProgram", api.clBuildProgram),
      entry("clGetProgramInfo", api.clGetProgramInfo),
      entry("clGetProgramBuildInfo", api.clGetProgramBuildInfo),
      entry("clReleaseProgram", api.clReleaseProgram),
      entry("clCreateKernel", api.clCreateKernel),
      entry("clReleaseKernel", api.clReleaseKernel),
      entry("clSetKernelArg", api.clSetKernelArg),
      entry("clGetKernelWorkGroupInfo", api.clGetKernelWorkGroupInfo),
      entry("clEnqueueNDRangeKernel", api.clEnqueueNDRangeKernel),
      entry("clEnqueueReadBuffer", api.clEnqueueReadBuffer),
      entry("clEnqueueWriteBuffer", api.clEnqueueWriteBuffer),
      entry("clEnqueueMapBuffer", api.clEnqueueMapBuffer),
      entry("clEnqueueUnmapMemObject", api.clEnqueueUnmapMemObject),
      entry("clFlush", api.clFlush),
      entry("clFinish", api.clFinish),
      entry("clWaitForEvents", api.clWaitForEvents),
      entry("clGetEventProfilingInfo", api.clGetEventProfilingInfo),
      entry("clRetainEvent", api.clRetainEvent),
      entry("clReleaseEvent", api.clReleaseEvent),
  };
}

void SetClApiForTesting(const ClApi* api) { test_api = api; }

Result<const ClApi*> SystemClApi() {
  if (const ClApi* api = test_api) return api;
  const HoldLog hold_log;
  const HoldFork hold_fork;
  static const auto* loaded = new Result<ClApi>(LoadClApi(LibraryPaths()));
  if (!loaded->ok()) return loaded->status();
  return &**loaded;
}

std::string ClErrorName(cl_int code) {
  struct Row {
    cl_int code;
    const char* name;
  };
  // From CL/cl.h: the errors that the functions of ClApi can return.
  static constexpr Row kRows[] = {
      {CL_DEVICE_NOT_FOUND, "CL_DEVICE_NOT_FOUND"},
      {CL_DEVICE_NOT_AVAILABLE, "CL_DEVICE_NOT_AVAILABLE"},
      {CL_COMPILER_NOT_AVAILABLE, "CL_COMPILER_NOT_AVAILABLE"},
      {CL_MEM_OBJECT_ALLOCATION_FAILURE, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
      {CL_OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES"},
      {CL_OUT_OF_HOST_MEMORY, "CL_OUT_OF_HOST_MEMORY"},
      {CL_PROFILING_INFO_NOT_AVAILABLE, "CL_PROFILING_INFO_NOT_AVAILABLE"},
      {CL_IMAGE_FORMAT_NOT_SUPPORTED, "CL_IMAGE_FORMAT_NOT_SUPPORTED"},
      {CL_BUILD_PROGRAM_FAILURE, "CL_BUILD_PROGRAM_FAILURE"},
      {CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
       "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"},
      {CL_INVALID_VALUE, "CL_INVALID_VALUE"},
      {CL_INVALID_PLATFORM, "CL_INVALID_PLATFORM"},
      {CL_INVALID_DEVICE, "CL_INVALID_DEVICE"},
      {CL_INVALID_CONTEXT, "CL_INVALID_CONTEXT"},
      {CL_INVALID_COMMAND_QUEUE, "CL_INVALID_COMMAND_QUEUE"},
      {CL_INVALID_MEM_OBJECT, "CL_INVALID_MEM_OBJECT"},
      {CL_INVALID_IMAGE_SIZE, "CL_INVALID_IMAGE_SIZE"},
      {CL_INVALID_BINARY, "CL_INVALID_BINARY"},
      {CL_INVALID_BUILD_OPTIONS, "CL_INVALID_BUILD_OPTIONS"},
      {CL_INVALID_PROGRAM, "CL_INVALID_PROGRAM"},
      {CL_INVALID_PROGRAM_EXECUTABLE, "CL_INVALID_PROGRAM_EXECUTABLE"},
      {CL_INVALID_KERNEL_NAME, "CL_INVALID_KERNEL_NAME"},
      {CL_INVALID_KERNEL, "CL_INVALID_KERNEL"},
      {CL_INVALID_ARG_INDEX, "CL_INVALID_ARG_INDEX"},
      {CL_INVALID_ARG_VALUE, "CL_INVALID_ARG_VALUE"},
      {CL_INVALID_ARG_SIZE, "CL_INVALID_ARG_SIZE"},
      {CL_INVALID_KERNEL_ARGS, "CL_INVALID_KERNEL_ARGS"},
      {CL_INVALID_WORK_GROUP_SIZE, "CL_INVALID_WORK_GROUP_SIZE"},
      {CL_INVALID_WORK_ITEM_SIZE, "CL_INVALID_WORK_ITEM_SIZE"},
      {CL_INVALID_EVENT, "CL_INVALID_EVENT"},
      {CL_INVALID_OPERATION, "CL_INVALID_OPERATION"},
      {CL_INVALID_BUFFER_SIZE, "CL_INVALID_BUFFER_SIZE"},
  };
  for (const Row& row : kRows) {
    if (row.code == code) {
      return StrCat(row.name, " (", code, ")");
    }
  }
  return StrCat("OpenCL error ", code);
}

Status ClStatus(cl_int code, const std::string& what) {
  if (code == CL_SUCCESS) return Status();
  const std::string message = StrCat(what, ": ", ClErrorName(code));
  if (code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_RESOURCES ||
      code == CL_OUT_OF_HOST_MEMORY) {
    return OutOfResources(message);
  }
  return RuntimeError(message);
}

}  // namespace mace::opencl
