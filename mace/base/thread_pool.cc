// The threads behind a pool, and how they meet the caller.
// SPDX-License-Identifier: Apache-2.0
//
// A loop is open while its caller works on it. A worker that sees it joins,
// takes tiles until there are none, and leaves. The caller takes tiles too,
// closes the loop and waits for those who joined: all of them are in their last
// tile. One word holds all that they agree on:
//
//   state_ = | number of the loop (32) | open (1) | joined (31) |
//
// Libraries (pthreadpool, OpenMP) wait for every thread at the end of every
// loop: with one of two cores partly taken by another process, MobileNet v1
// took 233 ms with pthreadpool and takes 13.
//
// Each thread begins with a range of tiles of its own, the same share of every
// loop, so that what it wrote in one loop is in its cache in the next; then it
// helps with the ranges of others.

#include "mace/base/thread_pool.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "mace/base/denormals.h"

namespace mace {
namespace {

constexpr uint64_t kNumberShift = 32;
constexpr uint64_t kOpen = uint64_t{1} << 31;
constexpr uint64_t kJoined = kOpen - 1;

// How long a worker spins, hands its core to others but stays awake, and
// sleeps from. Between two ops of a network lie a few microseconds, between two
// inferences of a busy caller less than a millisecond.
constexpr auto kSpinTime = std::chrono::microseconds(100);
constexpr auto kYieldTime = std::chrono::milliseconds(1);
constexpr int kPausesPerLook = 64;  // at the clock

void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
  __asm__ volatile("yield");
#endif
}

}  // namespace

class ThreadPool::Workers {
 public:
  using TileFn = void(void* context, size_t tile);

  // Errors: MACE_OUT_OF_RESOURCES, after which it may be destroyed.
  Status Start(int count) {
    num_ranges_ = static_cast<size_t>(count) + 1;
    ranges_ = std::make_unique<Range[]>(num_ranges_);
    threads_.reserve(count);
    for (int i = 0; i < count; ++i) {
      pthread_t thread;
      ranges_[i + 1].workers = this;
      if (pthread_create(&thread, nullptr, &Enter, &ranges_[i + 1]) != 0) {
        return OutOfResources("cannot create ", count + 1, " threads");
      }
      threads_.push_back(thread);
    }
    return Status();
  }

  ~Workers() {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      stop_.store(true);
    }
    wake_.notify_all();
    for (pthread_t thread : threads_) pthread_join(thread, nullptr);
  }

  void Run(TileFn* f, void* context, size_t num_tiles) {
    f_ = f;
    context_ = context;
    for (size_t r = 0; r < num_ranges_; ++r) {
      ranges_[r].next.store(r * num_tiles / num_ranges_,
                            std::memory_order_relaxed);
      ranges_[r].end = (r + 1) * num_tiles / num_ranges_;
    }
    const uint64_t number = (state_.load() >> kNumberShift) + 1;
    state_.store(number << kNumberShift | kOpen);
    if (sleepers_.load() > 0) {
      // Under the lock, so that none falls asleep between looking and waiting.
      {
        std::lock_guard<std::mutex> lock(mutex_);
      }
      wake_.notify_all();
    }
    const DenormalsOff off;
    TakeTiles(0);
    state_.fetch_and(~kOpen);
    for (int i = 0; (state_.load() & kJoined) != 0; ++i) {
      i < kPausesPerLook* kPausesPerLook ? Pause() : void(sched_yield());
    }
  }

 private:
  // The tiles that thread `r` begins with.
  struct alignas(64) Range {
    std::atomic<size_t> next{0};
    size_t end = 0;
    Workers* workers = nullptr;
  };

  static void* Enter(void* range) {
    Workers* const self = static_cast<Range*>(range)->workers;
    self->Work(static_cast<Range*>(range) - self->ranges_.get());
    return nullptr;
  }

  void TakeTiles(size_t own) {
    for (size_t r = 0; r < num_ranges_; ++r) {
      Range& range = ranges_[(own + r) % num_ranges_];
      for (size_t i; (i = range.next.fetch_add(1, std::memory_order_relaxed)) <
                     range.end;) {
        f_(context_, i);
      }
    }
  }

  void Work(size_t own) {
    const DenormalsOff off;
    uint64_t seen = 0;  // the loop that was looked at last
    while (WaitForLoop(seen)) {
      uint64_t state = state_.load();
      seen = state >> kNumberShift;
      while ((state & kOpen) != 0 && state >> kNumberShift == seen) {
        if (!state_.compare_exchange_weak(state, state + 1)) continue;
        TakeTiles(own);
        state_.fetch_sub(1);
        break;
      }
    }
  }

  bool IsNew(uint64_t seen) const {
    return state_.load() >> kNumberShift != seen || stop_.load();
  }

  // False: the end.
  bool WaitForLoop(uint64_t seen) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point begin = Clock::now();
    for (Clock::duration waited{}; waited < kYieldTime;
         waited = Clock::now() - begin) {
      for (int i = 0; i < kPausesPerLook; ++i) {
        if (IsNew(seen)) return !stop_.load();
        Pause();
      }
      if (waited > kSpinTime) sched_yield();
    }
    std::unique_lock<std::mutex> lock(mutex_);
    sleepers_.fetch_add(1);
    wake_.wait(lock, [&] { return IsNew(seen); });
    sleepers_.fetch_sub(1);
    return !stop_.load();
  }

  // The loop; written while none is open and no one has joined.
  TileFn* f_ = nullptr;
  void* context_ = nullptr;
  std::unique_ptr<Range[]> ranges_;  // by thread; the caller's first
  size_t num_ranges_ = 0;

  alignas(64) std::atomic<uint64_t> state_{0};
  alignas(64) std::atomic<int> sleepers_{0};
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<pthread_t> threads_;
};

ThreadPool::ThreadPool(std::unique_ptr<Workers> workers, int num_threads)
    : workers_(std::move(workers)), num_threads_(num_threads) {}

ThreadPool::~ThreadPool() = default;

Result<std::unique_ptr<ThreadPool>> ThreadPool::Create(int num_threads) {
  std::unique_ptr<Workers> workers;
  if (num_threads > 1) {
    workers = std::make_unique<Workers>();
    MACE_RETURN_IF_ERROR(workers->Start(num_threads - 1));
  }
  return std::unique_ptr<ThreadPool>(
      new ThreadPool(std::move(workers), num_threads));
}

void ThreadPool::Run1D(void (*f)(void*, size_t, size_t), void* context,
                       size_t n, size_t tile) {
  if (num_threads_ == 1 || n <= tile) {
    const DenormalsOff off;
    if (n > 0) f(context, 0, n);
    return;
  }
  struct Loop {
    void (*f)(void*, size_t, size_t);
    void* context;
    size_t n, tile;
  } loop = {f, context, n, tile};
  workers_->Run(
      [](void* p, size_t i) {
        const Loop& l = *static_cast<Loop*>(p);
        const size_t begin = i * l.tile;
        l.f(l.context, begin, std::min(l.tile, l.n - begin));
      },
      &loop, (n + tile - 1) / tile);
}

void ThreadPool::Run2D(void (*f)(void*, size_t, size_t, size_t, size_t),
                       void* context, size_t n, size_t m, size_t tile_n,
                       size_t tile_m) {
  struct Loop {
    void (*f)(void*, size_t, size_t, size_t, size_t);
    void* context;
    size_t n, m, tile_n, tile_m;

    size_t columns() const { return (m + tile_m - 1) / tile_m; }
    void Run(size_t tile) const {
      const size_t i = tile / columns() * tile_n;
      const size_t j = tile % columns() * tile_m;
      f(context, i, j, std::min(tile_n, n - i), std::min(tile_m, m - j));
    }
  } loop = {f, context, n, m, tile_n, tile_m};
  const size_t tiles = (n + tile_n - 1) / tile_n * loop.columns();
  if (num_threads_ > 1 && tiles > 1) {
    workers_->Run(
        [](void* p, size_t i) { static_cast<const Loop*>(p)->Run(i); }, &loop,
        tiles);
    return;
  }
  const DenormalsOff off;
  for (size_t i = 0; i < tiles; ++i) loop.Run(i);
}

}  // namespace mace
