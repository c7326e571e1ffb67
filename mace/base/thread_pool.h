// ThreadPool: splits a loop over the threads of one engine.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_BASE_THREAD_POOL_H_
#define MACE_BASE_THREAD_POOL_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "mace/base/cancellation.h"
#include "mace/base/cpu_topology.h"
#include "mace/base/fork.h"
#include "mace/base/status.h"

namespace mace {

// Latencies, in microseconds, of runs of one plan that found all workers
// asleep, as moving averages (weight 1/4): `woken` of runs that woke the
// workers, `alone` of runs that the caller did alone; 0: there was none. `runs`
// counts the runs for which there was a choice: every 64th takes the slower
// way, to measure it again.
struct WakeTimes {
  double woken = 0, alone = 0;
  uint32_t runs = 0;
};

// One caller at a time. The threads are created once, and again in the first
// run or loop of a forked child. After a loop a thread spins for 100 us, then
// yields its core to others, and sleeps after 1 ms. If a thread does not start
// in time because its core is busy, the caller does its share instead of
// waiting. Denormal numbers are flushed to zero inside the loops, whatever the
// number of threads.
class ThreadPool {
 public:
  static constexpr int kMaxThreads = 1024;

  // `num_threads` includes the caller.
  // REQUIRES: 1 <= num_threads <= kMaxThreads.
  // Errors: MACE_OUT_OF_RESOURCES.
  static Result<std::unique_ptr<ThreadPool>> Create(
      int num_threads, const WorkerCores& cores = WorkerCores());
  ~ThreadPool();

  int num_threads() const { return num_threads_; }

  // Call these around the loops of a run. If all workers sleep when the run
  // begins, `times` decides whether its loops wake them, or the caller does the
  // loops alone because waking (20 to 200 us) takes longer than the workers
  // save. If woken runs take 1 ms or more, all runs wake them. EndRun then adds
  // the latency to `times`, which must live until then. Loops outside of runs
  // wake the workers.
  void BeginRun(WakeTimes* times);
  void EndRun();

  // Wakes the workers for a run that begins in the next 3 ms, after which they
  // sleep again. Any thread may call it.
  void Wake();

  // Sets what is_cancelled() reports; null: false. Once `cancellation` is
  // cancelled, the results of loops are not needed any more. The pool does not
  // check this: long loops ask is_cancelled() for each task and skip its work.
  // `cancellation` must outlive its use here. REQUIRES: no loop is running.
  void SetCancellation(const Cancellation* cancellation) {
    cancellation_ = cancellation;
  }
  bool is_cancelled() const {
    return cancellation_ != nullptr && cancellation_->is_cancelled();
  }

  // Calls f(begin, end) over [0, n) in pieces of `tile` (the last may be
  // shorter), in any order and on any thread, and waits for all of them. A pool
  // of one thread calls f(0, n) once; if n is 0, f is not called. F is
  // `void(size_t begin, size_t end)`. Allocates nothing, except new threads in
  // a forked child. REQUIRES: tile > 0.
  template <typename F>
  void ParallelFor(size_t n, size_t tile, const F& f) {
    Run1D([](void* c, size_t begin,
             size_t size) { (*static_cast<const F*>(c))(begin, begin + size); },
          const_cast<F*>(&f), n, tile);
  }

  // The same over [0, n) x [0, m), in tiles also with one thread. F is
  // `void(size_t i, size_t i_end, size_t j, size_t j_end)`.
  template <typename F>
  void ParallelFor2D(size_t n, size_t m, size_t tile_n, size_t tile_m,
                     const F& f) {
    Run2D([](void* c, size_t i, size_t j, size_t ni,
             size_t nj) { (*static_cast<const F*>(c))(i, i + ni, j, j + nj); },
          const_cast<F*>(&f), n, m, tile_n, tile_m);
  }

 private:
  class Workers;

  ThreadPool(int num_threads, const WorkerCores& cores);
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  void Run1D(void (*f)(void*, size_t, size_t), void* context, size_t n,
             size_t tile);
  void Run2D(void (*f)(void*, size_t, size_t, size_t, size_t), void* context,
             size_t n, size_t m, size_t tile_n, size_t tile_m);

  // Makes the threads of this process. After an error there are fewer of them,
  // or the workers are as they were.
  Status StartWorkers();
  // Returns the workers of this process, which the first call after a fork
  // makes; null if there is no memory for them then, and loops run on the
  // caller's thread.
  Workers* workers();

  const int num_threads_;
  const WorkerCores cores_;
  std::unique_ptr<Workers> workers_;  // null for one thread
  std::atomic<uint32_t> generation_;  // of the process that has the workers
  WakeTimes* times_ = nullptr;        // of the run, if the workers slept
  bool wakes_ = true;
  int64_t begin_nanos_ = 0;  // of the run
  const Cancellation* cancellation_ = nullptr;
};

}  // namespace mace

#endif  // MACE_BASE_THREAD_POOL_H_
