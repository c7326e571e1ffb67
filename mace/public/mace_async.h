// MaceAsyncRuns: runs of an engine that do not make the caller wait.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PUBLIC_MACE_ASYNC_H_
#define MACE_PUBLIC_MACE_ASYNC_H_

#include <functional>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "mace/public/mace.h"

namespace mace {

// Called when a run has ended, with what MaceEngine::Run returned, or with
// MACE_CANCELLED for a run that Close kept from beginning. `*outputs` are those
// of the run, which the callback may move elsewhere; after an error they hold
// no result. Must not throw.
using MaceRunCallback = std::function<void(
    const MaceStatus& status, std::map<std::string, MaceTensor>* outputs)>;

// What a future of MaceAsyncRuns gets.
struct MaceAsyncResult {
  MaceStatus status;
  std::map<std::string, MaceTensor> outputs;
};

// A queue of runs of one engine, and the thread that runs them one after the
// other, in the order of the calls:
//
//   RunAsync, RunAsync ->  | waiting, at most `capacity` |  -> running ->
//   callback
//
// A run that RunAsync took has its callback called exactly once, whether it
// succeeds, fails, is cancelled or never begins; one that RunAsync refused has
// it called never. Callbacks are called by the thread of the queue, without any
// lock: they may call every function here, also RunAsync, and destroy the
// object. While a callback runs, the next run does not begin.
//
// The engine may be used in other ways at the same time, and have several
// queues: its runs follow one another in any case. A queue shares ownership of
// the engine.
//
// A child that is forked has no thread that would run anything: there RunAsync
// fails, Close returns at once, and no callback of the parent's runs is called.
class MACE_API MaceAsyncRuns {
 public:
  static constexpr int kMaxCapacity = 65536;

  // Stores a queue in `*runs`, or null on an error. Errors: MACE_INVALID_ARGS
  // for a null and unless 1 <= capacity <= kMaxCapacity, MACE_OUT_OF_RESOURCES
  // if the system gives no thread.
  static MaceStatus Create(std::shared_ptr<MaceEngine> engine, int capacity,
                           std::shared_ptr<MaceAsyncRuns>* runs);

  // Calls Close.
  ~MaceAsyncRuns();
  MaceAsyncRuns(const MaceAsyncRuns&) = delete;
  MaceAsyncRuns& operator=(const MaceAsyncRuns&) = delete;

  // Appends a run and returns at once. The memory of `inputs` and of those
  // `outputs` that have some must stay until the callback is called. Errors:
  // MACE_OUT_OF_RESOURCES if `capacity` runs wait already, so that an app which
  // produces more than the device can take notices; MACE_INVALID_ARGS without a
  // callback, after Close, and in a forked child. Errors of the run, such as a
  // wrong shape, are the callback's. Thread-safe.
  //
  // A `deadline` ends this run as MaceEngine::Run describes. A run that waits
  // when the deadline passes ends when its turn comes, without computing.
  MaceStatus RunAsync(std::map<std::string, MaceTensor> inputs,
                      std::map<std::string, MaceTensor> outputs,
                      MaceRunCallback callback,
                      std::shared_ptr<const MaceDeadline> deadline = nullptr);

  // The same with a future, which also gets the error of a run that was not
  // taken. Nobody needs to wait for it: the run goes on without it. It must not
  // be waited for in a callback.
  std::future<MaceAsyncResult> RunAsync(
      std::map<std::string, MaceTensor> inputs,
      std::map<std::string, MaceTensor> outputs = {},
      std::shared_ptr<const MaceDeadline> deadline = nullptr) {
    const auto promise = std::make_shared<std::promise<MaceAsyncResult>>();
    std::future<MaceAsyncResult> future = promise->get_future();
    const MaceStatus taken = RunAsync(
        std::move(inputs), std::move(outputs),
        [promise](const MaceStatus& status,
                  std::map<std::string, MaceTensor>* results) {
          promise->set_value({status, std::move(*results)});
        },
        std::move(deadline));
    if (!taken.ok()) promise->set_value({taken, {}});
    return future;
  }

  // Takes no further runs. Runs that wait are not begun, and their callbacks
  // get MACE_CANCELLED; the run that has begun goes on to its end. Returns when
  // the last callback has returned. Called by a callback, it does not wait.
  // Thread-safe; a second call waits, too.
  void Close();

  // How many runs wait or run, including the one whose callback is being
  // called. Thread-safe.
  int pending() const;

 private:
  class Impl;
  explicit MaceAsyncRuns(std::shared_ptr<Impl> impl);

  std::shared_ptr<Impl> impl_;
};

}  // namespace mace

#endif  // MACE_PUBLIC_MACE_ASYNC_H_
