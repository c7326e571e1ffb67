// RowSums, a custom op in plain C: the sums along the last axis, times the
// attribute `factor`.
// SPDX-License-Identifier: Apache-2.0

#include "mace/testing/row_sums_op.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct State {
  float factor;
  int64_t rows, columns;  // of the latest prepare
} State;

static int32_t Fail(mace_op_error_t* error, const char* message) {
  snprintf(error->message, sizeof(error->message), "%s", message);
  return 1;
}

static int32_t Init(void* user, const mace_op_init_args_t* args, void** state,
                    mace_op_error_t* error) {
  const mace_op_attribute_t* factor = mace_op_find_attribute(args, "factor");
  State* made = (State*)calloc(1, sizeof(State));
  *state = made;
  if (made == NULL) return Fail(error, "no memory");
  ++((RowSumsCounts*)user)->init;
  if (factor == NULL || factor->type != MACE_OP_FLOAT) {
    return Fail(error, "needs a float 'factor'");
  }
  made->factor = factor->floats[0];
  return 0;
}

static int32_t Prepare(void* user, void* state, mace_op_prepare_args_t* args,
                       mace_op_error_t* error) {
  State* s = (State*)state;
  const mace_op_tensor_t* x = args->inputs[0];
  mace_op_output_t* y = args->outputs[0];
  int i;
  ++((RowSumsCounts*)user)->prepare;
  if (x->data_type != MACE_OP_FLOAT32 || x->rank < 1) {
    return Fail(error, "needs a float32 input of rank 1 or more");
  }
  s->rows = 1;
  s->columns = x->shape[x->rank - 1];
  y->data_type = MACE_OP_FLOAT32;
  y->rank = x->rank - 1;
  for (i = 0; i < y->rank; ++i) {
    y->shape[i] = x->shape[i];
    s->rows *= x->shape[i];
  }
  args->scratch_bytes = (size_t)(s->rows * (int64_t)sizeof(double));
  return 0;
}

typedef struct Work {
  const State* state;
  const float* x;
  double* sums;
} Work;

static void SumRows(void* arg, size_t begin, size_t end) {
  const Work* w = (const Work*)arg;
  const size_t columns = (size_t)w->state->columns;
  size_t row, column;
  for (row = begin; row < end; ++row) {
    w->sums[row] = 0;
    for (column = 0; column < columns; ++column) {
      w->sums[row] += w->x[row * columns + column];
    }
  }
}

static int32_t Invoke(void* user, void* state,
                      const mace_op_invoke_args_t* args,
                      mace_op_error_t* error) {
  const State* s = (const State*)state;
  float* y = (float*)args->outputs[0]->data;
  Work work;
  int64_t row;
  work.state = s;
  work.x = (const float*)args->inputs[0]->data;
  work.sums = (double*)args->scratch;
  if (args->scratch_bytes != (size_t)s->rows * sizeof(double)) {
    return Fail(error, "has other scratch than it asked for");
  }
  ++((RowSumsCounts*)user)->invoke;
  args->parallel_for(args, (size_t)s->rows, 2, SumRows, &work);
  for (row = 0; row < s->rows; ++row) {
    y[row] = (float)work.sums[row] * s->factor;
  }
  return 0;
}

static void Free(void* user, void* state) {
  ++((RowSumsCounts*)user)->free;
  free(state);
}

static void Release(void* user) { ++((RowSumsCounts*)user)->release; }

mace_op_registration_t RowSumsOp(RowSumsCounts* counts) {
  mace_op_registration_t op = {0};
  op.struct_size = sizeof(op);
  op.name = "RowSums";
  op.version = 1;
  op.user = counts;
  op.init = Init;
  op.prepare = Prepare;
  op.invoke = Invoke;
  op.free = Free;
  op.release = Release;
  return op;
}
