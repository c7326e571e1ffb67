// Engines in C.
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "mace/capi/objects.h"
#include "mace/capi/status.h"

namespace mace::capi {
namespace {

mace_status_t CheckRun(const char* function, const mace_engine_t* engine,
                       const mace_tensors_t* inputs,
                       const mace_tensors_t* outputs) {
  if (engine == nullptr) return RefuseNull(function, "engine");
  if (inputs == nullptr) return RefuseNull(function, "inputs");
  if (outputs == nullptr) return RefuseNull(function, "outputs");
  if (inputs != outputs) return MACE_SUCCESS;
  return Refuse(function, "inputs and outputs are the same object; make two");
}

RunMetadata* OrNull(mace_run_metadata_t* metadata) {
  return metadata == nullptr ? nullptr : &metadata->metadata;
}

}  // namespace
}  // namespace mace::capi

namespace capi = mace::capi;
using mace::MaceEngine;

extern "C" {

mace_status_t mace_engine_create(const mace_model_t* model,
                                 const mace_config_t* config,
                                 const char* const* input_names,
                                 size_t num_inputs,
                                 const char* const* output_names,
                                 size_t num_outputs, mace_engine_t** engine) {
  MACE_CAPI_NOT_NULL(engine);
  *engine = nullptr;
  MACE_CAPI_NOT_NULL(model);
  MACE_CAPI_NOT_NULL(config);
  std::vector<std::string> inputs, outputs;
  MACE_CAPI_RETURN_IF_ERROR(capi::CopyNames(__func__, "input_names",
                                            input_names, num_inputs, &inputs));
  MACE_CAPI_RETURN_IF_ERROR(capi::CopyNames(
      __func__, "output_names", output_names, num_outputs, &outputs));
  std::shared_ptr<MaceEngine> created;
  MACE_CAPI_RETURN_IF_ERROR(capi::Report(MaceEngine::Create(
      model->model, inputs, outputs, config->config, &created)));
  *engine = new (std::nothrow) mace_engine{std::move(created)};
  return capi::Made(*engine);
}

void mace_engine_destroy(mace_engine_t* engine) { delete engine; }

mace_status_t mace_engine_run(mace_engine_t* engine,
                              const mace_tensors_t* inputs,
                              mace_tensors_t* outputs,
                              mace_run_metadata_t* metadata) {
  MACE_CAPI_RETURN_IF_ERROR(capi::CheckRun(__func__, engine, inputs, outputs));
  return capi::Report(engine->engine->Run(inputs->tensors, &outputs->tensors,
                                          capi::OrNull(metadata)));
}

mace_status_t mace_cancellation_create(mace_cancellation_t** cancellation) {
  MACE_CAPI_NOT_NULL(cancellation);
  *cancellation = new (std::nothrow) mace_cancellation;
  return capi::Made(*cancellation);
}

void mace_cancellation_destroy(mace_cancellation_t* cancellation) {
  delete cancellation;
}

mace_status_t mace_cancellation_cancel(mace_cancellation_t* cancellation) {
  MACE_CAPI_NOT_NULL(cancellation);
  cancellation->cancellation.Cancel();
  return MACE_SUCCESS;
}

mace_status_t mace_cancellation_set_deadline(mace_cancellation_t* cancellation,
                                             int64_t microseconds) {
  MACE_CAPI_NOT_NULL(cancellation);
  cancellation->cancellation.Set(microseconds);
  return MACE_SUCCESS;
}

bool mace_cancellation_is_cancelled(const mace_cancellation_t* cancellation) {
  MACE_CAPI_GETS(cancellation, false);
  return cancellation->cancellation.is_cancelled();
}

mace_status_t mace_engine_run_until(mace_engine_t* engine,
                                    const mace_tensors_t* inputs,
                                    mace_tensors_t* outputs,
                                    const mace_cancellation_t* cancellation,
                                    mace_run_metadata_t* metadata) {
  MACE_CAPI_RETURN_IF_ERROR(capi::CheckRun(__func__, engine, inputs, outputs));
  MACE_CAPI_NOT_NULL(cancellation);
  return capi::Report(engine->engine->Run(inputs->tensors, &outputs->tensors,
                                          cancellation->cancellation,
                                          capi::OrNull(metadata)));
}

mace_status_t mace_engine_states(const mace_engine_t* engine,
                                 mace_tensor_infos_t** infos) {
  MACE_CAPI_NOT_NULL(infos);
  *infos = nullptr;
  MACE_CAPI_NOT_NULL(engine);
  return capi::StoreInfos(engine->engine->states(), infos);
}

mace_status_t mace_engine_reset_state(mace_engine_t* engine) {
  MACE_CAPI_NOT_NULL(engine);
  return capi::Report(engine->engine->ResetState());
}

mace_status_t mace_engine_get_state(const mace_engine_t* engine,
                                    mace_tensors_t* states) {
  MACE_CAPI_NOT_NULL(engine);
  MACE_CAPI_NOT_NULL(states);
  return capi::Report(engine->engine->GetState(&states->tensors));
}

mace_status_t mace_engine_set_state(mace_engine_t* engine,
                                    const mace_tensors_t* states) {
  MACE_CAPI_NOT_NULL(engine);
  MACE_CAPI_NOT_NULL(states);
  return capi::Report(engine->engine->SetState(states->tensors));
}

mace_status_t mace_engine_release_intermediate_buffer(mace_engine_t* engine) {
  MACE_CAPI_NOT_NULL(engine);
  return capi::Report(engine->engine->ReleaseIntermediateBuffer());
}

mace_status_t mace_engine_expect_run(mace_engine_t* engine) {
  MACE_CAPI_NOT_NULL(engine);
  engine->engine->ExpectRun();
  return MACE_SUCCESS;
}

mace_status_t mace_engine_query_arena_bytes(const mace_model_t* model,
                                            const mace_config_t* config,
                                            const char* const* output_names,
                                            size_t num_outputs,
                                            const mace_tensors_t* input_shapes,
                                            size_t* bytes) {
  MACE_CAPI_NOT_NULL(bytes);
  *bytes = 0;
  MACE_CAPI_NOT_NULL(model);
  MACE_CAPI_NOT_NULL(config);
  std::vector<std::string> outputs;
  MACE_CAPI_RETURN_IF_ERROR(capi::CopyNames(
      __func__, "output_names", output_names, num_outputs, &outputs));
  std::map<std::string, std::vector<int64_t>> shapes;
  if (input_shapes != nullptr) {
    for (const auto& [name, tensor] : input_shapes->tensors) {
      shapes[name] = tensor.shape();
    }
  }
  return capi::Report(MaceEngine::QueryArenaBytes(
      model->model, outputs, config->config, shapes, bytes));
}

mace_status_t mace_engine_inputs(const mace_engine_t* engine,
                                 mace_tensor_infos_t** infos) {
  MACE_CAPI_NOT_NULL(infos);
  *infos = nullptr;
  MACE_CAPI_NOT_NULL(engine);
  return capi::StoreInfos(engine->engine->inputs(), infos);
}

mace_status_t mace_engine_outputs(const mace_engine_t* engine,
                                  mace_tensor_infos_t** infos) {
  MACE_CAPI_NOT_NULL(infos);
  *infos = nullptr;
  MACE_CAPI_NOT_NULL(engine);
  return capi::StoreInfos(engine->engine->outputs(), infos);
}

mace_status_t mace_engine_memory_usage(const mace_engine_t* engine,
                                       mace_memory_usage_t** usage) {
  MACE_CAPI_NOT_NULL(usage);
  *usage = nullptr;
  MACE_CAPI_NOT_NULL(engine);
  mace::MaceMemoryUsage found;
  MACE_CAPI_RETURN_IF_ERROR(
      capi::Report(engine->engine->GetMemoryUsage(&found)));
  mace::MaceMemoryTotals totals;
  MACE_CAPI_RETURN_IF_ERROR(
      capi::Report(engine->engine->GetMemoryTotals(&totals)));
  *usage = new (std::nothrow) mace_memory_usage{std::move(found), totals};
  return capi::Made(*usage);
}

mace_status_t mace_engine_device_counts(const mace_engine_t* engine,
                                        int64_t* counts, size_t count) {
  MACE_CAPI_NOT_NULL(engine);
  MACE_CAPI_RETURN_IF_ERROR(
      capi::CheckArray(__func__, "counts", counts, count));
  mace::MaceDeviceCounts found;
  MACE_CAPI_RETURN_IF_ERROR(
      capi::Report(engine->engine->GetDeviceCounts(&found)));
  int64_t known[MACE_DEVICE_COUNTS];
  known[MACE_COMPILED_PROGRAMS] = found.compiled_programs;
  known[MACE_LOADED_PROGRAMS] = found.loaded_programs;
  known[MACE_MEASUREMENTS] = found.measurements;
  known[MACE_KERNELS] = found.kernels;
  known[MACE_ENQUEUES] = found.enqueues;
  known[MACE_BYTES_FROM_HOST] = found.bytes_from_host;
  known[MACE_BYTES_TO_HOST] = found.bytes_to_host;
  for (size_t i = 0; i < count; ++i) {
    counts[i] = i < MACE_DEVICE_COUNTS ? known[i] : 0;
  }
  return MACE_SUCCESS;
}

mace_status_t mace_engine_placement(const mace_engine_t* engine,
                                    mace_records_t** records) {
  MACE_CAPI_NOT_NULL(records);
  *records = nullptr;
  MACE_CAPI_NOT_NULL(engine);
  std::vector<mace::MaceNodePlacement> placement;
  MACE_CAPI_RETURN_IF_ERROR(
      capi::Report(engine->engine->GetPlacement(&placement)));
  std::vector<mace_records::Record> found;
  for (mace::MaceNodePlacement& p : placement) {
    found.push_back(
        {{std::move(p.node), std::move(p.type), std::move(p.device),
          std::move(p.data_type), std::move(p.kernel), std::move(p.reason)},
         p.macs});
  }
  *records = new (std::nothrow) mace_records{std::move(found)};
  return capi::Made(*records);
}

mace_status_t mace_engine_gpu_handles(const mace_engine_t* engine,
                                      void** cl_context, void** cl_device_id) {
  MACE_CAPI_NOT_NULL(cl_context);
  MACE_CAPI_NOT_NULL(cl_device_id);
  *cl_context = *cl_device_id = nullptr;
  MACE_CAPI_NOT_NULL(engine);
  mace::MaceGPUHandles handles;
  MACE_CAPI_RETURN_IF_ERROR(
      capi::Report(engine->engine->GetGPUHandles(&handles)));
  *cl_context = handles.context;
  *cl_device_id = handles.device;
  return MACE_SUCCESS;
}

mace_status_t mace_engine_dump(const mace_engine_t* engine, const char* stage,
                               char** text) {
  MACE_CAPI_NOT_NULL(text);
  *text = nullptr;
  MACE_CAPI_NOT_NULL(engine);
  MACE_CAPI_NOT_NULL(stage);
  std::string written;
  MACE_CAPI_RETURN_IF_ERROR(
      capi::Report(engine->engine->Dump(stage, &written)));
  *text = static_cast<char*>(std::malloc(written.size() + 1));
  MACE_CAPI_RETURN_IF_ERROR(capi::Made(*text));
  std::memcpy(*text, written.c_str(), written.size() + 1);
  return MACE_SUCCESS;
}

}  // extern "C"
