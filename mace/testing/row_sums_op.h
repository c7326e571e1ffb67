// RowSumsOp: a custom op written in C, for tests.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_TESTING_ROW_SUMS_OP_H_
#define MACE_TESTING_ROW_SUMS_OP_H_

#include "mace/public/mace_c_op.h"

#ifdef __cplusplus
extern "C" {
#endif

// How often each function was called.
typedef struct RowSumsCounts {
  int init, prepare, invoke, free, release;
} RowSumsCounts;

// Returns the op "RowSums", version 1: y = factor * the sums of x along the
// last axis, for a float32 x of rank 1 or more, with the attribute `factor`, a
// float. It asks for scratch and calls parallel_for. Its functions count in
// `counts`, without synchronization; `counts` must outlive all resolvers and
// engines with the op.
mace_op_registration_t RowSumsOp(RowSumsCounts* counts);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // MACE_TESTING_ROW_SUMS_OP_H_
