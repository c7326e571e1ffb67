// MACE: runs a neural network on the CPU, GPU or DSP of a phone.
// SPDX-License-Identifier: Apache-2.0
//
//   MaceModel         A model file that is mapped into memory and verified.
//                     Several engines may share one.
//   MaceEngineConfig  How an engine runs: its device, threads and memory.
//   MaceEngine        A model that is prepared for a device.
//   MaceTensor        A shape, an element type and the caller's memory.
//
// No function throws or aborts. Whatever a file or an argument holds, the
// result is a MaceStatus with a message; a null C string is treated as "".
// Memory whose size depends on shapes or on the caller's numbers is compared
// with MaceEngineConfig::SetMemoryLimit and then allocated without throwing.
// Only small objects live in standard containers: the names, nodes and
// attributes of a model (no more than its file has), tables of kernels (at most
// 64 MiB each) and messages. When the system has no memory left, libraries of
// converter.py take these from a reserve of 258 KiB, and the call ends with
// MACE_OUT_OF_RESOURCES; what is larger than 32 KiB, or than what is left of
// the reserve, ends the process (docs/library.md, "When memory ends").
//
// Without a component that they need (docs/library.md), functions fail with
// MACE_UNSUPPORTED, which the lists of errors leave out.
//
// Shapes list the outermost dimension first. Activations with four dimensions
// are [N, H, W, C] unless MaceTensorInfo::data_format is NCHW or NONE.
#ifndef MACE_PUBLIC_MACE_H_
#define MACE_PUBLIC_MACE_H_

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mace/public/mace_api.h"
#include "mace/public/mace_cancellation.h"
#include "mace/public/mace_capability.h"
#include "mace/public/mace_config.h"
#include "mace/public/mace_gpu.h"
#include "mace/public/mace_log.h"
#include "mace/public/mace_model.h"
#include "mace/public/mace_op.h"
#include "mace/public/mace_runtime.h"
#include "mace/public/mace_stats.h"
#include "mace/public/mace_tensor.h"
#include "mace/public/status.h"

namespace mace {

// Returns the version of the library, for example "1.0.0".
MACE_API const char* MaceVersion();

// Functions fail with MACE_INVALID_ARGS for a null pointer where their comments
// allow none; lists of errors leave that out.
class MACE_API MaceEngine {
 public:
  ~MaceEngine();
  MaceEngine(const MaceEngine&) = delete;
  MaceEngine& operator=(const MaceEngine&) = delete;

  // Prepares `model` to run as `config` says and stores the engine in
  // `*engine`. One model may serve several engines at once; they share its
  // mapped and its packed weights. `input_nodes` lists all inputs of the model,
  // `output_nodes` any tensors that nodes compute, but no next value of a
  // state. An empty list means all inputs or all outputs of the model. Falls
  // back to the CPU where a GPU or DSP is missing or fails.
  // Errors: MACE_INVALID_ARGS if a name does not exist (the message lists the
  // model's inputs or outputs), is given twice or is missing in `input_nodes`,
  // and for settings of `config` that cannot be used; MACE_INVALID_MODEL, also
  // if a custom op's Init or Prepare fails; MACE_UNSUPPORTED with the name of
  // the first node that no device can run; MACE_OUT_OF_RESOURCES;
  // MACE_RUNTIME_ERROR if all micro-kernels for a node fail their tests.
  static MaceStatus Create(std::shared_ptr<MaceModel> model,
                           const std::vector<std::string>& input_nodes,
                           const std::vector<std::string>& output_nodes,
                           const MaceEngineConfig& config,
                           std::shared_ptr<MaceEngine>* engine);

  // Runs the model once and returns when the outputs are written. May be
  // called from any thread; concurrent calls run one after the other.
  // `inputs` holds every input by name, with its shape. New input shapes are
  // planned; the plans of the 8 sets of shapes used last are kept. An output
  // tensor that has memory must have as many elements as the model computes.
  // The engine allocates the memory of an output that is missing from
  // `*outputs` or has no memory, and sets its shape. The next Run writes to the
  // same memory: clear `*outputs` before inputs of another shape.
  // Some models compute the shapes of outputs from data (a dimension of such an
  // output may be -1 in outputs()). Then the number of elements of the tensor's
  // shape is the capacity of the caller's memory, and the result must fit. Run
  // replaces the tensor's shape by that of the result, which begins where the
  // memory does, and replaces memory of its own if the shape changes.
  // Errors: MACE_INVALID_ARGS for a wrong name, shape, type or size (the
  // message has the expected value and the one found) and for data that no node
  // can take, such as an index out of range; MACE_OUT_OF_RESOURCES;
  // MACE_RUNTIME_ERROR if a device or custom op fails, a loop does not end, or
  // a forked process runs an engine that uses a GPU; MACE_INVALID_MODEL if a
  // tensor of a loop or branch gets a wrong type or shape; MACE_UNSUPPORTED if
  // new shapes miss SetRequire or no device can run a node with them, and for
  // GPU memory where the CPU uses the tensor, also after a fallback to the CPU,
  // or where shapes depend on data. The engine stays usable after an error.
  MaceStatus Run(const std::map<std::string, MaceTensor>& inputs,
                 std::map<std::string, MaceTensor>* outputs);
  // The same, and fills `*run_metadata`, unless it is null, with one record for
  // each op that ran. Taking the times slows the run down slightly.
  MaceStatus Run(const std::map<std::string, MaceTensor>& inputs,
                 std::map<std::string, MaceTensor>* outputs,
                 RunMetadata* run_metadata);
  // The same, but another thread can end the run through `cancellation`, which
  // must outlive the call. `run_metadata` may be null. Further errors:
  // MACE_CANCELLED, after which the outputs hold no result.
  MaceStatus Run(const std::map<std::string, MaceTensor>& inputs,
                 std::map<std::string, MaceTensor>* outputs,
                 const MaceCancellation& cancellation,
                 RunMetadata* run_metadata = nullptr);
  // The same, but the run also ends when the deadline has passed.
  MaceStatus Run(const std::map<std::string, MaceTensor>& inputs,
                 std::map<std::string, MaceTensor>* outputs,
                 const MaceDeadline& deadline,
                 RunMetadata* run_metadata = nullptr);

  // The states of the engine: tensors that its model keeps from one Run to the
  // next, such as those of streaming models. Each engine has states of its own,
  // also where engines share a model or memory. They have their first values
  // when the engine is created, and new ones when a Run has succeeded; a Run
  // that fails or is cancelled leaves them as they are, but may have written
  // rows to a KV cache of fixed capacity, from its position on. Only dynamic
  // dimensions of a state change: a Run that would change another one fails.
  std::vector<MaceTensorInfo> states() const;

  // Gives all states their first values again. Waits for a Run that goes on, as
  // the two functions below do. Fails only with MACE_OUT_OF_RESOURCES, if a
  // state has a dynamic dimension.
  MaceStatus ResetState();

  // Copies states to the tensors of `*states` by name, or all if it is empty.
  // The engine allocates memory for those without, which the next call uses
  // again. Errors: MACE_INVALID_ARGS for a name that is no state, another type
  // or shape, or memory that is not the host's; MACE_OUT_OF_RESOURCES.
  MaceStatus GetState(std::map<std::string, MaceTensor>* states) const;

  // Copies tensors to the states of these names; the others stay. Errors: as
  // GetState, also for a tensor without data; then no state has changed.
  MaceStatus SetState(const std::map<std::string, MaceTensor>& states);

  // Frees the memory that only runs need, the arena and the images of the GPU,
  // of an engine that will not run for a while and of those that share it.
  // Weights, plans, and an arena of the caller's stay. The next Run allocates
  // the memory again, which may fail with MACE_OUT_OF_RESOURCES. Waits for Runs
  // of these engines that go on. Thread-safe. Always succeeds.
  MaceStatus ReleaseIntermediateBuffer();

  // Tells the engine that a Run begins within 3 ms, as when an image arrives
  // that is converted first. Worker threads stay awake until then; if no Run
  // comes, each takes 3 ms of a core at most. Returns at once. Thread-safe.
  void ExpectRun();

  // Computes how many bytes SetArena must provide for an engine of these
  // arguments. Plans that a run makes where shapes depend on data do not count.
  // With `input_shapes` the engine also runs on inputs of these shapes, by
  // name; the others keep the model's shapes. Errors: as Create, and
  // MACE_INVALID_ARGS for a name or a shape that the model does not take.
  static MaceStatus QueryArenaBytes(
      std::shared_ptr<MaceModel> model,
      const std::vector<std::string>& output_nodes,
      const MaceEngineConfig& config, size_t* bytes);
  static MaceStatus QueryArenaBytes(
      std::shared_ptr<MaceModel> model,
      const std::vector<std::string>& output_nodes,
      const MaceEngineConfig& config,
      const std::map<std::string, std::vector<int64_t>>& input_shapes,
      size_t* bytes);

  // Reports the memory that the engine holds now.
  MaceStatus GetMemoryUsage(MaceMemoryUsage* usage) const;

  // Reports the totals of the engine's memory, and the limit. The app's arena
  // does not count, nor do weights in its memory that the model does not own.
  MaceStatus GetMemoryTotals(MaceMemoryTotals* totals) const;

  // Reports what the engine's devices did since it was created.
  MaceStatus GetDeviceCounts(MaceDeviceCounts* counts) const;

  // Reports where each node of the latest plan runs, in the order of running.
  // Nodes that take no time, as they only rename bytes or are part of another
  // node's kernel, come last.
  MaceStatus GetPlacement(std::vector<MaceNodePlacement>* placement) const;

  // Stores the OpenCL handles with which tensors in GPU memory are made.
  // Errors: MACE_UNSUPPORTED if no part of the model runs on the GPU.
  MaceStatus GetGPUHandles(MaceGPUHandles* handles) const;

  // Makes a tensor for Run of `memory`, which holds float32 elements in the
  // order of host memory. An AHardwareBuffer must outlive the tensor; a dma-buf
  // may be closed after the call. A GPU that can import the memory uses it
  // without a copy; otherwise a dma-buf is mapped, and the log tells what the
  // GPU lacks. Errors: MACE_INVALID_ARGS, with what is wrong; MACE_UNSUPPORTED
  // for an AHardwareBuffer that cannot be imported, with the cure.
  MaceStatus ImportMemory(const MaceExternalMemory& memory,
                          const std::vector<int64_t>& shape,
                          MaceTensor* tensor) const;

  // The names, types and shapes of the inputs and outputs. The shapes are those
  // of the latest plan; of an output that depends on data those of the model
  // file, or IDT_INVALID and [] for a tensor that is no output of the file.
  std::vector<MaceTensorInfo> inputs() const;
  std::vector<MaceTensorInfo> outputs() const;

  // Replaces `*text` by one stage of preparing the model. For people: "graph"
  // (nodes with inferred types), "plan" (steps, devices and kernels), "memory"
  // (the offset of every tensor), "tuning" (what was measured). For programs:
  // "plan_json", "memory_json", and "trace": the latest spans as a Chrome trace
  // (JSON for Perfetto or chrome://tracing). Errors: MACE_INVALID_ARGS for
  // another name, and for "trace" without the setting `tracing`.
  MaceStatus Dump(const std::string& stage, std::string* text) const;
  MaceStatus Dump(const char* stage, std::string* text) const {
    return Dump(StringOrEmpty(stage), text);
  }

  class Impl;
  Impl* impl() const { return impl_.get(); }

 private:
  explicit MaceEngine(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Creates an engine from a serialized graph and a file of weights, which stays
// mapped while the engine lives. An empty file name means that the model has no
// weights. Errors: as MaceModel::Load and MaceEngine::Create.
MACE_API MaceStatus CreateMaceEngineFromProto(
    const std::vector<unsigned char>& model_pb,
    const std::string& model_data_file,
    const std::vector<std::string>& input_nodes,
    const std::vector<std::string>& output_nodes,
    const MaceEngineConfig& config, std::shared_ptr<MaceEngine>* engine);
inline MaceStatus CreateMaceEngineFromProto(
    const std::vector<unsigned char>& model_pb,
    const std::string& model_data_file,
    const std::vector<std::string>& input_nodes,
    const std::vector<std::string>& output_nodes, const DeviceType device_type,
    std::shared_ptr<MaceEngine>* engine) {
  return CreateMaceEngineFromProto(model_pb, model_data_file, input_nodes,
                                   output_nodes, MaceEngineConfig(device_type),
                                   engine);
}

// The same with a graph and weights in memory that the app owns. The graph is
// not read any more when the call returns. Weights at a 64-byte boundary are
// used in place and must stay as long as the engine, others are copied: if the
// model loads, `*model_data_unused` tells whether the app may free them.
MACE_API MaceStatus CreateMaceEngineFromProto(
    const unsigned char* model_graph_proto, size_t model_graph_proto_size,
    const unsigned char* model_weights_data, size_t model_weights_data_size,
    const std::vector<std::string>& input_nodes,
    const std::vector<std::string>& output_nodes,
    const MaceEngineConfig& config, std::shared_ptr<MaceEngine>* engine,
    bool* model_data_unused = nullptr);

// The same for an engine that shares the memory of its runs with `tutor` (as
// MaceEngineConfig::ShareMemoryWith), or as `config` says if `tutor` is null.
inline MaceStatus CreateMaceEngineFromProto(
    const unsigned char* model_graph_proto, size_t model_graph_proto_size,
    const unsigned char* model_weights_data, size_t model_weights_data_size,
    const std::vector<std::string>& input_nodes,
    const std::vector<std::string>& output_nodes,
    const MaceEngineConfig& config, std::shared_ptr<MaceEngine>* engine,
    bool* model_data_unused, const MaceEngine* tutor) {
  MaceEngineConfig sharing = config;
  if (tutor != nullptr) {
    const MaceStatus status = sharing.ShareMemoryWith(tutor);
    if (!status.ok()) return status;
  }
  return CreateMaceEngineFromProto(model_graph_proto, model_graph_proto_size,
                                   model_weights_data, model_weights_data_size,
                                   input_nodes, output_nodes, sharing, engine,
                                   model_data_unused);
}

// The same with a C string as the file name; null is treated as "".
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
