// mace_plan: plans memory for records in a file, without a model.
// SPDX-License-Identifier: Apache-2.0
//
// Exit codes: 0 every strategy that can plan such records did, 1 the records
// or the strategy's name are wrong, 2 wrong flags. Whether a plan fits the
// capacity is in its status.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "mace/base/file.h"
#include "mace/memory/strategy.h"
#include "tools/cli/flags.h"
#include "tools/cli/output.h"
#include "tools/mace_plan/json.h"
#include "tools/mace_plan/share_bounds.h"

namespace mace::tools {
namespace {

constexpr char kAll[] = "all";

struct Flags {
  std::string records;
  std::string strategy = kAll;
  std::string json;
  int64_t capacity = 0;
  int64_t budget_ms = 0;
  bool list_strategies = false;
};

// tools/memory_strategies.json is this.
nlohmann::json StrategiesJson() {
  nlohmann::json list = nlohmann::json::array();
  for (const memory::Strategy& strategy : memory::Strategies()) {
    const memory::Planner* const images = strategy.images();
    list.push_back(
        {{"name", strategy.name},
         {"arena", strategy.arena()->name},
         {"images", images == nullptr ? nlohmann::json()
                                      : nlohmann::json(images->name)}});
  }
  return list;
}

// Those that a strategy of this name stands for, of arenas and of objects.
// Errors: of memory::FindStrategy.
Result<std::vector<const memory::Planner*>> PlannersOf(
    const std::string& strategy) {
  std::vector<const memory::Planner*> planners;
  if (strategy == kAll) {
    for (const memory::Planner& planner : memory::Planners()) {
      planners.push_back(&planner);
    }
    return planners;
  }
  MACE_ASSIGN_OR_RETURN(const memory::Strategy found,
                        memory::FindStrategy(strategy));
  if (found.offsets != nullptr) planners.push_back(found.offsets);
  if (found.objects != nullptr) planners.push_back(found.objects);
  return planners;
}

// {"plans": [...], "skipped": [{"strategy", "why"}]}
Result<nlohmann::json> PlanAll(const memory::Problem& problem,
                               const Flags& flags) {
  memory::Options options;
  options.capacity = flags.capacity;
  if (flags.budget_ms > 0) {
    options.budget_us = flags.budget_ms * 1000;
    options.max_nodes = 0;
  }
  std::vector<memory::Plan> plans;
  nlohmann::json skipped = nlohmann::json::array();
  MACE_ASSIGN_OR_RETURN(const std::vector<const memory::Planner*> planners,
                        PlannersOf(flags.strategy));
  for (const memory::Planner* planner : planners) {
    auto plan = memory::Solve(problem, planner->name, options);
    if (plan.ok()) {
      plans.push_back(std::move(*plan));
    } else if (planners.size() > 1 &&
               plan.status().code() == Status::MACE_UNSUPPORTED) {
      skipped.push_back(
          {{"strategy", planner->name}, {"why", plan.status().information()}});
    } else {
      return plan.status();
    }
  }
  ShareBounds(flags.capacity, &plans);
  nlohmann::json list = nlohmann::json::array();
  for (const memory::Plan& plan : plans) list.push_back(ToJson(plan));
  return nlohmann::json{{"plans", list}, {"skipped", skipped}};
}

Status Run(const Flags& flags) {
  MACE_ASSIGN_OR_RETURN(const memory::Problem problem,
                        ReadProblem(flags.records));
  MACE_ASSIGN_OR_RETURN(const nlohmann::json plans, PlanAll(problem, flags));
  const std::string text = plans.dump() + '\n';
  return WriteFileAtomically(flags.json, text.data(), text.size());
}

int Main(int argc, char** argv) {
  CLI::App app("Plans memory for records in a file.", "mace_plan");
  Flags flags;
  app.add_option("--records", flags.records,
                 "JSON, see tools/mace_plan/json.h");
  app.add_option("--strategy", flags.strategy,
                 "a name of --list_strategies, or all")
      ->capture_default_str();
  app.add_option("--capacity", flags.capacity, "most bytes; 0: no limit")
      ->check(WholeNumber(0, std::numeric_limits<int64_t>::max()));
  app.add_option("--budget_ms", flags.budget_ms,
                 "of each searching strategy; 0: a fixed number of nodes")
      ->check(WholeNumber(0, int64_t{86400} * 1000));
  app.add_option("--json", flags.json, "where the plans go")->check(NewFile());
  app.add_flag("--list_strategies", flags.list_strategies,
               "print the names of all strategies as JSON, with what plans "
               "arenas and images by that name");
  const auto check = [&] {
    if (flags.list_strategies) return;
    if (flags.records.empty()) throw CLI::RequiredError("--records");
    if (flags.json.empty()) throw CLI::RequiredError("--json");
  };
  const int code = ParseFlags(
      app, argc, argv, check,
      {{"--config", "tools/converter.py plan takes deployment files"}});
  if (code >= 0) return code;
  if (flags.list_strategies) {
    std::printf("%s\n", StrategiesJson().dump(1).c_str());
    return 0;
  }
  const Status status = Run(flags);
  if (status.ok()) return 0;
  std::fprintf(stderr, "ERROR: %s\n", status.information().c_str());
  return 1;
}

}  // namespace
}  // namespace mace::tools

int main(int argc, char** argv) {
  return mace::tools::FinishOutput(mace::tools::Main(argc, argv));
}
