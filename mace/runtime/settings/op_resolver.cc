// The member functions of MaceOpResolver, which forward to KnownOps; AddCustom
// stands apart.
// SPDX-License-Identifier: Apache-2.0

#include "mace/runtime/settings/op_resolver.h"

namespace mace {

MaceOpResolver::MaceOpResolver() : impl_(new Impl) {}
MaceOpResolver::~MaceOpResolver() = default;

MaceOpResolver::MaceOpResolver(const MaceOpResolver& other)
    : impl_(new Impl(*other.impl_)) {}

MaceOpResolver& MaceOpResolver::operator=(const MaceOpResolver& other) {
  *impl_ = *other.impl_;
  return *this;
}

MaceStatus MaceOpResolver::AddBuiltin(const std::string& name) {
  return impl_->ops.AddBuiltin(name);
}

}  // namespace mace
