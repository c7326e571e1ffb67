// The ops that engines may run, in C.
// SPDX-License-Identifier: Apache-2.0

#include <new>

#include "mace/capi/objects.h"
#include "mace/capi/status.h"

struct mace_op_resolver {
  mace::MaceOpResolver resolver;
};

namespace capi = mace::capi;

extern "C" {

mace_status_t mace_op_resolver_create(mace_op_resolver_t** resolver) {
  MACE_CAPI_NOT_NULL(resolver);
  *resolver = new (std::nothrow) mace_op_resolver;
  return capi::Made(*resolver);
}

void mace_op_resolver_destroy(mace_op_resolver_t* resolver) { delete resolver; }

mace_status_t mace_op_resolver_add_custom(mace_op_resolver_t* resolver,
                                          const mace_op_registration_t* op) {
  MACE_CAPI_NOT_NULL(resolver);
  MACE_CAPI_NOT_NULL(op);
  return capi::Report(resolver->resolver.AddCustom(*op));
}

mace_status_t mace_op_resolver_add_builtin(mace_op_resolver_t* resolver,
                                           const char* name) {
  MACE_CAPI_NOT_NULL(resolver);
  MACE_CAPI_NOT_NULL(name);
  return capi::Report(resolver->resolver.AddBuiltin(name));
}

mace_status_t mace_config_set_op_resolver(mace_config_t* config,
                                          const mace_op_resolver_t* resolver) {
  MACE_CAPI_NOT_NULL(config);
  MACE_CAPI_NOT_NULL(resolver);
  config->config.SetOpResolver(resolver->resolver);
  return MACE_SUCCESS;
}

}  // extern "C"
