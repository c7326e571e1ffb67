// memory_bench: what the memory planners reach, beside the reference figures.
// SPDX-License-Identifier: Apache-2.0
//
//   memory_bench FOLDER [--tables networks,hard] [--seconds 60]
//                [--rounds 1000000]
//
// FOLDER holds conformance/memory. Each table compares what the planners reach
// with a reference and has a goal. Exit codes: 0 every goal is met, 1 some is
// not, 2 wrong flags or files.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "test/memory/tables.h"

namespace mace::test {
namespace {

struct Table {
  std::string name;
  std::function<bool()> print;  // returns whether its goal is met
};

// What the tables are made of.
struct Data {
  std::vector<Net> nets;
  std::vector<Micro> micro;
  std::vector<Hard> hard;
  Settings settings;
};

Status ReadInto(const std::string& folder, Data& data) {
  MACE_ASSIGN_OR_RETURN(data.nets, ReadNets(folder));
  MACE_ASSIGN_OR_RETURN(data.micro, ReadMicro(folder));
  MACE_ASSIGN_OR_RETURN(data.hard, ReadHard(folder));
  return Status();
}

std::vector<Table> Tables(const Data& data) {
  return {
      {"networks", [&] { return NetsWithProof(data.nets); }},
      {"hard", [&] { return HardInstances(data.hard); }},
      {"least_heights", [&] { return LeastHeights(data.hard, data.settings); }},
      {"heuristic", [&] { return HeuristicHeights(data.hard); }},
      {"shared_objects", [&] { return SharedObjects(data.nets); }},
      {"images", [&] { return Images(data.nets); }},
      {"micro", [&] { return MicroCases(data.micro); }},
      {"embedded", [] { return EmbeddedPlans(); }},
      {"random", [&] { return RandomProblems(data.settings); }},
  };
}

int Main(int argc, char** argv) {
  CLI::App app("What the memory planners reach, beside the reference figures.");
  std::string folder = "../shared";
  Data data;
  const std::vector<Table> tables = Tables(data);
  std::vector<std::string> names, wanted;
  for (const Table& table : tables) names.push_back(table.name);
  app.add_option("folder", folder, "holds conformance/memory")
      ->capture_default_str();
  app.add_option("--tables", wanted, "only these; all when not given")
      ->delimiter(',')
      ->check(CLI::IsMember(names));
  app.add_option("--seconds", data.settings.seconds,
                 "of each search of the table least_heights")
      ->capture_default_str();
  app.add_option("--rounds", data.settings.rounds,
                 "problems of the table random")
      ->capture_default_str();
  app.add_option("--seed", data.settings.seed, "of those")
      ->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  if (Status status = ReadInto(folder + "/conformance/memory", data);
      !status.ok()) {
    std::fprintf(stderr, "ERROR: %s\n", status.information().c_str());
    return 2;
  }
  bool met = true;
  for (const Table& table : tables) {
    if (!wanted.empty() &&
        std::find(wanted.begin(), wanted.end(), table.name) == wanted.end()) {
      continue;
    }
    met &= table.print();
    std::fflush(stdout);
  }
  return met ? 0 : 1;
}

}  // namespace
}  // namespace mace::test

int main(int argc, char** argv) { return mace::test::Main(argc, argv); }
