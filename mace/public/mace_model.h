// MaceModel: a model file, mapped and verified.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PUBLIC_MACE_MODEL_H_
#define MACE_PUBLIC_MACE_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <functional>
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

// Bytes that the app supplies in order: from an asset or an archive, decrypted
// or decompressed on the way.
class MACE_API MaceStream {
 public:
  virtual ~MaceStream() = default;
  // The number of bytes that Read will give in all.
  virtual size_t size() const = 0;
  // Writes at most `bytes` bytes to `buffer` and returns how many they are: 0
  // at the end of the stream, a negative number if the app cannot go on.
  virtual int64_t Read(void* buffer, size_t bytes) = 0;
};

// Writes the 32 bytes of a key to `key` and returns success, or returns why the
// app has none. `key_name` is what the model was sealed with, "" without a
// name. The bytes at `key` are overwritten before the call that loads the model
// returns; copies of them are the app's.
typedef std::function<MaceStatus(const std::string& key_name,
                                 unsigned char* key)>
    MaceKeyCallback;

// What a model file says of a dimension of an input.
struct MaceDimension {
  // Dimensions of the same name have the same extent in each run, also in
  // different inputs. "": it has no name.
  std::string name;
  int64_t extent = 0;    // -1: each run chooses it
  int64_t largest = -1;  // the largest extent of a run; -1: any will do
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

  // As Load, but reads the weights into memory of the process instead of
  // mapping them: the model and its engines stay right when the file is
  // changed, cut short or removed. With Load, a file that is cut short while a
  // model or an engine of it lives ends the process (SIGBUS); replace it by
  // renaming a new file over it, which is safe. Further errors:
  // MACE_OUT_OF_RESOURCES.
  static MaceStatus LoadIntoMemory(const std::string& model_file,
                                   const std::string& model_data_file,
                                   std::shared_ptr<MaceModel>* model,
                                   const MaceModelOptions& options = {});

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

  // Loads a graph from memory and maps the weights in `model_data_file` ("" if
  // the model has none).
  static MaceStatus Load(const unsigned char* model_graph,
                         size_t model_graph_size,
                         const std::string& model_data_file,
                         std::shared_ptr<MaceModel>* model,
                         const MaceModelOptions& options = {});

  // Reads both streams to their ends into memory of the model; `model_data` is
  // null if the model has no weights. Errors: as above, MACE_INVALID_ARGS if a
  // stream fails, ends early or holds more than its size,
  // MACE_OUT_OF_RESOURCES.
  static MaceStatus Load(MaceStream* model_graph, MaceStream* model_data,
                         std::shared_ptr<MaceModel>* model,
                         const MaceModelOptions& options = {});

  // Loads a model that `converter.py seal` encrypted, from its file or from
  // memory that is not read any more when the call returns. `get_key` is called
  // once, in this thread. The decrypted model is in memory only, and only if
  // all of it is what was sealed. Errors: as above, MACE_INVALID_ARGS for a
  // wrong key, MACE_INVALID_MODEL for a file that was cut short or changed, the
  // error of `get_key`, MACE_UNSUPPORTED if the library has no component
  // `encryption`.
  static MaceStatus LoadSealed(const std::string& sealed_file,
                               const MaceKeyCallback& get_key,
                               std::shared_ptr<MaceModel>* model,
                               const MaceModelOptions& options = {});
  static MaceStatus LoadSealed(const unsigned char* sealed_model,
                               size_t sealed_model_size,
                               const MaceKeyCallback& get_key,
                               std::shared_ptr<MaceModel>* model,
                               const MaceModelOptions& options = {});

  const std::string& name() const;
  const std::vector<MaceTensorInfo>& inputs() const;
  const std::vector<MaceTensorInfo>& outputs() const;
  // The dimensions of each input, in the order of inputs().
  const std::vector<std::vector<MaceDimension>>& input_dimensions() const;
  // Differs between models: of their graphs and weights.
  uint64_t hash() const;

  class Impl;
  Impl* impl() const { return impl_.get(); }

 private:
  explicit MaceModel(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace mace

#endif  // MACE_PUBLIC_MACE_MODEL_H_
