// Which ops an engine may run, the app's own (mace_c_op.h) among them.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PUBLIC_MACE_C_OP_RESOLVER_H_
#define MACE_PUBLIC_MACE_C_OP_RESOLVER_H_

#include "mace/public/mace_c_config.h"
#include "mace/public/mace_c_op.h"
#include "mace/public/mace_c_status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mace_op_resolver mace_op_resolver_t;

// Stores a resolver with all ops of the library and no custom ones in
// `*resolver`. Threads: any.
MACE_API mace_status_t mace_op_resolver_create(mace_op_resolver_t** resolver);

// Configurations and engines do not need it any more. Null does nothing.
// Threads: any, once no other call uses `resolver`.
MACE_API void mace_op_resolver_destroy(mace_op_resolver_t* resolver);

// Registers an op of the app; copies all that `op` points to except `user`.
// Errors: MACE_INVALID_ARGS for a name that is registered already, is that of
// an op of the library, "Upload" or "Download", is empty or has other
// characters than letters, digits and "_.:/-"; for a function that is missing
// (init, too, if there is a free), a negative version, or a struct_size that is
// too small. Threads: one at a time for `resolver`.
MACE_API mace_status_t mace_op_resolver_add_custom(
    mace_op_resolver_t* resolver, const mace_op_registration_t* op);

// Registers an op of the library by hand. Engines run all ops of the library
// unless some are registered in this way; then creating an engine fails with
// MACE_UNSUPPORTED for a model that needs others. Errors: MACE_INVALID_ARGS for
// an op that the library does not have. Threads: one at a time for `resolver`.
MACE_API mace_status_t
mace_op_resolver_add_builtin(mace_op_resolver_t* resolver, const char* name);

// Engines of `config` run the ops that `resolver` has now. Threads: one at a
// time for `config`, while no call changes `resolver`.
MACE_API mace_status_t mace_config_set_op_resolver(
    mace_config_t* config, const mace_op_resolver_t* resolver);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // MACE_PUBLIC_MACE_C_OP_RESOLVER_H_
