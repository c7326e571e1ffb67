// Checks of the names, types, shapes and memory that callers pass.
// SPDX-License-Identifier: Apache-2.0

#include "mace/runtime/io/caller_tensors.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include "mace/base/aligned_buffer.h"
#include "mace/base/make_shared.h"
#include "mace/base/search.h"
#include "mace/base/str_cat.h"
#include "mace/runtime/model/mace_model.h"

namespace mace {
namespace {

bool IsAligned(const MaceTensor& tensor) {
  const DataType dtype = FromPublic(tensor.data_type());
  return tensor.memory_type() != MemoryType::CPU_BUFFER ||
         dtype == DataType::kInvalid ||
         reinterpret_cast<uintptr_t>(tensor.raw_data().get()) % SizeOf(dtype) ==
             0;
}

using CallerTensorsMap = std::map<std::string, MaceTensor>;

std::string Listed(const Graph& graph, const std::vector<int>& ids) {
  std::string s;
  for (int id : ids) {
    s += StrCat(s.empty() ? "'" : ", '", graph.values[id].name, "'");
  }
  return s.empty() ? "none" : s;
}

std::set<std::string_view> NamesOf(const Graph& graph,
                                   const std::vector<int>& ids) {
  std::set<std::string_view> names;
  for (int id : ids) names.insert(graph.values[id].name);
  return names;
}

// `kind` is "input" or "output".
Status CheckNames(const Graph& graph, const std::vector<int>& ids,
                  const CallerTensorsMap& tensors, const std::string& kind) {
  // The usual call allocates nothing.
  size_t num_known = 0;
  for (int id : ids) num_known += tensors.count(graph.values[id].name);
  if (num_known == tensors.size()) return Status();
  const std::set<std::string_view> names = NamesOf(graph, ids);
  for (const auto& [name, tensor] : tensors) {
    if (names.count(name) > 0) continue;
    return InvalidArgument("there is no ", kind, " named '", name, "'; the ",
                           kind, "s are ", Listed(graph, ids));
  }
  return Status();
}

Status CheckShape(const Value& value, const Shape& shape) {
  const std::string what = StrCat("input '", value.name, "'");
  const auto elements = CheckedNumElements(shape);
  if (!elements.ok()) {
    return InvalidArgument(what, ": ", elements.status().information());
  }
  if (shape.size() != value.type.shape.size()) {
    return InvalidArgument(what, ": expected a shape like ",
                           ToString(value.type.shape), ", found ",
                           ToString(shape));
  }
  return Status();
}

Status CheckInput(const Value& value, const MaceTensor& tensor) {
  const std::string what = StrCat("input '", value.name, "'");
  const DataType dtype = FromPublic(tensor.data_type());
  if (dtype != value.type.dtype) {
    return InvalidArgument(
        what, " must be ", Name(value.type.dtype),
        value.type.is_quantized() ? " or, to be quantized, f32" : "", ", got ",
        Name(dtype));
  }
  MACE_RETURN_IF_ERROR(CheckShape(value, tensor.shape()));
  if (tensor.raw_data() == nullptr && NumElements(tensor.shape()) > 0) {
    return InvalidArgument(what, " has no data");
  }
  return CheckAligned(what, tensor);
}

Status CheckOutput(const Value& value, const MaceTensor& tensor) {
  const std::string what = StrCat("output '", value.name, "'");
  const DataType dtype = FromPublic(tensor.data_type());
  if (dtype != value.type.dtype) {
    return InvalidArgument(what, " is ", Name(value.type.dtype),
                           ", the tensor given is ", Name(dtype));
  }
  const auto elements = CheckedNumElements(tensor.shape());
  if (!elements.ok() || *elements != NumElements(value.type.shape)) {
    return InvalidArgument(what, ": expected ", ToString(value.type.shape),
                           ", the tensor given has ", ToString(tensor.shape()));
  }
  return CheckAligned(what, tensor);
}

// Returns whether `found` is `expected` except for the batch, with the other
// axes permuted: axis i + 1 of `found` is axis axes[i] of `expected`.
bool IsMoved(const Shape& expected, const int (&axes)[3], const Shape& found) {
  if (expected.size() != 4 || found.size() != 4) return false;
  for (size_t d = 0; d < 3; ++d) {
    if (found[d + 1] != expected[axes[d]]) return false;
  }
  return true;
}

}  // namespace

Result<MaceTensor> AllocateOutput(const TensorType& type) {
  MACE_ASSIGN_OR_RETURN(AlignedBuffer buffer,
                        AlignedBuffer::Create(Bytes(type), "an output"));
  const auto owner = MakeShared<AlignedBuffer>(std::move(buffer));
  return MaceTensor(type.shape, std::shared_ptr<void>(owner, owner->data()),
                    ToPublic(type.dtype));
}

Status CheckAligned(const std::string& what, const MaceTensor& tensor) {
  if (IsAligned(tensor)) return Status();
  return InvalidArgument(
      what, " begins inside an element: the address of its memory must be a ",
      "multiple of the ", SizeOf(FromPublic(tensor.data_type())),
      " bytes of a ", Name(FromPublic(tensor.data_type())));
}

Status CheckCapacity(const std::string& name, const TensorType& type,
                     const MaceTensor& tensor) {
  const DataType dtype = FromPublic(tensor.data_type());
  if (dtype != type.dtype) {
    return InvalidArgument("output '", name, "' is ", Name(type.dtype),
                           ", the tensor given is ", Name(dtype));
  }
  const auto elements = CheckedNumElements(tensor.shape());
  if (!elements.ok() || *elements < NumElements(type.shape)) {
    return InvalidArgument("output '", name, "' is ", ToString(type),
                           " this time, the tensor given has ",
                           ToString(tensor.shape()),
                           "; give memory for the largest result, or none, so "
                           "that the engine allocates it");
  }
  return CheckAligned(StrCat("output '", name, "'"), tensor);
}

Status CheckControlFlowTensors(const Graph& graph,
                               const CallerTensorsMap& inputs,
                               const CallerTensorsMap& outputs) {
  MACE_RETURN_IF_ERROR(CheckNames(graph, graph.outputs, outputs, "output"));
  for (const CallerTensorsMap* tensors : {&inputs, &outputs}) {
    for (const auto& [name, tensor] : *tensors) {
      if (tensor.memory_type() == MemoryType::CPU_BUFFER) continue;
      return Unsupported("'", name,
                         "' in GPU memory: the model waits for data while it "
                         "runs (Dump(\"plan\") says where); give host memory");
    }
  }
  return Status();
}

Status CheckInputNames(const std::vector<std::string>& names,
                       const Graph& graph) {
  if (names.empty()) return Status();
  const std::set<std::string_view> inputs = NamesOf(graph, graph.inputs);
  for (const std::string& name : names) {
    if (inputs.count(name) > 0) continue;
    return InvalidArgument("the model '", graph.name, "' has no input named '",
                           name, "'; its inputs are ",
                           Listed(graph, graph.inputs));
  }
  const std::set<std::string_view> given(names.begin(), names.end());
  if (given.size() == inputs.size() && names.size() == inputs.size()) {
    return Status();
  }
  return InvalidArgument(
      "input_nodes must name every input of the model once: ",
      Listed(graph, graph.inputs));
}

Status CutOutputs(const std::vector<std::string>& names, Graph* graph) {
  if (names.empty()) return Status();
  std::map<std::string, int> made;  // outputs of nodes, and of the model
  for (const GraphNode& g : graph->nodes) {
    for (int id : g.outputs) made[graph->values[id].name] = id;
  }
  for (int id : graph->outputs) made[graph->values[id].name] = id;
  std::vector<int> outputs;
  std::set<int> seen;
  for (const std::string& name : names) {
    const auto it = made.find(name);
    if (it == made.end()) {
      return InvalidArgument(
          "the model '", graph->name, "' has no output named '", name,
          "'; its outputs are ", Listed(*graph, graph->outputs));
    }
    if (!seen.insert(it->second).second) {
      return InvalidArgument("output_nodes names '", name, "' twice");
    }
    outputs.push_back(it->second);
  }
  graph->outputs = std::move(outputs);
  return Status();
}

bool Fit(const Graph& graph, const std::vector<int>& ids,
         const CallerTensorsMap& tensors) {
  if (tensors.size() != ids.size()) return false;
  return AllOf(ids, [&](int id) {
    const Value& value = graph.values[id];
    const auto it = tensors.find(value.name);
    return it != tensors.end() && it->second.raw_data() != nullptr &&
           it->second.shape() == value.type.shape &&
           FromPublic(it->second.data_type()) == value.type.dtype &&
           IsAligned(it->second);
  });
}

Result<std::vector<Shape>> InputShapes(const Graph& graph,
                                       const CallerTensorsMap& inputs) {
  MACE_RETURN_IF_ERROR(CheckNames(graph, graph.inputs, inputs, "input"));
  std::vector<Shape> shapes;
  for (int id : graph.inputs) {
    const Value& value = graph.values[id];
    const auto it = inputs.find(value.name);
    if (it == inputs.end()) {
      return InvalidArgument("input '", value.name,
                             "' is not given; the inputs are ",
                             Listed(graph, graph.inputs));
    }
    MACE_RETURN_IF_ERROR(CheckInput(value, it->second));
    shapes.push_back(it->second.shape());
  }
  return shapes;
}

Result<std::vector<Shape>> CompleteShapes(
    const Graph& graph, const std::map<std::string, Shape>& shapes) {
  const std::set<std::string_view> inputs = NamesOf(graph, graph.inputs);
  for (const auto& [name, shape] : shapes) {
    if (inputs.count(name) > 0) continue;
    return InvalidArgument("there is no input named '", name,
                           "'; the inputs are ", Listed(graph, graph.inputs));
  }
  std::vector<Shape> all;
  for (int id : graph.inputs) {
    const Value& value = graph.values[id];
    const auto given = shapes.find(value.name);
    all.push_back(given == shapes.end() ? value.type.shape : given->second);
    MACE_RETURN_IF_ERROR(CheckShape(value, all.back()));
  }
  return all;
}

Status WrongShapes(const Graph& graph, const std::vector<Shape>& shapes,
                   const std::string& reason) {
  std::string what;
  for (size_t i = 0; i < shapes.size(); ++i) {
    const Value& value = graph.values[graph.inputs[i]];
    const Shape& expected = value.type.shape;
    if (shapes[i] == expected) continue;
    what += StrCat(what.empty() ? "input '" : "; input '", value.name,
                   "': expected ", ToString(expected), ", found ",
                   ToString(shapes[i]));
    if (IsMoved(expected, {3, 1, 2}, shapes[i])) {
      what += ": is this NCHW?";
    } else if (IsMoved(expected, {2, 3, 1}, shapes[i])) {
      what += ": is this NHWC?";
    }
  }
  return InvalidArgument(what, " (the model takes no such shape: ", reason,
                         ")");
}

Status PrepareOutputs(const Graph& graph, CallerTensorsMap* outputs) {
  MACE_RETURN_IF_ERROR(CheckNames(graph, graph.outputs, *outputs, "output"));
  for (int id : graph.outputs) {
    const Value& value = graph.values[id];
    MaceTensor& tensor = (*outputs)[value.name];
    if (tensor.raw_data() != nullptr) {
      MACE_RETURN_IF_ERROR(CheckOutput(value, tensor));
      continue;
    }
    if (tensor.memory_type() != MemoryType::CPU_BUFFER) {
      return InvalidArgument("output '", value.name,
                             "' in GPU memory: the cl_mem is null; make it in "
                             "the context of GetGPUHandles");
    }
    MACE_ASSIGN_OR_RETURN(tensor, AllocateOutput(value.type));
  }
  return Status();
}

}  // namespace mace
