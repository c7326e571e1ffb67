// com.acme.Threshold, a custom op in C: elements below `limit` become 0.
// SPDX-License-Identifier: Apache-2.0

#include <stdio.h>
#include <stdlib.h>

#include "mace/public/mace_c_op.h"

typedef struct State {
  float limit;
} State;

static int32_t Fail(mace_op_error_t* error, const char* why) {
  snprintf(error->message, sizeof(error->message), "%s", why);
  return 1;
}

static int32_t Init(void* user, const mace_op_init_args_t* args, void** state,
                    mace_op_error_t* error) {
  const mace_op_attribute_t* limit = mace_op_find_attribute(args, "limit");
  State* made = (State*)malloc(sizeof(State));
  (void)user;
  *state = made;
  if (made == NULL) return Fail(error, "there is no memory");
  if (limit == NULL || limit->type != MACE_OP_FLOAT) {
    return Fail(error, "it needs a float 'limit'");
  }
  made->limit = limit->floats[0];
  return 0;
}

static int32_t Prepare(void* user, void* state, mace_op_prepare_args_t* args,
                       mace_op_error_t* error) {
  int i;
  (void)user;
  (void)state;
  if (args->num_inputs != 1 || args->num_outputs != 1 ||
      args->inputs[0]->data_type != MACE_OP_FLOAT32) {
    return Fail(error, "it needs one input of floats and one output");
  }
  args->outputs[0]->data_type = MACE_OP_FLOAT32;
  args->outputs[0]->rank = args->inputs[0]->rank;
  for (i = 0; i < args->inputs[0]->rank; ++i) {
    args->outputs[0]->shape[i] = args->inputs[0]->shape[i];
  }
  args->in_place_input = 0;
  return 0;
}

static int32_t Invoke(void* user, void* state,
                      const mace_op_invoke_args_t* args,
                      mace_op_error_t* error) {
  const State* s = (const State*)state;
  const float* x = (const float*)args->inputs[0]->data;
  float* y = (float*)args->outputs[0]->data;
  const size_t count = args->inputs[0]->bytes / sizeof(float);
  size_t i;
  (void)user;
  (void)error;
  for (i = 0; i < count; ++i) y[i] = x[i] < s->limit ? 0 : x[i];
  return 0;
}

static void Free(void* user, void* state) {
  (void)user;
  free(state);
}

mace_op_registration_t ThresholdOp(void) {
  mace_op_registration_t op = {0};
  op.struct_size = sizeof(op);
  op.name = "com.acme.Threshold";
  op.init = Init;
  op.prepare = Prepare;
  op.invoke = Invoke;
  op.free = Free;
  return op;
}
