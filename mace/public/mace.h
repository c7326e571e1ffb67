// MACE: runs a neural network on the CPU, GPU or DSP of a phone.
// SPDX-License-Identifier: Apache-2.0
//
//   MaceModel         a model file, mapped and verified; shared by engines.
//   MaceEngineConfig  how an engine is to run: device, threads, memory.
//   MaceEngine        a model prepared for a device. One Run at a time.
//   MaceTensor        a shape and the caller's memory.
//
// Nothing here throws or aborts: whatever the file or the arguments hold, the
// answer is a MaceStatus with a message; a null C string stands for "". The one
// exception is memory that ends where small things are stored: the names, nodes
// and attributes of a model, whose number follows from the bytes of its graph,
// tables of kernels of at most 64 MiB each, and messages are in standard
// containers, which end the process then. Memory whose size follows from shapes
// or from the caller's numbers is compared with
// MaceEngineConfig::SetMemoryLimit first, and is asked for without throwing.
// Shapes are outermost first; 4-D activations are [N, H, W, C] unless the
// model's own input says otherwise (MaceTensorInfo::data_format).
#ifndef MACE_PUBLIC_MACE_H_
#define MACE_PUBLIC_MACE_H_

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mace/public/mace_api.h"
#include "mace/public/mace_config.h"
#include "mace/public/mace_gpu.h"
#include "mace/public/mace_model.h"
#include "mace/public/mace_runtime.h"
#include "mace/public/mace_stats.h"
#include "mace/public/mace_tensor.h"
#include "mace/public/status.h"

namespace mace {

// "1.0.0", of the library.
MACE_API const char* MaceVersion();

class MACE_API MaceEngine {
 public:
  ~MaceEngine();
  MaceEngine(const MaceEngine&) = delete;
  MaceEngine& operator=(const MaceEngine&) = delete;

  // Runs `model`, which may serve several engines at once: they share the
  // mapped and the packed weights. `output_nodes` may name any tensor of the
  // model; empty lists stand for all inputs and outputs of the model.
  // Errors: MACE_INVALID_ARGS for a name that is not there (the message lists
  // those that are), MACE_INVALID_MODEL, MACE_UNSUPPORTED naming the first node
  // that no device can run, MACE_OUT_OF_RESOURCES.
  static MaceStatus Create(std::shared_ptr<MaceModel> model,
                           const std::vector<std::string>& input_nodes,
                           const std::vector<std::string>& output_nodes,
                           const MaceEngineConfig& config,
                           std::shared_ptr<MaceEngine>* engine);

  // Runs once and blocks until the outputs are written. One Run at a time: a
  // second caller waits.
  //
  // Inputs must be given by name, with a shape. Another shape than the model's
  // makes a new plan, which is remembered. Outputs whose tensor has memory must
  // have the size that the model computes; an output that is missing in the map
  // or has no memory is allocated by the engine, with the shape it has.
  // Errors: MACE_INVALID_ARGS for names, shapes, types and sizes (expected and
  // found), MACE_RUNTIME_ERROR of a device; the engine stays usable.
  MaceStatus Run(const std::map<std::string, MaceTensor>& inputs,
                 std::map<std::string, MaceTensor>* outputs);
  // The same with a record of each op; measuring costs a little.
  MaceStatus Run(const std::map<std::string, MaceTensor>& inputs,
                 std::map<std::string, MaceTensor>* outputs,
                 RunMetadata* run_metadata);

  // Bytes that SetArena must offer to an engine created with these arguments.
  // Errors: as Create.
  static MaceStatus QueryArenaBytes(
      std::shared_ptr<MaceModel> model,
      const std::vector<std::string>& output_nodes,
      const MaceEngineConfig& config, size_t* bytes);

  // Errors: MACE_INVALID_ARGS for null.
  MaceStatus GetMemoryUsage(MaceMemoryUsage* usage) const;

  // Errors: MACE_INVALID_ARGS for null.
  MaceStatus GetDeviceCounts(MaceDeviceCounts* counts) const;

  // Errors: MACE_UNSUPPORTED if nothing of it runs on the GPU.
  MaceStatus GetGPUHandles(MaceGPUHandles* handles) const;

  // Names, types and shapes; the shapes are those of the latest plan.
  std::vector<MaceTensorInfo> inputs() const;
  std::vector<MaceTensorInfo> outputs() const;

  // The stages of preparing the model, for people: "graph" (types inferred),
  // "plan" (steps, devices, kernels), "memory" (every tensor's place), "tuning"
  // (what was measured); for programs "plan_json" and "memory_json". Errors:
  // MACE_INVALID_ARGS for another name.
  MaceStatus Dump(const std::string& stage, std::string* text) const;
  MaceStatus Dump(const char* stage, std::string* text) const {
    return Dump(StringOrEmpty(stage), text);
  }

  class Impl;

 private:
  explicit MaceEngine(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Creates an engine from a serialized graph and a file of weights, which stays
// mapped while the engine lives. An empty or null file name: the model has no
// weights. Errors: as MaceModel::Load and MaceEngine::Create.
MACE_API MaceStatus CreateMaceEngineFromProto(
    const std::vector<unsigned char>& model_pb,
    const std::string& model_data_file,
    const std::vector<std::string>& input_nodes,
    const std::vector<std::string>& output_nodes, const DeviceType device_type,
    std::shared_ptr<MaceEngine>* engine);
MACE_API MaceStatus CreateMaceEngineFromProto(
    const std::vector<unsigned char>& model_pb,
    const std::string& model_data_file,
    const std::vector<std::string>& input_nodes,
    const std::vector<std::string>& output_nodes,
    const MaceEngineConfig& config, std::shared_ptr<MaceEngine>* engine);

// The same with a C string for the file, which may be null.
inline MaceStatus CreateMaceEngineFromProto(
    const std::vector<unsigned char>& model_pb, const char* model_data_file,
    const std::vector<std::string>& input_nodes,
    const std::vector<std::string>& output_nodes, const DeviceType device_type,
    std::shared_ptr<MaceEngine>* engine) {
  return CreateMaceEngineFromProto(model_pb, StringOrEmpty(model_data_file),
                                   input_nodes, output_nodes, device_type,
                                   engine);
}
inline MaceStatus CreateMaceEngineFromProto(
    const std::vector<unsigned char>& model_pb, const char* model_data_file,
    const std::vector<std::string>& input_nodes,
    const std::vector<std::string>& output_nodes,
    const MaceEngineConfig& config, std::shared_ptr<MaceEngine>* engine) {
  return CreateMaceEngineFromProto(model_pb, StringOrEmpty(model_data_file),
                                   input_nodes, output_nodes, config, engine);
}

}  // namespace mace

#endif  // MACE_PUBLIC_MACE_H_
