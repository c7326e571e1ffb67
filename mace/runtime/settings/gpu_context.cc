// Building a GPUContext.
// SPDX-License-Identifier: Apache-2.0

#include "mace/runtime/settings/gpu_context.h"

#include <utility>

#include "mace/base/make_shared.h"

namespace mace {

GPUContextBuilder::GPUContextBuilder() : context_(MakeShared<GPUContext>()) {}
GPUContextBuilder::~GPUContextBuilder() = default;

GPUContextBuilder& GPUContextBuilder::SetStoragePath(
    const std::string& folder) {
  context_->storage_path = folder;
  return *this;
}

GPUContextBuilder& GPUContextBuilder::SetOpenCLBinaryPaths(
    const std::vector<std::string>& paths) {
  context_->binary_paths = paths;
  return *this;
}

GPUContextBuilder& GPUContextBuilder::SetOpenCLParameterPath(
    const std::string& path) {
  context_->parameter_path = path;
  return *this;
}

GPUContextBuilder& GPUContextBuilder::SetProgressCallback(
    std::function<void(int done, int total)> callback) {
  context_->progress = std::move(callback);
  return *this;
}

GPUContextBuilder& GPUContextBuilder::SetOpenCLContext(
    const MaceGPUHandles& handles) {
  context_->handles = handles;
  return *this;
}

std::shared_ptr<GPUContext> GPUContextBuilder::Finalize() {
  return MakeShared<GPUContext>(*context_);
}

}  // namespace mace
