// Waiting for threads before a fork, and freeing their locks in the child.
// SPDX-License-Identifier: Apache-2.0

#include "mace/base/fork.h"

#include <time.h>

#include <new>

namespace mace {
namespace {

// Of ForkGate::state.
constexpr uint32_t kForking = 1;    // a fork waits or happens
constexpr uint32_t kOneThread = 2;  // that forks wait for

thread_local int depth = 0;  // HoldForks and Mutexes of this thread

// The child's thread has the same.
const void* ThisThread() { return &depth; }

std::atomic<uint32_t> generation{0};

}  // namespace

struct ForkGate {
  static ForkGate& Get() {
    static auto* gate = [] {
      pthread_atfork(&Prepare, &InParent, &InChild);
      return new ForkGate;
    }();
    return *gate;
  }

  // By a thread that enters, and by one that leaves.
  void Enter() {
    while ((state.fetch_add(kOneThread) & kForking) != 0) {
      state.fetch_sub(kOneThread);
      std::lock_guard<std::mutex> until_forked(forking);
    }
  }
  void Leave() { state.fetch_sub(kOneThread); }

  void Add(ForkListener* listener) {
    std::lock_guard<std::mutex> lock(list);
    listener->next_ = first;
    if (first != nullptr) first->before_ = listener;
    first = listener;
  }
  void Remove(ForkListener* listener) {
    std::lock_guard<std::mutex> lock(list);
    ForkListener* const next = listener->next_;
    ForkListener* const before = listener->before_;
    (before == nullptr ? first : before->next_) = next;
    if (next != nullptr) next->before_ = before;
  }

  static void Prepare() {
    ForkGate& gate = Get();
    if (depth > 0) gate.Leave();
    gate.forking.lock();
    gate.state.fetch_or(kForking);
    while (gate.state.load() >= kOneThread) {
      constexpr timespec kMoment = {0, 20000};
      nanosleep(&kMoment, nullptr);
    }
    gate.list.lock();
  }

  static void InParent() {
    ForkGate& gate = Get();
    gate.list.unlock();
    gate.state.fetch_and(~kForking);
    if (depth > 0) gate.state.fetch_add(kOneThread);
    gate.forking.unlock();
  }

  static void InChild() {
    ForkGate& gate = Get();
    gate.list.unlock();
    gate.state.store(depth > 0 ? kOneThread : 0);
    generation.fetch_add(1);
    for (ForkListener* l = gate.first; l != nullptr; l = l->next_) {
      l->InChild();
    }
    gate.forking.unlock();
  }

  std::atomic<uint32_t> state{0};
  std::mutex forking;  // from Prepare until it has happened
  std::mutex list;
  ForkListener* first = nullptr;
};

uint32_t ForkGeneration() { return generation.load(std::memory_order_relaxed); }

ForkListener::ForkListener() { ForkGate::Get().Add(this); }
ForkListener::~ForkListener() { ForkGate::Get().Remove(this); }

HoldFork::HoldFork() {
  if (depth == 0) ForkGate::Get().Enter();
  ++depth;
}

HoldFork::~HoldFork() {
  if (--depth == 0) ForkGate::Get().Leave();
}

AllowFork::AllowFork() : depth_(depth) {
  if (depth_ == 0) return;
  depth = 0;
  ForkGate::Get().Leave();
}

AllowFork::~AllowFork() {
  if (depth_ == 0) return;
  ForkGate::Get().Enter();
  depth = depth_;
}

void Mutex::lock() {
  if (!mutex_.try_lock()) {
    const AllowFork waiting;
    mutex_.lock();
  }
  if (depth == 0) ForkGate::Get().Enter();
  ++depth;
  owner_ = ThisThread();
}

bool Mutex::try_lock() {
  if (!mutex_.try_lock()) return false;
  if (depth == 0) ForkGate::Get().Enter();
  ++depth;
  owner_ = ThisThread();
  return true;
}

void Mutex::unlock() {
  owner_ = nullptr;
  mutex_.unlock();
  if (--depth == 0) ForkGate::Get().Leave();
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
