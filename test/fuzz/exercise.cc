// Loading, creating, looking at and running a model.
// SPDX-License-Identifier: Apache-2.0

#include "test/fuzz/exercise.h"

#include <cstdlib>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "mace/graph/tensor_type.h"
#include "mace/plan/types/plan_switches.h"
#include "test/fuzz/random.h"
#include "test/fuzz/values.h"

namespace mace::fuzz {
namespace {

using Tensors = std::map<std::string, MaceTensor>;

DataType FromPublic(IDataType type) {
  switch (type) {
    case IDT_FLOAT:
      return DataType::kF32;
    case IDT_FLOAT16:
      return DataType::kF16;
    case IDT_BFLOAT16:
      return DataType::kBF16;
    case IDT_INT32:
      return DataType::kI32;
    case IDT_INT64:
      return DataType::kI64;
    case IDT_INT16:
      return DataType::kI16;
    case IDT_INT8:
      return DataType::kI8;
    case IDT_UINT8:
      return DataType::kU8;
    case IDT_BOOL:
      return DataType::kBool;
    default:
      return DataType::kInvalid;
  }
}

class Session {
 public:
  Session(int64_t settings, const Limits& limits)
      : random_(static_cast<uint64_t>(settings)), limits_(limits) {}

  Outcome Run(const std::string& graph, std::shared_ptr<const uint8_t> weights,
              size_t weight_bytes) {
    MaceModelOptions options;
    // Mutations do not renew it.
    options.verify_checksum = random_.Percent(3);
    outcome_.status = MaceModel::Load(
        reinterpret_cast<const unsigned char*>(graph.data()), graph.size(),
        std::move(weights), weight_bytes, &model_, options);
    if (outcome_.status.ok()) {
      outcome_.stage = Outcome::kLoaded;
      outcome_.status = Create();
    }
    if (outcome_.status.ok()) {
      outcome_.stage = Outcome::kCreated;
      if (LookAt() && RunOnce(false)) {
        UseStates();
        if (random_.Percent(30)) RunOnce(true);
      }
    }
    Judge(outcome_.status);
    return std::move(outcome_);
  }

 private:
  // Complains about an error without a message, and about an internal error.
  void Judge(const MaceStatus& status) {
    if (status.ok()) return;
    if (status.information().empty()) {
      outcome_.complaint = "an error without a message";
    } else if (status.code() == MaceStatus::MACE_INTERNAL_ERROR) {
      outcome_.complaint = status.information();
    }
  }

  MaceStatus Configure(MaceEngineConfig* config) {
    static const std::vector<std::string> kStrategies = {
        "AUTO",           "AUTO",
        "AUTO",           "NAIVE",
        "GREEDY_BY_SIZE", "TFLM_GREEDY",
        "ARENA",          "OPTIMAL",
        "LINEAR",         "PRESERVE_ALL",
        "EQUALITY",       "MINCOSTFLOW",
        "objects/AUTO",   "objects/GREEDY_BEST"};
    MaceStatus status = config->SetCPUThreadPolicy(
        static_cast<int>(random_.Between(1, 2)), AFFINITY_NONE);
    const MaceStatus planned =
        config->SetMemoryStrategy(random_.Of(kStrategies));
    if (status.ok()) status = planned;
    MaceMemorySavings savings;
    savings.order = random_.Percent(70);
    savings.views = random_.Percent(80);
    savings.in_place = random_.Percent(80);
    savings.concat = random_.Percent(80);
    savings.overlap = random_.Percent(80);
    config->SetMemorySavings(savings);
    if (status.ok() && random_.Percent(50)) {
      status = config->SetWinograd(static_cast<int>(2 * random_.Below(4)));
    }
    if (status.ok() && limits_.device == GPU && random_.Percent(50)) {
      status = config->Set("gpu_data_type", "fp32_fp32");
    }
    if (limits_.device != CPU) LeavePlanningOut();
    config->SetMemoryLimit(static_cast<size_t>(limits_.memory));
    config->SetGuard(random_.Percent(20));
    config->SetNumericCheck(random_.Percent(10));
    return status;
  }

  // By cost, the CPU would run most of these small models.
  void LeavePlanningOut() {
    PlanSwitches& switches = PlanSwitchesOfTests();
    switches.placement = random_.Percent(10);
    switches.fusion = random_.Percent(70);
    switches.fp16 = random_.Percent(80);
  }

  MaceStatus Create() {
    MaceEngineConfig config(limits_.device);
    MaceStatus status = Configure(&config);
    if (!status.ok()) return status;
    const std::vector<std::string> no_names;
    if (random_.Percent(10)) {
      size_t bytes = 0;
      status = MaceEngine::QueryArenaBytes(model_, no_names, config, &bytes);
      if (!status.ok()) return status;
      if (static_cast<int64_t>(bytes) > limits_.memory) return status;
      const size_t rounded = (bytes / 64 + 1) * 64;
      arena_.reset(std::aligned_alloc(64, rounded), std::free);
      status = config.SetArena(arena_.get(), rounded);
      if (!status.ok()) return status;
    }
    return MaceEngine::Create(model_, no_names, no_names, config, &engine_);
  }

  // Reads what the engine reports about itself, which includes the cost of a
  // run. Returns true if the run is within the limits.
  bool LookAt() {
    if (engine_ == nullptr) return false;  // the arena exceeds the limit
    for (const char* stage : {"graph", "plan", "memory", "memory_json"}) {
      std::string text;
      if (random_.Percent(10)) Judge(engine_->Dump(stage, &text));
    }
    MaceMemoryUsage usage;
    Judge(engine_->GetMemoryUsage(&usage));
    std::string text;
    Judge(engine_->Dump("plan_json", &text));
    const auto plan = nlohmann::json::parse(text, nullptr, false);
    if (plan.is_discarded()) {
      outcome_.complaint = "plan_json is no JSON: " + text.substr(0, 300);
      return false;
    }
    double macs = 0;
    for (const auto& node : plan["nodes"]) {
      macs += node["macs"].get<double>();
      outcome_.on_device |= limits_.device != CPU && node["device"] != "CPU";
      outcome_.ops.insert(node["op"].get<std::string>());
    }
    // Nodes at which the plan waits for data: "If 'name'".
    for (const auto& wait : plan.value("waits", nlohmann::json::array())) {
      const auto node = wait["node"].get<std::string>();
      outcome_.ops.insert(node.substr(0, node.find(' ')));
    }
    return macs <= static_cast<double>(limits_.macs);
  }

  // Returns null if the tensor exceeds the limit. It is exactly as large as
  // necessary, so that the sanitizers see accesses beyond it.
  std::shared_ptr<void> Allocate(DataType type, const Shape& shape, bool fill) {
    const auto bytes = CheckedBytes({type, shape});
    if (!bytes.ok() || *bytes > left_) return nullptr;
    left_ -= *bytes;
    std::shared_ptr<void> data(std::malloc(static_cast<size_t>(*bytes)),
                               std::free);
    if (!fill || *bytes == 0) return data;
    // Drawing each element of a large tensor would take longer than computing
    // it.
    const int64_t count = NumElements(shape);
    const std::string part =
        AnyContents(type, std::min<int64_t>(count, 1000), random_);
    for (int64_t at = 0; at < *bytes; at += static_cast<int64_t>(part.size())) {
      const int64_t n =
          std::min(static_cast<int64_t>(part.size()), *bytes - at);
      std::memcpy(static_cast<char*>(data.get()) + at, part.data(),
                  static_cast<size_t>(n));
    }
    return data;
  }

  // Returns false if something exceeds the limit. With `other_shapes`, inputs
  // have shapes for which the engine was not created.
  bool MakeInputs(bool other_shapes, Tensors* inputs) {
    for (const MaceTensorInfo& info : engine_->inputs()) {
      Shape shape = info.shape;
      if (other_shapes && !shape.empty() && random_.Percent(80)) {
        const int64_t rank = static_cast<int64_t>(shape.size());
        int64_t& extent = shape[static_cast<size_t>(random_.Below(rank))];
        extent = random_.Percent(50) ? std::max<int64_t>(extent, 1) * 2
                                     : SmallExtent(random_);
        if (random_.Percent(5)) shape.pop_back();
      }
      auto data = Allocate(FromPublic(info.data_type), shape, true);
      if (data == nullptr) return false;
      (*inputs)[info.name] = MaceTensor(shape, data, info.data_type);
    }
    return true;
  }

  bool RunOnce(bool other_shapes) {
    left_ = limits_.memory;
    Tensors inputs, outputs;
    if (!MakeInputs(other_shapes, &inputs)) return false;
    const bool own_outputs = !other_shapes && random_.Percent(40);
    int64_t bytes = 0;
    for (const MaceTensorInfo& info : engine_->outputs()) {
      const DataType type = FromPublic(info.data_type);
      const auto size = CheckedBytes({type, info.shape});
      if (!size.ok()) continue;  // only the data will say
      bytes += *size;
      if (bytes > left_) return false;
      if (!own_outputs) continue;
      outputs[info.name] = MaceTensor(
          info.shape, Allocate(type, info.shape, false), info.data_type);
    }
    const bool with_record = random_.Percent(20);
    RunMetadata record;
    // A loop may iterate a million times, and plan in each.
    const MaceDeadline deadline(limits_.run_us);
    const MaceStatus status = engine_->Run(inputs, &outputs, deadline,
                                           with_record ? &record : nullptr);
    Judge(status);
    if (other_shapes) return status.ok();
    outcome_.status = status;
    if (status.ok()) outcome_.stage = Outcome::kRun;
    return status.ok();
  }

  // Takes the states, runs again, and puts them back or to their first values.
  void UseStates() {
    std::map<std::string, MaceTensor> states;
    const MaceStatus taken = engine_->GetState(&states);
    Judge(taken);
    if (!taken.ok() || states.empty() || !RunOnce(false)) return;
    Judge(random_.Percent(50) ? engine_->SetState(states)
                              : engine_->ResetState());
  }

  Random random_;
  const Limits limits_;
  std::shared_ptr<void> arena_;  // must outlive the engine
  std::shared_ptr<MaceModel> model_;
  std::shared_ptr<MaceEngine> engine_;
  int64_t left_ = 0;  // bytes of the limit that are left
  Outcome outcome_;
};

}  // namespace

Outcome Exercise(const std::string& graph,
                 std::shared_ptr<const uint8_t> weights, size_t weight_bytes,
                 int64_t settings, const Limits& limits) {
  return Session(settings, limits).Run(graph, std::move(weights), weight_bytes);
}

}  // namespace mace::fuzz
