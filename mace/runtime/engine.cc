// MaceEngine: names and shapes of the caller on one side, plans on the other.
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <mutex>
#include <set>
#include <utility>

#include "mace/base/aligned_buffer.h"
#include "mace/base/logging.h"
#include "mace/plan/dump.h"
#include "mace/plan/plan.h"
#include "mace/runtime/config.h"
#include "mace/runtime/devices.h"
#include "mace/runtime/executor.h"
#include "mace/runtime/mace_model.h"

namespace mace {
namespace {

// Plans kept for input shapes seen before.
constexpr size_t kMaxPlans = 8;

std::string Listed(const Graph& graph, const std::vector<int>& ids) {
  std::string s;
  for (int id : ids) {
    s += (s.empty() ? "'" : ", '") + graph.values[id].name + "'";
  }
  return s.empty() ? "none" : s;
}

}  // namespace

class MaceEngine::Impl {
 public:
  Status Init(std::shared_ptr<MaceModel> model,
              const std::vector<std::string>& input_nodes,
              const std::vector<std::string>& output_nodes,
              const MaceEngineConfig& config);
  Status Run(const std::map<std::string, MaceTensor>& inputs,
             std::map<std::string, MaceTensor>* outputs, RunMetadata* metadata);
  std::vector<MaceTensorInfo> Infos(bool of_inputs) const;
  Status Dump(const std::string& stage, std::string* text) const;

 private:
  Status CutInputs(const std::vector<std::string>& names);
  Status CutOutputs(const std::vector<std::string>& names);
  Status CheckInputs(const std::map<std::string, MaceTensor>& inputs) const;
  Result<std::vector<Shape>> InputShapes(
      const std::map<std::string, MaceTensor>& inputs) const;
  // Makes the executor of these shapes the first of executors_.
  Status UseShapes(const std::vector<Shape>& shapes);
  Status PrepareOutputs(std::map<std::string, MaceTensor>* outputs) const;

  std::shared_ptr<MaceModel> model_;
  MaceEngineConfig::Impl config_;
  std::vector<std::unique_ptr<Device>> devices_;
  Graph graph_;  // cut to the inputs and outputs asked for

  mutable std::mutex mutex_;  // guards all below
  // Most recently used first. After the devices: kernels use them.
  std::vector<std::unique_ptr<Executor>> executors_;
  AlignedBuffer arena_;
};

Status MaceEngine::Impl::Init(std::shared_ptr<MaceModel> model,
                              const std::vector<std::string>& input_nodes,
                              const std::vector<std::string>& output_nodes,
                              const MaceEngineConfig& config) {
  model_ = std::move(model);
  config_ = *config.impl();
  graph_ = model_->impl()->model.graph;
  MACE_RETURN_IF_ERROR(CutInputs(input_nodes));
  MACE_RETURN_IF_ERROR(CutOutputs(output_nodes));
  MACE_ASSIGN_OR_RETURN(devices_,
                        CreateDevices(config_, model_->impl()->packed));
  std::vector<Shape> shapes;
  for (int id : graph_.inputs) shapes.push_back(graph_.values[id].type.shape);
  return UseShapes(shapes);
}

Status MaceEngine::Impl::CutInputs(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const bool known =
        std::any_of(graph_.inputs.begin(), graph_.inputs.end(),
                    [&](int id) { return graph_.values[id].name == name; });
    if (!known) {
      return InvalidArgument(
          "the model '" + graph_.name + "' has no input named '" + name +
          "'; its inputs are " + Listed(graph_, graph_.inputs));
    }
  }
  if (names.empty()) return Status();
  for (int id : graph_.inputs) {
    if (std::count(names.begin(), names.end(), graph_.values[id].name) != 1) {
      return InvalidArgument(
          "input_nodes must name every input of the model "
          "once: " +
          Listed(graph_, graph_.inputs));
    }
  }
  return Status();
}

Status MaceEngine::Impl::CutOutputs(const std::vector<std::string>& names) {
  if (names.empty()) return Status();
  std::map<std::string, int> made;  // what a node makes, and the model outputs
  for (const GraphNode& g : graph_.nodes) {
    for (int id : g.outputs) made[graph_.values[id].name] = id;
  }
  for (int id : graph_.outputs) made[graph_.values[id].name] = id;
  std::vector<int> outputs;
  for (const std::string& name : names) {
    const auto it = made.find(name);
    if (it == made.end()) {
      return InvalidArgument(
          "the model '" + graph_.name + "' has no output named '" + name +
          "'; its outputs are " + Listed(graph_, graph_.outputs));
    }
    if (std::count(outputs.begin(), outputs.end(), it->second) > 0) {
      return InvalidArgument("output_nodes names '" + name + "' twice");
    }
    outputs.push_back(it->second);
  }
  graph_.outputs = std::move(outputs);
  return Status();
}

Status MaceEngine::Impl::CheckInputs(
    const std::map<std::string, MaceTensor>& inputs) const {
  for (const auto& [name, tensor] : inputs) {
    const bool known = std::any_of(
        graph_.inputs.begin(), graph_.inputs.end(),
        [&n = name, this](int id) { return graph_.values[id].name == n; });
    if (!known) {
      return InvalidArgument("there is no input named '" + name +
                             "'; the inputs are " +
                             Listed(graph_, graph_.inputs));
    }
  }
  return Status();
}

Result<std::vector<Shape>> MaceEngine::Impl::InputShapes(
    const std::map<std::string, MaceTensor>& inputs) const {
  MACE_RETURN_IF_ERROR(CheckInputs(inputs));
  std::vector<Shape> shapes;
  for (int id : graph_.inputs) {
    const Value& value = graph_.values[id];
    const std::string what = "input '" + value.name + "'";
    const auto it = inputs.find(value.name);
    if (it == inputs.end()) {
      return InvalidArgument(what + " is not given; the inputs are " +
                             Listed(graph_, graph_.inputs));
    }
    const MaceTensor& tensor = it->second;
    if (FromPublic(tensor.data_type()) != value.type.dtype) {
      return InvalidArgument(what + " must be " + Name(value.type.dtype) +
                             ", got " + Name(FromPublic(tensor.data_type())));
    }
    const auto elements = CheckedNumElements(tensor.shape());
    if (!elements.ok()) {
      return InvalidArgument(what + ": " + elements.status().information());
    }
    if (tensor.shape().size() != value.type.shape.size()) {
      return InvalidArgument(what + ": expected a shape like " +
                             ToString(value.type.shape) + ", found " +
                             ToString(tensor.shape()));
    }
    if (tensor.raw_data() == nullptr && *elements > 0) {
      return InvalidArgument(what + " has no data");
    }
    shapes.push_back(tensor.shape());
  }
  return shapes;
}

Status MaceEngine::Impl::UseShapes(const std::vector<Shape>& shapes) {
  const auto uses = [&](const std::unique_ptr<Executor>& executor) {
    const Graph& graph = executor->plan().graph;
    for (size_t i = 0; i < shapes.size(); ++i) {
      if (graph.values[graph.inputs[i]].type.shape != shapes[i]) return false;
    }
    return true;
  };
  const auto found = std::find_if(executors_.begin(), executors_.end(), uses);
  if (found != executors_.end()) {
    std::rotate(executors_.begin(), found, found + 1);
    return Status();
  }
  Graph graph = graph_;
  bool as_declared = true;
  for (size_t i = 0; i < shapes.size(); ++i) {
    Shape& shape = graph.values[graph.inputs[i]].type.shape;
    as_declared = as_declared && shape == shapes[i];
    shape = shapes[i];
  }
  PlanOptions options;
  for (const auto& device : devices_) options.devices.push_back(device.get());
  options.memory_strategy = config_.memory_strategy;
  static const auto* none = new std::map<int, TensorType>;
  MACE_ASSIGN_OR_RETURN(
      std::unique_ptr<Plan> plan,
      MakePlan(std::move(graph),
               as_declared ? model_->impl()->model.declared : *none, options));
  const size_t bytes = static_cast<size_t>(plan->arena_bytes);
  auto executor = std::make_unique<Executor>(std::move(plan));
  if (bytes > arena_.size()) {
    MACE_ASSIGN_OR_RETURN(AlignedBuffer arena, AlignedBuffer::Create(bytes));
    arena_ = std::move(arena);
    for (const auto& other : executors_) other->BindArena(arena_.data());
  }
  executor->BindArena(arena_.data());
  if (executors_.size() == kMaxPlans) executors_.pop_back();
  executors_.insert(executors_.begin(), std::move(executor));
  return Status();
}

Status MaceEngine::Impl::PrepareOutputs(
    std::map<std::string, MaceTensor>* outputs) const {
  const Graph& graph = executors_.front()->plan().graph;
  std::set<std::string> names;
  for (int id : graph.outputs) names.insert(graph.values[id].name);
  for (const auto& [name, tensor] : *outputs) {
    if (!names.count(name)) {
      return InvalidArgument("there is no output named '" + name +
                             "'; the outputs are " +
                             Listed(graph, graph.outputs));
    }
  }
  for (int id : graph.outputs) {
    const Value& value = graph.values[id];
    const auto it = outputs->find(value.name);
    if (it == outputs->end() || it->second.raw_data() == nullptr) {
      MACE_ASSIGN_OR_RETURN(AlignedBuffer buffer,
                            AlignedBuffer::Create(Bytes(value.type)));
      auto owner = std::make_shared<AlignedBuffer>(std::move(buffer));
      (*outputs)[value.name] = MaceTensor(
          value.type.shape, std::shared_ptr<void>(owner, owner->data()),
          ToPublic(value.type.dtype));
      continue;
    }
    const MaceTensor& tensor = it->second;
    const std::string what = "output '" + value.name + "'";
    if (FromPublic(tensor.data_type()) != value.type.dtype) {
      return InvalidArgument(what + " is " + Name(value.type.dtype) +
                             ", the tensor given is " +
                             Name(FromPublic(tensor.data_type())));
    }
    const auto elements = CheckedNumElements(tensor.shape());
    if (!elements.ok() || *elements != NumElements(value.type.shape)) {
      return InvalidArgument(what + ": expected " + ToString(value.type.shape) +
                             ", the tensor given "
                             "has " +
                             ToString(tensor.shape()));
    }
  }
  return Status();
}

Status MaceEngine::Impl::Run(const std::map<std::string, MaceTensor>& inputs,
                             std::map<std::string, MaceTensor>* outputs,
                             RunMetadata* metadata) {
  if (outputs == nullptr) return InvalidArgument("Run: outputs is null");
  std::lock_guard<std::mutex> lock(mutex_);
  MACE_ASSIGN_OR_RETURN(const std::vector<Shape> shapes, InputShapes(inputs));
  MACE_RETURN_IF_ERROR(UseShapes(shapes));
  MACE_RETURN_IF_ERROR(PrepareOutputs(outputs));
  Executor& executor = *executors_.front();
  const Graph& graph = executor.plan().graph;
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const std::string& name = graph.values[graph.inputs[i]].name;
    executor.BindInput(static_cast<int>(i),
                       inputs.find(name)->second.raw_data().get());
  }
  for (size_t i = 0; i < graph.outputs.size(); ++i) {
    const std::string& name = graph.values[graph.outputs[i]].name;
    executor.BindOutput(static_cast<int>(i),
                        outputs->find(name)->second.raw_data().get());
  }
  if (metadata != nullptr) metadata->op_stats.clear();
  return executor.Run(metadata);
}

std::vector<MaceTensorInfo> MaceEngine::Impl::Infos(bool of_inputs) const {
  std::lock_guard<std::mutex> lock(mutex_);
  const Graph& graph = executors_.front()->plan().graph;
  const Model& model = model_->impl()->model;
  const auto& orders = of_inputs ? model.input_order : model.output_order;
  std::vector<MaceTensorInfo> infos;
  for (int id : of_inputs ? graph.inputs : graph.outputs) {
    const Value& value = graph.values[id];
    const auto order = orders.find(id);
    infos.push_back(
        {value.name, value.type.shape, ToPublic(value.type.dtype),
         order == orders.end() ? DataFormat::NONE : ToPublic(order->second)});
  }
  return infos;
}

Status MaceEngine::Impl::Dump(const std::string& stage,
                              std::string* text) const {
  if (text == nullptr) return InvalidArgument("Dump: text is null");
  std::lock_guard<std::mutex> lock(mutex_);
  const Plan& plan = executors_.front()->plan();
  if (stage == "graph") {
    *text = mace::Dump(plan.graph);
  } else if (stage == "plan") {
    *text = DumpSteps(plan);
  } else if (stage == "memory") {
    *text = DumpMemory(plan);
  } else if (stage == "memory_json") {
    *text = DumpMemoryJson(plan);
  } else {
    return InvalidArgument("there is no stage '" + stage +
                           "'; choose graph, plan, memory or memory_json");
  }
  return Status();
}

MaceEngine::MaceEngine(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
MaceEngine::~MaceEngine() = default;

MaceStatus MaceEngine::Create(std::shared_ptr<MaceModel> model,
                              const std::vector<std::string>& input_nodes,
                              const std::vector<std::string>& output_nodes,
                              const MaceEngineConfig& config,
                              std::shared_ptr<MaceEngine>* engine) {
  if (model == nullptr || engine == nullptr) {
    return InvalidArgument("MaceEngine::Create: null argument");
  }
  VLOG(1) << "creating an engine, MACE " << MaceVersion();
  auto impl = std::make_unique<Impl>();
  MACE_RETURN_IF_ERROR(
      impl->Init(std::move(model), input_nodes, output_nodes, config));
  engine->reset(new MaceEngine(std::move(impl)));
  return MaceStatus();
}

MaceStatus MaceEngine::Run(const std::map<std::string, MaceTensor>& inputs,
                           std::map<std::string, MaceTensor>* outputs) {
  return impl_->Run(inputs, outputs, nullptr);
}

MaceStatus MaceEngine::Run(const std::map<std::string, MaceTensor>& inputs,
                           std::map<std::string, MaceTensor>* outputs,
                           RunMetadata* run_metadata) {
  return impl_->Run(inputs, outputs, run_metadata);
}

std::vector<MaceTensorInfo> MaceEngine::inputs() const {
  return impl_->Infos(true);
}

std::vector<MaceTensorInfo> MaceEngine::outputs() const {
  return impl_->Infos(false);
}

MaceStatus MaceEngine::Dump(const std::string& stage, std::string* text) const {
  return impl_->Dump(stage, text);
}

}  // namespace mace
