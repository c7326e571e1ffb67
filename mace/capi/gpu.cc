// The GPU settings that engines share, in C.
// SPDX-License-Identifier: Apache-2.0

#include <new>

#include "mace/capi/objects.h"
#include "mace/capi/status.h"

struct mace_gpu_context_builder {
  mace::GPUContextBuilder builder;
};

namespace capi = mace::capi;

extern "C" {

mace_status_t mace_gpu_context_builder_create(
    mace_gpu_context_builder_t** builder) {
  MACE_CAPI_NOT_NULL(builder);
  *builder = new (std::nothrow) mace_gpu_context_builder;
  return capi::Made(*builder);
}

void mace_gpu_context_builder_destroy(mace_gpu_context_builder_t* builder) {
  delete builder;
}

mace_status_t mace_gpu_context_builder_set_storage_path(
    mace_gpu_context_builder_t* builder, const char* folder) {
  MACE_CAPI_NOT_NULL(builder);
  MACE_CAPI_NOT_NULL(folder);
  builder->builder.SetStoragePath(folder);
  return MACE_SUCCESS;
}

mace_status_t mace_gpu_context_builder_set_opencl_binary_paths(
    mace_gpu_context_builder_t* builder, const char* const* paths,
    size_t count) {
  MACE_CAPI_NOT_NULL(builder);
  std::vector<std::string> copies;
  MACE_CAPI_RETURN_IF_ERROR(
      capi::CopyNames(__func__, "paths", paths, count, &copies));
  builder->builder.SetOpenCLBinaryPaths(copies);
  return MACE_SUCCESS;
}

mace_status_t mace_gpu_context_builder_set_opencl_parameter_path(
    mace_gpu_context_builder_t* builder, const char* path) {
  MACE_CAPI_NOT_NULL(builder);
  MACE_CAPI_NOT_NULL(path);
  builder->builder.SetOpenCLParameterPath(path);
  return MACE_SUCCESS;
}

mace_status_t mace_gpu_context_builder_set_progress(
    mace_gpu_context_builder_t* builder,
    void (*progress)(void* user, int32_t done, int32_t total), void* user) {
  MACE_CAPI_NOT_NULL(builder);
  if (progress == nullptr) {
    builder->builder.SetProgressCallback(nullptr);
  } else {
    builder->builder.SetProgressCallback(
        [progress, user](int done, int total) { progress(user, done, total); });
  }
  return MACE_SUCCESS;
}

mace_status_t mace_gpu_context_builder_set_opencl_context(
    mace_gpu_context_builder_t* builder, void* cl_context, void* cl_device_id) {
  MACE_CAPI_NOT_NULL(builder);
  MACE_CAPI_NOT_NULL(cl_context);
  MACE_CAPI_NOT_NULL(cl_device_id);
  mace::MaceGPUHandles handles;
  handles.context = cl_context;
  handles.device = cl_device_id;
  builder->builder.SetOpenCLContext(handles);
  return MACE_SUCCESS;
}

mace_status_t mace_gpu_context_builder_build(
    mace_gpu_context_builder_t* builder, mace_gpu_context_t** context) {
  MACE_CAPI_NOT_NULL(context);
  *context = nullptr;
  MACE_CAPI_NOT_NULL(builder);
  *context = new (std::nothrow) mace_gpu_context{builder->builder.Finalize()};
  return capi::Made(*context);
}

void mace_gpu_context_destroy(mace_gpu_context_t* context) { delete context; }

}  // extern "C"
