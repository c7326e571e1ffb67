// The settings of engines in C.
// SPDX-License-Identifier: Apache-2.0

#include <new>

#include "mace/capi/objects.h"
#include "mace/capi/status.h"

namespace mace::capi {
namespace {

mace_status_t CheckDevice(const char* function, mace_device_t device) {
  if (device == MACE_CPU || device == MACE_GPU || device == MACE_HEXAGON) {
    return MACE_SUCCESS;
  }
  return Refuse(function,
                "there is no device %d; MACE_CPU is 0, MACE_GPU 2, "
                "MACE_HEXAGON 3",
                static_cast<int>(device));
}

}  // namespace
}  // namespace mace::capi

namespace capi = mace::capi;

extern "C" {

mace_status_t mace_config_create(mace_device_t device, int32_t header_version,
                                 mace_config_t** config) {
  MACE_CAPI_NOT_NULL(config);
  *config = nullptr;
  MACE_CAPI_RETURN_IF_ERROR(capi::CheckDevice(__func__, device));
  *config = new (std::nothrow) mace_config{mace::MaceEngineConfig(
      static_cast<mace::DeviceType>(device), header_version)};
  return capi::Made(*config);
}

mace_status_t mace_config_copy(const mace_config_t* config,
                               mace_config_t** copy) {
  MACE_CAPI_NOT_NULL(copy);
  *copy = nullptr;
  MACE_CAPI_NOT_NULL(config);
  *copy = new (std::nothrow) mace_config{*config};
  return capi::Made(*copy);
}

void mace_config_destroy(mace_config_t* config) { delete config; }

mace_status_t mace_config_set(mace_config_t* config, const char* name,
                              const char* value) {
  MACE_CAPI_NOT_NULL(config);
  MACE_CAPI_NOT_NULL(name);
  MACE_CAPI_NOT_NULL(value);
  return capi::Report(config->config.Set(name, value));
}

mace_status_t mace_config_set_cpu_thread_policy(mace_config_t* config,
                                                int32_t num_threads,
                                                mace_cpu_affinity_t policy) {
  MACE_CAPI_NOT_NULL(config);
  MACE_CAPI_RETURN_IF_ERROR(
      capi::CheckRange(__func__, "policy", policy, MACE_AFFINITY_POWER_SAVE));
  return capi::Report(config->config.SetCPUThreadPolicy(
      num_threads, static_cast<mace::CPUAffinityPolicy>(policy)));
}

mace_status_t mace_config_set_memory_strategy(mace_config_t* config,
                                              const char* strategy) {
  MACE_CAPI_NOT_NULL(config);
  MACE_CAPI_NOT_NULL(strategy);
  return capi::Report(config->config.SetMemoryStrategy(strategy));
}

mace_status_t mace_config_set_memory_savings(mace_config_t* config,
                                             uint32_t savings) {
  MACE_CAPI_NOT_NULL(config);
  mace::MaceMemorySavings wanted;
  wanted.order = (savings & MACE_SAVE_ORDER) != 0;
  wanted.views = (savings & MACE_SAVE_VIEWS) != 0;
  wanted.in_place = (savings & MACE_SAVE_IN_PLACE) != 0;
  wanted.concat = (savings & MACE_SAVE_CONCAT) != 0;
  wanted.overlap = (savings & MACE_SAVE_OVERLAP) != 0;
  config->config.SetMemorySavings(wanted);
  return MACE_SUCCESS;
}

mace_status_t mace_config_set_offline_memory_plan(mace_config_t* config,
                                                  const int32_t* words,
                                                  size_t count) {
  MACE_CAPI_NOT_NULL(config);
  MACE_CAPI_RETURN_IF_ERROR(capi::CheckArray(__func__, "words", words, count));
  return capi::Report(config->config.SetOfflineMemoryPlan(
      std::vector<int32_t>(words, words + count)));
}

mace_status_t mace_config_set_arena(mace_config_t* config, void* data,
                                    size_t bytes) {
  MACE_CAPI_NOT_NULL(config);
  MACE_CAPI_NOT_NULL(data);
  return capi::Report(config->config.SetArena(data, bytes));
}

mace_status_t mace_config_share_memory_with(mace_config_t* config,
                                            const mace_engine_t* engine) {
  MACE_CAPI_NOT_NULL(config);
  return capi::Report(config->config.ShareMemoryWith(
      engine == nullptr ? nullptr : engine->engine.get()));
}

mace_status_t mace_config_set_memory_limit(mace_config_t* config,
                                           size_t bytes) {
  MACE_CAPI_NOT_NULL(config);
  config->config.SetMemoryLimit(bytes);
  return MACE_SUCCESS;
}

mace_status_t mace_config_set_require(mace_config_t* config,
                                      mace_device_t device, double share) {
  MACE_CAPI_NOT_NULL(config);
  return capi::Report(
      config->config.SetRequire(static_cast<mace::DeviceType>(device), share));
}

mace_status_t mace_config_set_driver_probe(mace_config_t* config,
                                           const char* program,
                                           int32_t timeout_ms) {
  MACE_CAPI_NOT_NULL(config);
  MACE_CAPI_NOT_NULL(program);
  return capi::Report(config->config.SetDriverProbe(program, timeout_ms));
}

mace_status_t mace_config_set_winograd(mace_config_t* config,
                                       int32_t largest_tile) {
  MACE_CAPI_NOT_NULL(config);
  return capi::Report(config->config.SetWinograd(largest_tile));
}

mace_status_t mace_config_set_gpu_context(mace_config_t* config,
                                          const mace_gpu_context_t* context) {
  MACE_CAPI_NOT_NULL(config);
  MACE_CAPI_NOT_NULL(context);
  return capi::Report(config->config.SetGPUContext(context->context));
}

mace_status_t mace_config_set_gpu_hints(mace_config_t* config,
                                        mace_gpu_perf_t perf,
                                        mace_gpu_priority_t priority) {
  MACE_CAPI_NOT_NULL(config);
  MACE_CAPI_RETURN_IF_ERROR(
      capi::CheckRange(__func__, "perf", perf, MACE_PERF_HIGH));
  MACE_CAPI_RETURN_IF_ERROR(
      capi::CheckRange(__func__, "priority", priority, MACE_PRIORITY_HIGH));
  return capi::Report(
      config->config.SetGPUHints(static_cast<mace::GPUPerfHint>(perf),
                                 static_cast<mace::GPUPriorityHint>(priority)));
}

mace_status_t mace_config_set_gpu_data_type(mace_config_t* config,
                                            const char* data_type) {
  MACE_CAPI_NOT_NULL(config);
  MACE_CAPI_NOT_NULL(data_type);
  return capi::Report(config->config.SetGPUDataType(data_type));
}

mace_status_t mace_config_set_float32_nodes(mace_config_t* config,
                                            const char* const* names,
                                            size_t count) {
  MACE_CAPI_NOT_NULL(config);
  std::vector<std::string> copies;
  MACE_CAPI_RETURN_IF_ERROR(
      capi::CopyNames(__func__, "names", names, count, &copies));
  config->config.SetFloat32Nodes(copies);
  return MACE_SUCCESS;
}

mace_status_t mace_config_set_numeric_check(mace_config_t* config, bool check) {
  MACE_CAPI_NOT_NULL(config);
  config->config.SetNumericCheck(check);
  return MACE_SUCCESS;
}

mace_status_t mace_config_set_gpu_limits(mace_config_t* config,
                                         int32_t kernel_micros,
                                         int32_t queue_window) {
  MACE_CAPI_NOT_NULL(config);
  return capi::Report(config->config.SetGPULimits(kernel_micros, queue_window));
}

mace_status_t mace_config_set_hexagon_power(mace_config_t* config,
                                            mace_hexagon_corner_t corner,
                                            bool dcvs_enable,
                                            int32_t latency_us) {
  MACE_CAPI_NOT_NULL(config);
  MACE_CAPI_RETURN_IF_ERROR(
      capi::CheckRange(__func__, "corner", corner, MACE_HEXAGON_CORNER_SVS2));
  return capi::Report(config->config.SetHexagonPower(
      static_cast<mace::HexagonNNCornerType>(corner), dcvs_enable, latency_us));
}

mace_status_t mace_config_set_hexagon_to_unsigned_pd(mace_config_t* config) {
  MACE_CAPI_NOT_NULL(config);
  return capi::Report(config->config.SetHexagonToUnsignedPD());
}

mace_status_t mace_config_set_tuning(mace_config_t* config, int32_t budget_ms,
                                     const char* file) {
  MACE_CAPI_NOT_NULL(config);
  return capi::Report(config->config.SetTuning(budget_ms, file));
}

mace_status_t mace_config_set_guard(mace_config_t* config, bool guard) {
  MACE_CAPI_NOT_NULL(config);
  config->config.SetGuard(guard);
  return MACE_SUCCESS;
}

mace_status_t mace_get_capability(mace_device_t device,
                                  float cpu_float32_exec_time, bool* supported,
                                  float* float32_exec_time,
                                  float* quantized8_exec_time) {
  MACE_CAPI_RETURN_IF_ERROR(capi::CheckDevice(__func__, device));
  const mace::Capability found = mace::GetCapability(
      static_cast<mace::DeviceType>(device), cpu_float32_exec_time);
  if (supported != nullptr) *supported = found.supported;
  if (float32_exec_time != nullptr) {
    *float32_exec_time = found.float32_performance.exec_time;
  }
  if (quantized8_exec_time != nullptr) {
    *quantized8_exec_time = found.quantized8_performance.exec_time;
  }
  return MACE_SUCCESS;
}

}  // extern "C"
