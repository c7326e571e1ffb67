// The member functions of MaceEngine, which check for null and forward to Impl.
// SPDX-License-Identifier: Apache-2.0

#include "mace/base/denormals.h"
#include "mace/base/logging.h"
#include "mace/base/memory_reserve.h"
#include "mace/runtime/engine.h"

namespace mace {

MaceEngine::MaceEngine(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
MaceEngine::~MaceEngine() = default;

MaceStatus MaceEngine::Create(std::shared_ptr<MaceModel> model,
                              const std::vector<std::string>& input_nodes,
                              const std::vector<std::string>& output_nodes,
                              const MaceEngineConfig& config,
                              std::shared_ptr<MaceEngine>* engine) {
  if (model == nullptr || engine == nullptr) {
    return InvalidArgument("MaceEngine::Create: null argument");
  }
  MACE_RETURN_IF_ERROR(FillMemoryReserve());
  VLOG(1) << "creating an engine, MACE " << MaceVersion();
  const ScopedCancellation none(nullptr);  // a custom op may create engines
  const RoundToNearest rounding;
  auto impl = std::make_unique<Impl>();
  MACE_RETURN_IF_ERROR(
      impl->Init(std::move(model), input_nodes, output_nodes, config));
  engine->reset(new MaceEngine(std::move(impl)));
  return MaceStatus();
}

MaceStatus MaceEngine::Run(const std::map<std::string, MaceTensor>& inputs,
                           std::map<std::string, MaceTensor>* outputs) {
  return impl_->Run(inputs, outputs, nullptr, nullptr);
}

MaceStatus MaceEngine::Run(const std::map<std::string, MaceTensor>& inputs,
                           std::map<std::string, MaceTensor>* outputs,
                           RunMetadata* run_metadata) {
  return impl_->Run(inputs, outputs, nullptr, run_metadata);
}

MaceStatus MaceEngine::Run(const std::map<std::string, MaceTensor>& inputs,
                           std::map<std::string, MaceTensor>* outputs,
                           const MaceCancellation& cancellation,
                           RunMetadata* run_metadata) {
  const Cancellation ours(cancellation);
  return impl_->Run(inputs, outputs, &ours, run_metadata);
}

MaceStatus MaceEngine::Run(const std::map<std::string, MaceTensor>& inputs,
                           std::map<std::string, MaceTensor>* outputs,
                           const MaceDeadline& deadline,
                           RunMetadata* run_metadata) {
  const Cancellation ours(deadline);
  return impl_->Run(inputs, outputs, &ours, run_metadata);
}

std::vector<MaceTensorInfo> MaceEngine::states() const {
  return impl_->StateInfos();
}

MaceStatus MaceEngine::ResetState() { return impl_->ResetState(); }

MaceStatus MaceEngine::GetState(
    std::map<std::string, MaceTensor>* states) const {
  return impl_->GetState(states);
}

MaceStatus MaceEngine::SetState(
    const std::map<std::string, MaceTensor>& states) {
  return impl_->SetState(states);
}

MaceStatus MaceEngine::ReleaseIntermediateBuffer() {
  impl_->ReleaseMemory();
  return MaceStatus();
}

void MaceEngine::ExpectRun() { impl_->ExpectRun(); }

MaceStatus MaceEngineConfig::ShareMemoryWith(const MaceEngine* engine) {
  if (engine == nullptr) {
    impl_->workspace = nullptr;
    return MaceStatus();
  }
  std::shared_ptr<Workspace> memory = engine->impl()->shareable_memory();
  if (memory == nullptr) {
    return InvalidArgument(
        "ShareMemoryWith: the engine is in an arena of the caller's "
        "(SetArena), which engines cannot share; create it without one");
  }
  impl_->workspace = std::move(memory);
  return MaceStatus();
}

std::vector<MaceTensorInfo> MaceEngine::inputs() const {
  return impl_->Infos(true);
}

std::vector<MaceTensorInfo> MaceEngine::outputs() const {
  return impl_->Infos(false);
}

MaceStatus MaceEngine::GetMemoryUsage(MaceMemoryUsage* usage) const {
  return impl_->GetMemoryUsage(usage);
}

MaceStatus MaceEngine::GetMemoryTotals(MaceMemoryTotals* totals) const {
  return impl_->GetMemoryTotals(totals);
}

MaceStatus MaceEngine::GetDeviceCounts(MaceDeviceCounts* counts) const {
  return impl_->GetDeviceCounts(counts);
}

MaceStatus MaceEngine::GetPlacement(
    std::vector<MaceNodePlacement>* placement) const {
  return impl_->GetPlacement(placement);
}

MaceStatus MaceEngine::GetGPUHandles(MaceGPUHandles* handles) const {
  return impl_->GetGPUHandles(handles);
}

MaceStatus MaceEngine::ImportMemory(const MaceExternalMemory& memory,
                                    const std::vector<int64_t>& shape,
                                    MaceTensor* tensor) const {
  return impl_->ImportMemory(memory, shape, tensor);
}

MaceStatus MaceEngine::Dump(const std::string& stage, std::string* text) const {
  return impl_->Dump(stage, text);
}

}  // namespace mace
