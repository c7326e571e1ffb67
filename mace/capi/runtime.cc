// Settings of the process in C.
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "mace/capi/objects.h"
#include "mace/capi/status.h"
#include "mace/public/mace_runtime.h"

namespace capi = mace::capi;

namespace mace::capi {
namespace {

// Copies as many numbers as there is space for, and stores how many there are.
void CopyIds(const std::vector<int>& ids, int32_t* copies, size_t* count) {
  std::copy_n(ids.begin(), std::min(*count, ids.size()), copies);
  *count = ids.size();
}

}  // namespace
}  // namespace mace::capi

extern "C" {

mace_status_t mace_set_cpu_thread_policy(int32_t num_threads,
                                         mace_cpu_affinity_t policy) {
  MACE_CAPI_RETURN_IF_ERROR(
      capi::CheckRange(__func__, "policy", policy, MACE_AFFINITY_POWER_SAVE));
  return capi::Report(mace::SetOpenMPThreadPolicy(
      num_threads, static_cast<mace::CPUAffinityPolicy>(policy)));
}

mace_status_t mace_set_cpu_thread_affinity(int32_t num_threads,
                                           const int32_t* core_ids,
                                           size_t count) {
  MACE_CAPI_RETURN_IF_ERROR(
      capi::CheckArray(__func__, "core_ids", core_ids, count));
  mace::SetOpenMPThreadAffinity(num_threads,
                                std::vector<int>(core_ids, core_ids + count));
  return MACE_SUCCESS;
}

mace_status_t mace_get_big_little_core_ids(int32_t* big, size_t* num_big,
                                           int32_t* little,
                                           size_t* num_little) {
  MACE_CAPI_NOT_NULL(num_big);
  MACE_CAPI_NOT_NULL(num_little);
  if (*num_big > 0) MACE_CAPI_NOT_NULL(big);
  if (*num_little > 0) MACE_CAPI_NOT_NULL(little);
  std::vector<int> big_ids, little_ids;
  MACE_CAPI_RETURN_IF_ERROR(
      capi::Report(mace::GetBigLittleCoreIDs(&big_ids, &little_ids)));
  capi::CopyIds(big_ids, big, num_big);
  capi::CopyIds(little_ids, little, num_little);
  return MACE_SUCCESS;
}

mace_status_t mace_set_gpu_hints(mace_gpu_perf_t perf,
                                 mace_gpu_priority_t priority) {
  MACE_CAPI_RETURN_IF_ERROR(
      capi::CheckRange(__func__, "perf", perf, MACE_PERF_HIGH));
  MACE_CAPI_RETURN_IF_ERROR(
      capi::CheckRange(__func__, "priority", priority, MACE_PRIORITY_HIGH));
  mace::SetGPUHints(static_cast<mace::GPUPerfHint>(perf),
                    static_cast<mace::GPUPriorityHint>(priority));
  return MACE_SUCCESS;
}

int32_t mace_run_driver_probe(const char* device) {
  return mace::RunDriverProbe(mace::StringOrEmpty(device));
}

mace_status_t mace_set_opencl_binary_paths(const char* const* paths,
                                           size_t count) {
  std::vector<std::string> copies;
  MACE_CAPI_RETURN_IF_ERROR(
      capi::CopyNames(__func__, "paths", paths, count, &copies));
  mace::SetOpenCLBinaryPaths(copies);
  return MACE_SUCCESS;
}

}  // extern "C"
