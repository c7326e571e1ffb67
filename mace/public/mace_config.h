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

// Ways for tensors to share bytes beyond reusing those of the dead. Each only
// ever lowers the bytes that an engine needs, and none changes a result.
struct MaceMemorySavings {
  bool order = true;     // run the ops in the order that needs least
  bool views = true;     // reshapes and outermost slices copy nothing
  bool in_place = true;  // an output in the bytes of an input that dies there
  bool concat = true;    // inputs of a concat written in place
  bool overlap = true;   // an output over the part of an input already read
};

// How an engine runs. Setters return MACE_INVALID_ARGS for what they refuse
// and then change nothing. A copy is independent.
//
// A converted model carries settings of its deployment file: all on which its
// results depend (the tile of Winograd convolutions, nodes that stay in
// float32, the data type of the GPU), and how memory is planned. An engine
// takes those for which no setter is called; what its caller sets wins over the
// model's.
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

  // Any setting, by the name and in the words that docs/converter.md has:
  // Set("memory_savings", "views,concat"). The error for another name lists
  // them.
  MaceStatus Set(const std::string& name, const std::string& value);

  // `num_threads` <= 0: as many as the policy has cores. At most 1024.
  MaceStatus SetCPUThreadPolicy(int num_threads, CPUAffinityPolicy policy);

  // How tensors share memory: AUTO (the default: the least of all strategies,
  // after a short search), another one such as GREEDY_BY_SIZE or EQUALITY, or
  // PRESERVE_ALL, which keeps every tensor to look at. The error for another
  // name lists them. "offsets/" before a name places tensors anywhere in an
  // arena, "objects/" shares whole pieces; without either it is what there is.
  //
  // On the GPU tensors are images, which share as objects with a width and a
  // height: AUTO, OPTIMAL, NAIVE, EQUALITY, GREEDY_IN_ORDER, GROW_IN_ORDER and
  // PRESERVE_ALL. Of an engine on both devices another strategy plans the CPU's
  // part, and AUTO the images. Creating an engine that is on the GPU only fails
  // with it, and the message says what to choose.
  //
  // Inputs are never written to, whatever the strategy.
  MaceStatus SetMemoryStrategy(const std::string& strategy);
  MaceStatus SetMemoryStrategy(const char* strategy) {
    return SetMemoryStrategy(StringOrEmpty(strategy));
  }
  void SetMemorySavings(const MaceMemorySavings& savings);

  // Offsets that somebody planned elsewhere, in the words of TensorFlow Lite
  // Micro's OfflineMemoryAllocation: 1 (the version), 0 (the subgraph), the
  // number of offsets, and of each tensor in the arena its offset in bytes, or
  // -1 where the strategy is to choose. The tensors are the "records" of
  // Dump("memory_json") of an engine with the same settings, in their order.
  // Creating an engine fails with MACE_INVALID_ARGS if their number differs or
  // two that live together would share bytes. For the model's own input shapes;
  // others are planned with the strategy. Empty (the default): no such plan.
  MaceStatus SetOfflineMemoryPlan(const std::vector<int32_t>& words);

  // Memory of the engine lies in this buffer, which stays the caller's and must
  // outlive the engine: nothing is allocated after creation as long as the
  // inputs keep their shapes and the caller gives the outputs. Creation, and a
  // Run with new shapes, fail with the bytes needed if it is too small; ask
  // beforehand with MaceEngine::QueryArenaBytes. Must start at a 64-byte
  // boundary. From its begin to its end:
  //
  //   head       every activation and scratch byte of a Run
  //   temporary  scratch while a plan is made
  //   tail       constants that plans compute, as long as they are remembered
  //
  // Weights that are packed belong to the model, and images to the GPU. Tables
  // (of ops, of kernels), whose size hardly depends on shapes, are not in it.
  MaceStatus SetArena(void* data, size_t size);

  // Lets the engine use the memory of `engine` for its runs, and `engine` that
  // of the new one: the arena, and the images of the GPU. It is as large as the
  // largest of them needs, not all together (images are shared one by one,
  // where their types match, and so take more than that where their extents
  // differ much). Runs of engines that share take turns: a Run waits for that
  // of another to end, and both are right. An op of one must not run another.
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
  // weights do not count. Each is compared with what is left before it is
  // allocated, and creating an engine allocates all that a Run needs, so that
  // one that was created runs. MACE_OUT_OF_RESOURCES says how many bytes were
  // for what. 0, the default: three quarters of what is available when the
  // engine is created (in the machine, in the process's control group, in its
  // address space), and more where so much is still available when it is
  // needed; the message has both numbers.
  void SetMemoryLimit(size_t bytes);

  // The least share of the model's multiply-adds that must run on a device,
  // from 0 to 1; 0 requires nothing. Creating an engine fails with
  // MACE_UNSUPPORTED where fewer are placed there, be it that the device does
  // not exist, that it does not support some nodes, or that moving their
  // tensors would cost more than it gains: the message names the nodes and the
  // reasons. So does a Run with input shapes for which that is so, and no
  // engine falls back to the CPU against it. Several devices may have a share.
  MaceStatus SetRequire(DeviceType device, double share);

  // The largest tile of Winograd convolutions: 0 (none), 1 (as if not called,
  // but 4 on the GPU, or 2 with fp16), 2, 4 or, on the CPU, 6. Larger ones are
  // faster and less exact: the error of a layer relative to its largest output
  // is below 1e-6, 5e-6 and 2e-5. Not called: what the model's deployment file
  // says, or else 4 on the CPU and none on the GPU. 0 also turns off Strassen's
  // method of large products on the CPU, whose error is below 2e-6.
  MaceStatus SetWinograd(int largest_tile);

  // Of engines on the GPU. Hints are for Qualcomm Adreno and ignored elsewhere.
  MaceStatus SetGPUContext(std::shared_ptr<GPUContext> context);
  MaceStatus SetGPUHints(GPUPerfHint perf_hint, GPUPriorityHint priority_hint);
  // "fp16_fp32" (the default): activations and weights as fp16, computed in
  // float; "fp32_fp32": all float.
  MaceStatus SetGPUDataType(const std::string& data_type);
  MaceStatus SetGPUDataType(const char* data_type) {
    return SetGPUDataType(StringOrEmpty(data_type));
  }

  // Nodes of the model whose weights and outputs stay float32 where "fp16_fp32"
  // would make them fp16, because they do not fit: fp16 ends at 65504. Nothing
  // is converted at their borders: a kernel reads either. Creating an engine
  // fails for a name that the model does not have. An empty list keeps none,
  // whatever the model says.
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

  // Of engines on the DSP (HEXAGON), which run what the DSP can there, and the
  // rest on the CPU: Dump("plan") says which and why.
  //
  // How fast the DSP runs (the default: TURBO), whether it may change its clock
  // by its load (yes), and within how many microseconds it must wake up (100;
  // 0: as the corner has it). An emulator has none of these: the log and
  // Dump("plan") then say that they have no effect.
  MaceStatus SetHexagonPower(HexagonNNCornerType corner, bool dcvs_enable,
                             int latency_us);
  // Runs in an unsigned process domain, for which the DSP's code needs no
  // signature. The first engine of a process on the DSP decides for all.
  MaceStatus SetHexagonToUnsignedPD();

  // Lets a helper program try the driver of the GPU or DSP before the first use
  // in this process: its main is one call, RunDriverProbe. Where the driver
  // crashes there, does not answer within `timeout_ms` or computes wrongly, it
  // is not used, and the CPU takes over, with a warning in the log. What was
  // found is kept with the driver's identity where compiled programs are kept
  // (SetKVStorageFactory, or the storage path of a GPUContext), so that the
  // helper runs once for each version of a driver; an entry that is removed
  // from there is tried again. `program` is a path; on Android only files of
  // the app's folder of native libraries can be started, so that it is named
  // like one, libmace_driver_probe.so. Where it cannot be started the log has a
  // warning, and the first use is unprotected. The default, "": no helper.
  MaceStatus SetDriverProbe(const std::string& program, int timeout_ms = 30000);
  MaceStatus SetDriverProbe(const char* program, int timeout_ms = 30000) {
    return SetDriverProbe(StringOrEmpty(program), timeout_ms);
  }

  // How kernels run best on this CPU or GPU is measured, for about so long
  // whenever a plan is made (0, the default: not at all), and kept in `file`;
  // without one, where the compiled programs are. What is kept there is used in
  // any case, for the same processor and number of threads. Results may then
  // differ by rounding, within the bounds of SetWinograd, as what was measured
  // does. Of an engine on both, the GPU's kernels are measured.
  MaceStatus SetTuning(int budget_ms, const std::string& file = "");
  MaceStatus SetTuning(int budget_ms, const char* file) {
    return SetTuning(budget_ms, StringOrEmpty(file));
  }

  // The ops of the app, and which ops of the library models may use. The engine
  // keeps a copy, and the custom ops' `user` must live as long as it. The
  // default: no custom ops, and all ops of the library.
  void SetOpResolver(const MaceOpResolver& resolver);

  // For debugging: bytes of the arena that hold nothing live are made NaN while
  // the engine runs, so that a wrong plan shows in the outputs. Slow.
  void SetGuard(bool guard);

  class Impl;
  const Impl* impl() const { return impl_.get(); }

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace mace

#endif  // MACE_PUBLIC_MACE_CONFIG_H_
