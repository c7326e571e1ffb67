// Queries which nodes devices support, and places nodes by cost.
// SPDX-License-Identifier: Apache-2.0

#include "mace/plan/stages/place.h"

#include <algorithm>
#include <string>
#include <utility>

#include "mace/base/cancellation.h"
#include "mace/base/str_cat.h"
#include "mace/plan/stages/solve_placement.h"
#include "mace/plan/types/one_device.h"
#include "mace/plan/types/plan_switches.h"

namespace mace {
namespace {

// `constant_bytes`: as in NodeWork.
double CostUs(const DeviceSpeed& speed, const Node& node, int64_t macs,
              int64_t constant_bytes) {
  double bytes = static_cast<double>(std::max<int64_t>(constant_bytes, 0));
  for (const Operand& operand : node.inputs) {
    if (!operand.present()) continue;
    if (constant_bytes >= 0 && operand.data != nullptr) continue;
    bytes += static_cast<double>(Bytes(operand.type));
  }
  for (const TensorType& type : node.outputs) {
    bytes += static_cast<double>(Bytes(type));
  }
  return speed.launch_us + static_cast<double>(macs) / speed.macs_per_us +
         bytes / speed.bytes_per_us;
}

double TransferUs(const DeviceSpeed& speed, const TensorType& type) {
  return speed.transfer_per_us > 0
             ? speed.transfer_us +
                   static_cast<double>(Bytes(type)) / speed.transfer_per_us
             : speed.transfer_us;
}

// Which devices support a node, in the order of the devices.
struct SupportQuery {
  std::vector<Status> statuses;  // OK: it supports the node
  NodeWork work;                 // from the first device that supports it
  std::vector<int64_t> constant_bytes;  // as NodeWork::constant_bytes
  // Whether some device only renames: then the node is free on any device.
  bool renames_only = false;
};

class Placer {
 public:
  Placer(Plan& plan, const std::vector<Device*>& devices)
      : plan_(plan), devices_(devices) {}

  Status Place() {
    const size_t num_nodes = plan_.graph.nodes.size();
    if (kOneDevice || devices_.size() == 1) {
      for (size_t n = 0; n < num_nodes; ++n) {
        MACE_RETURN_IF_ERROR(AddStep(n, *devices_[0]));
      }
      return Status();
    }
    for (size_t n = 0; n < num_nodes; ++n)
      MACE_RETURN_IF_ERROR(QuerySupport(n));
    MACE_ASSIGN_OR_RETURN(const std::vector<int> placed, Solve());
    for (size_t n = 0; n < num_nodes; ++n) {
      Device& device = *devices_[placed[n]];
      plan_.placements.push_back(
          {Label(NodeAt(n)), device.name(), ReasonOf(n, placed[n])});
      MACE_RETURN_IF_ERROR(AddStep(n, device));
    }
    return Status();
  }

 private:
  const Node& NodeAt(size_t n) const { return plan_.graph.nodes[n].node; }
  int host() const { return static_cast<int>(devices_.size()) - 1; }

  Status QuerySupport(size_t n) {
    MACE_RETURN_IF_ERROR(Cancellation::CheckPlan());
    SupportQuery query;
    bool any = false;
    std::string reasons;
    for (Device* device : devices_) {
      const auto work = device->Supports(NodeAt(n));
      if (!work.ok() && work.status() != Status::MACE_UNSUPPORTED) {
        return work.status();
      }
      query.statuses.push_back(work.status());
      query.constant_bytes.push_back(work.ok() ? work->constant_bytes : -1);
      if (!work.ok()) {
        reasons +=
            StrCat(reasons.empty() ? "" : "; ", work.status().information());
        continue;
      }
      if (!any) query.work = *work;
      any = true;
      query.renames_only = query.renames_only || work->renames_only;
    }
    queries_.push_back(std::move(query));
    return any ? Status() : Unsupported(reasons);
  }

  // Returns why node `n` does not run on the first device, or "" if it does.
  std::string ReasonOf(size_t n, int placed) const {
    std::string refusals;
    for (int d = 0; d < placed; ++d) {
      const Status& status = queries_[n].statuses[d];
      if (status.ok()) continue;
      refusals += StrCat(refusals.empty() ? "" : "; ", status.information());
    }
    if (placed == 0 || !refusals.empty()) return refusals;
    return "moving its tensors would cost more than it gains";
  }

  // Returns the device of each node. Errors: MACE_UNSUPPORTED if this would
  // take two devices with storage of their own.
  Result<std::vector<int>> Solve() const {
    std::vector<int> with_storage;
    for (int d = 0; d < host(); ++d) {
      if (devices_[d]->storage() != nullptr) with_storage.push_back(d);
    }
    if (!CurrentPlanSwitches().placement) return FirstThatSupports();
    if (with_storage.size() < 2) return SolvePlacement(ProblemWithout({}));
    std::vector<int> best;
    double least = PlacementProblem::kImpossible;
    bool any = false;
    for (int kept : with_storage) {
      std::vector<int> others;
      for (int d : with_storage) {
        if (d != kept) others.push_back(d);
      }
      const PlacementProblem problem = ProblemWithout(others);
      if (!IsPossible(problem)) continue;
      std::vector<int> found = SolvePlacement(problem);
      const double cost = CostOf(problem, found);
      if (any && cost >= least) continue;
      any = true;
      least = cost;
      best = std::move(found);
    }
    if (!any) {
      return Unsupported(
          "the nodes would need two devices with storage of their own, and a "
          "plan uses one; the last device should support what one of the "
          "others does not");
    }
    return best;
  }

  // For tests: the first device of each node, whatever it costs. REQUIRES: at
  // most one device has storage of its own.
  std::vector<int> FirstThatSupports() const {
    std::vector<int> placed;
    for (const SupportQuery& query : queries_) {
      int d = 0;
      while (!query.statuses[static_cast<size_t>(d)].ok()) ++d;
      placed.push_back(d);
    }
    return placed;
  }

  // Returns the problem of placing all nodes without using the devices
  // `others`.
  PlacementProblem ProblemWithout(const std::vector<int>& others) const {
    PlacementProblem problem;
    problem.num_devices = static_cast<int>(devices_.size());
    for (size_t n = 0; n < queries_.size(); ++n) {
      std::vector<double> us;
      for (size_t d = 0; d < devices_.size(); ++d) {
        us.push_back(
            !queries_[n].statuses[d].ok() ? PlacementProblem::kImpossible
            : queries_[n].renames_only
                ? 0
                : CostUs(devices_[d]->speed(), NodeAt(n), queries_[n].work.macs,
                         queries_[n].constant_bytes[d]));
      }
      for (int d : others) us[d] = PlacementProblem::kImpossible;
      problem.node_us.push_back(std::move(us));
    }
    AddTensors(problem);
    return problem;
  }

  void AddTensors(PlacementProblem& problem) const {
    const Graph& graph = plan_.graph;
    problem.tensors.resize(graph.values.size());
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
      const int node = static_cast<int>(n);
      for (int id : graph.nodes[n].outputs) problem.tensors[id].producer = node;
      for (int id : graph.nodes[n].inputs) {
        if (id < 0 || graph.values[id].is_constant()) continue;
        problem.tensors[id].readers.push_back(node);
      }
    }
    for (int id : graph.outputs) {
      problem.tensors[id].readers.push_back(PlacementProblem::kHost);
    }
    for (size_t id = 0; id < graph.values.size(); ++id) {
      for (Device* device : devices_) {
        problem.tensors[id].move_us.push_back(
            device == devices_.back()
                ? 0
                : TransferUs(device->speed(), graph.values[id].type));
      }
    }
  }

  static bool IsPossible(const PlacementProblem& problem) {
    for (const std::vector<double>& us : problem.node_us) {
      bool any = false;
      for (double cost : us) any = any || cost < PlacementProblem::kImpossible;
      if (!any) return false;
    }
    return true;
  }

  Status AddStep(size_t n, Device& device) {
    MACE_RETURN_IF_ERROR(Cancellation::CheckPlan());
    Step step;
    step.node = static_cast<int>(n);
    step.device = &device;
    if (device.kernels() != nullptr) {
      auto kernel = device.kernels()->Prepare(NodeAt(n));
      if (kernel.status() == Status::MACE_UNSUPPORTED && devices_.size() > 1) {
        return InternalError("device ", device.name(),
                             " supports a node that it does not prepare: ",
                             kernel.status().information());
      }
      MACE_ASSIGN_OR_RETURN(step.kernel, std::move(kernel));
    }
    plan_.steps.push_back(std::move(step));
    return Status();
  }

  Plan& plan_;
  const std::vector<Device*>& devices_;
  std::vector<SupportQuery> queries_;  // by node
};

}  // namespace

Status PlaceNodes(Plan& plan, const std::vector<Device*>& devices) {
  return Placer(plan, devices).Place();
}

}  // namespace mace
