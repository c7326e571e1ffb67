// mutations: loads, plans and runs many mutated models. The same seeds and
// series give the same models.
// SPDX-License-Identifier: Apache-2.0
//
// Exit codes: 0 nothing was found, 1 something was found, 2 wrong flags or no
// seeds.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "mace/ops/common/op.h"
#include "test/fuzz/cases.h"
#include "test/fuzz/crew.h"

// The library must report an allocation that fails; the sanitizer must not.
extern "C" const char* __asan_default_options() {
  return "allocator_may_return_null=1:handle_abort=1:quarantine_size_mb=32";
}

namespace mace::fuzz {
namespace {

struct Options {
  std::vector<std::string> folders;
  std::string out = "build/mutations";
  uint64_t series = 1;
  CrewOptions crew;
  Limits limits;
  double max_seconds = 0;  // 0: no limit
  bool list = false;
};

// Writes the model so that mace_run and a debugger can load it.
std::string Write(const Case& c, const Options& options, int64_t number) {
  std::error_code ignored;
  std::filesystem::create_directories(options.out, ignored);
  const std::string stem = options.out + "/case_" +
                           std::to_string(options.series) + "_" +
                           std::to_string(number);
  std::ofstream(stem + ".pb", std::ios::binary) << c.graph;
  std::ofstream data(stem + ".data", std::ios::binary);
  data.write(reinterpret_cast<const char*>(c.weights.get()),
             static_cast<std::streamsize>(c.weight_bytes));
  return stem;
}

void PrintOps(const Tally& tally) {
  const std::vector<const Op*> ops = AllOps();
  std::string never;
  for (size_t i = 0; i < ops.size() && i < Tally::kOps; ++i) {
    if (tally.runs_of[i] == 0) never += std::string(" ") + ops[i]->name;
  }
  std::printf("ops that never ran:%s\n",
              never.empty() ? " none" : never.c_str());
}

void PrintStages(const Tally::Stages& stages) {
  std::printf("%lld models: %lld loaded, %lld created, %lld run",
              static_cast<long long>(stages.cases),
              static_cast<long long>(stages.loaded),
              static_cast<long long>(stages.created),
              static_cast<long long>(stages.run));
}

void PrintSummary(const Tally& tally, int64_t failures) {
  static constexpr const char* kCodes[Tally::kCodes] = {
      "",        "INVALID_ARGS",  "OUT_OF_RESOURCES", "UNSUPPORTED",
      "RUNTIME", "INVALID_MODEL", "INTERNAL",         "CANCELLED"};
  PrintOps(tally);
  std::printf("slowest, in seconds of processor time:");
  for (const Tally::Slow& slow : tally.slowest) {
    std::printf(" %.2f (case %lld)", slow.seconds,
                static_cast<long long>(slow.number));
  }
  std::printf("\nquantized: ");
  PrintStages(tally.quantized);
  std::printf("\n");
  PrintStages(tally.all);
  std::printf(", %lld of them on the device",
              static_cast<long long>(tally.on_device));
  std::printf("; refused:");
  for (int i = 0; i < Tally::kCodes; ++i) {
    if (tally.refused[i] == 0) continue;
    std::printf(" %s %lld", kCodes[i],
                static_cast<long long>(tally.refused[i]));
  }
  std::printf("; beyond the limits %lld; %lld failures; slowest %.2f s\n",
              static_cast<long long>(tally.left),
              static_cast<long long>(failures), tally.slowest[0].seconds);
}

// Writes the model that failed. Making it infers types, which may be what
// fails.
void Report(const SeedUrn& urn, const Seed& empty, const Options& options,
            const Failure& failure) {
  const auto number = static_cast<long long>(failure.number);
  const bool written = RunsAlone([&] {
    const Case c = MakeCase(urn, empty, options.series, failure.number);
    const std::string stem = Write(c, options, failure.number);
    std::printf("FAILED case %lld (%s): %s\n  written to %s.pb and .data\n",
                number, c.about.c_str(), failure.what.c_str(), stem.c_str());
  });
  if (!written) {
    std::printf("FAILED case %lld: %s; making it fails\n", number,
                failure.what.c_str());
  }
  std::fflush(stdout);
}

int Main(const Options& options) {
  std::string error;
  std::vector<Seed> seeds;
  for (const std::string& folder : options.folders) {
    for (Seed& seed : ReadSeeds(folder, &error))
      seeds.push_back(std::move(seed));
  }
  if (error.empty() && seeds.empty()) {
    error = "no seeds; test/fuzz/seeds.py makes some";
  }
  if (!error.empty()) {
    std::fprintf(stderr, "mutations: %s\n", error.c_str());
    return 2;
  }
  const Seed empty = EmptySeed();
  const SeedUrn urn(seeds);
  int64_t failures = 0;
  const auto exercise = [&](int64_t number) {
    const Case c = MakeCase(urn, empty, options.series, number);
    if (options.list) {
      std::printf("%lld: %s\n", static_cast<long long>(number),
                  c.about.c_str());
    }
    Outcome outcome = Exercise(c.graph, c.weights, c.weight_bytes, c.settings,
                               options.limits);
    outcome.quantized = c.quantized;
    if (options.list) {
      std::printf("%lld: stage %d, %s\n", static_cast<long long>(number),
                  outcome.stage, outcome.status.information().c_str());
    }
    if ((number + 1) % 1000 == 0) {
      std::fprintf(stderr, "mutations: %lld\n",
                   static_cast<long long>(number + 1));
    }
    return outcome;
  };
  const auto on_failure = [&](const Failure& failure) {
    ++failures;
    Report(urn, empty, options, failure);
  };
  const Tally tally = RunCases(options.crew, exercise, on_failure);
  if (options.max_seconds > 0) {
    for (const Tally::Slow& slow : tally.slowest) {
      if (slow.seconds > options.max_seconds) {
        on_failure({slow.number, "slower than allowed"});
      }
    }
  }
  PrintSummary(tally, failures);
  return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace mace::fuzz

int main(int argc, char** argv) {
  mace::fuzz::Options options;
  CLI::App app{"Loads, plans and runs mutated models."};
  app.add_option("seeds", options.folders,
                 "folders of models, X.pb with X.data")
      ->required();
  app.add_option("--count", options.crew.count, "how many models")
      ->default_val(2000);
  app.add_option("--first", options.crew.first, "the number of the first");
  app.add_option("--series", options.series,
                 "a number; each gives other models");
  app.add_option("--out", options.out, "folder for failing models");
  app.add_option("--macs", options.limits.macs,
                 "the most multiply-adds to run");
  app.add_option("--memory", options.limits.memory, "the most bytes");
  const std::map<std::string, mace::DeviceType> devices = {
      {"CPU", mace::CPU}, {"GPU", mace::GPU}, {"DSP", mace::HEXAGON}};
  app.add_option("--device", options.limits.device,
                 "engines ask for it; what it cannot, the CPU runs")
      ->transform(CLI::CheckedTransformer(devices));
  app.add_option("--hang_seconds", options.crew.hang_seconds,
                 "a model that takes longer is ended");
  app.add_option("--max_seconds", options.max_seconds,
                 "of the processor; a slower model is a failure");
  app.add_flag("--list", options.list, "print each model's mutations");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  return mace::fuzz::Main(options);
}
