// Models in C.
// SPDX-License-Identifier: Apache-2.0

#include <new>
#include <string>
#include <utility>

#include "mace/capi/objects.h"
#include "mace/capi/status.h"

struct mace_model_options {
  mace::MaceModelOptions options;
  bool into_memory = false;
};

namespace mace::capi {
namespace {

class Stream final : public MaceStream {
 public:
  Stream(mace_read_t read, void* user, size_t size)
      : read_(read), user_(user), size_(size) {}
  size_t size() const override { return size_; }
  int64_t Read(void* buffer, size_t bytes) override {
    return read_(user_, buffer, bytes);
  }

 private:
  const mace_read_t read_;
  void* const user_;
  const size_t size_;
};

// The key that a function of the app gives.
MaceKeyCallback KeyOf(mace_get_key_t get_key, void* user) {
  return [get_key, user](const std::string& key_name, unsigned char* key) {
    const int32_t status = get_key(user, key_name.c_str(), key);
    if (status == 0) return MaceStatus();
    return MaceStatus(
        MaceStatus::MACE_INVALID_ARGS,
        "its callback returned " + std::to_string(status) + ", not 0");
  };
}

MaceModelOptions OrDefaults(const mace_model_options_t* options) {
  return options == nullptr ? MaceModelOptions() : options->options;
}

// Stores a model that was loaded, or returns why it was not.
mace_status_t StoreModel(const MaceStatus& status,
                         std::shared_ptr<MaceModel> loaded,
                         mace_model_t** model) {
  MACE_CAPI_RETURN_IF_ERROR(Report(status));
  *model = new (std::nothrow) mace_model{std::move(loaded)};
  return Made(*model);
}

}  // namespace
}  // namespace mace::capi

namespace capi = mace::capi;
using mace::MaceModel;

extern "C" {

mace_status_t mace_model_options_create(mace_model_options_t** options) {
  MACE_CAPI_NOT_NULL(options);
  *options = new (std::nothrow) mace_model_options;
  return capi::Made(*options);
}

void mace_model_options_destroy(mace_model_options_t* options) {
  delete options;
}

mace_status_t mace_model_options_set_verify_checksum(
    mace_model_options_t* options, bool verify) {
  MACE_CAPI_NOT_NULL(options);
  options->options.verify_checksum = verify;
  return MACE_SUCCESS;
}

mace_status_t mace_model_options_set_into_memory(mace_model_options_t* options,
                                                 bool into_memory) {
  MACE_CAPI_NOT_NULL(options);
  options->into_memory = into_memory;
  return MACE_SUCCESS;
}

mace_status_t mace_model_load(const char* graph_file, const char* data_file,
                              const mace_model_options_t* options,
                              mace_model_t** model) {
  MACE_CAPI_NOT_NULL(model);
  *model = nullptr;
  MACE_CAPI_NOT_NULL(graph_file);
  std::shared_ptr<MaceModel> loaded;
  const bool into_memory = options != nullptr && options->into_memory;
  const mace::MaceStatus status =
      into_memory ? MaceModel::LoadIntoMemory(
                        graph_file, data_file == nullptr ? "" : data_file,
                        &loaded, options->options)
                  : MaceModel::Load(graph_file, data_file, &loaded,
                                    capi::OrDefaults(options));
  return capi::StoreModel(status, std::move(loaded), model);
}

mace_status_t mace_model_load_memory(const void* graph, size_t graph_bytes,
                                     const void* data, size_t data_bytes,
                                     void (*release)(void* release_user),
                                     void* release_user,
                                     const mace_model_options_t* options,
                                     mace_model_t** model) {
  const auto* bytes = static_cast<const unsigned char*>(data);
  std::shared_ptr<const unsigned char> owner(std::shared_ptr<void>(), bytes);
  if (release != nullptr) {
    owner.reset(bytes, [release, release_user](const unsigned char*) {
      release(release_user);
    });
  }
  MACE_CAPI_NOT_NULL(model);
  *model = nullptr;
  MACE_CAPI_NOT_NULL(graph);
  if (data_bytes > 0) MACE_CAPI_NOT_NULL(data);
  std::shared_ptr<MaceModel> loaded;
  const mace::MaceStatus status = MaceModel::Load(
      static_cast<const unsigned char*>(graph), graph_bytes, std::move(owner),
      data_bytes, &loaded, capi::OrDefaults(options));
  return capi::StoreModel(status, std::move(loaded), model);
}

mace_status_t mace_model_load_memory_and_file(
    const void* graph, size_t graph_bytes, const char* data_file,
    const mace_model_options_t* options, mace_model_t** model) {
  MACE_CAPI_NOT_NULL(model);
  *model = nullptr;
  MACE_CAPI_NOT_NULL(graph);
  std::shared_ptr<MaceModel> loaded;
  const mace::MaceStatus status =
      MaceModel::Load(static_cast<const unsigned char*>(graph), graph_bytes,
                      std::string(capi::OrEmpty(data_file)), &loaded,
                      capi::OrDefaults(options));
  return capi::StoreModel(status, std::move(loaded), model);
}

mace_status_t mace_model_load_streams(mace_read_t read_graph, void* graph_user,
                                      size_t graph_bytes, mace_read_t read_data,
                                      void* data_user, size_t data_bytes,
                                      const mace_model_options_t* options,
                                      mace_model_t** model) {
  MACE_CAPI_NOT_NULL(model);
  *model = nullptr;
  MACE_CAPI_NOT_NULL(read_graph);
  if (data_bytes > 0) MACE_CAPI_NOT_NULL(read_data);
  capi::Stream graph(read_graph, graph_user, graph_bytes);
  capi::Stream data(read_data, data_user, data_bytes);
  std::shared_ptr<MaceModel> loaded;
  const mace::MaceStatus status =
      MaceModel::Load(&graph, read_data == nullptr ? nullptr : &data, &loaded,
                      capi::OrDefaults(options));
  return capi::StoreModel(status, std::move(loaded), model);
}

mace_status_t mace_model_load_sealed(const char* sealed_file,
                                     mace_get_key_t get_key, void* user,
                                     const mace_model_options_t* options,
                                     mace_model_t** model) {
  MACE_CAPI_NOT_NULL(model);
  *model = nullptr;
  MACE_CAPI_NOT_NULL(sealed_file);
  MACE_CAPI_NOT_NULL(get_key);
  std::shared_ptr<MaceModel> loaded;
  const mace::MaceStatus status =
      MaceModel::LoadSealed(sealed_file, capi::KeyOf(get_key, user), &loaded,
                            capi::OrDefaults(options));
  return capi::StoreModel(status, std::move(loaded), model);
}

mace_status_t mace_model_load_sealed_memory(const void* sealed,
                                            size_t sealed_bytes,
                                            mace_get_key_t get_key, void* user,
                                            const mace_model_options_t* options,
                                            mace_model_t** model) {
  MACE_CAPI_NOT_NULL(model);
  *model = nullptr;
  MACE_CAPI_NOT_NULL(sealed);
  MACE_CAPI_NOT_NULL(get_key);
  std::shared_ptr<MaceModel> loaded;
  const mace::MaceStatus status = MaceModel::LoadSealed(
      static_cast<const unsigned char*>(sealed), sealed_bytes,
      capi::KeyOf(get_key, user), &loaded, capi::OrDefaults(options));
  return capi::StoreModel(status, std::move(loaded), model);
}

void mace_model_destroy(mace_model_t* model) { delete model; }

const char* mace_model_name(const mace_model_t* model) {
  MACE_CAPI_GETS(model, nullptr);
  return model->model->name().c_str();
}

mace_status_t mace_model_inputs(const mace_model_t* model,
                                mace_tensor_infos_t** infos) {
  MACE_CAPI_NOT_NULL(infos);
  *infos = nullptr;
  MACE_CAPI_NOT_NULL(model);
  return capi::StoreInfos(model->model->inputs(), infos);
}

mace_status_t mace_model_outputs(const mace_model_t* model,
                                 mace_tensor_infos_t** infos) {
  MACE_CAPI_NOT_NULL(infos);
  *infos = nullptr;
  MACE_CAPI_NOT_NULL(model);
  return capi::StoreInfos(model->model->outputs(), infos);
}

mace_status_t mace_model_input_dimension(const mace_model_t* model,
                                         size_t index, size_t axis,
                                         const char** name, int64_t* extent,
                                         int64_t* largest) {
  MACE_CAPI_NOT_NULL(name);
  *name = nullptr;
  MACE_CAPI_NOT_NULL(extent);
  MACE_CAPI_NOT_NULL(largest);
  MACE_CAPI_NOT_NULL(model);
  const auto& inputs = model->model->input_dimensions();
  MACE_CAPI_RETURN_IF_ERROR(
      capi::CheckIndex(__func__, "index", index, inputs.size()));
  MACE_CAPI_RETURN_IF_ERROR(
      capi::CheckIndex(__func__, "axis", axis, inputs[index].size()));
  const mace::MaceDimension& dimension = inputs[index][axis];
  *name = dimension.name.c_str();
  *extent = dimension.extent;
  *largest = dimension.largest;
  return MACE_SUCCESS;
}

}  // extern "C"
