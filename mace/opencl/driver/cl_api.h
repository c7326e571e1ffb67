// ClApi: a table of the functions of libOpenCL that this backend calls.
// SPDX-License-Identifier: Apache-2.0
//
// The library does not link against libOpenCL: the table is filled by dlopen,
// and tests replace functions in a copy of it. All functions are of OpenCL 1.2,
// so that a library that lacks one is too old. To add one, write it here and in
// Entries.
#ifndef MACE_OPENCL_DRIVER_CL_API_H_
#define MACE_OPENCL_DRIVER_CL_API_H_

#include <CL/cl.h>

#include <string>
#include <vector>

#include "mace/base/status.h"

namespace mace::opencl {

// None is null in a table of LoadClApi. Functions have the contracts of the
// OpenCL standard; all but clSetKernelArg are thread-safe there.
struct ClApi {
  decltype(&::clGetPlatformIDs) clGetPlatformIDs;
  decltype(&::clGetPlatformInfo) clGetPlatformInfo;
  decltype(&::clGetDeviceIDs) clGetDeviceIDs;
  decltype(&::clGetDeviceInfo) clGetDeviceInfo;
  decltype(&::clGetExtensionFunctionAddressForPlatform)
      clGetExtensionFunctionAddressForPlatform;
  decltype(&::clCreateContext) clCreateContext;
  decltype(&::clGetContextInfo) clGetContextInfo;
  decltype(&::clRetainContext) clRetainContext;
  decltype(&::clReleaseContext) clReleaseContext;
  decltype(&::clCreateCommandQueue) clCreateCommandQueue;
  decltype(&::clReleaseCommandQueue) clReleaseCommandQueue;
  decltype(&::clCreateBuffer) clCreateBuffer;
  decltype(&::clCreateImage) clCreateImage;
  decltype(&::clGetSupportedImageFormats) clGetSupportedImageFormats;
  decltype(&::clReleaseMemObject) clReleaseMemObject;
  decltype(&::clGetMemObjectInfo) clGetMemObjectInfo;
  decltype(&::clGetImageInfo) clGetImageInfo;
  decltype(&::clCreateProgramWithSource) clCreateProgramWithSource;
  decltype(&::clCreateProgramWithBinary) clCreateProgramWithBinary;
  decltype(&::clBuildProgram) clBuildProgram;
  decltype(&::clGetProgramInfo) clGetProgramInfo;
  decltype(&::clGetProgramBuildInfo) clGetProgramBuildInfo;
  decltype(&::clReleaseProgram) clReleaseProgram;
  decltype(&::clCreateKernel) clCreateKernel;
  decltype(&::clReleaseKernel) clReleaseKernel;
  decltype(&::clSetKernelArg) clSetKernelArg;
  decltype(&::clGetKernelWorkGroupInfo) clGetKernelWorkGroupInfo;
  decltype(&::clEnqueueNDRangeKernel) clEnqueueNDRangeKernel;
  decltype(&::clEnqueueReadBuffer) clEnqueueReadBuffer;
  decltype(&::clEnqueueWriteBuffer) clEnqueueWriteBuffer;
  decltype(&::clEnqueueMapBuffer) clEnqueueMapBuffer;
  decltype(&::clEnqueueUnmapMemObject) clEnqueueUnmapMemObject;
  decltype(&::clFlush) clFlush;
  decltype(&::clFinish) clFinish;
  decltype(&::clWaitForEvents) clWaitForEvents;
  decltype(&::clGetEventProfilingInfo) clGetEventProfilingInfo;
  decltype(&::clRetainEvent) clRetainEvent;
  decltype(&::clReleaseEvent) clReleaseEvent;
};

// The name of a function of libOpenCL, and where its address is stored: in the
// ClApi of Entries, which must outlive it.
struct ClEntry {
  const char* name;
  void** slot;
};

// Returns an entry for each function of `api`.
std::vector<ClEntry> Entries(ClApi& api);

// Returns the functions of the first of these libraries that has all of them.
// Libraries that were opened stay loaded, because drivers start threads.
// Errors: MACE_UNSUPPORTED if there is none, with the libraries that are absent
// and the first function that each other one lacks.
Result<ClApi> LoadClApi(const std::vector<std::string>& paths);

// The same for LibraryPaths(), looked for only once: a failure is remembered,
// too. The table is never freed. Thread-safe.
Result<const ClApi*> SystemClApi();

// For tests: makes SystemClApi return `api`, which must outlive its users, or
// the system's functions if `api` is null. No engine may use the GPU meanwhile.
void SetClApiForTesting(const ClApi* api);

// Returns the files that are tried as libOpenCL, in this order. dlopen searches
// for those that are names; the others are paths.
std::vector<std::string> LibraryPaths();

// Returns a text such as "CL_OUT_OF_RESOURCES (-5)", or "OpenCL error -9999"
// for an unknown code.
std::string ClErrorName(cl_int code);

// Returns OK for CL_SUCCESS, MACE_OUT_OF_RESOURCES for codes that mean a lack
// of memory, else MACE_RUNTIME_ERROR: what headers here call errors "of the
// driver". The message starts with `what`, mostly the name of the function.
Status ClStatus(cl_int code, const std::string& what);

}  // namespace mace::opencl

#endif  // MACE_OPENCL_DRIVER_CL_API_H_
