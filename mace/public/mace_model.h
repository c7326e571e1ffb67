// MaceModel: a model file, mapped and verified.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PUBLIC_MACE_MODEL_H_
#define MACE_PUBLIC_MACE_MODEL_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "mace/public/mace_api.h"
#include "mace/public/mace_tensor.h"
#include "mace/public/status.h"

namespace mace {

// How a model is loaded.
struct MaceModelOptions {
  // Whether to read all weights once and compare their checksum. Without it,
  // the system reads weights when they are first used. Everything else is
  // always verified.
  bool verify_checksum = true;
};

// A verified model in memory. It is immutable, so any number of threads may use
// it at once.
class MACE_API MaceModel {
 public:
  ~MaceModel();
  MaceModel(const MaceModel&) = delete;
  MaceModel& operator=(const MaceModel&) = delete;

  // Reads `model_file` and maps the weights in `model_data_file` ("" if the
  // model has none). Errors: MACE_INVALID_ARGS if a file cannot be read,
  // MACE_INVALID_MODEL if it does not hold a valid model.
  static MaceStatus Load(const std::string& model_file,
                         const std::string& model_data_file,
                         std::shared_ptr<MaceModel>* model,
                         const MaceModelOptions& options = {});

  // The same with C strings; null is treated as "".
  static MaceStatus Load(const std::string& model_file,
                         const char* model_data_file,
                         std::shared_ptr<MaceModel>* model,
                         const MaceModelOptions& options = {}) {
    return Load(model_file, StringOrEmpty(model_data_file), model, options);
  }
  static MaceStatus Load(const char* model_file, const char* model_data_file,
                         std::shared_ptr<MaceModel>* model,
                         const MaceModelOptions& options = {}) {
    return Load(StringOrEmpty(model_file), StringOrEmpty(model_data_file),
                model, options);
  }

  // Loads a model from memory. The graph is parsed before the call returns. The
  // weights are used in place and must outlive the model (`model_data` may own
  // them), unless they do not start at a 64-byte boundary: then they are
  // copied.
  static MaceStatus Load(const unsigned char* model_graph,
                         size_t model_graph_size,
                         std::shared_ptr<const unsigned char> model_data,
                         size_t model_data_size,
                         std::shared_ptr<MaceModel>* model,
                         const MaceModelOptions& options = {});

  const std::string& name() const;
  const std::vector<MaceTensorInfo>& inputs() const;
  const std::vector<MaceTensorInfo>& outputs() const;

  class Impl;
  Impl* impl() const { return impl_.get(); }

 private:
  explicit MaceModel(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace mace

#endif  // MACE_PUBLIC_MACE_MODEL_H_
