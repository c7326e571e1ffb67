// MACE: runs a neural network on the CPU, GPU or DSP of a phone.
// SPDX-License-Identifier: Apache-2.0
//
//   MaceModel         a model file, mapped and verified; shared by engines.
//   MaceEngineConfig  how an engine is to run: device, threads, memory.
//   MaceEngine        a model prepared for a device. One Run at a time.
//   MaceTensor        a shape and the caller's memory.
//
// Nothing here throws or aborts: whatever the file or the arguments hold, the
// answer is a MaceStatus with a message. Shapes are outermost first; 4-D
// activations are [N, H, W, C] unless the model's own input says otherwise
// (MaceTensorInfo::data_format).
#ifndef MACE_PUBLIC_MACE_H_
#define MACE_PUBLIC_MACE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mace/public/mace_gpu.h"
#include "mace/public/mace_runtime.h"
#include "mace/public/status.h"

#define MACE_API __attribute__((visibility("default")))

namespace mace {

// "1.0.0", of the library.
const char* MaceVersion();

enum DeviceType { CPU = 0, GPU = 2, HEXAGON = 3 };

// Element types of tensors.
enum IDataType {
  IDT_INVALID = 0,
  IDT_FLOAT = 1,
  IDT_UINT8 = 2,
  IDT_INT32 = 4,
  IDT_FLOAT16 = 5,
  IDT_BFLOAT16 = 6,
  IDT_INT16 = 7,
  IDT_INT8 = 8,
  IDT_BOOL = 11,
  IDT_INT64 = 12,
};

// The order of dimensions; NONE: no meaning beyond the shape.
enum class DataFormat { NONE = 0, NHWC = 1, NCHW = 2 };

enum class MemoryType { CPU_BUFFER = 0, GPU_BUFFER = 1, GPU_IMAGE = 2 };

// When something ran, in microseconds of a monotonic clock.
struct CallStats {
  int64_t start_micros = 0;
  int64_t end_micros = 0;
};

// The window of a convolution or pooling, for reports; empty elsewhere.
struct ConvPoolArgs {
  std::vector<int> strides;
  int padding_type = -1;
  std::vector<int> paddings;
  std::vector<int> dilations;
  std::vector<int64_t> kernels;
};

struct OperatorStats {
  std::string operator_name;
  std::string type;
  std::vector<std::vector<int64_t>> output_shape;
  ConvPoolArgs args;
  CallStats stats;
  int64_t macs = 0;  // multiply-adds; 0 where the notion does not apply
  // What the chosen algorithm costs by the cost model, in multiply-adds at full
  // speed; 0 where there is no model.
  int64_t cost_macs = 0;
  int64_t bytes = 0;    // of the inputs, weights and outputs
  std::string device;   // "CPU"
  std::string variant;  // the kernel chosen
};

// What one Run did, op by op, in the order of running.
class RunMetadata {
 public:
  std::vector<OperatorStats> op_stats;
};

// A dense row-major tensor in the caller's memory, which is shared, not copied;
// or one in GPU memory.
class MACE_API MaceTensor {
 public:
  MaceTensor() = default;
  // Float elements.
  MaceTensor(const std::vector<int64_t>& shape, std::shared_ptr<float> data);
  // Elements of any type, in host memory. An output with null `data` is sized
  // and allocated by the engine.
  MaceTensor(const std::vector<int64_t>& shape, std::shared_ptr<void> data,
             IDataType data_type);
  // Floats in GPU memory, used without a copy: `memory` is a cl_mem of the
  // context of MaceEngine::GetGPUHandles. GPU_BUFFER: floats as in host memory.
  // GPU_IMAGE: a 2-D image, CL_RGBA of floats or halves, of at least
  // W * ((C + 3) / 4) x N * H pixels in channel-major order
  // (docs/memory_layout.md). Commands that fill an input must be done before
  // Run; when Run returns, outputs are written.
  MaceTensor(const std::vector<int64_t>& shape, std::shared_ptr<void> memory,
             MemoryType memory_type);

  const std::vector<int64_t>& shape() const { return shape_; }
  IDataType data_type() const { return data_type_; }
  MemoryType memory_type() const { return memory_type_; }

  // Null if the elements are not floats in host memory.
  const std::shared_ptr<float> data() const;
  std::shared_ptr<float> data();
  // The memory whatever its type.
  const std::shared_ptr<void>& raw_data() const { return data_; }

 private:
  std::vector<int64_t> shape_;
  std::shared_ptr<void> data_;
  IDataType data_type_ = IDT_FLOAT;
  MemoryType memory_type_ = MemoryType::CPU_BUFFER;
};

// An input or output of a model.
struct MaceTensorInfo {
  std::string name;
  std::vector<int64_t> shape;
  IDataType data_type = IDT_FLOAT;
  DataFormat data_format = DataFormat::NONE;
};

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

  // Maps the weights file. Errors: MACE_INVALID_ARGS for an unreadable file,
  // MACE_INVALID_MODEL for one that is not a sound model.
  static MaceStatus Load(const std::string& model_file,
                         const std::string& model_data_file,
                         std::shared_ptr<MaceModel>* model,
                         const MaceModelOptions& options = {});

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

// Ways for tensors to share bytes beyond reusing those of the dead. Each only
// ever lowers the bytes that an engine needs, and none changes a result.
struct MaceMemorySavings {
  bool order = true;     // run the ops in the order that needs least
  bool views = true;     // reshapes and outermost slices copy nothing
  bool in_place = true;  // an output in the bytes of an input that dies there
  bool concat = true;    // inputs of an outermost concat written in place
  bool overlap = true;   // an output over the part of an input already read
};

// Bytes of one kind of memory.
struct MaceMemoryCategory {
  std::string name;
  int64_t requested_bytes = 0;  // sum of what was asked for
  int64_t used_bytes = 0;       // what it takes
  int64_t count = 0;            // pieces
};

// What an engine holds, taken when asked for.
struct MaceMemoryUsage {
  // activations, scratch, persistent, weights, packed_weights, variables,
  // op_data, plan
  std::vector<MaceMemoryCategory> categories;
  // Of the arena: planned tensors and scratch, temporaries, what persists.
  int64_t head_bytes = 0, temporary_bytes = 0, tail_bytes = 0;
  int64_t lower_bound_bytes = 0;  // no plan of these tensors takes less
  int64_t peak_bytes = 0;         // live at the peak step
  std::string peak_node;
  // The largest at the peak step: name and bytes.
  std::vector<std::pair<std::string, int64_t>> peak_holders;
  double fragmentation = 0;  // share of the arena not live at the peak
};

// How an engine runs. Setters return MACE_INVALID_ARGS for what they refuse
// and then change nothing. A copy is independent.
class MACE_API MaceEngineConfig {
 public:
  // Starts from the defaults set with the functions of mace_runtime.h.
  explicit MaceEngineConfig(DeviceType device_type = CPU);
  ~MaceEngineConfig();
  MaceEngineConfig(const MaceEngineConfig& other);
  MaceEngineConfig& operator=(const MaceEngineConfig& other);

  // `num_threads` <= 0: as many as the policy has cores.
  MaceStatus SetCPUThreadPolicy(int num_threads, CPUAffinityPolicy policy);

  // How tensors share memory: AUTO (the default: the least of all strategies,
  // after a short search), another one such as GREEDY_BY_SIZE, or PRESERVE_ALL,
  // which keeps every tensor to look at. The error for another name lists them.
  MaceStatus SetMemoryStrategy(const std::string& strategy);
  void SetMemorySavings(const MaceMemorySavings& savings);

  // Every activation and scratch byte of the engine lies in this buffer, which
  // stays the caller's and must outlive the engine: nothing is allocated after
  // creation as long as the inputs keep their shapes and the caller gives the
  // outputs. Creation fails with the bytes needed if it is too small; ask
  // beforehand with MaceEngine::QueryArenaBytes. Must start at a 64-byte
  // boundary.
  MaceStatus SetArena(void* data, size_t size);

  // The largest tile of Winograd convolutions: 0 (none), 2, 4 or, on the
  // CPU, 6. Larger ones are faster and less exact: the error of a layer
  // relative to its largest output is below 1e-6, 5e-6 and 2e-5. Not called:
  // what the model's deployment file says, or else 4 on the CPU and none on the
  // GPU.
  MaceStatus SetWinograd(int largest_tile);

  // Of engines on the GPU. Hints are for Qualcomm Adreno and ignored elsewhere.
  MaceStatus SetGPUContext(std::shared_ptr<GPUContext> context);
  MaceStatus SetGPUHints(GPUPerfHint perf_hint, GPUPriorityHint priority_hint);
  // "fp16_fp32" (the default): activations and weights as halves, computed in
  // float; "fp32_fp32": all float.
  MaceStatus SetGPUDataType(const std::string& data_type);

  // Nodes of the model whose weights and outputs stay floats where
  // "fp16_fp32" would make them halves, because they do not fit: a half ends at
  // 65504. Nothing is converted at their borders: a kernel reads either.
  // Creating an engine fails for a name that the model does not have.
  void SetFloat32Nodes(const std::vector<std::string>& names);

  // For debugging: Run looks at every tensor that it computes, and fails at the
  // first with NaN or infinity. The message names the node, the tensor, the
  // place and the cure. Slow.
  void SetNumericCheck(bool check);

  // Keeps a screen drawn by the same GPU smooth: kernels are split so that each
  // part takes at most `kernel_micros` as measured (0: not split), and at most
  // `queue_window` parts wait or run (0: any number, or 16 if kernels are
  // split).
  MaceStatus SetGPULimits(int kernel_micros, int queue_window = 0);

  // How kernels run is measured, for at most so long whenever a plan is made
  // (0, the default: not at all), and the best is kept in `file`; without one,
  // where the compiled programs are. What is kept there is used in any case.
  // Has an effect on the GPU.
  MaceStatus SetTuning(int budget_ms, const std::string& file = "");

  // For debugging: bytes of the arena that hold nothing live are made NaN while
  // the engine runs, so that a wrong plan shows in the outputs. Slow.
  void SetGuard(bool guard);

  class Impl;
  const Impl* impl() const { return impl_.get(); }

 private:
  std::unique_ptr<Impl> impl_;
};

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

}  // namespace mace

#endif  // MACE_PUBLIC_MACE_H_
