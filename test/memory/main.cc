// memory_bench: what the memory planners reach, beside the reference figures.
// SPDX-License-Identifier: Apache-2.0
//
//   memory_bench FOLDER [--goals G2,G3] [--seconds 60] [--rounds 1000000]
//
// FOLDER holds conformance/memory. Exit codes: 0 every goal is met, 1 some is
// not, 2 wrong flags or files.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <functional>

#include "test/memory/tables.h"

namespace mace::test {
namespace {

struct Goal {
  const char* name;
  std::function<bool()> table;
};

int Main(int argc, char** argv) {
  CLI::App app("What the memory planners reach, beside the reference figures.");
  std::string folder = "../shared";
  std::vector<std::string> wanted;
  Settings settings;
  app.add_option("folder", folder, "holds conformance/memory")
      ->capture_default_str();
  app.add_option("--goals", wanted, "some of G2 to G11")->delimiter(',');
  app.add_option("--seconds", settings.seconds, "of each search in G4")
      ->capture_default_str();
  app.add_option("--rounds", settings.rounds, "random problems of G11")
      ->capture_default_str();
  app.add_option("--seed", settings.seed, "of those")->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  const auto nets = ReadNets(folder + "/conformance/memory");
  const auto micro = ReadMicro(folder + "/conformance/memory");
  const auto hard = ReadHard(folder + "/conformance/memory");
  for (const Status& status : {nets.status(), micro.status(), hard.status()}) {
    if (status.ok()) continue;
    std::fprintf(stderr, "ERROR: %s\n", status.information().c_str());
    return 2;
  }
  const Goal goals[] = {
      {"G2", [&] { return NetsWithProof(*nets); }},
      {"G3", [&] { return HardInstances(*hard); }},
      {"G4", [&] { return LeastHeights(*hard, settings); }},
      {"G5", [&] { return HeuristicHeights(*hard); }},
      {"G6", [&] { return SharedObjects(*nets); }},
      {"G7", [&] { return Images(*nets); }},
      {"G9", [&] { return MicroCases(*micro); }},
      {"G10", [&] { return EmbeddedPlans(); }},
      {"G11", [&] { return RandomProblems(settings); }},
  };
  bool met = true;
  for (const Goal& goal : goals) {
    if (!wanted.empty() &&
        std::find(wanted.begin(), wanted.end(), goal.name) == wanted.end()) {
      continue;
    }
    met &= goal.table();
    std::fflush(stdout);
  }
  return met ? 0 : 1;
}

}  // namespace
}  // namespace mace::test

int main(int argc, char** argv) { return mace::test::Main(argc, argv); }
