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
  // Reads all weights once to compare their checksum. Switch it off to have
  // them paged in lazily; everything else is verified in any case.
  bool verify_checksum = true;
};

// A model in memory, verified. Immutable, so any number of threads may use it.
class MACE_API MaceModel {
 public:
  ~MaceModel();
  MaceModel(const MaceModel&) = delete;
  MaceModel& operator=(const MaceModel&) = delete;

  // Maps the weights file; "": the model has none. Errors: MACE_INVALID_ARGS
  // for an unreadable file, MACE_INVALID_MODEL for one that is not a sound
  // model.
  static MaceStatus Load(const std::string& model_file,
                         const std::string& model_data_file,
                         std::shared_ptr<MaceModel>* model,
                         const MaceModelOptions& options = {});

  // The same with C strings; a null `model_data_file` is none.
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

  // From memory. The graph is read at once. The weights are used in place and
  // must outlive the model (`model_data` may own them); they are copied if they
  // do not start at a 64-byte boundary.
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
