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
  // Whether to read all weights once and compare their checksum. Otherwise the
  // system reads weights when they are first used. Everything else is always
  // verified.
  bool verify_checksum = true;
};

// Bytes that the app supplies in order: from an asset or an archive, decrypted
// or decompressed on the way.
class MACE_API MaceStream {
 public:
  virtual ~MaceStream() = default;
  // The number of bytes that Read gives in all.
  virtual size_t size() const = 0;
  // Writes at most `bytes` bytes to `buffer` and returns their number: 0 at the
  // end of the stream, a negative number if the app cannot go on. Is called
  // once more when size() bytes were read, and must then return 0.
  virtual int64_t Read(void* buffer, size_t bytes) = 0;
};

// Writes the 32 bytes of a key to `key` and returns success, or returns why the
// app has none. `key_name` is the name of the key with which the model was
// encrypted, "" without a name. The bytes at `key` are overwritten before the
// call that loads the model returns; the app wipes copies of its own.
typedef std::function<MaceStatus(const std::string& key_name,
                                 unsigned char* key)>
    MaceKeyCallback;

// What a model file states of a dimension of an input.
struct MaceDimension {
  // Dimensions of the same name have the same size in each run, also in
  // different inputs. "": the dimension has no name.
  std::string name;
  int64_t extent = 0;    // the size; -1: each run chooses it
  int64_t largest = -1;  // the largest size of a run; -1: no limit
};

// A verified model in memory. It is immutable, so any number of threads may use
// it at once.
class MACE_API MaceModel {
 public:
  ~MaceModel();
  MaceModel(const MaceModel&) = delete;
  MaceModel& operator=(const MaceModel&) = delete;

  // Reads `model_file` and maps the weights in `model_data_file` ("" if the
  // model has none). Errors: MACE_INVALID_ARGS for a null `model`, if a file
  // cannot be read, if the weights are missing, if the two files are swapped,
  // and for an encrypted model; MACE_INVALID_MODEL if the files do not hold a
  // valid model; MACE_UNSUPPORTED for a setting of the file that this library
  // does not know and on which results depend; MACE_OUT_OF_RESOURCES.
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
  // model or an engine of it lives ends the process (SIGBUS); replace the file
  // by renaming a new one over it, which is safe. Errors: as Load.
  static MaceStatus LoadIntoMemory(const std::string& model_file,
                                   const std::string& model_data_file,
                                   std::shared_ptr<MaceModel>* model,
                                   const MaceModelOptions& options = {});

  // Loads a model from memory. The graph is parsed before the call returns.
  // Weights at a 64-byte boundary are used in place and must outlive the model
  // and its engines (`model_data`, of which the model keeps a copy, may own
  // them); others are copied. Errors: as Load, but MACE_INVALID_MODEL if the
  // two are swapped, and MACE_INVALID_ARGS for a null.
  static MaceStatus Load(const unsigned char* model_graph,
                         size_t model_graph_size,
                         std::shared_ptr<const unsigned char> model_data,
                         size_t model_data_size,
                         std::shared_ptr<MaceModel>* model,
                         const MaceModelOptions& options = {});

  // Loads a graph from memory, which is not read any more when the call
  // returns, and maps the weights in `model_data_file` ("" if the model has
  // none). Errors: as above.
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
  // memory that is not read any more when the call returns. Calls `get_key` at
  // most once, in this thread: not for a file that is cut short or is no
  // encrypted model. The decrypted model is in memory only, and only if all of
  // it is what was encrypted. Errors: as above, MACE_INVALID_MODEL for a file
  // that is no encrypted model, was cut short, or has a changed content,
  // MACE_INVALID_ARGS for an empty `get_key`, and for a wrong key or a change
  // of the file's head that is not noticed without the key, which cannot be
  // told apart, the error of `get_key`, MACE_UNSUPPORTED if the library has no
  // component `encryption`.
  static MaceStatus LoadSealed(const std::string& sealed_file,
                               const MaceKeyCallback& get_key,
                               std::shared_ptr<MaceModel>* model,
                               const MaceModelOptions& options = {});
  static MaceStatus LoadSealed(const unsigned char* sealed_model,
                               size_t sealed_model_size,
                               const MaceKeyCallback& get_key,
                               std::shared_ptr<MaceModel>* model,
                               const MaceModelOptions& options = {});

  // What these return is valid as long as the model.
  const std::string& name() const;
  // As the file declares them: -1 is a dimension that each run chooses, or, of
  // an output, that only a run computes.
  const std::vector<MaceTensorInfo>& inputs() const;
  const std::vector<MaceTensorInfo>& outputs() const;
  // The dimensions of each input, in the order of inputs().
  const std::vector<std::vector<MaceDimension>>& input_dimensions() const;
  // A hash of the graph, which has the checksum of the weights: differs between
  // models.
  uint64_t hash() const;

  class Impl;
  Impl* impl() const { return impl_.get(); }

 private:
  explicit MaceModel(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace mace

#endif  // MACE_PUBLIC_MACE_MODEL_H_
