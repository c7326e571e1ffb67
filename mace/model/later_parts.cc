// Each part is verified as if engines could run it, and is refused afterwards.
// SPDX-License-Identifier: Apache-2.0

#include "mace/model/later_parts.h"

#include "mace/model/text.h"

namespace mace {
namespace {

Status Later(const std::string& what, const std::string& cure) {
  return Unsupported(what + ", which this release of the library cannot run; " +
                     cure + ", or use a release that can");
}

Status Quantized(const std::string& what, const std::string& name) {
  return Later(what + " " + Quoted(name) + " is quantized",
               "convert the model in floats");
}

bool IsQuantized(const proto::Quantization& q) { return q.scales_size() > 0; }

Status CheckFloat(const ProtoInfos& infos, const std::string& what) {
  for (const proto::TensorInfo& info : infos) {
    if (IsQuantized(info.quantization())) return Quantized(what, info.name());
  }
  return Status();
}

// Returns whether infos or nodes use what version 2 of the format added.
bool HasQuantization(const ProtoInfos& infos) {
  for (const proto::TensorInfo& info : infos) {
    if (info.has_quantization()) return true;
  }
  return false;
}

bool IsOfVersion2(const proto::OperatorDef& op) {
  if (op.output_quantization_size() > 0) return true;
  for (const proto::Argument& arg : op.arg()) {
    if (arg.type() == proto::Argument::SUBGRAPH) return true;
  }
  return false;
}

// Returns the name of a part that version 1 does not have, or null.
const char* PartOfVersion2(const proto::NetDef& net) {
  if (net.settings_size() > 0) return "settings";
  if (net.fixed_input_shapes_size() > 0) return "fixed_input_shapes";
  if (net.subgraphs_size() > 0) return "subgraphs";
  if (net.variables_size() > 0) return "variables";
  for (const proto::ConstTensor& tensor : net.tensors()) {
    if (tensor.has_quantization()) return "quantization";
  }
  for (const proto::OperatorDef& op : net.op()) {
    if (IsOfVersion2(op)) return "quantization or subgraphs";
  }
  return HasQuantization(net.input_info()) || HasQuantization(net.output_info())
             ? "quantization"
             : nullptr;
}

}  // namespace

Status CheckPartsOfVersion(const proto::NetDef& net) {
  if (net.format_version() == 1) {
    const char* part = PartOfVersion2(net);
    return part == nullptr
               ? Status()
               : InvalidModel("the file is of format version 1, which has no " +
                              std::string(part) + "; convert the model again");
  }
  if (net.arg_size() == 0) return Status();
  return InvalidModel("the file has " + Quoted(net.arg(0).name()) +
                      " as an argument of the whole model, which only format "
                      "version 1 has; convert the model again");
}

Status AddSubgraphs(const proto::NetDef& net, const GraphBuilder& weights,
                    std::set<std::string>* names) {
  for (const proto::Subgraph& subgraph : net.subgraphs()) {
    if (subgraph.name().empty()) return InvalidModel("a subgraph has no name");
    const std::string what = "subgraph " + Quoted(subgraph.name());
    MACE_RETURN_IF_ERROR(CheckText(subgraph.name(), what + ": the name"));
    GraphBuilder builder(&weights, names);
    const auto build = [&] {
      MACE_RETURN_IF_ERROR(builder.AddInputs(subgraph.input_info(), "input"));
      MACE_RETURN_IF_ERROR(builder.AddNodes(subgraph.op()));
      return builder.AddOutputs(subgraph.output_info(), "output", "it");
    };
    const Status status = build();
    if (!status.ok()) {
      return InvalidModel(what + ": " + status.information());
    }
    if (!names->insert(subgraph.name()).second) {
      return InvalidModel(what + ": one of that name is there already");
    }
  }
  return Status();
}

Status AddVariables(const proto::NetDef& net, GraphBuilder* graph) {
  for (const proto::Variable& variable : net.variables()) {
    const proto::TensorInfo& tensor = variable.tensor();
    const std::string what = "variable " + Quoted(tensor.name());
    MACE_ASSIGN_OR_RETURN(const int id, graph->AddSource(tensor, "variable"));
    if (!variable.has_initial()) continue;
    if (!graph->IsWeight(variable.initial())) {
      return InvalidModel(what + ": its first value " +
                          Quoted(variable.initial()) + " is no weight");
    }
    MACE_ASSIGN_OR_RETURN(const TensorType* initial,
                          graph->Find(variable.initial(), what));
    const TensorType& type = graph->graph.values[id].type;
    if (!(*initial == type)) {
      return InvalidModel(what + ": is " + ToString(type) +
                          ", its first value is " + ToString(*initial));
    }
  }
  return Status();
}

Status CheckVariables(const proto::NetDef& net, const GraphBuilder& graph) {
  for (const proto::Variable& variable : net.variables()) {
    const std::string& name = variable.tensor().name();
    const std::string what = "variable " + Quoted(name);
    if (!variable.has_next()) {
      return InvalidModel(what + ": nothing becomes its value");
    }
    MACE_ASSIGN_OR_RETURN(const TensorType* type, graph.Find(name, what));
    MACE_ASSIGN_OR_RETURN(const TensorType* next,
                          graph.Find(variable.next(), what));
    if (next != nullptr && !(*next == *type)) {
      return InvalidModel(what + ": is " + ToString(*type) +
                          ", its next value is " + ToString(*next));
    }
  }
  return Status();
}

Status CheckAllRuns(const proto::NetDef& net) {
  if (net.subgraphs_size() > 0) {
    return Later(
        "the model has the subgraph " + Quoted(net.subgraphs(0).name()),
        "convert it with constant conditions");
  }
  if (net.variables_size() > 0) {
    return Later("the model keeps the variable " +
                     Quoted(net.variables(0).tensor().name()) +
                     " from run to run",
                 "convert it with that tensor as an input and an output");
  }
  for (const proto::ConstTensor& tensor : net.tensors()) {
    if (!IsQuantized(tensor.quantization())) continue;
    return Quantized("weight", tensor.name());
  }
  MACE_RETURN_IF_ERROR(CheckFloat(net.input_info(), "model input"));
  for (const proto::OperatorDef& op : net.op()) {
    for (int i = 0; i < op.output_quantization_size(); ++i) {
      if (!IsQuantized(op.output_quantization(i))) continue;
      return Quantized("node " + Quoted(op.name()) + ": the output",
                       op.output(i));
    }
  }
  return CheckFloat(net.output_info(), "model output");
}

}  // namespace mace
