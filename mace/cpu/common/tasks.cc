// Who runs which task of a parallel loop.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/common/tasks.h"

#include <atomic>
#include <thread>

#include "mace/base/denormals.h"

namespace mace::cpu {
namespace {

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

}  // namespace

void RunTasks(ThreadPool* threads, size_t num_tasks, bool in_order,
              void (*f)(const void* context, size_t worker, size_t task),
              const void* context) {
  const auto run = [&](size_t worker, size_t task) {
    if (!threads->is_cancelled()) f(context, worker, task);
  };
  const size_t num_threads = threads->num_threads();
  if (num_threads == 1 || num_tasks == 1) {
    const DenormalsOff off;
    for (size_t i = 0; i < num_tasks; ++i) run(0, i);
    return;
  }
  if (!in_order) {
    OwnFirst tasks(num_tasks, num_threads);
    threads->ParallelFor(num_threads, 1, [&](size_t begin, size_t end) {
      for (size_t worker = begin; worker < end; ++worker) {
        tasks.Run(worker, run);
      }
    });
    return;
  }
  std::atomic<size_t> next{0};
  InOrder order(num_threads);
  threads->ParallelFor(num_threads, 1, [&](size_t begin, size_t end) {
    for (size_t worker = begin; worker < end; ++worker) {
      for (size_t i; (i = next.fetch_add(1)) < num_tasks;) {
        order.WaitToStart(i);
        run(worker, i);
        order.Finish(i);
      }
    }
  });
}

}  // namespace mace::cpu
