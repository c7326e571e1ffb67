// Parsing a NetDef and verifying its structure.
// SPDX-License-Identifier: Apache-2.0

#include "mace/model/model.h"

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "mace/base/aligned_buffer.h"
#include "mace/base/hash.h"
#include "mace/base/make_shared.h"
#include "mace/base/memory_reserve.h"
#include "mace/base/str_cat.h"
#include "mace/model/graph_builder.h"
#include "mace/model/later_parts.h"
#include "mace/model/open_dims.h"
#include "mace/model/prepacked_weights.h"
#include "mace/model/text.h"
#include "mace/proto/messages.h"

namespace mace {
namespace {

constexpr uint32_t kOldestVersion = 1;
constexpr uint32_t kFormatVersion = 3;

// Reads the settings that version 1 had. Others were ignored in version 1, and
// still are.
Status ReadSettingsOfVersion1(const stored::NetDef& net, Model* model) {
  for (const stored::Argument& arg : net.arg) {
    if (arg.name == "fixed_input_shapes") {
      if (arg.type != stored::Argument::STRING || arg.s.empty()) {
        return InvalidModel(
            "the setting 'fixed_input_shapes' must name nodes of the source "
            "model");
      }
      MACE_RETURN_IF_ERROR(
          CheckText(arg.s, "the setting 'fixed_input_shapes'"));
      model->fixed_input_shapes = arg.s;
    } else if (arg.name == "winograd") {
      if (arg.type != stored::Argument::INT) {
        return InvalidModel("the setting 'winograd' must be a number");
      }
      model->settings.push_back({std::string(arg.name), true, arg.i});
    }
  }
  return Status();
}

Result<SettingValue> ValueOf(const stored::Setting& setting,
                             const std::string& what) {
  if (const auto* number = std::get_if<int64_t>(&setting.value)) {
    return SettingValue(*number);
  }
  if (const auto* number = std::get_if<double>(&setting.value)) {
    return SettingValue(*number);
  }
  if (const auto* text = std::get_if<std::string_view>(&setting.value)) {
    MACE_RETURN_IF_ERROR(CheckText(*text, what, ": the value"));
    return SettingValue(std::string(*text));
  }
  const auto* list = std::get_if<stored::StringList>(&setting.value);
  if (list == nullptr) {
    return InvalidModel(what, ": has no value of a known type");
  }
  std::vector<std::string> items;
  for (const std::string_view item : list->items) {
    MACE_RETURN_IF_ERROR(CheckText(item, what, ": an item"));
    items.emplace_back(item);
  }
  return SettingValue(std::move(items));
}

Status ReadSettings(const stored::NetDef& net, Model* model) {
  std::set<std::string_view> names;
  for (const stored::Setting& setting : net.settings) {
    const std::string what = StrCat("setting ", Quoted(setting.name));
    if (setting.name.empty()) return InvalidModel("a setting has no name");
    MACE_RETURN_IF_ERROR(CheckText(setting.name, what, ": the name"));
    MACE_ASSIGN_OR_RETURN(SettingValue value, ValueOf(setting, what));
    if (!names.insert(setting.name).second) {
      return InvalidModel(what, ": is given twice");
    }
    model->settings.push_back(
        {std::string(setting.name), setting.changes_results, std::move(value)});
  }
  std::string& fixed = model->fixed_input_shapes;
  for (const std::string_view node : net.fixed_input_shapes) {
    MACE_RETURN_IF_ERROR(CheckText(node, "fixed_input_shapes: a name"));
    if (node.empty()) return InvalidModel("fixed_input_shapes: an empty name");
    fixed += fixed.empty() ? "" : ", ";
    fixed += node;
  }
  return Status();
}

Result<Model> Build(const stored::NetDef& net, WeightBytes weights) {
  Model model;
  model.weights = std::move(weights);
  MACE_RETURN_IF_ERROR(CheckText(net.name, "the model's name"));
  std::set<std::string_view> subgraphs;
  GraphBuilder builder(nullptr, &subgraphs);
  int index = 0;
  for (const stored::ConstTensor& tensor : net.tensors) {
    MACE_RETURN_IF_ERROR(builder.AddWeight(tensor, index++, model.weights));
  }
  auto graphs = MakeShared<Subgraphs>();
  MACE_RETURN_IF_ERROR(AddSubgraphs(net, builder, &subgraphs, graphs.get()));
  MACE_RETURN_IF_ERROR(builder.AddInputs(net.input_info, "model input"));
  MACE_RETURN_IF_ERROR(AddVariables(net, &builder));
  MACE_RETURN_IF_ERROR(builder.AddNodes(net.op));
  MACE_RETURN_IF_ERROR(
      builder.AddOutputs(net.output_info, "model output", "the model"));
  MACE_ASSIGN_OR_RETURN(model.states, ReadVariables(net, builder));
  model.graph = std::move(builder.graph);
  model.graph.name = net.name;
  if (!graphs->empty()) model.graph.subgraphs = std::move(graphs);
  model.input_order = std::move(builder.input_order);
  model.output_order = std::move(builder.output_order);
  model.open_dims = std::move(builder.open_dims);
  MACE_RETURN_IF_ERROR(CheckOpenDims(model.graph, model.open_dims));
  model.declared = std::move(builder.declared);
  model.stated_outputs = std::move(builder.stated_outputs);
  MACE_RETURN_IF_ERROR(*net.format_version == 1
                           ? ReadSettingsOfVersion1(net, &model)
                           : ReadSettings(net, &model));
  if (net.memory_plan.has_value()) {
    model.memory_plan = ReadMemoryPlan(*net.memory_plan);
  }
  if (net.packed_weights.has_value()) {
    MACE_RETURN_IF_ERROR(ReadPackedWeights(net, &model));
  }
  return model;
}

// Compares the graph with its checksum, if it has one.
Status CheckGraphHash(const stored::NetDef& net, const uint8_t* bytes,
                      size_t size) {
  if (!net.graph_xxh3.has_value()) return Status();
  // The tag of the field, and its value.
  constexpr size_t kFieldBytes = 2 + sizeof(uint64_t);
  const bool is_last = size > kFieldBytes &&
                       bytes[size - kFieldBytes] == 0x89 &&
                       bytes[size - kFieldBytes + 1] == 0x0d;
  if (is_last && Hash64(bytes, size - kFieldBytes) == *net.graph_xxh3) {
    return Status();
  }
  return InvalidModel(
      "the graph does not have the checksum that it names: the file is "
      "damaged, "
      "or something changed it that does not renew the checksum; convert the "
      "model again");
}

Status VerifyHead(const stored::NetDef& net, const WeightBytes& weights,
                  bool verify_checksum) {
  if (!net.format_version.has_value()) {
    return InvalidModel(
        "not a MACE model of this format: it has no format version; convert "
        "it again with tools/converter.py convert");
  }
  if (*net.format_version < kOldestVersion ||
      *net.format_version > kFormatVersion) {
    return InvalidModel(
        "format version ", *net.format_version,
        " is not known, this library reads versions ", kOldestVersion, " to ",
        kFormatVersion,
        "; update the library, or convert the model with its converter");
  }
  MACE_RETURN_IF_ERROR(CheckPartsOfVersion(net));
  MACE_RETURN_IF_ERROR(CheckDynamic(net));
  MACE_RETURN_IF_ERROR(CheckStoredPlans(net));
  if (weights.size == 0 && net.data_bytes > 0) {
    return InvalidArgument(
        "the model needs ", net.data_bytes,
        " bytes of weights and was given none; give its weights file (.data), "
        "which the converter wrote beside it");
  }
  if (net.data_bytes < 0 ||
      static_cast<uint64_t>(net.data_bytes) != weights.size) {
    return InvalidModel("the weights are ", weights.size,
                        " bytes, the model needs ", net.data_bytes,
                        ": the weights file is cut short or belongs to "
                        "another model");
  }
  if (!verify_checksum) return Status();
  if (net.packed_weights.has_value()) {
    const stored::PackedWeights& packed = *net.packed_weights;
    MACE_RETURN_IF_ERROR(CheckHeadBytes(packed, weights.size));
    return CheckHash(weights.data.get(), static_cast<size_t>(packed.head_bytes),
                     packed.head_xxh3);
  }
  return CheckHash(weights.data.get(), weights.size, net.data_xxh3);
}

}  // namespace

bool IsGraph(const uint8_t* bytes, size_t size) {
  stored::NetDef net;
  return size > 0 && Read(bytes, size, &net) && net.format_version.has_value();
}

Result<Model> LoadModel(const uint8_t* graph_bytes, size_t graph_size,
                        WeightBytes weights, const LoadOptions& options) {
  if (graph_size == 0) return InvalidModel("the model file is empty");
  stored::NetDef net;
  if (!Read(graph_bytes, graph_size, &net)) {
    return InvalidModel(
        "not a MACE model: the bytes are no serialized NetDef; the file is cut "
        "short, damaged or of another kind (tools/converter.py convert makes "
        "MACE models of those of other frameworks)");
  }
  MACE_RETURN_IF_ERROR(CheckGraphHash(net, graph_bytes, graph_size));
  MACE_RETURN_IF_ERROR(VerifyHead(net, weights, options.verify_checksum));
  return Build(net, std::move(weights));
}

}  // namespace mace
