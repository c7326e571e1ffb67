// Locks and states that survive fork while other threads use the library.
// SPDX-License-Identifier: Apache-2.0
//
// A child has only the thread that called fork. What the others had locked
// stays locked there, and what they were changing stays half changed. So a fork
// waits for every thread that holds a Mutex, but not for those that are in an
// AllowFork: these change nothing that the child uses, and their Mutexes are
// free in the child.
#ifndef MACE_BASE_FORK_H_
#define MACE_BASE_FORK_H_

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <mutex>

namespace mace {

// Returns how many forks lie between this process and the one that loaded the
// library; forks before the first ForkListener are not counted. An object that
// was made at an earlier value has lost its threads and its connections to
// drivers.
uint32_t ForkGeneration();

// An object that a child makes usable again: InChild is called for each that is
// constructed and not yet destroyed. Thread-safe.
class ForkListener {
 public:
  ForkListener();
  virtual ~ForkListener();
  ForkListener(const ForkListener&) = delete;
  ForkListener& operator=(const ForkListener&) = delete;

  // Called in the child, while it has one thread.
  virtual void InChild() {}

 private:
  friend struct ForkGate;
  ForkListener *next_ = nullptr, *before_ = nullptr;
};

// Makes forks wait for this thread. For code that changes state which a child
// needs, without a Mutex, such as the first call of a function with a static
// object. May be nested, and used with Mutexes held.
class HoldFork {
 public:
  HoldFork();
  ~HoldFork();
  HoldFork(const HoldFork&) = delete;
  HoldFork& operator=(const HoldFork&) = delete;
};

// Forks do not wait for this thread although it holds Mutexes: it computes,
// waits, or calls the app. REQUIRES: what the Mutexes guard is as it should be.
class AllowFork {
 public:
  AllowFork();
  ~AllowFork();
  AllowFork(const AllowFork&) = delete;
  AllowFork& operator=(const AllowFork&) = delete;

 private:
  // HoldForks and Mutexes of this thread before, which the destructor restores.
  const int depth_;
};

// Used with std::lock_guard and std::unique_lock. Not recursive. A fork waits
// for threads that hold a Mutex, except inside an AllowFork, but not for
// threads that wait for one. In a child, a Mutex that another thread held is
// free.
class Mutex final : private ForkListener {
 public:
  void lock();
  bool try_lock();
  void unlock();
  // As pthread_cond_wait. REQUIRES: it is locked.
  void Wait(pthread_cond_t* condition);

 private:
  void InChild() override;

  std::mutex mutex_;
  // The address of a variable of the thread that holds it, which the thread of
  // a child has as well; null: it is free.
  std::atomic<const void*> owner_{nullptr};
};

}  // namespace mace

#endif  // MACE_BASE_FORK_H_
