// MaceGenerator in a library without the component `language`.
// SPDX-License-Identifier: Apache-2.0

#include "mace/base/components.h"
#include "mace/public/mace_generator.h"

namespace mace {
namespace {

MaceStatus AbsentGenerator() {
  return AbsentComponent("MaceGenerator", "language");
}

}  // namespace

class MaceGenerator::Impl {};

MaceGenerator::~MaceGenerator() = default;

MaceStatus MaceGenerator::Create(std::shared_ptr<MaceModel>,
                                 std::shared_ptr<MaceTokenizer>,
                                 const MaceEngineConfig&,
                                 std::shared_ptr<MaceGenerator>*) {
  return AbsentGenerator();
}
MaceStatus MaceGenerator::Generate(const std::string&,
                                   const MaceGenerationOptions&,
                                   MaceGeneration*) {
  return AbsentGenerator();
}
MaceStatus MaceGenerator::GenerateFromTokens(const std::vector<int32_t>&,
                                             const MaceGenerationOptions&,
                                             MaceGeneration*) {
  return AbsentGenerator();
}
MaceStatus MaceGenerator::Chat(const std::vector<MaceChatMessage>&,
                               const MaceGenerationOptions&, MaceGeneration*) {
  return AbsentGenerator();
}
MaceStatus MaceGenerator::RenderChat(const std::vector<MaceChatMessage>&,
                                     std::string*) const {
  return AbsentGenerator();
}
MaceStatus MaceGenerator::Perplexity(const std::string&, double*) {
  return AbsentGenerator();
}
MaceStatus MaceGenerator::Embed(const std::string&, const std::string&,
                                std::vector<float>*) {
  return AbsentGenerator();
}
MaceStatus MaceGenerator::Reset() { return AbsentGenerator(); }
MaceStatus MaceGenerator::Save(const std::string&) const {
  return AbsentGenerator();
}
MaceStatus MaceGenerator::Restore(const std::string&) {
  return AbsentGenerator();
}
std::vector<int32_t> MaceGenerator::tokens() const { return {}; }
int64_t MaceGenerator::context_length() const { return -1; }
MaceSampling MaceGenerator::recommended_sampling() const { return {}; }
const char* MaceFinishReasonName(MaceFinishReason) { return ""; }

}  // namespace mace
