// Creating and running engines.
// SPDX-License-Identifier: Apache-2.0

#include "mace/runtime/engine.h"

#include <algorithm>
#include <set>
#include <utility>

#include "mace/base/logging.h"
#include "mace/device/widen_weights.h"
#include "mace/plan/dump.h"
#include "mace/plan/plan.h"
#include "mace/runtime/memory_usage.h"

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

memory::EmbeddedPlan EmbeddedPlanOf(const EmbeddedMemoryPlan& stored) {
  memory::EmbeddedPlan plan;
  if (stored.version != 1) return plan;
  plan.hash = stored.records_hash;
  plan.offsets = stored.offsets;
  plan.certificate.total = stored.total_bytes;
  plan.certificate.lower_bound = stored.lower_bound_bytes;
  plan.certificate.status = stored.optimal ? memory::Certificate::kOptimal
                                           : memory::Certificate::kFeasible;
  return plan;
}

}  // namespace

Status MaceEngine::Impl::Init(std::shared_ptr<MaceModel> model,
                              const std::vector<std::string>& input_nodes,
                              const std::vector<std::string>& output_nodes,
                              const MaceEngineConfig& config, bool query_only) {
  query_only_ = query_only;
  model_ = std::move(model);
  config_ = *config.impl();
  const Model& source = model_->impl()->model;
  graph_ = source.graph;
  if (config_.winograd < 0) config_.winograd = source.winograd;
  MACE_RETURN_IF_ERROR(CutInputs(input_nodes));
  MACE_RETURN_IF_ERROR(CheckNodeNames(graph_, config_.float32_nodes));
  MACE_RETURN_IF_ERROR(CutOutputs(output_nodes));
  MACE_ASSIGN_OR_RETURN(devices_,
                        CreateDevices(config_, model_->impl()->packed));
  std::vector<const Device*> devices;
  for (const auto& device : devices_.list) devices.push_back(device.get());
  MACE_RETURN_IF_ERROR(WidenWeights(devices, *model_->impl()->packed, graph_));
  std::vector<Shape> shapes;
  for (int id : graph_.inputs) shapes.push_back(graph_.values[id].type.shape);
  MACE_RETURN_IF_ERROR(UseShapes(shapes));
  model_->impl()->ForgetPackedWeights();
  return Status();
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
  MACE_ASSIGN_OR_RETURN(std::unique_ptr<Executor> executor,
                        MakeExecutorOrFallBack(shapes));
  if (!query_only_) {
    MACE_RETURN_IF_ERROR(
        ProvideArena(static_cast<size_t>(executor->plan().arena_bytes)));
    executor->BindArena(arena_);
  }
  if (executors_.size() == kMaxPlans) executors_.pop_back();
  executors_.insert(executors_.begin(), std::move(executor));
  return Status();
}

Result<std::unique_ptr<Executor>> MaceEngine::Impl::MakeExecutorOrFallBack(
    const std::vector<Shape>& shapes) {
  auto executor = MakeExecutor(shapes);
  const Status& status = executor.status();
  const bool driver = status == Status::MACE_RUNTIME_ERROR ||
                      status == Status::MACE_OUT_OF_RESOURCES;
  if (executor.ok() || !driver || cpu_only_ || devices_.list.size() == 1) {
    return executor;
  }
  cpu_only_ = true;
  devices_.note = "the GPU failed, the CPU takes over: " + status.information();
  LOG(WARNING) << devices_.note;
  return MakeExecutor(shapes);
}

Result<std::unique_ptr<Executor>> MaceEngine::Impl::MakeExecutor(
    const std::vector<Shape>& shapes) const {
  Graph graph = graph_;
  bool as_declared = true;
  for (size_t i = 0; i < shapes.size(); ++i) {
    Shape& shape = graph.values[graph.inputs[i]].type.shape;
    as_declared = as_declared && shape == shapes[i];
    shape = shapes[i];
  }
  PlanOptions options;
  for (const auto& device : devices_.list) {
    if (!cpu_only_ || device == devices_.list.back()) {
      options.devices.push_back(device.get());
    }
  }
  options.memory_strategy = config_.memory_strategy;
  const MaceMemorySavings& savings = config_.memory_savings;
  options.savings = {savings.order, savings.views, savings.in_place,
                     savings.concat, savings.overlap};
  std::map<int, TensorType> declared;
  if (as_declared) {
    const Model& model = model_->impl()->model;
    declared = model.declared;
    options.embedded_plan = EmbeddedPlanOf(model.memory_plan);
  }
  MACE_ASSIGN_OR_RETURN(std::unique_ptr<Plan> plan,
                        MakePlan(std::move(graph), declared, options));
  std::unique_ptr<DeviceImages> images;
  if (plan->image_device != nullptr && !query_only_) {
    MACE_ASSIGN_OR_RETURN(images,
                          plan->image_device->CreateImages(plan->images));
  }
  const bool checks = config_.check_numerics && !query_only_;
  const bool tunes = images != nullptr;
  auto executor = std::make_unique<Executor>(std::move(plan), std::move(images),
                                             config_.guard);
  if (tunes) MACE_RETURN_IF_ERROR(executor->Tune());
  if (checks) MACE_RETURN_IF_ERROR(executor->CheckNumerics());
  return executor;
}

Status MaceEngine::Impl::ProvideArena(size_t bytes) {
  if (config_.arena != nullptr) {
    if (bytes > config_.arena_bytes) {
      return OutOfResources(
          "the arena given has " + std::to_string(config_.arena_bytes) +
          " bytes, these shapes need " + std::to_string(bytes));
    }
    arena_ = config_.arena;
    return Status();
  }
  if (arena_ != nullptr && bytes <= own_arena_.size()) return Status();
  MACE_ASSIGN_OR_RETURN(own_arena_, AlignedBuffer::Create(bytes));
  arena_ = own_arena_.data();
  for (const auto& executor : executors_) executor->BindArena(arena_);
  return Status();
}

bool MaceEngine::Impl::FitsFront(
    const std::map<std::string, MaceTensor>& inputs) const {
  const Graph& graph = executors_.front()->plan().graph;
  if (inputs.size() != graph.inputs.size()) return false;
  for (int id : graph.inputs) {
    const Value& value = graph.values[id];
    const auto it = inputs.find(value.name);
    if (it == inputs.end() || it->second.raw_data() == nullptr ||
        it->second.shape() != value.type.shape ||
        FromPublic(it->second.data_type()) != value.type.dtype) {
      return false;
    }
  }
  return true;
}

bool MaceEngine::Impl::OutputsReady(
    const std::map<std::string, MaceTensor>& outputs) const {
  const Graph& graph = executors_.front()->plan().graph;
  if (outputs.size() != graph.outputs.size()) return false;
  for (int id : graph.outputs) {
    const Value& value = graph.values[id];
    const auto it = outputs.find(value.name);
    if (it == outputs.end() || it->second.raw_data() == nullptr ||
        it->second.shape() != value.type.shape ||
        FromPublic(it->second.data_type()) != value.type.dtype) {
      return false;
    }
  }
  return true;
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
    const bool is_given = it != outputs->end();
    if (is_given && it->second.raw_data() == nullptr &&
        it->second.memory_type() != MemoryType::CPU_BUFFER) {
      return InvalidArgument("output '" + value.name +
                             "' in GPU memory: the cl_mem is null; make it in "
                             "the context of GetGPUHandles");
    }
    if (!is_given || it->second.raw_data() == nullptr) {
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
  // The usual call, which allocates nothing, or else with all its checks.
  if (!FitsFront(inputs)) {
    MACE_ASSIGN_OR_RETURN(const std::vector<Shape> shapes, InputShapes(inputs));
    MACE_RETURN_IF_ERROR(UseShapes(shapes));
  }
  if (!OutputsReady(*outputs)) MACE_RETURN_IF_ERROR(PrepareOutputs(outputs));
  Executor& executor = *executors_.front();
  const Graph& graph = executor.plan().graph;
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const std::string& name = graph.values[graph.inputs[i]].name;
    const MaceTensor& tensor = inputs.find(name)->second;
    MACE_RETURN_IF_ERROR(executor.BindInput(
        static_cast<int>(i), tensor.memory_type(), tensor.raw_data().get()));
  }
  for (size_t i = 0; i < graph.outputs.size(); ++i) {
    const std::string& name = graph.values[graph.outputs[i]].name;
    const MaceTensor& tensor = outputs->find(name)->second;
    MACE_RETURN_IF_ERROR(executor.BindOutput(
        static_cast<int>(i), tensor.memory_type(), tensor.raw_data().get()));
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
    *text = devices_.note.empty() ? "" : devices_.note + '\n';
    *text += DumpPlacement(plan) + DumpSteps(plan);
  } else if (stage == "plan_json") {
    *text = DumpPlanJson(plan, devices_.note);
  } else if (stage == "memory") {
    *text = DumpMemory(plan) + ToText(UsageOf(plan, *model_->impl()));
  } else if (stage == "memory_json") {
    *text = DumpMemoryJson(plan);
  } else if (stage == "tuning") {
    text->clear();
    for (const auto& device : devices_.list) *text += device->DumpTuning();
  } else {
    return InvalidArgument(
        "there is no stage '" + stage +
        "'; choose graph, plan, plan_json, memory, memory_json or tuning");
  }
  return Status();
}

Status MaceEngine::Impl::GetMemoryUsage(MaceMemoryUsage* usage) const {
  if (usage == nullptr) return InvalidArgument("GetMemoryUsage: null usage");
  std::lock_guard<std::mutex> lock(mutex_);
  *usage = UsageOf(executors_.front()->plan(), *model_->impl());
  return Status();
}

Status MaceEngine::Impl::GetDeviceCounts(MaceDeviceCounts* counts) const {
  if (counts == nullptr) return InvalidArgument("GetDeviceCounts: null counts");
  std::lock_guard<std::mutex> lock(mutex_);
  *counts = MaceDeviceCounts();
  for (const auto& device : devices_.list) {
    const DeviceCounts found = device->counts();
    counts->compiled_programs += found.compiled_programs;
    counts->loaded_programs += found.loaded_programs;
    counts->measurements += found.measurements;
    counts->kernels += found.kernels;
    counts->enqueues += found.enqueues;
    counts->bytes_from_host += found.bytes_from_host;
    counts->bytes_to_host += found.bytes_to_host;
  }
  return Status();
}

Status MaceEngine::Impl::GetGPUHandles(MaceGPUHandles* handles) const {
  if (handles == nullptr) return InvalidArgument("GetGPUHandles: null handles");
  std::lock_guard<std::mutex> lock(mutex_);
  const Device* const device = executors_.front()->plan().image_device;
  if (device == nullptr) {
    return Unsupported(
        "GetGPUHandles: nothing of this engine runs on the GPU; "
        "Dump(\"plan\") says why");
  }
  const NativeHandles native = device->native_handles();
  *handles = {native.context, native.device};
  return Status();
}

size_t MaceEngine::Impl::arena_bytes() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return static_cast<size_t>(executors_.front()->plan().arena_bytes);
}

}  // namespace mace
