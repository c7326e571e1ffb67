// RunTasks: a parallel loop in which each task knows its worker, for kernels
// that have scratch memory for each worker.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_COMMON_TASKS_H_
#define MACE_CPU_COMMON_TASKS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>

#include "mace/base/denormals.h"
#include "mace/base/thread_pool.h"

namespace mace::cpu {

// Makes tasks of one loop finish in order. A worker that is ahead of the others
// waits before it starts another task; the oldest task never waits.
class InOrder {
 public:
  explicit InOrder(size_t num_threads) : num_threads_(num_threads) {}

  // Returns once all tasks up to `task` - num_threads are finished.
  void WaitToStart(size_t task) const {
    WaitUntil([&] { return task < Finished() + num_threads_; });
  }

  // Reports that `task` is done. Returns once all tasks before it are finished,
  // and then it is finished, too.
  void Finish(size_t task) {
    WaitUntil([&] { return Finished() == task; });
    finished_.store(task + 1, std::memory_order_release);
  }

 private:
  size_t Finished() const { return finished_.load(std::memory_order_acquire); }

  template <typename Done>
  static void WaitUntil(const Done& done) {
    constexpr int kSpins = 256;
    for (int i = 0; !done(); ++i) {
      if (i >= kSpins) std::this_thread::yield();
    }
  }

  const size_t num_threads_;
  std::atomic<size_t> finished_{0};
};

// Distributes tasks so that each worker starts with its own range, which is the
// same share in every loop: it finds in its cache what it wrote in the previous
// loop. Afterwards it takes tasks from the other ranges.
class OwnFirst {
 public:
  OwnFirst(size_t num_tasks, size_t num_workers)
      : num_ranges_(num_workers < kMaxRanges ? num_workers : kMaxRanges) {
    for (size_t r = 0; r < num_ranges_; ++r) {
      ranges_[r].next.store(r * num_tasks / num_ranges_,
                            std::memory_order_relaxed);
      ranges_[r].end = (r + 1) * num_tasks / num_ranges_;
    }
  }

  template <typename F>
  void Run(size_t worker, const F& f) {
    for (size_t r = 0; r < num_ranges_; ++r) {
      Range& range = ranges_[(worker + r) % num_ranges_];
      for (size_t i; (i = range.next.fetch_add(1)) < range.end;) f(worker, i);
    }
  }

 private:
  static constexpr size_t kMaxRanges = 16;  // more workers share ranges
  struct alignas(64) Range {
    std::atomic<size_t> next{0};
    size_t end = 0;
  };
  const size_t num_ranges_;
  Range ranges_[kMaxRanges];
};

// Calls f(worker, task) for each task in [0, num_tasks). Calls with the same
// worker, in [0, num_threads), never overlap. If `in_order`, a task starts only
// when all but the num_threads - 1 tasks before it are finished; else tasks run
// in any order. Once the results are not needed (ThreadPool::SetCancellation),
// f is not called any more, so that what later loops read may be anything.
template <typename F>
void RunTasks(ThreadPool* threads, size_t num_tasks, bool in_order,
              const F& task) {
  const auto f = [&](size_t worker, size_t i) {
    if (!threads->is_cancelled()) task(worker, i);
  };
  const size_t num_threads = threads->num_threads();
  if (num_threads == 1 || num_tasks == 1) {
    const DenormalsOff off;
    for (size_t i = 0; i < num_tasks; ++i) f(size_t{0}, i);
    return;
  }
  if (!in_order) {
    OwnFirst tasks(num_tasks, num_threads);
    threads->ParallelFor(num_threads, 1, [&](size_t begin, size_t end) {
      for (size_t worker = begin; worker < end; ++worker) tasks.Run(worker, f);
    });
    return;
  }
  std::atomic<size_t> next{0};
  InOrder order(num_threads);
  threads->ParallelFor(num_threads, 1, [&](size_t begin, size_t end) {
    for (size_t worker = begin; worker < end; ++worker) {
      for (size_t i; (i = next.fetch_add(1)) < num_tasks;) {
        order.WaitToStart(i);
        f(worker, i);
        order.Finish(i);
      }
    }
  });
}

template <typename F>
void RunTasks(ThreadPool* threads, size_t num_tasks, const F& f) {
  RunTasks(threads, num_tasks, /*in_order=*/false, f);
}

// Returns how many items a task should have, in [1, most], so that the busiest
// thread has least to do. Each task has a cost of its own, a fraction of an
// item. Of nearly equal sizes it returns the smallest, in case a thread starts
// late. REQUIRES: items, most > 0.
inline int64_t EvenBlock(int64_t items, int64_t most, int64_t num_threads) {
  constexpr double kTaskCost = 0.15;  // as packed b is read again
  constexpr double kAboutEqual = 1.02;
  const auto ceil_div = [](int64_t a, int64_t b) { return (a + b - 1) / b; };
  const auto cost = [&](int64_t block) {
    return static_cast<double>(ceil_div(ceil_div(items, block), num_threads)) *
           (static_cast<double>(block) + kTaskCost);
  };
  most = items < most ? items : most;
  double best = cost(1);
  for (int64_t block = 2; block <= most; ++block) {
    best = cost(block) < best ? cost(block) : best;
  }
  int64_t block = 1;
  while (cost(block) > kAboutEqual * best) ++block;
  return block;
}

}  // namespace mace::cpu

#endif  // MACE_CPU_COMMON_TASKS_H_
