// Waiting for threads before a fork, and freeing their locks in the child.
// SPDX-License-Identifier: Apache-2.0

#include "mace/base/fork.h"

#include <time.h>

#include <new>

namespace mace {
namespace {

// Of fork_state.
constexpr uint32_t kForking = 1;    // a fork waits or happens
constexpr uint32_t kOneThread = 2;  // that forks wait for

thread_local int fork_depth = 0;  // HoldForks and Mutexes of this thread

// The child's thread has the same.
const void* ThisThread() { return &fork_depth; }

std::atomic<uint32_t> fork_generation{0};
std::atomic<uint32_t> fork_state{0};
std::mutex fork_lock;       // held from Prepare until the fork has happened
std::mutex listeners_lock;  // guards first_listener
ForkListener* first_listener = nullptr;

void EnterGate() {
  while ((fork_state.fetch_add(kOneThread) & kForking) != 0) {
    fork_state.fetch_sub(kOneThread);
    std::lock_guard<std::mutex> until_forked(fork_lock);
  }
}

void LeaveGate() { fork_state.fetch_sub(kOneThread); }

void HoldGate() {
  if (fork_depth++ == 0) EnterGate();
}

void LetGoOfGate() {
  if (--fork_depth == 0) LeaveGate();
}

}  // namespace

struct ForkGate {
  static void Prepare() {
    if (fork_depth > 0) LeaveGate();
    fork_lock.lock();
    fork_state.fetch_or(kForking);
    while (fork_state.load() >= kOneThread) {
      constexpr timespec kMoment = {0, 20000};
      nanosleep(&kMoment, nullptr);
    }
    listeners_lock.lock();
  }

  static void InParent() {
    listeners_lock.unlock();
    fork_state.fetch_and(~kForking);
    if (fork_depth > 0) fork_state.fetch_add(kOneThread);
    fork_lock.unlock();
  }

  static void InChild() {
    listeners_lock.unlock();
    fork_state.store(fork_depth > 0 ? kOneThread : 0);
    fork_generation.fetch_add(1);
    for (ForkListener* l = first_listener; l != nullptr; l = l->next_)
      l->InChild();
    fork_lock.unlock();
  }
};

uint32_t ForkGeneration() {
  return fork_generation.load(std::memory_order_relaxed);
}

ForkListener::ForkListener() {
  static const int registered = pthread_atfork(
      &ForkGate::Prepare, &ForkGate::InParent, &ForkGate::InChild);
  (void)registered;
  std::lock_guard<std::mutex> lock(listeners_lock);
  next_ = first_listener;
  if (first_listener != nullptr) first_listener->before_ = this;
  first_listener = this;
}

ForkListener::~ForkListener() {
  std::lock_guard<std::mutex> lock(listeners_lock);
  (before_ == nullptr ? first_listener : before_->next_) = next_;
  if (next_ != nullptr) next_->before_ = before_;
}

HoldFork::HoldFork() { HoldGate(); }
HoldFork::~HoldFork() { LetGoOfGate(); }

AllowFork::AllowFork() : depth_(fork_depth) {
  if (depth_ == 0) return;
  fork_depth = 0;
  LeaveGate();
}

AllowFork::~AllowFork() {
  if (depth_ == 0) return;
  EnterGate();
  fork_depth = depth_;
}

void Mutex::lock() {
  if (!mutex_.try_lock()) {
    const AllowFork waiting;
    mutex_.lock();
  }
  HoldGate();
  owner_ = ThisThread();
}

bool Mutex::try_lock() {
  if (!mutex_.try_lock()) return false;
  HoldGate();
  owner_ = ThisThread();
  return true;
}

void Mutex::unlock() {
  owner_ = nullptr;
  mutex_.unlock();
  LetGoOfGate();
}

void Mutex::Wait(pthread_cond_t* condition) {
  owner_ = nullptr;
  {
    const AllowFork waiting;
    pthread_cond_wait(condition, mutex_.native_handle());
  }
  owner_ = ThisThread();
}

void Mutex::InChild() {
  if (owner_ == ThisThread()) return;
  // That of a thread which this process does not have cannot be destroyed.
  new (&mutex_) std::mutex;
  owner_ = nullptr;
}

}  // namespace mace
