// Settings: what users choose of an engine by name, each described once.
// SPDX-License-Identifier: Apache-2.0
// The keys of the deployment file, what a model file carries,
// MaceEngineConfig::Set, the flags of mace_run, tools/settings.json and the
// table of docs/converter.md all follow from these descriptions.
// docs/add_a_setting.md shows how to add one.
#ifndef MACE_RUNTIME_SETTINGS_SETTINGS_H_
#define MACE_RUNTIME_SETTINGS_SETTINGS_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "mace/plan/memory/memory_strategies.h"
#include "mace/runtime/settings/setting.h"

namespace mace {

// A choice of `fc_rounding`.
inline constexpr char kRoundsOnce[] = "once";

struct Settings {
  static constexpr int kMaxThreads = 1024;

  int num_threads = -1;
  int cpu_affinity_policy = 0;
  std::string gpu_data_type = "fp16_fp32";
  std::vector<std::string> float32_nodes;
  std::optional<int> winograd;  // not set: the device chooses
  std::string fc_rounding = "twice";
  std::string memory_strategy = "AUTO";
  std::vector<std::string> memory_savings = {"order", "views", "in_place",
                                             "concat", "overlap"};
  int64_t memory_limit = 0;
  std::vector<std::string> require;
  std::string driver_probe;
  int driver_probe_ms = 30000;
  int max_loop_iterations = 1000000;
  int tuning_ms = 0;
  std::string tuning_file;
  int gpu_perf_hint = 0;
  int gpu_priority_hint = 0;
  int gpu_kernel_micros = 0;
  int gpu_queue_window = 0;
  std::string dsp_library;
  std::string dsp_program;
  std::string dsp_emulator = "qemu-hexagon";
  int dsp_timeout_ms = 60000;
  bool dsp_takes_all = false;
  bool dsp_with_gpu = false;
  int dsp_corner = 1;
  bool dsp_dcvs = true;
  int dsp_latency_us = 100;
  bool dsp_unsigned_pd = false;
  int nnlib_graph_mode = 0;
  bool check_numerics = false;
  bool guard = false;
  bool tracing = false;

  template <typename V>
  void Fields(V& v) {
    v(Setting("num_threads",
              "number of threads; -1: one for each core of the policy")
          .Range(1, kMaxThreads)
          .Also(-1)
          .Yaml("4")
          .More("`run` and `benchmark` use it if no flag is given."),
      num_threads);
    v(Setting("cpu_affinity_policy",
              "cores to run on: 0 any, 1 big, 2 little, 3 high performance, 4 "
              "power save")
          .Range(0, 4),
      cpu_affinity_policy);
    v(Setting("gpu_data_type",
              "type of images: fp16 (fp16_fp32) or float32 (fp32_fp32)")
          .Choices({"fp16_fp32", "fp32_fp32"})
          .On("gpu")
          .ChangesResults()
          .More("In the deployment file it is `data_type`."),
      gpu_data_type);
    v(Setting("float32_nodes",
              "nodes that compute in float32 where others use fp16")
          .Yaml("[conv1, conv2]")
          .ChangesResults()
          .More("The GPU keeps them in float32, and so does a CPU with fp16 "
                "arithmetic, even if `data_type` is `fp16_fp32`. `run "
                "--check_numerics` names the nodes that need it."),
      float32_nodes);
    v(Setting("winograd",
              "largest tile of Winograd convolutions; 0: none, 1: as suits the "
              "device")
          .Choices({"0", "1", "2", "4", "6"})
          .Yaml("0")
          .ChangesResults()
          .More("It applies to 3x3 convolutions with stride 1; `0` also turns "
                "off Strassen's method for large products. If it is not given, "
                "the CPU uses tiles up to 4x4 where they pay, and the GPU uses "
                "none. `1` turns it on: on the CPU as if it were not given, on "
                "the GPU with its largest tiles. Larger tiles are faster and "
                "less exact: in float32, errors are below 1e-6, 5e-6 and 2e-5 "
                "of a layer's largest output. The GPU has tiles of 2x2 and 4x4 "
                "(with fp16 only 2x2), with errors below 1e-5 and 3e-5. On the "
                "CPU, tiles and rows with an input that is not finite, or is "
                "1024 times the mean magnitude of the others, are computed "
                "without either method, so that it changes only outputs that "
                "it reaches; on the GPU it changes all outputs of its tile. "
                "int8 has tiles of 4x4 without an error, unless this is `0` or "
                "`2`."),
      winograd);
    v(Setting("fc_rounding",
              "how often FullyConnected of 8-bit tensors rounds a result")
          .Choices({kRoundsOnce, "twice"})
          .Yaml("twice")
          .ChangesResults()
          .More("`once`, as in LiteRT since April 2025, is what the converter "
                "writes into models with such nodes, unless the deployment "
                "file has the key; `twice`, as in TensorFlow Lite before and "
                "in TensorFlow Lite Micro, is what models without the setting "
                "have: those of earlier converters. In up to 0.4 % of the "
                "results they differ by one step."),
      fc_rounding);
    v(Setting("memory_strategy", "how tensors share memory")
          .Choices(MemoryStrategies())
          .Yaml("AUTO")
          .InModel()
          .More("[What each name plans](memory_planning.md#strategies). `plan` "
                "compares them; `PRESERVE_ALL` keeps every tensor, "
                "for debugging."),
      memory_strategy);
    v(Setting("memory_savings",
              "ways in which tensors share bytes, with commas between, or none")
          .Choices({"order", "views", "in_place", "concat", "overlap"})
          .Yaml("[views, in_place, concat, overlap]")
          .InModel()
          .More("[What each does](memory_planning.md#savings). Without `order` "
                "the nodes run in the order of the model."),
      memory_savings);
    v(Setting("memory_limit",
              "bytes that the engine may allocate for tensors; 0: three "
              "quarters of what is available")
          .Range(0, std::numeric_limits<int64_t>::max())
          .Yaml("67108864")
          .More("It limits the arena, scratch, packed weights and images of an "
                "engine together, not mapped weights. If they do not fit, "
                "creating the engine fails, with what needs how many bytes."),
      memory_limit);
    v(Setting("require",
              "least shares of a model's multiply-adds that devices must run")
          .Shares()
          .Yaml("{gpu: 0.9}")
          .More("Otherwise creating an engine fails, with the nodes that run "
                "elsewhere and the reasons; so does a run with other input "
                "shapes. Flags and `Set` write `gpu=0.9`. Of a model without "
                "multiply-adds it is the share of nodes; what is planned at "
                "run time does not count."),
      require);
    v(Setting("driver_probe",
              "the helper program that tries the driver of a GPU or DSP first")
          .More("[Then](gpu.md#drivers-that-crash) an engine falls back to the "
                "CPU where it crashes, hangs or computes wrongly."),
      driver_probe);
    v(Setting("driver_probe_ms", "milliseconds a driver that is tried may take")
          .Range(1, std::numeric_limits<int>::max()),
      driver_probe_ms);
    v(Setting("max_loop_iterations",
              "iterations of all loops of a run together after which it fails")
          .Range(1, std::numeric_limits<int>::max())
          .Yaml("1000")
          .InModel()
          .More("It ends loops whose condition never becomes false; the error "
                "names the loop. Nested loops count each time they run."),
      max_loop_iterations);
    v(Setting("tuning_ms",
              "milliseconds that measuring kernels may take; 0: no tuning")
          .Range(0, std::numeric_limits<int>::max())
          .Flag("tune")
          .Yaml("5000")
          .More("It holds for each device of the model. `convert`, `run` and "
                "`benchmark` tune once, on this machine, and store the results "
                "in `build/<library_name>/cpu/host/` (below `opencl/` for the "
                "GPU): ship that file and pass it to `SetTuning(0, FILE)`. In "
                "the deployment file the default is 20000 with `target_socs: "
                "[host]`."),
      tuning_ms);
    v(Setting("tuning_file",
              "file with tuning results, which is read and written; not given: "
              "that of the GPU programs, if any"),
      tuning_file);
    v(Setting("gpu_perf_hint",
              "performance of the GPU: 0 default, 1 low, 2 normal, 3 high")
          .Range(0, 3)
          .On("gpu"),
      gpu_perf_hint);
    v(Setting("gpu_priority_hint",
              "priority on the GPU: 0 default, 1 low, 2 normal, 3 high")
          .Range(0, 3)
          .On("gpu"),
      gpu_priority_hint);
    v(Setting("gpu_kernel_micros",
              "microseconds that a part of a GPU kernel may take; 0: no parts")
          .Range(0, std::numeric_limits<int>::max())
          .On("gpu")
          .More("The key `limit_opencl_kernel_time` sets it to 1000."),
      gpu_kernel_micros);
    v(Setting("gpu_queue_window",
              "most GPU kernels in flight; 0: no limit, or 16 if kernels are "
              "split")
          .Range(0, 65536)
          .Yaml("opencl_queue_window_size", "16")
          .On("gpu"),
      gpu_queue_window);
    v(Setting("dsp_library",
              "the vendor's library for DSPs; not given: the executor of "
              "dsp_program, or libhexagon_controller.so")
          .Yaml("libhexagon_controller.so")
          .On("dsp")
          .More("The hexagon_nn of MACE 0.13 to 1.1, in a file that the "
                "dynamic linker finds; results then differ from the CPU's by "
                "1 or 2 LSB (docs/dsp.md)."),
      dsp_library);
    v(Setting("dsp_program",
              "the DSP's executor, mace_dsp.elf, to run in an emulator")
          .On("dsp")
          .More("For development: only builds of the tools have the emulator, "
                "not those of libraries. `tools/converter.py` builds the "
                "executor and names it. Without it, the variable "
                "`MACE_DSP_PROGRAM` of the environment counts."),
      dsp_program);
    v(Setting("dsp_emulator", "the emulator for dsp_program").On("dsp"),
      dsp_emulator);
    v(Setting("dsp_timeout_ms",
              "milliseconds after which a DSP that does not answer is given up")
          .Range(1, std::numeric_limits<int>::max())
          .Yaml("60000")
          .On("dsp"),
      dsp_timeout_ms);
    v(Setting("dsp_takes_all",
              "the DSP runs all that it can, also what is faster elsewhere")
          .Yaml("0")
          .On("dsp")
          .More("Otherwise nodes run there where that takes less time, moving "
                "their tensors included, so that a small model stays on the "
                "CPU."),
      dsp_takes_all);
    v(Setting("dsp_with_gpu",
              "the GPU may run what the DSP cannot, too, not only the CPU")
          .Yaml("0")
          .On("dsp"),
      dsp_with_gpu);
    v(Setting("dsp_corner",
              "voltage corner of the DSP: 0 release, 1 turbo, 2 nominal plus, "
              "3 nominal, 4 svs plus, 5 svs, 6 svs2")
          .Range(0, 6)
          .Yaml("1")
          .On("dsp")
          .More("It, `dsp_dcvs`, `dsp_latency_us` and `dsp_unsigned_pd` are "
                "for the vendor's library, and logged where they do nothing."),
      dsp_corner);
    v(Setting("dsp_dcvs", "whether the DSP may change its clock by its load")
          .Yaml("1")
          .On("dsp"),
      dsp_dcvs);
    v(Setting("dsp_latency_us",
              "microseconds in which the DSP must wake up; 0: by its corner")
          .Range(0, std::numeric_limits<int>::max())
          .Yaml("100")
          .On("dsp"),
      dsp_latency_us);
    v(Setting("dsp_unsigned_pd",
              "run in an unsigned process domain, which needs no signature")
          .Yaml("0")
          .On("dsp"),
      dsp_unsigned_pd);
    v(Setting("nnlib_graph_mode", "graph mode of the vendor's hexagon_nn")
          .Range(0, std::numeric_limits<int>::max())
          .Yaml("0")
          .On("dsp")
          .More("MACE's own executor and newer versions of hexagon_nn have no "
                "modes; the log says so where it is set."),
      nnlib_graph_mode);
    v(Setting("check_numerics",
              "fail at the first tensor with NaN or infinity and name it"),
      check_numerics);
    v(Setting("guard",
              "fill memory that holds nothing live with NaN while running"),
      guard);
    v(Setting("tracing",
              "keep a Chrome trace of plans and runs, and show it in Android's")
          .Yaml("1")
          .More("[What the trace has](engine.md#tracing). `run` and "
                "`benchmark` use it; an app sets it itself."),
      tracing);
  }
};

}  // namespace mace

#endif  // MACE_RUNTIME_SETTINGS_SETTINGS_H_
