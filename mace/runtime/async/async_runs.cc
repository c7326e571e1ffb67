// The queue of an engine's asynchronous runs, and its thread.
// SPDX-License-Identifier: Apache-2.0

#include <pthread.h>

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "mace/base/fork.h"
#include "mace/base/make_shared.h"
#include "mace/base/status.h"
#include "mace/public/mace_async.h"

namespace mace {

class MaceAsyncRuns::Impl {
 public:
  struct AsyncRun {
    std::map<std::string, MaceTensor> inputs, outputs;
    MaceRunCallback callback;
    std::shared_ptr<const MaceDeadline> deadline;
  };

  Impl(std::shared_ptr<MaceEngine> engine, int capacity)
      : engine_(std::move(engine)), capacity_(capacity) {}

  // The thread owns `self` until it ends. Errors: MACE_OUT_OF_RESOURCES.
  static Status Start(const std::shared_ptr<Impl>& self) {
    auto* owned = new std::shared_ptr<Impl>(self);
    if (pthread_create(&self->thread_, nullptr, &Enter, owned) != 0) {
      delete owned;
      return OutOfResources("cannot create a thread for asynchronous runs");
    }
    return Status();
  }

  Status Add(AsyncRun run) {
    if (!run.callback) {
      return InvalidArgument("an asynchronous run needs a callback");
    }
    if (is_forked()) {
      return InvalidArgument(
          "the thread of these asynchronous runs is the parent's; make a new "
          "MaceAsyncRuns after the fork");
    }
    const std::lock_guard<Mutex> lock(mutex_);
    if (is_closed_) {
      return InvalidArgument("these asynchronous runs are closed");
    }
    if (waiting_.size() >= static_cast<size_t>(capacity_)) {
      return OutOfResources(capacity_,
                            " runs wait already, which is the "
                            "capacity; wait for one of them to end, or drop "
                            "this one");
    }
    waiting_.push_back(std::move(run));
    pthread_cond_broadcast(&changed_);
    return Status();
  }

  void Close() {
    if (is_forked()) return;  // where the condition still has its waiters
    std::unique_lock<Mutex> lock(mutex_);
    is_closed_ = true;
    pthread_cond_broadcast(&changed_);
    if (is_own_thread()) return;
    while (end_ == kJoining) mutex_.Wait(&changed_);
    if (end_ == kJoined) return;
    end_ = kJoining;
    lock.unlock();
    pthread_join(thread_, nullptr);
    lock.lock();
    end_ = kJoined;
    pthread_cond_broadcast(&changed_);
  }

  // After Close, by the last owner.
  void LetGo() {
    if (!is_forked() && is_own_thread()) pthread_detach(thread_);
  }

  int pending() const {
    const std::lock_guard<Mutex> lock(mutex_);
    return static_cast<int>(waiting_.size()) + (is_running_ ? 1 : 0);
  }

 private:
  enum End { kRunning, kJoining, kJoined };

  bool is_forked() const { return ForkGeneration() != generation_; }
  bool is_own_thread() const { return pthread_equal(thread_, pthread_self()); }

  static void* Enter(void* owned) {
    const auto self = std::unique_ptr<std::shared_ptr<Impl>>(
        static_cast<std::shared_ptr<Impl>*>(owned));
    (*self)->RunAll();
    return nullptr;
  }

  void RunAll() {
    std::unique_lock<Mutex> lock(mutex_);
    while (true) {
      while (waiting_.empty() && !is_closed_) mutex_.Wait(&changed_);
      if (waiting_.empty()) return;
      AsyncRun run = std::move(waiting_.front());
      waiting_.pop_front();
      is_running_ = true;
      const bool begins = !is_closed_;
      lock.unlock();
      End(&run, begins ? Run(&run)
                       : Cancelled("the asynchronous runs were closed before "
                                   "this one began"));
      run = AsyncRun();  // the deleters of its tensors may call this queue
      lock.lock();
      is_running_ = false;
    }
  }

  Status Run(AsyncRun* run) {
    if (run->deadline == nullptr) {
      return engine_->Run(run->inputs, &run->outputs);
    }
    return engine_->Run(run->inputs, &run->outputs, *run->deadline);
  }

  // The callback, and what it holds, is gone when this returns.
  static void End(AsyncRun* run, const Status& status) {
    const MaceRunCallback callback = std::move(run->callback);
    callback(status, &run->outputs);
  }

  const std::shared_ptr<MaceEngine> engine_;
  const int capacity_;
  const uint32_t generation_ = ForkGeneration();
  pthread_t thread_ = {};  // set before another thread knows of this
  mutable Mutex mutex_;
  pthread_cond_t changed_ = PTHREAD_COND_INITIALIZER;
  std::deque<AsyncRun> waiting_;
  bool is_running_ = false, is_closed_ = false;
  enum End end_ = kRunning;
};

MaceStatus MaceAsyncRuns::Create(std::shared_ptr<MaceEngine> engine,
                                 int capacity,
                                 std::shared_ptr<MaceAsyncRuns>* runs) {
  if (runs == nullptr) return InvalidArgument("runs is null");
  runs->reset();
  if (engine == nullptr) return InvalidArgument("engine is null");
  if (capacity < 1 || capacity > kMaxCapacity) {
    return InvalidArgument("the capacity of asynchronous runs is ", capacity,
                           "; it must be from 1 to ", int{kMaxCapacity});
  }
  const std::shared_ptr<Impl> impl =
      MakeShared<Impl>(std::move(engine), capacity);
  MACE_RETURN_IF_ERROR(Impl::Start(impl));
  runs->reset(new MaceAsyncRuns(impl));
  return MaceStatus();
}

MaceAsyncRuns::MaceAsyncRuns(std::shared_ptr<Impl> impl)
    : impl_(std::move(impl)) {}

MaceAsyncRuns::~MaceAsyncRuns() {
  impl_->Close();
  impl_->LetGo();
}

MaceStatus MaceAsyncRuns::RunAsync(
    std::map<std::string, MaceTensor> inputs,
    std::map<std::string, MaceTensor> outputs, MaceRunCallback callback,
    std::shared_ptr<const MaceDeadline> deadline) {
  return impl_->Add({std::move(inputs), std::move(outputs), std::move(callback),
                     std::move(deadline)});
}

void MaceAsyncRuns::Close() { impl_->Close(); }

int MaceAsyncRuns::pending() const { return impl_->pending(); }

}  // namespace mace
