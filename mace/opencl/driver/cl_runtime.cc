// Creating and sharing the runtime of the process.
// SPDX-License-Identifier: Apache-2.0

#include "mace/opencl/driver/cl_runtime.h"

#include <mutex>

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
    std::mutex mutex;
    std::weak_ptr<ClRuntime> runtime;
    ContextOptions options;
  };
  static auto* state = new State;
  const HoldLog hold_log;
  std::lock_guard<std::mutex> lock(state->mutex);
  if (auto runtime = state->runtime.lock()) {
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
