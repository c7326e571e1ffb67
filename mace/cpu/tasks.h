// RunTasks: a loop over the threads in which each piece knows its worker, for
// kernels with scratch per worker.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_TASKS_H_
#define MACE_CPU_TASKS_H_

#include <atomic>
#include <cstddef>

#include "mace/base/denormals.h"
#include "mace/base/thread_pool.h"

namespace mace::cpu {

// Calls f(worker, task) for each task in [0, num_tasks), in any order; no two
// calls with the same worker, in [0, num_threads), run at once.
template <typename F>
void RunTasks(ThreadPool* threads, size_t num_tasks, const F& f) {
  if (threads->num_threads() == 1 || num_tasks == 1) {
    const DenormalsOff off;
    for (size_t i = 0; i < num_tasks; ++i) f(size_t{0}, i);
    return;
  }
  std::atomic<size_t> next{0};
  threads->ParallelFor(threads->num_threads(), 1,
                       [&](size_t begin, size_t end) {
                         for (size_t worker = begin; worker < end; ++worker) {
                           for (size_t i; (i = next.fetch_add(1)) < num_tasks;)
                             f(worker, i);
                         }
                       });
}

}  // namespace mace::cpu

#endif  // MACE_CPU_TASKS_H_
