// Creating and sharing the runtime of the process.
// SPDX-License-Identifier: Apache-2.0

#include "mace/opencl/driver/cl_runtime.h"

#include <mutex>
#include <optional>

#include "mace/base/fork.h"
#include "mace/base/logging.h"

namespace mace::opencl {

Result<std::shared_ptr<ClRuntime>> ClRuntime::Create(
    const ClApi& api, const ContextOptions& options) {
  std::shared_ptr<ClRuntime> runtime(new ClRuntime);
  MACE_ASSIGN_OR_RETURN(runtime->context_, ClContext::Create(api, options));
  runtime->programs_ = std::make_unique<ProgramPool>(*runtime->context_);
  return runtime;
}

Result<std::shared_ptr<ClRuntime>> ClRuntime::Shared(
    const ContextOptions& options) {
  struct State {
    Mutex mutex;
    std::weak_ptr<ClRuntime> runtime;
    ContextOptions options;
    std::optional<uint32_t> generation;  // of the process that used the driver
  };
  static auto* state = new State;
  const HoldLog hold_log;
  std::lock_guard<Mutex> lock(state->mutex);
  if (state->generation.value_or(ForkGeneration()) != ForkGeneration()) {
    return Unsupported(
        "this process is a fork of one that used the GPU, and drivers do not "
        "work in both: use the GPU only after the fork, or in processes that "
        "were started (`spawn`)");
  }
  state->generation = ForkGeneration();
  if (auto runtime = state->runtime.lock()) {
    if (options.context != nullptr &&
        options.context != runtime->context().get()) {
      return InvalidArgument(
          "SetOpenCLContext: the GPU's engines of this process share one "
          "cl_context, and there are engines with another one: create those of "
          "the app's context first, or destroy the others");
    }
    if (options.perf_hint != state->options.perf_hint ||
        options.priority_hint != state->options.priority_hint) {
      LOG(INFO) << "the GPU keeps the hints of the first engine that uses it";
    }
    return runtime;
  }
  MACE_ASSIGN_OR_RETURN(const ClApi* api, SystemClApi());
  MACE_ASSIGN_OR_RETURN(std::shared_ptr<ClRuntime> runtime,
                        Create(*api, options));
  state->runtime = runtime;
  state->options = options;
  return runtime;
}

}  // namespace mace::opencl
