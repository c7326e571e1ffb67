// RunTasks: a parallel loop in which each task knows its worker, for kernels
// that have scratch memory for each worker.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_COMMON_TASKS_H_
#define MACE_CPU_COMMON_TASKS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "mace/base/thread_pool.h"
#include "mace/cpu/common/blocking.h"

namespace mace::cpu {

// Calls f(worker, task) for each task in [0, num_tasks), and returns when all
// are done. Calls with the same worker, in [0, num_threads), never overlap:
// scratch memory is found by the worker. If `in_order`, a task starts only when
// all but the num_threads - 1 tasks before it are finished (see SafeDistance);
// else tasks run in any order, and a worker begins with the same share of them
// in each loop, whose data its core's cache may still hold. Once the results
// are not needed (ThreadPool::SetCancellation), f is not called any more, so
// that what later loops read may be anything. `threads` must not be running
// another loop.
void RunTasks(ThreadPool* threads, size_t num_tasks, bool in_order,
              void (*f)(const void* context, size_t worker, size_t task),
              const void* context);

// The same for any `void(size_t worker, size_t task)`.
template <typename F>
void RunTasks(ThreadPool* threads, size_t num_tasks, bool in_order,
              const F& f) {
  RunTasks(
      threads, num_tasks, in_order,
      [](const void* context, size_t worker, size_t task) {
        (*static_cast<const F*>(context))(worker, task);
      },
      &f);
}
template <typename F>
void RunTasks(ThreadPool* threads, size_t num_tasks, const F& f) {
  RunTasks(threads, num_tasks, /*in_order=*/false, f);
}

// Returns how many items a task should have, in [1, most], so that the busiest
// thread has as little work as possible. Each task has a cost of its own, a
// fraction of an item. Of nearly equal sizes it returns the smallest, in case a
// thread starts late. REQUIRES: items, most > 0.
inline int64_t EvenBlock(int64_t items, int64_t most, int64_t num_threads) {
  // In items: each task reads packed b again.
  constexpr double kTaskCost = 0.15;
  constexpr double kAboutEqual = 1.02;
  const auto cost = [&](int64_t block) {
    return static_cast<double>(CeilDiv(CeilDiv(items, block), num_threads)) *
           (static_cast<double>(block) + kTaskCost);
  };
  // More would take long to compare, and gain nothing.
  constexpr int64_t kMaxTried = 1 << 16;
  most = std::min({items, most, kMaxTried});
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
