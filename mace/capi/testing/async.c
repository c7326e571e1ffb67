// Asynchronous runs, in C.
// SPDX-License-Identifier: Apache-2.0

#include <string.h>

#include "mace/capi/testing/c_test.h"
#include "mace/public/mace_c_async.h"

static const int64_t kShape[4] = {1, 4, 4, 1};

typedef struct Ended {
  int calls;
  mace_status_t status;
  char message[256];
} Ended;

static void Done(void* user, mace_status_t status, const char* message) {
  Ended* ended = (Ended*)user;
  ++ended->calls;
  ended->status = status;
  strncpy(ended->message, message, sizeof(ended->message) - 1);
}

static void SetInput(mace_tensors_t* inputs, const char* name, float* x) {
  EXPECT_OK(mace_tensors_set(inputs, name, MACE_FLOAT32, kShape, 4, x,
                             kInputs * sizeof(float)));
}

static void TestRuns(mace_engine_t* engine, mace_tensors_t* inputs,
                     mace_tensors_t* outputs) {
  mace_async_runs_t* runs = NULL;
  mace_cancellation_t* cancellation = NULL;
  mace_tensors_t* none = NULL;
  Ended good = {0, -1, ""}, cancelled = {0, -1, ""};
  EXPECT_OK(mace_async_runs_create(engine, 4, &runs));
  EXPECT_OK(mace_async_runs_add(runs, inputs, outputs, NULL, Done, &good));
  EXPECT_OK(mace_cancellation_create(&cancellation));
  EXPECT_OK(mace_cancellation_cancel(cancellation));
  EXPECT_OK(mace_tensors_create(&none));
  EXPECT_OK(
      mace_async_runs_add(runs, inputs, none, cancellation, Done, &cancelled));
  while (mace_async_runs_pending(runs) > 0) {
  }
  mace_async_runs_destroy(runs);
  mace_cancellation_destroy(cancellation);
  mace_tensors_destroy(none);
  EXPECT(good.calls == 1 && good.status == MACE_SUCCESS);
  EXPECT(good.message[0] == '\0');
  EXPECT(mace_tensor_bytes(mace_tensors_find(outputs, "p")) ==
         kOutputs * sizeof(float));
  EXPECT(cancelled.calls == 1 && cancelled.status == MACE_CANCELLED);
  EXPECT(cancelled.message[0] != '\0');
}

static void TestErrors(mace_engine_t* engine, mace_tensors_t* inputs,
                       mace_tensors_t* outputs) {
  mace_async_runs_t* runs = NULL;
  Ended wrong = {0, -1, ""};
  EXPECT_BAD(mace_async_runs_create(engine, 0, &runs), "from 1 to 65536");
  EXPECT(runs == NULL);
  EXPECT_BAD(mace_async_runs_create(NULL, 1, &runs), "engine is null");
  EXPECT_BAD(mace_async_runs_create(engine, 1, NULL), "runs is null");
  EXPECT_OK(mace_async_runs_create(engine, 1, &runs));
  EXPECT_BAD(mace_async_runs_add(NULL, inputs, outputs, NULL, Done, NULL),
             "runs is null");
  EXPECT_BAD(mace_async_runs_add(runs, NULL, outputs, NULL, Done, NULL),
             "inputs is null");
  EXPECT_BAD(mace_async_runs_add(runs, inputs, NULL, NULL, Done, NULL),
             "outputs is null");
  EXPECT_BAD(mace_async_runs_add(runs, inputs, outputs, NULL, NULL, NULL),
             "done is null");
  EXPECT_BAD(mace_async_runs_add(runs, inputs, inputs, NULL, Done, NULL),
             "the same object");
  EXPECT_BAD(mace_async_runs_close(NULL), "runs is null");
  EXPECT_NOTHING(mace_async_runs_pending(NULL), 0, "runs is null");
  EXPECT_OK(mace_async_runs_add(runs, outputs, inputs, NULL, Done, &wrong));
  EXPECT_OK(mace_async_runs_close(runs));
  EXPECT(wrong.calls == 1 && wrong.status != MACE_SUCCESS);
  EXPECT_BAD(mace_async_runs_add(runs, inputs, outputs, NULL, Done, &wrong),
             "closed");
  mace_async_runs_destroy(runs);
  mace_async_runs_destroy(NULL);
  EXPECT(wrong.calls == 1);
}

void TestAsyncRuns(void) {
  const SampleModel* s = Sample();
  mace_model_t* model = NULL;
  mace_config_t* config = NULL;
  mace_engine_t* engine = NULL;
  mace_tensors_t *inputs = NULL, *outputs = NULL;
  float x[kInputs] = {0};
  EXPECT_OK(mace_model_load(s->graph_file, s->data_file, NULL, &model));
  EXPECT_OK(mace_config_create(MACE_CPU, MACE_VERSION_NUMBER, &config));
  EXPECT_OK(mace_engine_create(model, config, NULL, 0, NULL, 0, &engine));
  EXPECT_OK(mace_tensors_create(&inputs));
  EXPECT_OK(mace_tensors_create(&outputs));
  SetInput(inputs, "x", x);
  TestErrors(engine, inputs, outputs);
  TestRuns(engine, inputs, outputs);
  mace_engine_destroy(engine);
  mace_config_destroy(config);
  mace_model_destroy(model);
  mace_tensors_destroy(inputs);
  mace_tensors_destroy(outputs);
}
