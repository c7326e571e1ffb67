// GetCapability: whether a device exists, and how fast it is.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PUBLIC_MACE_CAPABILITY_H_
#define MACE_PUBLIC_MACE_CAPABILITY_H_

#include <string>
#include <vector>

#include "mace/public/mace_api.h"
#include "mace/public/mace_config.h"

namespace mace {

// How long a device takes for a small network of convolutions. Infinity if the
// device does not run the network, so that the smaller of two times always is
// the better choice.
struct PerformanceInfo {
  float exec_time;
};

struct Capability {
  PerformanceInfo float32_performance;     // of a model with float32 weights;
                                           // infinity on DSPs
  PerformanceInfo quantized8_performance;  // of int8 models: measured on DSPs,
                                           // infinity elsewhere
  bool supported;                          // whether the device can run models
};

// Runs the network on the device as an engine with the default settings would
// (the GPU computes with fp16), and returns the time of the fastest run in
// milliseconds, divided by `cpu_float32_exec_time`:
//
//   float cpu = GetCapability(CPU).float32_performance.exec_time;  // in ms
//   Capability gpu = GetCapability(GPU, cpu);
//   bool faster = gpu.float32_performance.exec_time < 1;
//
// A `cpu_float32_exec_time` that is not above 0 counts as 1. `supported` is
// false, and the times are infinity, for a device that does not exist, that
// this library was built without, or whose driver fails, and for each device in
// a library without the component `diagnostics`. A library without the op
// Conv2d, which an app may build for its own models, has nothing to measure:
// then the time of a supported device is infinity, or NaN if
// `cpu_float32_exec_time` is infinity. Takes some tens of milliseconds on a CPU
// and longer on a GPU, which compiles programs first, unless a cache has them.
// May be called from any thread; measure while nothing else runs.
MACE_API Capability GetCapability(DeviceType device_type,
                                  float cpu_float32_exec_time = 1.f);

// A micro-kernel of the CPU that this process has tested.
struct MaceKernelTest {
  std::string kernel;  // such as "gemm_f32_14x32__avx512"
  std::string reason;  // why it is switched off: "illegal instruction", "wrong
                       // numbers"; empty: it is right
  std::string fallback;  // what is used instead; empty: nothing is, or it is
                         // right
};

// Returns the micro-kernels that were tested, in the order of their first use.
// Before a micro-kernel is used for the first time in a process, it computes a
// small known case: there are CPUs that claim instructions which they do not
// have, or that compute them wrongly. A micro-kernel that fails is switched
// off, another one is used instead, and the log has a warning. The cases run in
// a process that lives for a moment, so that no signal handler of the app is
// called or replaced. With a store (SetKVStorageFactory, or the storage path of
// a GPUContext) the results are kept for later processes on the same CPU. Empty
// in a library that was built without the tests (`kernel_self_test: 0`) or
// without the component `diagnostics`. May be called from any thread.
MACE_API std::vector<MaceKernelTest> GetKernelTests();

}  // namespace mace

#endif  // MACE_PUBLIC_MACE_CAPABILITY_H_
