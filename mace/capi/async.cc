// Asynchronous runs in C.
// SPDX-License-Identifier: Apache-2.0

#include <memory>
#include <new>
#include <string>
#include <utility>

#include "mace/capi/objects.h"
#include "mace/capi/status.h"
#include "mace/public/mace_async.h"
#include "mace/public/mace_c_async.h"

struct mace_async_runs {
  std::shared_ptr<mace::MaceAsyncRuns> runs;
};

namespace capi = mace::capi;
using mace::MaceAsyncRuns;

extern "C" {

mace_status_t mace_async_runs_create(const mace_engine_t* engine,
                                     int32_t capacity,
                                     mace_async_runs_t** runs) {
  MACE_CAPI_NOT_NULL(runs);
  *runs = nullptr;
  MACE_CAPI_NOT_NULL(engine);
  std::shared_ptr<MaceAsyncRuns> created;
  MACE_CAPI_RETURN_IF_ERROR(
      capi::Report(MaceAsyncRuns::Create(engine->engine, capacity, &created)));
  *runs = new (std::nothrow) mace_async_runs{std::move(created)};
  return capi::Made(*runs);
}

void mace_async_runs_destroy(mace_async_runs_t* runs) { delete runs; }

mace_status_t mace_async_runs_close(mace_async_runs_t* runs) {
  MACE_CAPI_NOT_NULL(runs);
  runs->runs->Close();
  return MACE_SUCCESS;
}

mace_status_t mace_async_runs_add(mace_async_runs_t* runs,
                                  const mace_tensors_t* inputs,
                                  mace_tensors_t* outputs,
                                  const mace_cancellation_t* cancellation,
                                  mace_run_done_t done, void* user) {
  MACE_CAPI_NOT_NULL(runs);
  MACE_CAPI_NOT_NULL(inputs);
  MACE_CAPI_NOT_NULL(outputs);
  MACE_CAPI_NOT_NULL(done);
  if (inputs == outputs) {
    return capi::Refuse(__func__,
                        "inputs and outputs are the same object; make two");
  }
  std::shared_ptr<const mace::MaceDeadline> until;  // the caller owns it
  if (cancellation != nullptr) {
    until = {std::shared_ptr<void>(), &cancellation->cancellation};
  }
  return capi::Report(runs->runs->RunAsync(
      inputs->tensors, outputs->tensors,
      [outputs, done, user](const mace::MaceStatus& status,
                            std::map<std::string, mace::MaceTensor>* results) {
        outputs->tensors = std::move(*results);
        done(user, static_cast<mace_status_t>(status.code()),
             status.information().c_str());
      },
      std::move(until)));
}

int32_t mace_async_runs_pending(const mace_async_runs_t* runs) {
  MACE_CAPI_GETS(runs, 0);
  return runs->runs->pending();
}

}  // extern "C"
