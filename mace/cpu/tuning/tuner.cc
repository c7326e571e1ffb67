// Decides which nodes are measured, in which order, and which results are kept.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/tuning/tuner.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "mace/base/cancellation.h"
#include "mace/base/clock.h"
#include "mace/base/logging.h"
#include "mace/base/search.h"
#include "mace/base/sort.h"
#include "mace/base/str_cat.h"
#include "mace/base/text_stream.h"
#include "mace/cpu/fused/prepare.h"
#include "mace/cpu/tuning/cpu_identity.h"
#include "mace/cpu/tuning/search_space.h"
#include "mace/cpu/tuning/trial.h"
#include "mace/cpu/tuning/tuning_task.h"

namespace mace::cpu {
namespace {

// Raise this when kernels change so much that stored times mislead.
constexpr int kVersionOfKernels = 2;
// A choice may un-fuse nodes, which the next dry run then prepares on their
// own.
constexpr int kMaxDryRuns = 4;
// Each candidate gets at least kMinTurns turns, then as many as fit in the
// time.
constexpr int kMinTurns = 5;
constexpr int kMaxTurns = 20;
constexpr int64_t kTurnsMicros = 5000;  // for one candidate
// After kMinTurns, candidates drop out that take this many times as long as the
// best.
constexpr double kHopelessTrial = 1.15;

bool IsConstant(const std::vector<FusedNode>& links) {
  const auto& inputs = links[0].node->inputs;
  return AllOf(inputs, [](const Operand& operand) {
    return operand.data != nullptr || !operand.present();
  });
}

int64_t WeightBytes(const Node& node) {
  int64_t bytes = 0;
  for (const Operand& operand : node.inputs) {
    if (operand.data != nullptr) bytes += Bytes(operand.type);
  }
  return bytes;
}

}  // namespace

// Finds the best plan of one node, or of nodes that may be fused.
class Tuner::Search {
 public:
  Search(Tuner& tuner, const Task& task, const CpuContext& context,
         TrialTensors tensors)
      : tuner_(tuner),
        task_(task),
        context_(context),
        tensors_(std::move(tensors)),
        model_(PlanStep(task.links, context)) {}

  // Returns false if the time ended before the search did.
  Result<bool> Run(Known& known) {
    known.plan = known.model = model_;
    // If the model would not fuse the nodes, the search begins with running
    // them one by one.
    StepPlan first = model_;
    Status status = AddTrial(first);
    if (status == Status::MACE_UNSUPPORTED) {
      first.fusion = Fusion::kNever;
      status = AddTrial(first);
    }
    MACE_RETURN_IF_ERROR(status);
    for (const AspectName& aspect : kAspects) {
      AddCandidates(aspect.aspect);
      if (trials_.size() == 1) continue;
      MACE_RETURN_IF_ERROR(TakeTurns());
      if (!tuner_.HasTime()) return false;
      KeepBest();
      known.tried += StrCat(" [", aspect.name, tried_, "]");
    }
    if (is_better_) known.plan = trials_[0].plan();
    known.origin.by = "tuned";
    if (trials_[0].has_run()) known.origin.micros = trials_[0].least() / 1000;
    known.origin.model_micros = known.origin.micros / share_;
    return true;
  }

 private:
  Status AddTrial(const StepPlan& plan) {
    auto trial = Trial::Create(task_.links, plan, context_, tensors_);
    if (trial.ok()) trials_.push_back(std::move(*trial));
    return trial.status();
  }

  // Adds the candidates that have a kernel. Unless only sizes differ, the
  // kernel must differ from those of earlier candidates.
  void AddCandidates(Aspect aspect) {
    const bool sizes = aspect >= Aspect::kBlock;
    const StepPlan best = trials_[0].plan();
    for (const StepPlan& plan :
         Candidates(aspect, task_.links, best, context_)) {
      if (!AddTrial(plan).ok()) continue;
      const std::string variant = trials_.back().kernel().variant();
      const auto same = [&](const Trial& t) {
        return t.kernel().variant() == variant;
      };
      if (!sizes && std::any_of(trials_.begin(), trials_.end() - 1, same)) {
        trials_.pop_back();
      }
    }
  }

  Status TakeTurns() {
    for (Trial& trial : trials_) {
      MACE_RETURN_IF_ERROR(RunOnce(trial));  // warms up
      trial.Restart();
    }
    std::vector<bool> out(trials_.size(), false);
    const int64_t begin = tuner_.options_.now_micros();
    const auto limit = kTurnsMicros * static_cast<int64_t>(trials_.size());
    for (int turn = 0; turn < kMaxTurns && tuner_.HasTime(); ++turn) {
      if (turn >= kMinTurns && tuner_.options_.now_micros() - begin > limit) {
        break;
      }
      double best = std::numeric_limits<double>::infinity();
      for (size_t i = 0; i < trials_.size(); ++i) {
        if (!out[i]) MACE_RETURN_IF_ERROR(RunOnce(trials_[i]));
        best = std::min(best, trials_[i].least());
      }
      for (size_t i = 1; turn >= kMinTurns && i < trials_.size(); ++i) {
        out[i] = out[i] || trials_[i].least() > kHopelessTrial * best;
      }
    }
    return Status();
  }

  Status RunOnce(Trial& trial) {
    ++tuner_.num_measured_;
    return trial.RunOnce(tensors_);
  }

  void KeepBest() {
    size_t best = 0;
    tried_.clear();
    for (size_t i = 0; i < trials_.size(); ++i) {
      tried_ += StrCat(i > 0 ? "; " : " ", Describe(trials_[i].plan(), model_),
                       ": ", std::lround(trials_[i].least() / 100) / 10.);
      const bool wins = i > 0 && trials_[i].Beats(trials_[0]) &&
                        trials_[i].least() < trials_[best].least();
      if (wins) best = i;
    }
    if (best > 0) {
      is_better_ = true;
      share_ *= trials_[best].least() / trials_[0].least();
    }
    std::swap(trials_[0], trials_[best]);
    trials_.erase(trials_.begin() + 1, trials_.end());
  }

  Tuner& tuner_;
  const Task& task_;
  const CpuContext& context_;
  TrialTensors tensors_;
  const StepPlan model_;       // the cost model's plan
  std::vector<Trial> trials_;  // the best so far, then other candidates
  bool is_better_ = false;     // whether some candidate beat the model's plan
  double share_ = 1;           // time of the best, as a share of the model's
  std::string tried_;
};

std::unique_ptr<Tuner> Tuner::Create(const TunerOptions& options,
                                     CpuFeatures features, int num_threads,
                                     const CacheSizes& caches) {
  if (options.storage == nullptr && options.budget_micros <= 0) return nullptr;
  if (options.storage != nullptr && options.storage->Load() != 0) {
    LOG(INFO) << "the CPU's tuning results cannot be read; they are ignored";
  }
  return std::unique_ptr<Tuner>(new Tuner(
      options,
      StrCat(CpuIdentity(features, num_threads), ", caches ", ToList(caches))));
}

Tuner::Tuner(TunerOptions options, const std::string& identity)
    : options_(std::move(options)),
      results_(StrCat(identity, ", kernels ", kVersionOfKernels), {},
               options_.storage) {
  if (!options_.now_micros) options_.now_micros = NowMicros;
  unread_.SetUnread();
}

bool Tuner::HasTime() const {
  return options_.now_micros() < end_micros_ &&
         !Cancellation::CurrentIsCancelled();
}

// A stored result is the plan as numbers, followed by the nanoseconds of this
// plan and of the cost model's plan.
const Tuner::Known* Tuner::Find(const std::string& key,
                                const std::vector<FusedNode>& links,
                                const CpuContext& context) {
  const auto found = known_.find(key);
  if (found != known_.end()) return &found->second;
  std::vector<int64_t> numbers = results_.Find(key);
  if (numbers.empty()) return nullptr;
  Known known;
  std::optional<StepPlan> plan;
  if (numbers.size() > 2) {
    known.origin.model_micros = static_cast<double>(numbers.back()) / 1000;
    numbers.pop_back();
    known.origin.micros = static_cast<double>(numbers.back()) / 1000;
    numbers.pop_back();
    plan = FromNumbers(numbers);
  }
  if (!plan || !CanRunAs(*plan, links, context)) {
    LOG(INFO) << "a kept tuning result does not fit its node; it is ignored: "
              << key;
    return nullptr;
  }
  known.plan = *plan;
  known.model = PlanStep(links, context);
  known.origin.by = "kept";
  return &(known_[key] = std::move(known));
}

void Tuner::Keep(const std::string& key, const Known& known) {
  std::vector<int64_t> numbers = ToNumbers(known.plan);
  numbers.push_back(std::llround(known.origin.micros * 1000));
  numbers.push_back(std::llround(known.origin.model_micros * 1000));
  results_.Insert(key, numbers);
}

Result<KernelPtr> Tuner::Prepare(const std::vector<FusedNode>& links,
                                 const CpuContext& context) {
  CpuContext with = context;
  // Constant nodes are computed once, while the plan is made.
  if (IsConstant(links)) return PrepareLinks(links, with);
  const std::string key = KeyOf(links, context);
  if (in_dry_run_) {
    with.packed = &unread_;
    if (links.size() == 1) weight_bytes_ += WeightBytes(*links[0].node);
  }
  const Known* known = Find(key, links, context);
  if (known == nullptr) {
    return in_dry_run_ ? RunDry(key, links, with) : PrepareLinks(links, with);
  }
  with.asked = &known->plan;
  auto kernel = PrepareLinks(links, with);
  if (kernel.ok()) (*kernel)->set_origin(known->origin);
  if (kernel.ok() && in_dry_run_) ForgetPartsOf(links, context);
  return kernel;
}

Result<KernelPtr> Tuner::RunDry(const std::string& key,
                                const std::vector<FusedNode>& links,
                                CpuContext context) {
  auto kernel = PrepareLinks(links, context);
  if (!HasCandidates(links, context)) return kernel;
  const Kernel* measured = kernel.ok() ? kernel->get() : nullptr;
  // Also tries to fuse nodes that the model would not.
  KernelPtr chain;
  if (measured == nullptr && links.size() > 1) {
    StepPlan plan = PlanStep(links, context);
    plan.fusion = Fusion::kAlways;
    context.asked = &plan;
    auto forced = PrepareLinks(links, context);
    if (!forced.ok()) return kernel;
    chain = std::move(*forced);
    measured = chain.get();
  }
  if (measured == nullptr) return kernel;
  Task& task = tasks_[key];
  if (task.count++ == 0) {
    task.cost = CostOf(*measured, links);
    task.nodes.clear();
    for (const FusedNode& link : links) task.nodes.push_back(*link.node);
    task.links = links;
    for (size_t i = 0; i < links.size(); ++i) {
      task.links[i].node = &task.nodes[i];
    }
  }
  if (kernel.ok()) ForgetPartsOf(links, context);
  return kernel;
}

void Tuner::ForgetPartsOf(const std::vector<FusedNode>& links,
                          const CpuContext& context) {
  if (links.size() == 1) return;
  for (const FusedNode& link : links) {
    FusedNode alone = link;
    alone.previous = -1;
    const auto part = tasks_.find(KeyOf({alone}, context));
    if (part != tasks_.end()) --part->second.count;
  }
}

Status Tuner::TunePlan(const Device::DryRun& dry_run, CpuContext context) {
  if (options_.budget_micros <= 0) return Status();
  end_micros_ = options_.now_micros() + options_.budget_micros;
  for (int i = 0; i < kMaxDryRuns && HasTime(); ++i) {
    tasks_.clear();
    weight_bytes_ = 0;
    in_dry_run_ = true;
    const auto owner = dry_run();
    in_dry_run_ = false;
    MACE_RETURN_IF_ERROR(owner.status());
    std::vector<const std::pair<const std::string, Task>*> order;
    for (const auto& task : tasks_) {
      if (task.second.count > 0) order.push_back(&task);
    }
    if (order.empty()) break;
    StableSort(&order, [](const auto* a, const auto* b) {
      const Task &s = a->second, &t = b->second;
      return s.cost * static_cast<double>(s.count) >
             t.cost * static_cast<double>(t.count);
    });
    MACE_ASSIGN_OR_RETURN(const ColdCaches cold,
                          ColdCaches::Create(weight_bytes_, context));
    for (const auto* task : order) {
      if (!HasTime()) break;
      MACE_RETURN_IF_ERROR(Measure(task->first, task->second, cold, context));
    }
  }
  tasks_.clear();
  results_.Flush();
  return Status();
}

Status Tuner::Measure(const std::string& key, const Task& task,
                      const ColdCaches& cold, const CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(
      TrialTensors tensors,
      TrialTensors::Create(task.links, cold, context.threads));
  Known known;
  MACE_ASSIGN_OR_RETURN(
      const bool done,
      Search(*this, task, context, std::move(tensors)).Run(known));
  if (!done) return Status();
  Keep(key, known);
  known_[key] = std::move(known);
  return Status();
}

std::string Tuner::report() const {
  TextStream out;
  for (const auto& [key, known] : known_) {
    out << key << ": " << Describe(known.plan, known.model) << ", "
        << known.origin.by << ", " << known.origin.micros << " us, the model's "
        << known.origin.model_micros << " us";
    if (!known.tried.empty()) out << ", tried" << known.tried;
    out << '\n';
  }
  return out.str();
}

}  // namespace mace::cpu
