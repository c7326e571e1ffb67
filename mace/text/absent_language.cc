// MaceTokenizer and MaceTokenStream in a library without the component
// `language`.
// SPDX-License-Identifier: Apache-2.0

#include "mace/base/components.h"
#include "mace/public/mace_tokenizer.h"

namespace mace {
namespace {

MaceStatus AbsentTokenizer() {
  return AbsentComponent("MaceTokenizer", "language");
}

}  // namespace

class MaceTokenizer::Impl {};

MaceTokenizer::~MaceTokenizer() = default;

MaceStatus MaceTokenizer::Load(const std::string&,
                               std::shared_ptr<MaceTokenizer>*) {
  return AbsentTokenizer();
}

MaceStatus MaceTokenizer::Load(const unsigned char*, size_t,
                               std::shared_ptr<MaceTokenizer>*) {
  return AbsentTokenizer();
}

MaceStatus MaceTokenizer::Encode(const std::string&, std::vector<int32_t>*,
                                 const MaceEncodeOptions&) const {
  return AbsentTokenizer();
}

MaceStatus MaceTokenizer::Decode(const std::vector<int32_t>&, std::string*,
                                 bool) const {
  return AbsentTokenizer();
}

int32_t MaceTokenizer::vocab_size() const { return 0; }
int32_t MaceTokenizer::FindToken(const std::string&) const { return -1; }
std::string MaceTokenizer::TokenText(int32_t) const { return {}; }
bool MaceTokenizer::IsSpecial(int32_t) const { return false; }
int32_t MaceTokenizer::bos() const { return -1; }
int32_t MaceTokenizer::eos() const { return -1; }
int32_t MaceTokenizer::pad() const { return -1; }
int32_t MaceTokenizer::unknown() const { return -1; }
std::vector<int32_t> MaceTokenizer::stop_tokens() const { return {}; }
std::string MaceTokenizer::property(const std::string&) const { return {}; }
uint64_t MaceTokenizer::hash() const { return 0; }

class MaceTokenStream::Impl {};

MaceTokenStream::MaceTokenStream(std::shared_ptr<MaceTokenizer>, bool) {}
MaceTokenStream::~MaceTokenStream() = default;
MaceStatus MaceTokenStream::Add(int32_t, std::string*) {
  return AbsentTokenizer();
}
MaceStatus MaceTokenStream::Finish(std::string*) { return AbsentTokenizer(); }

}  // namespace mace
