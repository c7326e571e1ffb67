// The member functions of MaceOpResolver, which forward to KnownOps.
// SPDX-License-Identifier: Apache-2.0

#include "mace/runtime/settings/op_resolver.h"

#include "mace/base/components.h"

namespace mace {

MaceOpResolver::MaceOpResolver() : impl_(new Impl) {}
MaceOpResolver::~MaceOpResolver() = default;

MaceOpResolver::MaceOpResolver(const MaceOpResolver& other)
    : impl_(new Impl(*other.impl_)) {}

MaceOpResolver& MaceOpResolver::operator=(const MaceOpResolver& other) {
  *impl_ = *other.impl_;
  return *this;
}

MaceStatus MaceOpResolver::AddCustom(const mace_op_registration_t& op) {
  if (!kHasInterfaces) return AbsentComponent("AddCustom", "interfaces");
  return impl_->ops.AddCustom(op);
}

MaceStatus MaceOpResolver::AddBuiltin(const std::string& name) {
  return impl_->ops.AddBuiltin(name);
}

}  // namespace mace
