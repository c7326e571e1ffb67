// MaceImageConverter in a library without the component `interfaces`.
// SPDX-License-Identifier: Apache-2.0

#include <memory>
#include <utility>

#include "mace/base/components.h"
#include "mace/public/mace_image.h"

namespace mace {
namespace {

MaceStatus Absent() {
  return AbsentComponent("MaceImageConverter", "interfaces");
}

}  // namespace

class MaceImageConverter::Impl {};

MaceImageConverter::MaceImageConverter(std::unique_ptr<Impl> impl)
    : impl_(std::move(impl)) {}
MaceImageConverter::~MaceImageConverter() = default;

MaceStatus MaceImageConverter::Create(const MaceImageInput&,
                                      std::unique_ptr<MaceImageConverter>*) {
  return Absent();
}

size_t MaceImageConverter::tensor_bytes() const { return 0; }

MaceStatus MaceImageConverter::Convert(const MaceImage&, void*, size_t,
                                       MaceImageTransform*) {
  return Absent();
}

}  // namespace mace
