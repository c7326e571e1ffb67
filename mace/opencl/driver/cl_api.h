// ClApi: the entry points of libOpenCL that the backend uses, as a table.
// SPDX-License-Identifier: Apache-2.0
//
// Nothing links against libOpenCL: the table is filled with dlopen, and tests
// put their own functions into a copy of it.
#ifndef MACE_OPENCL_DRIVER_CL_API_H_
#define MACE_OPENCL_DRIVER_CL_API_H_

#include <CL/cl.h>

#include <string>
#include <vector>

#include "mace/base/status.h"

namespace mace::opencl {

struct ClApi {
  decltype(&::clGetPlatformIDs) clGetPlatformIDs;
  decltype(&::clGetPlatformInfo) clGetPlatformInfo;
  decltype(&::clGetDeviceIDs) clGetDeviceIDs;
  decltype(&::clGetDeviceInfo) clGetDeviceInfo;
  decltype(&::clCreateContext) clCreateContext;
  decltype(&::clReleaseContext) clReleaseContext;
  decltype(&::clCreateCommandQueue) clCreateCommandQueue;
  decltype(&::clReleaseCommandQueue) clReleaseCommandQueue;
  decltype(&::clCreateBuffer) clCreateBuffer;
  decltype(&::clCreateImage) clCreateImage;
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

// A row of the table: an entry point's name and where it is kept.
struct ClEntry {
  const char* name;
  void** slot;
};

// Every entry point of `api`.
std::vector<ClEntry> Entries(ClApi& api);

// The table of the system's libOpenCL, which stays loaded; looked for once.
// Errors: MACE_UNSUPPORTED if there is none (the message lists the places) or
// it lacks an entry point.
Result<const ClApi*> SystemClApi();

// For tests: SystemClApi gives `api` from now on, which must stay; null: the
// system's again. Not while an engine uses the GPU.
void SetClApiForTesting(const ClApi* api);

// The places where libOpenCL is looked for, in order.
std::vector<std::string> LibraryPaths();

// "CL_OUT_OF_RESOURCES (-5)".
std::string ClErrorName(cl_int code);

// OK for CL_SUCCESS. MACE_OUT_OF_RESOURCES for what lack of memory gives, else
// MACE_RUNTIME_ERROR; the message starts with `what`.
Status ClStatus(cl_int code, const std::string& what);

}  // namespace mace::opencl

#endif  // MACE_OPENCL_DRIVER_CL_API_H_
