// The thread pool, on pthreadpool.
// SPDX-License-Identifier: Apache-2.0

#include "mace/base/thread_pool.h"

#include <pthreadpool.h>

#include <algorithm>

namespace mace {
namespace {

// Denormals are slow and carry nothing; all pieces of work treat them alike.
constexpr uint32_t kFlags = PTHREADPOOL_FLAG_DISABLE_DENORMALS;

}  // namespace

Result<std::unique_ptr<ThreadPool>> ThreadPool::Create(int num_threads) {
  pthreadpool* pool = nullptr;
  if (num_threads > 1) {
    pool = pthreadpool_create(num_threads);
    if (pool == nullptr) {
      return OutOfResources("cannot create " + std::to_string(num_threads) +
                            " threads");
    }
  }
  return std::unique_ptr<ThreadPool>(new ThreadPool(pool, num_threads));
}

ThreadPool::~ThreadPool() {
  if (pool_ != nullptr) pthreadpool_destroy(pool_);
}

void ThreadPool::Run1D(void (*f)(void*, size_t, size_t), void* context,
                       size_t n, size_t tile) {
  pthreadpool_parallelize_1d_tile_1d(pool_, f, context, n, tile, kFlags);
}

void ThreadPool::Run2D(void (*f)(void*, size_t, size_t, size_t, size_t),
                       void* context, size_t n, size_t m, size_t tile_n,
                       size_t tile_m) {
  if (num_threads_ > 1) {
    pthreadpool_parallelize_2d_tile_2d(pool_, f, context, n, m, tile_n, tile_m,
                                       kFlags);
    return;
  }
  const DenormalsOff off;
  for (size_t i = 0; i < n; i += tile_n) {
    for (size_t j = 0; j < m; j += tile_m) {
      f(context, i, j, std::min(tile_n, n - i), std::min(tile_m, m - j));
    }
  }
}

}  // namespace mace
