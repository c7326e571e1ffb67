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
// The scheduler likes to wake a thread on the core of the one that wakes it,
// where it would wait for it to end: with pauses between runs two threads were
// no faster than one. So the caller removes its own core from the mask of a
// worker that sleeps, and the worker restores its mask as soon as it runs.
//
// Each thread begins with a range of tiles of its own, the same share of every
// loop, so that what it wrote in one loop is in its cache in the next; then it
// helps with the ranges of others.

#include "mace/base/thread_pool.h"

#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "mace/base/clock.h"
#include "mace/base/denormals.h"
#include "mace/base/logging.h"
#include "mace/base/str_cat.h"

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
constexpr auto kHintTime = std::chrono::milliseconds(3);  // ThreadPool::Wake
constexpr int kPausesPerLook = 64;                        // at the clock

// To wake a thread takes 20 to 200 us, so that longer runs are worth it. For
// shorter ones that is tried: of so many, one takes the way that was slower.
constexpr double kLongRunMicros = 1000;
constexpr uint32_t kRunsPerTrial = 64;
constexpr double kNewShare = 0.25;  // of a time in the average

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

  explicit Workers(const WorkerCores& cores) : cores_(cores) {}

  // Whether there is memory for `count` threads besides the caller's.
  bool Allocate(int count) {
    ranges_.reset(new (std::nothrow) Range[static_cast<size_t>(count) + 1]);
    return ranges_ != nullptr;
  }

  // Errors: MACE_OUT_OF_RESOURCES, after which there are fewer threads.
  // REQUIRES: Allocate(count).
  Status Start(int count) {
    const ScopedAffinity affinity(cores_);
    num_ranges_ = static_cast<size_t>(count) + 1;
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
    pthread_cond_broadcast(&wake_);
    for (pthread_t thread : threads_) pthread_join(thread, nullptr);
  }

  // Run for a loop of `pool`. Not inlined, so that a pool of one thread does
  // not save registers for it.
  __attribute__((noinline)) static void RunTiles(ThreadPool* pool, TileFn* f,
                                                 void* context,
                                                 size_t num_tiles) {
    if (Workers* const workers = pool->workers()) {
      return workers->Run(f, context, num_tiles, pool->wakes_);
    }
    const DenormalsOff off;
    for (size_t i = 0; i < num_tiles; ++i) f(context, i);
  }

  bool all_sleep() const {
    return static_cast<size_t>(sleepers_.load()) == threads_.size();
  }

  // Makes those that sleep wait for a loop while awake.
  void Wake() {
    if (sleepers_.load() > 0) WakeSleepers(1);
  }

  // `wakes`: also with workers that sleep.
  void Run(TileFn* f, void* context, size_t num_tiles, bool wakes) {
    f_ = f;
    context_ = context;
    for (size_t r = 0; r < num_ranges_; ++r) {
      ranges_[r].next.store(r * num_tiles / num_ranges_,
                            std::memory_order_relaxed);
      ranges_[r].end = (r + 1) * num_tiles / num_ranges_;
    }
    const uint64_t number = (state_.load() >> kNumberShift) + 1;
    state_.store(number << kNumberShift | kOpen);
    if (wakes && sleepers_.load() > 0) WakeSleepers(0);
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
    // Guarded by mutex_.
    pid_t thread = 0;  // that sleeps; 0: it does not
    bool is_moved = false;
    cpu_set_t mask;  // to be restored if it is
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

  void WakeSleepers(int hints) {
    cpu_set_t caller, beginning;
    const int core = sched_getcpu();
    const bool moves = sched_getaffinity(0, sizeof(caller), &caller) == 0;
    {
      // Under the lock, so that none falls asleep between looking and waiting.
      std::lock_guard<std::mutex> lock(mutex_);
      hints_ += hints;
      for (size_t r = 1; r < num_ranges_ && moves; ++r) {
        Range& range = ranges_[r];
        if (range.thread == 0 || range.is_moved) continue;
        range.is_moved =
            sched_getaffinity(range.thread, sizeof(range.mask), &range.mask) ==
                0 &&
            BeginningOf(cores_, caller, core, &range.mask, &beginning) &&
            sched_setaffinity(range.thread, sizeof(beginning), &beginning) == 0;
      }
    }
    pthread_cond_broadcast(&wake_);
  }

  void Work(size_t own) {
    const DenormalsOff off;
    const auto thread = static_cast<pid_t>(syscall(SYS_gettid));
    uint64_t seen = 0;  // the loop that was looked at last
    while (WaitForLoop(seen, thread, ranges_[own])) {
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
  bool WaitForLoop(uint64_t seen, pid_t thread, Range& range) {
    using Clock = std::chrono::steady_clock;
    Clock::duration most = kYieldTime;
    while (true) {
      const Clock::time_point begin = Clock::now();
      for (Clock::duration waited{}; waited < most;
           waited = Clock::now() - begin) {
        for (int i = 0; i < kPausesPerLook; ++i) {
          if (IsNew(seen)) return !stop_.load();
          Pause();
        }
        if (waited > kSpinTime) sched_yield();
      }
      Sleep(seen, thread, range);
      most = kHintTime;
    }
  }

  // Until there is a loop that it is woken for, a hint, or the end.
  void Sleep(uint64_t seen, pid_t thread, Range& range) {
    std::unique_lock<std::mutex> lock(mutex_);
    const uint32_t hints = hints_;
    range.thread = thread;
    sleepers_.fetch_add(1);
    while (!IsNew(seen) && hints_ == hints) {
      pthread_cond_wait(&wake_, mutex_.native_handle());
    }
    sleepers_.fetch_sub(1);
    range.thread = 0;
    const bool is_moved = std::exchange(range.is_moved, false);
    const cpu_set_t mask = range.mask;
    lock.unlock();
    if (is_moved) sched_setaffinity(0, sizeof(mask), &mask);
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
  // std::condition_variable needs a newer C++ library than the rest does.
  pthread_cond_t wake_ = PTHREAD_COND_INITIALIZER;
  uint32_t hints_ = 0;  // guarded by mutex_
  std::vector<pthread_t> threads_;
  const WorkerCores cores_;
};

ThreadPool::ThreadPool(int num_threads, const WorkerCores& cores)
    : num_threads_(num_threads), cores_(cores) {}

ThreadPool::~ThreadPool() {
  if (generation_ != ForkGeneration()) (void)workers_.release();
}

Status ThreadPool::StartWorkers() {
  std::unique_ptr<Workers> workers(new (std::nothrow) Workers(cores_));
  if (workers == nullptr || !workers->Allocate(num_threads_ - 1)) {
    return OutOfResources("no memory for threads");
  }
  const Status started = workers->Start(num_threads_ - 1);
  // Threads that this process does not have cannot be joined.
  if (generation_ != ForkGeneration()) (void)workers_.release();
  workers_ = std::move(workers);
  generation_ = ForkGeneration();  // last, for Wake
  return started;
}

Result<std::unique_ptr<ThreadPool>> ThreadPool::Create(
    int num_threads, const WorkerCores& cores) {
  std::unique_ptr<ThreadPool> pool(new ThreadPool(num_threads, cores));
  pool->generation_ = ForkGeneration();
  if (num_threads > 1) MACE_RETURN_IF_ERROR(pool->StartWorkers());
  return pool;
}

ThreadPool::Workers* ThreadPool::workers() {
  if (generation_ != ForkGeneration()) {
    const Status started = StartWorkers();
    if (!started.ok()) LOG(WARNING) << "fork: " << started.information();
    if (generation_ != ForkGeneration()) return nullptr;
  }
  return workers_.get();
}

void ThreadPool::BeginRun(WakeTimes* times) {
  times_ = nullptr;
  wakes_ = true;
  if (num_threads_ == 1) return;
  const Workers* const its_workers = workers();
  if (its_workers == nullptr || !its_workers->all_sleep()) return;
  times_ = times;
  begin_nanos_ = NowNanos();
  if (times->woken == 0 || times->woken >= kLongRunMicros) return;
  const bool is_trial = ++times->runs % kRunsPerTrial == 0;
  const bool is_worth_it = times->alone > 0 && times->woken < times->alone;
  wakes_ = is_worth_it != is_trial;
}

void ThreadPool::EndRun() {
  const bool woke = std::exchange(wakes_, true);
  WakeTimes* const times = std::exchange(times_, nullptr);
  if (times == nullptr) return;
  const double micros = 1e-3 * static_cast<double>(NowNanos() - begin_nanos_);
  double& average = woke ? times->woken : times->alone;
  average += (average == 0 ? 1 : kNewShare) * (micros - average);
}

void ThreadPool::Wake() {
  if (num_threads_ > 1 && generation_ == ForkGeneration()) workers_->Wake();
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
  Workers::RunTiles(
      this,
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
    Workers::RunTiles(
        this, [](void* p, size_t i) { static_cast<const Loop*>(p)->Run(i); },
        &loop, tiles);
    return;
  }
  const DenormalsOff off;
  for (size_t i = 0; i < tiles; ++i) loop.Run(i);
}

}  // namespace mace
