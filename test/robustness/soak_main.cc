// soak: creates, runs and destroys engines, and then changes shapes, for as
// long as is asked: memory, descriptors and threads must stay as they are.
// SPDX-License-Identifier: Apache-2.0
//
// Exit codes: 0 nothing grew, 1 something did, 2 wrong flags.

#include <dirent.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "mace/testing/model_builder.h"

namespace mace::testing {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kMaxGrowth = 0.01;  // of anonymous bytes, by what is resident
constexpr int kWarmUp = 200;  // engines, or runs, before anything is counted

struct Process {
  int64_t resident_kb = 0, anonymous_kb = 0, threads = 0, descriptors = 0;
};

int64_t NumberAfter(const char* file, const std::string& key) {
  std::ifstream lines(file);
  int64_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word == key) words >> number;
  }
  return number;
}

Process ThisProcess() {
  Process found;
  found.resident_kb = NumberAfter("/proc/self/smaps_rollup", "Rss:");
  found.anonymous_kb = NumberAfter("/proc/self/smaps_rollup", "Anonymous:");
  found.threads = NumberAfter("/proc/self/status", "Threads:");
  if (DIR* folder = opendir("/proc/self/fd")) {
    while (readdir(folder) != nullptr) ++found.descriptors;
    closedir(folder);
  }
  return found;
}

std::shared_ptr<MaceModel> Net() {
  ModelBuilder b;
  b.Input("x", {1, 8, 8, 4})
      .Weight("w", {8, 4, 3, 3}, SmallWeights(8 * 4 * 9))
      .Op("Conv2d", {"x", "w"}, {"a"}, {{"padding", int64_t{1}}})
      .Op("Softmax", {"a"}, {"y"})
      .Output("y");
  return b.Load();
}

bool Check(const MaceStatus& status) {
  if (!status.ok()) std::printf("%s\n", status.information().c_str());
  return status.ok();
}

bool RunOnce(MaceEngine& engine, int64_t batch, int64_t size) {
  const size_t elements = static_cast<size_t>(batch * size * size * 4);
  std::map<std::string, MaceTensor> outputs;
  return Check(
      engine.Run({{"x", FloatTensor({batch, size, size, 4},
                                    std::vector<float>(elements, 1.0f))}},
                 &outputs));
}

std::shared_ptr<MaceEngine> Create(const std::shared_ptr<MaceModel>& model) {
  std::shared_ptr<MaceEngine> engine;
  MaceEngineConfig config;
  if (!Check(config.SetCPUThreadPolicy(2, AFFINITY_NONE)) ||
      !Check(MaceEngine::Create(model, {}, {}, config, &engine))) {
    return nullptr;
  }
  return engine;
}

// Calls `work`, compares the process after the first calls with that at the
// end, and prints how long calls took.
template <typename Work, typename GoesOn>
bool Soak(const char* name, const Work& work, const GoesOn& goes_on) {
  // Of the latest calls. All of it is touched before anything is counted.
  std::vector<double> millis(1 << 16, -1);
  size_t num_timed = 0;
  Process before;
  for (int64_t i = 0; goes_on(i); ++i) {
    if (i == kWarmUp) before = ThisProcess();
    const auto begin = Clock::now();
    if (!work(i)) return false;
    const std::chrono::duration<double, std::milli> took = Clock::now() - begin;
    if (i >= kWarmUp) millis[num_timed++ % millis.size()] = took.count();
  }
  const Process after = ThisProcess();
  if (num_timed == 0) return false;
  millis.resize(std::min(num_timed, millis.size()));
  std::sort(millis.begin(), millis.end());
  const double p50 = millis[millis.size() / 2];
  const double p99 = millis[millis.size() * 99 / 100];
  // The rest of what is resident are pages of the program's files, which the
  // kernel maps and reclaims as it likes.
  const auto growth =
      static_cast<double>(after.anonymous_kb - before.anonymous_kb);
  const bool is_constant =
      before.resident_kb > 0 &&  // the kernel says
      growth <= static_cast<double>(before.resident_kb) * kMaxGrowth &&
      after.threads == before.threads &&
      after.descriptors == before.descriptors;
  std::printf(
      "%s: resident %lld to %lld KB, of them anonymous %lld to %lld KB, "
      "threads %lld to %lld, descriptors %lld to %lld, p50 %.3f ms, "
      "p99 %.3f ms, p99/p50 %.2f: %s\n",
      name, static_cast<long long>(before.resident_kb),
      static_cast<long long>(after.resident_kb),
      static_cast<long long>(before.anonymous_kb),
      static_cast<long long>(after.anonymous_kb),
      static_cast<long long>(before.threads),
      static_cast<long long>(after.threads),
      static_cast<long long>(before.descriptors),
      static_cast<long long>(after.descriptors), p50, p99, p99 / p50,
      is_constant ? "constant" : "GREW");
  return is_constant;
}

bool SoakEngines(int64_t engines) {
  const auto create = [](int64_t) {
    const std::shared_ptr<MaceModel> model = Net();
    const std::shared_ptr<MaceEngine> engine = Create(model);
    return engine != nullptr && RunOnce(*engine, 1, 8);
  };
  return Soak("create, run, destroy", create,
              [=](int64_t i) { return i < engines; });
}

bool SoakShapes(double minutes) {
  const std::shared_ptr<MaceModel> model = Net();
  const std::shared_ptr<MaceEngine> engine = Create(model);
  if (engine == nullptr) return false;
  std::minstd_rand random(1);
  const auto run = [&](int64_t i) {
    // The largest shape comes early, as memory grows to what it takes.
    if (i < kWarmUp / 2) return RunOnce(*engine, 3, 24);
    return RunOnce(*engine, 1 + static_cast<int64_t>(random() % 3),
                   4 + static_cast<int64_t>(random() % 21));
  };
  const auto end =
      Clock::now() + std::chrono::duration<double, std::ratio<60>>(minutes);
  return Soak("changing shapes", run, [=](int64_t i) {
    return i <= 2 * kWarmUp || Clock::now() < end;
  });
}

}  // namespace
}  // namespace mace::testing

int main(int argc, char** argv) {
  int64_t engines = 10000;
  double minutes = 60;
  CLI::App app{"Creates engines and changes shapes for a long time."};
  app.add_option("--engines", engines, "how many are created");
  app.add_option("--minutes", minutes, "of changing shapes");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  const bool engines_end = mace::testing::SoakEngines(engines);
  const bool shapes_end = mace::testing::SoakShapes(minutes);
  return engines_end && shapes_end ? 0 : 1;
}
