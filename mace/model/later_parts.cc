// What version 1 of the format does not have.
// SPDX-License-Identifier: Apache-2.0

#include "mace/model/later_parts.h"

#include <string>

#include "mace/model/text.h"

namespace mace {
namespace {

// Returns whether infos or nodes use what version 2 of the format added.
bool HasQuantization(const StoredInfos& infos) {
  for (const stored::TensorInfo& info : infos) {
    if (info.quantization.has_value()) return true;
  }
  return false;
}

bool IsOfVersion2(const stored::OperatorDef& op) {
  if (!op.output_quantization.empty()) return true;
  for (const stored::Argument& arg : op.arg) {
    if (arg.type == stored::Argument::SUBGRAPH) return true;
  }
  return false;
}

// Returns the name of a part that version 1 does not have, or null.
const char* PartOfVersion2(const stored::NetDef& net) {
  if (!net.settings.empty()) return "settings";
  if (!net.fixed_input_shapes.empty()) return "fixed_input_shapes";
  if (!net.subgraphs.empty()) return "subgraphs";
  if (!net.variables.empty()) return "variables";
  if (AnyOpenDims(net.input_info)) return "open dimensions";
  for (const stored::ConstTensor& tensor : net.tensors) {
    if (tensor.quantization.has_value()) return "quantization";
  }
  for (const stored::OperatorDef& op : net.op) {
    if (IsOfVersion2(op)) return "quantization or subgraphs";
  }
  return HasQuantization(net.input_info) || HasQuantization(net.output_info)
             ? "quantization"
             : nullptr;
}

}  // namespace

bool AnyOpenDims(const stored::TensorInfo& info) {
  if (!info.dim_names.empty() || !info.max_dims.empty()) return true;
  for (const int64_t extent : info.dims) {
    if (extent == -1) return true;
  }
  return false;
}

bool AnyOpenDims(const StoredInfos& infos) {
  for (const stored::TensorInfo& info : infos) {
    if (AnyOpenDims(info)) return true;
  }
  return false;
}

Status CheckPartsOfVersion(const stored::NetDef& net) {
  for (const stored::ConstTensor& tensor : net.tensors) {
    if (*net.format_version >= 3 || !tensor.stored_type.has_value() ||
        *tensor.stored_type < stored::DT_INT8_BLOCKS) {
      continue;
    }
    return InvalidModel("the file is of format version ", *net.format_version,
                        ", which has no weights stored as weight ",
                        Quoted(tensor.name), " is; convert the model again");
  }
  if (*net.format_version == 1) {
    const char* part = PartOfVersion2(net);
    return part == nullptr
               ? Status()
               : InvalidModel("the file is of format version 1, which has no ",
                              part, "; convert the model again");
  }
  stored::Argument arg;
  if (net.arg.reader().Next(&arg)) {
    return InvalidModel("the file has ", Quoted(arg.name),
                        " as an argument of the whole model, which only format "
                        "version 1 has; convert the model again");
  }
  return Status();
}

}  // namespace mace
