// Files, cores and threads.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>

#include "mace/base/aligned_buffer.h"
#include "mace/base/cpu_topology.h"
#include "mace/base/file.h"
#include "mace/base/large_array.h"
#include "mace/base/memory_budget.h"
#include "mace/base/thread_pool.h"

namespace mace {
namespace {

std::string TempDir(const std::string& name) {
  const std::string dir = ::testing::TempDir() + "base_test_" + name;
  std::filesystem::remove_all(dir);
  std::filesystem::create_directories(dir);
  return dir;
}

TEST(File, RoundTrip) {
  const std::string path = TempDir("file") + "/x";
  ASSERT_TRUE(WriteFileAtomically(path, "hello", 5).ok());
  const auto bytes = ReadFile(path);
  ASSERT_TRUE(bytes.ok());
  EXPECT_EQ(std::string(bytes->begin(), bytes->end()), "hello");
  ASSERT_TRUE(WriteFileAtomically(path, "", 0).ok());
  EXPECT_TRUE(ReadFile(path)->empty());
  // Nothing is left beside it.
  const auto parent = std::filesystem::path(path).parent_path();
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(parent), {}), 1);
}

TEST(File, Errors) {
  const std::string dir = TempDir("errors");
  const Status missing = MappedFile::Open(dir + "/no").status();
  EXPECT_EQ(missing.code(), Status::MACE_INVALID_ARGS);
  EXPECT_NE(missing.information().find("No such file"), std::string::npos);
  EXPECT_NE(MappedFile::Open(dir).status().information().find("is a folder"),
            std::string::npos);
  EXPECT_FALSE(WriteFileAtomically(dir + "/no/x", "a", 1).ok());
}

// None of them waits for somebody at the other end, and none is replaced.
TEST(File, OnlyRegularFiles) {
  const std::string dir = TempDir("kinds");
  const std::string fifo = dir + "/fifo", link = dir + "/link";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  std::filesystem::create_symlink(fifo, link);
  const std::pair<std::string, std::string> kinds[] = {
      {fifo, "is a FIFO, not a regular file"},
      {link, "is a FIFO"},
      {"/dev/full", "is a device or a socket"},
      {"/dev/zero", "is a device or a socket"},
      {dir, "is a folder; name a file in it"}};
  for (const auto& [path, words] : kinds) {
    const Status read = MappedFile::Open(path).status();
    EXPECT_EQ(read.code(), Status::MACE_INVALID_ARGS);
    EXPECT_NE(
        read.information().find("cannot open '" + path + "': it " + words),
        std::string::npos)
        << read.information();
    const Status written = WriteFileAtomically(path, "a", 1);
    EXPECT_NE(
        written.information().find("cannot write '" + path + "': it " + words),
        std::string::npos)
        << written.information();
  }
  EXPECT_TRUE(std::filesystem::is_fifo(fifo));
  std::filesystem::create_symlink(dir + "/file", dir + "/to_file");
  ASSERT_TRUE(WriteFileAtomically(dir + "/file", "abc", 3).ok());
  EXPECT_EQ(ReadFile(dir + "/to_file")->size(), 3u);
}

TEST(AlignedBuffer, AlignsAndRefuses) {
  for (size_t bytes : {0, 1, 63, 64, 1000}) {
    const auto buffer = AlignedBuffer::Create(bytes);
    ASSERT_TRUE(buffer.ok());
    EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer->data()) % kAlignment, 0u);
    EXPECT_EQ(buffer->size(), bytes);
  }
}

TEST(AlignedBuffer, RefusesSizesNearHalfOfTheAddresses) {
  constexpr size_t kHalf = SIZE_MAX / 2 + 1;  // 2^63, or 2^31
  for (const size_t bytes : {kHalf, kHalf + 1, kHalf + 63, kHalf + 64,
                             SIZE_MAX - 64, SIZE_MAX - 63, SIZE_MAX}) {
    EXPECT_EQ(AlignedBuffer::Create(bytes).status().code(),
              Status::MACE_OUT_OF_RESOURCES)
        << bytes;
  }
}

TEST(AlignedBuffer, MakesZerosOfAnyRange) {
  constexpr size_t kMany = 1 << 20, kGuard = 100;
  const auto buffer = AlignedBuffer::Create(kMany + 2 * kGuard);
  ASSERT_TRUE(buffer.ok());
  auto* const all = static_cast<unsigned char*>(buffer->data());
  for (const size_t at : {size_t{0}, size_t{1}, size_t{64}, kGuard}) {
    for (const size_t n : {size_t{0}, size_t{1}, size_t{4096}, size_t{5000},
                           kMany - 1, kMany, kMany + 3}) {
      std::fill_n(all, buffer->size(), 7);
      MakeZeros(all + at, n);
      EXPECT_EQ(std::count(all, all + buffer->size(), 0), n) << at;
      EXPECT_EQ(std::count(all + at, all + at + n, 0), n) << at;
    }
  }
}

TEST(MemoryBudget, CountsWhatIsHeld) {
  const auto budget = std::make_shared<MemoryBudget>(1000);
  const ScopedMemoryBudget scope(budget);
  {
    const auto first = AlignedBuffer::Create(600, "one");
    ASSERT_TRUE(first.ok());
    EXPECT_EQ(budget->used(), 600);
    const auto second = LargeArray<float>::Create(101, "the other");
    ASSERT_EQ(second.status().code(), Status::MACE_OUT_OF_RESOURCES);
    EXPECT_EQ(second.status().information().rfind(
                  "404 bytes for the other are more than is left: 600 of 1000 "
                  "bytes are taken",
                  0),
              0u);
    EXPECT_EQ(budget->used(), 600);
    const auto third = LargeArray<float>::Create(100, "the other");
    ASSERT_TRUE(third.ok());
    EXPECT_EQ((*third)[99], 0.f);
    EXPECT_EQ(budget->used(), 1000);
    const ScopedMemoryBudget inner(std::make_shared<MemoryBudget>(10));
    EXPECT_TRUE(AlignedBuffer::Create(10, "within").ok());
    EXPECT_FALSE(AlignedBuffer::Create(11, "within").ok());
  }
  EXPECT_EQ(budget->used(), 0);
  // Sizes that overflow.
  for (const int64_t size : {int64_t{-1}, INT64_MAX, INT64_MAX / 4}) {
    EXPECT_EQ(LargeArray<float>::Create(size, "much").status().code(),
              Status::MACE_OUT_OF_RESOURCES);
  }
  EXPECT_EQ(MemoryShare::Take(-1, "less").status().code(),
            Status::MACE_OUT_OF_RESOURCES);
  EXPECT_GT(MachineMemoryBytes(), 1 << 20);
}

// A phone described below a root of its own.
std::string MakeSys(const std::string& name, const std::string& online,
                    const std::vector<int>& khz) {
  const std::string root = TempDir(name);
  const std::string cpu = root + "/devices/system/cpu";
  std::filesystem::create_directories(cpu);
  std::ofstream(cpu + "/online") << online << "\n";
  for (size_t i = 0; i < khz.size(); ++i) {
    const std::string dir = cpu + "/cpu" + std::to_string(i) + "/cpufreq";
    std::filesystem::create_directories(dir);
    std::ofstream(dir + "/cpuinfo_max_freq") << khz[i] << "\n";
  }
  return root;
}

using Ids = std::vector<int>;

TEST(CpuTopology, BigLittle) {
  // Four little cores, three middle ones, a big one; core 1 is off.
  const auto cores = ReadCpuCores(MakeSys(
      "phone", "0,2-7", {1800, 1800, 1800, 1800, 2400, 2400, 2400, 2800}));
  ASSERT_EQ(cores.size(), 7u);
  EXPECT_EQ(SelectCores(cores, AFFINITY_BIG_ONLY), (Ids{7}));
  EXPECT_EQ(SelectCores(cores, AFFINITY_LITTLE_ONLY), (Ids{0, 2, 3}));
  EXPECT_EQ(SelectCores(cores, AFFINITY_HIGH_PERFORMANCE), (Ids{7, 4, 5, 6}));
  EXPECT_EQ(SelectCores(cores, AFFINITY_POWER_SAVE), (Ids{0, 2, 3}));
  EXPECT_EQ(SelectCores(cores, AFFINITY_NONE), (Ids{7, 4, 5, 6, 0, 2, 3}));
}

TEST(CpuTopology, AllAlike) {
  const auto cores = ReadCpuCores(MakeSys("pc", "0-1", {}));
  for (auto policy : {AFFINITY_NONE, AFFINITY_BIG_ONLY, AFFINITY_LITTLE_ONLY,
                      AFFINITY_HIGH_PERFORMANCE, AFFINITY_POWER_SAVE}) {
    EXPECT_EQ(SelectCores(cores, policy), (Ids{0, 1}));
  }
}

TEST(CpuTopology, NothingToRead) {
  EXPECT_EQ(ReadCpuCores("/nonexistent").size(), 1u);
  EXPECT_EQ(ReadCpuCores(MakeSys("bad", "x-y", {})).size(), 1u);
  EXPECT_EQ(ReadCpuCores(MakeSys("huge", "0-99999999", {})).size(), 1u);
}

cpu_set_t Mask(const Ids& ids) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  for (int id : ids) CPU_SET(id, &mask);
  return mask;
}

Ids IdsOf(const cpu_set_t& mask) {
  Ids ids;
  for (int id = 0; id < CPU_SETSIZE; ++id) {
    if (CPU_ISSET(id, &mask)) ids.push_back(id);
  }
  return ids;
}

// Where a worker with mask `worker` begins, woken from `core` by a thread with
// mask `caller`; `restored`: the mask that it has then.
Ids Beginning(const WorkerCores& cores, const Ids& caller, int core,
              const Ids& worker, Ids* restored) {
  cpu_set_t mask = Mask(worker), beginning;
  const bool moves = BeginningOf(cores, Mask(caller), core, &mask, &beginning);
  *restored = IdsOf(mask);
  return moves ? IdsOf(beginning) : Ids{};
}

TEST(CpuTopology, WorkersBeginOnOtherCoresOfTheFastestClusters) {
  std::vector<CpuCore> phone;
  for (int id = 0; id < 8; ++id) {
    phone.push_back({id, id < 4 ? 1800 : id < 7 ? 2400 : 2800});
  }
  const Ids all = {0, 1, 2, 3, 4, 5, 6, 7};
  Ids restored;
  const auto at = [&](int threads, int core) {
    return Beginning(WorkerCores::Any(phone, threads), all, core, all,
                     &restored);
  };
  EXPECT_EQ(at(1, 0), (Ids{7}));
  EXPECT_EQ(at(2, 7), (Ids{4, 5, 6}));
  EXPECT_EQ(restored, all);  // whichever is idle, once it runs
  EXPECT_EQ(at(4, 2), (Ids{4, 5, 6, 7}));
  EXPECT_EQ(at(5, 4), (Ids{0, 1, 2, 3, 5, 6, 7}));
  EXPECT_EQ(at(2, -1), (Ids{4, 5, 6, 7}));  // the system does not say
}

TEST(CpuTopology, WorkersStayInTheMasks) {
  const std::vector<CpuCore> pc = {{0, 0}, {1, 0}, {2, 0}, {3, 0}};
  const auto any = WorkerCores::Any(pc, 2);
  Ids restored;
  EXPECT_EQ(Beginning(any, {0, 1}, 0, {0, 1}, &restored), (Ids{1}));
  EXPECT_EQ(restored, (Ids{0, 1}));
  EXPECT_EQ(Beginning(any, {1}, 1, {1}, &restored), (Ids{}));
  EXPECT_EQ(restored, (Ids{1}));
  // A cpuset has grown.
  EXPECT_EQ(Beginning(any, {0, 1, 2}, 0, {0}, &restored), (Ids{1, 2}));
  EXPECT_EQ(restored, (Ids{0, 1, 2}));
  // Those of a policy, or of the app.
  const auto only = WorkerCores::Only({1, 2});
  EXPECT_EQ(Beginning(only, {0, 1, 2, 3}, 1, {1, 2}, &restored), (Ids{2}));
  EXPECT_EQ(restored, (Ids{1, 2}));
  EXPECT_EQ(Beginning(only, {0, 1}, 0, {1}, &restored), (Ids{1}));
  EXPECT_EQ(Beginning(only, {0, 3}, 0, {3}, &restored), (Ids{3}));
}

TEST(CpuTopology, CoresOutsideOfTheMaskAreRemoved) {
  cpu_set_t own;
  ASSERT_EQ(sched_getaffinity(0, sizeof(own), &own), 0);
  const int last = IdsOf(own).back();
  const cpu_set_t one = Mask({last});
  ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
  std::vector<CpuCore> cores = ReadCpuCores();
  RemoveForbidden(&cores);
  EXPECT_EQ(sched_setaffinity(0, sizeof(own), &own), 0);
  ASSERT_EQ(cores.size(), 1u);
  EXPECT_EQ(cores[0].id, last);
}

TEST(ThreadPool, CoversEveryElementOnce) {
  for (int threads : {1, 2, 3}) {
    auto pool = ThreadPool::Create(threads);
    ASSERT_TRUE(pool.ok());
    EXPECT_EQ((*pool)->num_threads(), threads);
    for (size_t n : {0, 1, 7, 100}) {
      std::vector<std::atomic<int>> hits(n);
      (*pool)->ParallelFor(n, 8, [&](size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i) ++hits[i];
      });
      for (const auto& hit : hits) EXPECT_EQ(hit, 1);
    }
    std::vector<std::atomic<int>> hits(5 * 11);
    (*pool)->ParallelFor2D(5, 11, 2, 3,
                           [&](size_t i, size_t ie, size_t j, size_t je) {
                             for (size_t a = i; a < ie; ++a) {
                               for (size_t b = j; b < je; ++b)
                                 ++hits[a * 11 + b];
                             }
                           });
    for (const auto& hit : hits) EXPECT_EQ(hit, 1);
  }
}

// Many short loops, so that threads come late, early and not at all.
TEST(ThreadPool, ManyShortLoops) {
  auto pool = std::move(*ThreadPool::Create(4));
  for (int loop = 0; loop < 20000; ++loop) {
    const size_t n = 2 + loop % 7;
    std::atomic<size_t> sum{0};
    pool->ParallelFor(n, 1, [&](size_t begin, size_t) { sum += begin + 1; });
    ASSERT_EQ(sum, n * (n + 1) / 2) << "loop " << loop;
  }
}

TEST(ThreadPool, IdleThreadsSleep) {
  auto pool = std::move(*ThreadPool::Create(3));
  const auto loop = [&] {
    std::atomic<int> count{0};
    pool->ParallelFor(6, 1, [&](size_t, size_t) { ++count; });
    EXPECT_EQ(count, 6);
  };
  loop();
  const std::clock_t begin = std::clock();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_LT(std::clock() - begin, CLOCKS_PER_SEC / 20);
  loop();  // and wake up
}

// Workers are moved only until they run, and the caller never.
TEST(ThreadPool, MasksAreAsBeforeOnceWorkersRun) {
  cpu_set_t own;
  ASSERT_EQ(sched_getaffinity(0, sizeof(own), &own), 0);
  auto pool = std::move(*ThreadPool::Create(2));
  std::set<std::thread::id> threads;
  for (int i = 0; i < 20; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::mutex mutex;
    pool->ParallelFor(64, 1, [&](size_t, size_t) {
      std::this_thread::sleep_for(std::chrono::microseconds(100));
      cpu_set_t now;
      sched_getaffinity(0, sizeof(now), &now);
      const std::lock_guard<std::mutex> lock(mutex);
      threads.insert(std::this_thread::get_id());
      EXPECT_TRUE(CPU_EQUAL(&now, &own));
    });
  }
  EXPECT_EQ(threads.size(), 2u);
}

// Two engines that are woken at once: none of their threads is bound to one
// core while another one is idle.
TEST(ThreadPool, PoolsAtOnceMayUseAllCores) {
  cpu_set_t own;
  ASSERT_EQ(sched_getaffinity(0, sizeof(own), &own), 0);
  std::atomic<int> tiles{0}, bound{0};
  const auto frames = [&] {
    auto pool = std::move(*ThreadPool::Create(3));
    for (int i = 0; i < 10; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(3));
      pool->ParallelFor(60, 1, [&](size_t, size_t) {
        std::this_thread::sleep_for(std::chrono::microseconds(50));
        cpu_set_t now;
        sched_getaffinity(0, sizeof(now), &now);
        ++tiles;
        bound += CPU_EQUAL(&now, &own) ? 0 : 1;
      });
    }
  };
  std::thread other(frames);
  frames();
  other.join();
  EXPECT_EQ(tiles, 1200);
  EXPECT_EQ(bound, 0);
}

TEST(ThreadPool, ShortRunsAreDoneAloneIfThatIsFaster) {
  auto pool = std::move(*ThreadPool::Create(2));
  WakeTimes times;
  int measured = 0;
  // On a busy machine a worker may need long until it sleeps.
  for (int i = 0; i < 30 || (measured == 0 && i < 3000); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    std::atomic<int> others{0};
    const auto caller = std::this_thread::get_id();
    const double alone = i == 0 ? 0 : 10;
    times = {50, alone, times.runs};  // woken, it was slower
    pool->BeginRun(&times);
    pool->ParallelFor(2, 1, [&](size_t, size_t) {
      others += std::this_thread::get_id() != caller;
    });
    pool->EndRun();
    EXPECT_EQ(times.woken, 50);
    if (times.alone == alone) continue;  // the worker did not sleep yet
    ++measured;
    EXPECT_EQ(others, 0);
  }
  EXPECT_GT(measured, 0);
  // Long runs always wake them.
  times = {2000, 10, 0};
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  std::atomic<int> others{0};
  pool->BeginRun(&times);
  const auto caller = std::this_thread::get_id();
  pool->ParallelFor(40, 1, [&](size_t, size_t) {
    others += std::this_thread::get_id() != caller;
    std::this_thread::sleep_for(std::chrono::microseconds(500));
  });
  pool->EndRun();
  EXPECT_GT(others, 0);
}

TEST(ThreadPool, AHintWakesWorkersForAMoment) {
  auto pool = std::move(*ThreadPool::Create(2));
  for (int i = 0; i < 20; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    pool->Wake();
    if (i % 2 == 0) {
      std::atomic<int> count{0};
      pool->ParallelFor(6, 1, [&](size_t, size_t) { ++count; });
      EXPECT_EQ(count, 6);
    }
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  const std::clock_t begin = std::clock();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_LT(std::clock() - begin, CLOCKS_PER_SEC / 20);
}

}  // namespace
}  // namespace mace
