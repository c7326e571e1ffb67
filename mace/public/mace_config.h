// MaceEngineConfig: how an engine runs.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PUBLIC_MACE_CONFIG_H_
#define MACE_PUBLIC_MACE_CONFIG_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "mace/public/mace_api.h"
#include "mace/public/mace_gpu.h"
#include "mace/public/mace_op.h"
#include "mace/public/mace_runtime.h"
#include "mace/public/mace_version.h"
#include "mace/public/status.h"

namespace mace {

class MaceEngine;

enum DeviceType { CPU = 0, GPU = 2, HEXAGON = 3 };

// How fast a Hexagon DSP runs, from the fastest to the most saving. RELEASE
// asks for nothing.
enum HexagonNNCornerType {
  HEXAGON_NN_CORNER_RELEASE = 0,
  HEXAGON_NN_CORNER_TURBO = 1,
  HEXAGON_NN_CORNER_NOMPLUS = 2,
  HEXAGON_NN_CORNER_NOMINAL = 3,
  HEXAGON_NN_CORNER_SVSPLUS = 4,
  HEXAGON_NN_CORNER_SVS = 5,
  HEXAGON_NN_CORNER_SVS2 = 6,
};

// Ways to save memory beyond reusing the bytes of tensors that are no longer
// needed. They are used only where the least bytes that any plan needs do not
// rise, and none changes a result.
struct MaceMemorySavings {
  bool order = true;     // run the ops in the order that needs least
  bool views = true;     // reshapes and outermost slices copy nothing
  bool in_place = true;  // an output in the bytes of an input that dies there
  bool concat = true;    // inputs of a concat written in place
  bool overlap = true;   // an output over the part of an input already read
};

// How an engine runs. Setters return MACE_INVALID_ARGS for what they refuse
// and then change nothing. A copy is independent. For one thread at a time.
//
// A converted model carries settings of its deployment file: all on which its
// results depend (the tile of Winograd convolutions, nodes that stay in
// float32, the data type of the GPU, the rounding of 8-bit FullyConnected), how
// memory is planned, and the limit of loops. A setting of the caller has
// priority over the model's.
class MACE_API MaceEngineConfig {
 public:
  // Starts from the defaults set with the functions of mace_runtime.h. Leave
  // `header_version` out: it tells the library with which headers the app was
  // compiled, and creating an engine fails where they do not fit.
  explicit MaceEngineConfig(DeviceType device_type = CPU,
                            int header_version = MACE_VERSION_NUMBER);
  ~MaceEngineConfig();
  MaceEngineConfig(const MaceEngineConfig& other);
  MaceEngineConfig& operator=(const MaceEngineConfig& other);

  // Sets any setting, by its name and in the words of docs/converter.md:
  // Set("memory_savings", "views,concat"). The error for a name that does not
  // exist lists all names.
  MaceStatus Set(const std::string& name, const std::string& value);

  // `num_threads` <= 0: one thread for each core of the policy. At most 1024.
  MaceStatus SetCPUThreadPolicy(int num_threads, CPUAffinityPolicy policy);

  // How tensors share memory: AUTO (the default: the plan of all strategies
  // that needs least, after a short search), another one such as GREEDY_BY_SIZE
  // or EQUALITY, or PRESERVE_ALL, which keeps every tensor for debugging. The
  // error for a name that does not exist lists all names. "offsets/" before a
  // name places tensors anywhere in an arena, "objects/" shares whole pieces;
  // a name without either means the variant that exists, in an arena "offsets/"
  // if both do.
  //
  // On the GPU tensors are images, which share as objects with a width and a
  // height: AUTO, OPTIMAL, NAIVE, EQUALITY, GREEDY_IN_ORDER, GROW_IN_ORDER
  // (also with "objects/"), GREEDY (which then means GREEDY_IN_ORDER) and
  // PRESERVE_ALL. With any other strategy, an engine on both devices plans the
  // CPU's tensors with that strategy and the images with AUTO; creating an
  // engine whose tensors are all on the GPU fails, and the message lists what
  // to choose.
  //
  // Inputs are never written to, whatever the strategy.
  MaceStatus SetMemoryStrategy(const std::string& strategy);
  MaceStatus SetMemoryStrategy(const char* strategy) {
    return SetMemoryStrategy(StringOrEmpty(strategy));
  }
  void SetMemorySavings(const MaceMemorySavings& savings);

  // Sets offsets that were planned elsewhere, in the words of TensorFlow Lite
  // Micro's OfflineMemoryAllocation: 1 (the version), 0 (the subgraph), the
  // number of offsets, and the offset in bytes of each tensor in the arena, or
  // -1 where the strategy is to choose. The tensors are the "records" of
  // Dump("memory_json") of an engine with the same settings, in their order.
  // Creating an engine fails with MACE_INVALID_ARGS if the first two words or
  // the number of offsets are others or two that live together would share
  // bytes, and with MACE_UNSUPPORTED with the strategies ARENA,
  // ARENA_SEQUENTIAL and those of objects. The offsets hold for the model's
  // own input shapes; other shapes are planned with the strategy. Empty (the
  // default): no such plan.
  MaceStatus SetOfflineMemoryPlan(const std::vector<int32_t>& words);

  // Places the memory of the engine in this buffer, which stays the caller's,
  // must outlive the engine, and must hold no other engine that lives then,
  // which is not checked: create one engine with this config. Nothing is
  // allocated after creation as long as the inputs keep their shapes and the
  // caller gives the outputs, unless the model has states, shapes depend on
  // data, or float32 is given for quantized tensors. Creation, and a Run with
  // new shapes, fail with MACE_OUT_OF_RESOURCES and the bytes needed if the
  // buffer is too small; MaceEngine::QueryArenaBytes computes them beforehand.
  // Errors: MACE_INVALID_ARGS unless `data` is at a 64-byte boundary and not
  // null. From the beginning to the end of the buffer:
  //
  //   head       every activation and scratch byte of a Run
  //   temporary  scratch while a plan is made
  //   tail       constants that plans compute, as long as they are remembered
  //
  // Weights that are packed belong to the model, and images to the GPU. Tables
  // (of ops, of kernels), whose size hardly depends on shapes, are not in it.
  MaceStatus SetArena(void* data, size_t size);

  // Lets the new engine and `engine` use the same memory for their runs: the
  // arena, and the images of the GPU. The memory is as large as the engine that
  // needs most requires, not the sum (images are shared one by one, where their
  // types match, and so take more where their sizes differ much). Runs of
  // engines that share take turns: a Run waits for that of another to end. A
  // custom op must not run an engine that shares with its own.
  //
  // Any number of engines may share, of different models and devices: each new
  // one names any that shares already. They may be destroyed in any order; what
  // only the destroyed one needed is then freed. The memory counts for the
  // memory limit of the engine that allocated it, which is the one that needs
  // most, and for no other.
  //
  // Null: no sharing (the default). Errors: MACE_INVALID_ARGS if `engine` uses
  // an arena of the caller's. Creating an engine fails with the same code if
  // SetArena was called too.
  MaceStatus ShareMemoryWith(const MaceEngine* engine);

  // The most anonymous bytes that an engine may allocate for tensors: its arena
  // (if not the caller's), scratch, constants that it computes, weights that it
  // packs or widens, images, outputs that it makes for the caller. Mapped
  // weights do not count. The limit is checked before each allocation.
  // Creating an engine allocates all that a Run with the model's own shapes
  // needs, except outputs that the caller does not give, copies of quantized
  // tensors that are given as float32, growth of states, and what depends on
  // data. The message of MACE_OUT_OF_RESOURCES has the bytes and what they were
  // for. 0, the default: three quarters of what is available when the
  // engine is created (in the machine, in the process's control group, in its
  // address space), and bytes beyond that if they are available when they are
  // needed; the message has both numbers.
  void SetMemoryLimit(size_t bytes);

  // Sets the minimum share of the model's multiply-adds (of its nodes, if it
  // has no multiply-adds) that must run on a device, from 0 to 1; 0 requires
  // nothing. Creating an engine fails with MACE_UNSUPPORTED if a smaller share
  // runs there, because the device does not exist, does not support some nodes,
  // or moving their tensors would cost more than it gains: the message names
  // the nodes and the reasons. A Run fails likewise if its input shapes lead to
  // a smaller share, and no engine falls back to the CPU against it. What is
  // planned at run time does not count. Several devices may have a share.
  MaceStatus SetRequire(DeviceType device, double share);

  // Sets the largest tile of Winograd convolutions: 0 (none), 1 (the CPU's
  // default; 4 on the GPU, or 2 with fp16), 2, 4 or, on the CPU, 6. Larger
  // tiles are faster and less exact: the error of a float32 layer relative to
  // its largest output is below 1e-6, 5e-6 and 2e-5 on the CPU, and below 1e-5
  // and 3e-5 on the GPU. If this is not called, the model's deployment file
  // decides, or else the CPU uses tiles up to 4 and the GPU none. 0 also turns
  // off Strassen's method for large GEMMs on the CPU, whose error is below
  // 2e-6.
  MaceStatus SetWinograd(int largest_tile);

  // For engines on the GPU. Hints are for Qualcomm Adreno and ignored
  // elsewhere; the GPU keeps the hints of the first engine of the process that
  // uses it. Errors: MACE_INVALID_ARGS for a null context or an unknown hint.
  MaceStatus SetGPUContext(std::shared_ptr<GPUContext> context);
  MaceStatus SetGPUHints(GPUPerfHint perf_hint, GPUPriorityHint priority_hint);
  // "fp16_fp32" (the default): activations and weights of the GPU as fp16,
  // computed in float32; "fp32_fp32": all float32.
  MaceStatus SetGPUDataType(const std::string& data_type);
  MaceStatus SetGPUDataType(const char* data_type) {
    return SetGPUDataType(StringOrEmpty(data_type));
  }

  // Names the nodes of the model that stay in float32 where others use fp16 (on
  // a GPU with "fp16_fp32", and on a CPU with fp16 arithmetic), because their
  // weights or outputs do not fit: fp16 ends at 65504. Creating an engine fails
  // with MACE_INVALID_ARGS for a name that the model does not have. An empty
  // list keeps none, whatever the model's deployment file has.
  void SetFloat32Nodes(const std::vector<std::string>& names);

  // For debugging: Run looks at its inputs and at every tensor that it
  // computes, and fails at the first with NaN or infinity (in fp16 also 65504):
  // MACE_INVALID_ARGS for an input, MACE_RUNTIME_ERROR for another tensor. The
  // message names the node, the tensor, the position and the cure. Such a Run
  // fails with MACE_UNSUPPORTED if inputs or outputs are in GPU memory. Slow.
  void SetNumericCheck(bool check);

  // Keeps a screen drawn by the same GPU smooth: kernels are split so that each
  // part takes at most `kernel_micros` as measured (0: not split), and at most
  // `queue_window` parts wait or run (0: any number, or 16 if kernels are
  // split).
  MaceStatus SetGPULimits(int kernel_micros, int queue_window = 0);

  // For engines on the DSP (HEXAGON), which run what the DSP supports there,
  // and the rest on the CPU: Dump("plan") has the device of each node and why.
  //
  // Sets how fast the DSP runs (the default: TURBO), whether it may change its
  // clock by its load (yes), and within how many microseconds it must wake up
  // (100; 0: as the corner has it). An emulator has none of these: the log and
  // Dump("plan") then tell that they have no effect.
  MaceStatus SetHexagonPower(HexagonNNCornerType corner, bool dcvs_enable,
                             int latency_us);
  // Runs the DSP's code in an unsigned process domain, which needs no
  // signature. The first engine of a process on the DSP decides for all.
  MaceStatus SetHexagonToUnsignedPD();

  // Lets a helper program try the driver of the GPU or DSP before the first use
  // in this process: its main is one call, RunDriverProbe. A driver that
  // crashes there, does not answer within `timeout_ms` (at least 1) or computes
  // wrongly is not used: the engine falls back to the CPU, with a warning in
  // the log. The result is kept with the driver's identity where compiled
  // programs are kept (SetKVStorageFactory, or the storage path of a
  // GPUContext), so that the helper runs once for each version of a driver, or
  // without a store once in each process; if the entry is removed from there,
  // the helper runs again in the next process. `program` is a
  // path; on Android only files of the app's folder of native libraries can be
  // started, so that it is named like one, libmace_driver_probe.so. If the
  // program cannot be started, the log has a warning, and the first use is
  // unprotected. The default, "": no helper.
  MaceStatus SetDriverProbe(const std::string& program, int timeout_ms = 30000);
  MaceStatus SetDriverProbe(const char* program, int timeout_ms = 30000) {
    return SetDriverProbe(StringOrEmpty(program), timeout_ms);
  }

  // Measures which kernels are fastest on this CPU or GPU, for about
  // `budget_ms` milliseconds whenever a plan is made (0, the default: does not
  // measure), and keeps the results in `file`; without a file, in the store of
  // compiled programs. Results that are kept there are used in any case, for
  // the same processor and number of threads. The outputs of a model may then
  // differ by rounding, within the bounds of SetWinograd, as the measurements
  // do. Of an engine on both, the GPU's kernels are measured.
  MaceStatus SetTuning(int budget_ms, const std::string& file = "");
  MaceStatus SetTuning(int budget_ms, const char* file) {
    return SetTuning(budget_ms, StringOrEmpty(file));
  }

  // Sets the app's ops, and which ops of the library models may use. Copies
  // `resolver`; the `user` of its custom ops must live as long as the engines.
  // The default: no custom ops, and all ops of the library.
  void SetOpResolver(const MaceOpResolver& resolver);

  // For debugging: while the engine runs, fills bytes of the arena that hold
  // nothing live with NaN, so that a wrong plan shows in the outputs. Slow.
  void SetGuard(bool guard);

  class Impl;
  const Impl* impl() const { return impl_.get(); }

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace mace

#endif  // MACE_PUBLIC_MACE_CONFIG_H_
