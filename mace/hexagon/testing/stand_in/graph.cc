// Checking, showing and running graphs of the stand-in.
// SPDX-License-Identifier: Apache-2.0

#include "mace/hexagon/testing/stand_in/graph.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>

#include "mace/hexagon/nnlib/ops.h"

namespace mace::hexagon::testing {

using namespace nnlib;  // NOLINT: the other side of its calls

std::string CheckConst(const NnTensorDef& t) {
  const uint64_t n = uint64_t{t.batches} * t.height * t.width * t.depth;
  if (n == 0 || n >= (1u << 28)) return "its number of elements";
  if ((t.data == nullptr) != (t.data_bytes == 0)) return "data without bytes";
  const bool has_elements =
      t.data_bytes >= 0 && t.data_bytes % n == 0 &&
      (t.data_bytes / n == 0 || t.data_bytes / n == 1 || t.data_bytes / n == 4);
  return has_elements ? "" : "its bytes";
}

std::string CheckNode(const NnOpNode& node) {
  const uint32_t index = node.operation - kFirstId;
  if (node.operation < kFirstId || index >= kNumOps) return "its operation";
  const NnArity arity = ArityOf(kOpNames[index]);
  const auto inputs = static_cast<size_t>(node.num_inputs);
  const auto outputs = static_cast<size_t>(node.num_outputs);
  if (inputs < arity.least_inputs || inputs > arity.most_inputs) {
    return "bad input count " + std::to_string(inputs);
  }
  const bool is_input = index == kOpInput;
  if (is_input ? outputs == 0 : outputs != arity.outputs) {
    return "bad output count";
  }
  for (size_t i = 0; i < outputs; ++i) {
    const NnOutput& y = node.outputs[i];
    if (y.rank != 4 || (y.elementsize != 1 && y.elementsize != 4) ||
        y.zero_offset != 0 || y.stepsize != 0) {
      return "how its output is declared";
    }
  }
  return "";
}

namespace {

std::string ShapeText(const int64_t* shape) {
  std::string text = "[";
  for (int i = 0; i < 4; ++i) {
    text += (i == 0 ? "" : ",") + std::to_string(shape[i]);
  }
  return text + "]";
}

// A constant of a few words as numbers, as floats where they look like it; a
// shape otherwise.
std::string ConstText(const std::string& op, size_t input, const NnTensor& t) {
  if (t.bytes.empty()) return "size" + ShapeText(t.shape);
  if (t.bytes.size() > 32 || t.bytes.size() % 4 != 0 ||
      t.bytes.size() == static_cast<size_t>(t.elements())) {
    return "const" + ShapeText(t.shape);
  }
  const bool are_ints =
      (op == "QuantizedConcat_8" && input == 0) ||
      (op == "QuantizedPad_8" && input == 3) ||
      (op == "QuantizedMean_8" && input == 3) ||
      (op == "QuantizedResizeBilinear_8" && (input == 1 || input == 4)) ||
      ((op == "QuantizedReshape" || op == "Transpose_8" ||
        op == "DepthToSpace_8" || op == "SpaceToDepth_8") &&
       input == 1) ||
      (op.find("p32to8") != std::string::npos && input == 7);
  std::string text;
  for (size_t at = 0; at < t.bytes.size(); at += 4) {
    char number[32];
    int32_t i = 0;
    float f = 0;
    std::memcpy(&i, &t.bytes[at], 4);
    std::memcpy(&f, &t.bytes[at], 4);
    if (are_ints) {
      snprintf(number, sizeof(number), "%d", static_cast<int>(i));
    } else {
      snprintf(number, sizeof(number), "%g", static_cast<double>(f));
    }
    text += (at == 0 ? "" : " ") + std::string(number);
  }
  return t.elements() == 1 ? text : "{" + text + "}";
}

}  // namespace

std::string TextOf(const Graph& graph) {
  std::string text;
  for (const Node& node : graph.nodes) {
    text += std::to_string(node.id) + " " + node.op;
    if (node.padding != 0) text += " pad" + std::to_string(node.padding);
    text += " (";
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const NnInput& in = node.inputs[i];
      const auto found = graph.consts.find(in.src_id);
      text += i == 0 ? "" : ", ";
      text += found != graph.consts.end() ? ConstText(node.op, i, found->second)
                                          : std::to_string(in.src_id) + ":" +
                                                std::to_string(in.output_idx);
    }
    text += ")";
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      int64_t shape[4];
      std::copy(node.outputs[i].max_sizes, node.outputs[i].max_sizes + 4,
                shape);
      if (i == 0 || node.op == "INPUT") text += " -> " + ShapeText(shape);
    }
    text += '\n';
  }
  return text;
}

bool IsResolved(const Graph& graph) {
  std::map<uint32_t, size_t> outputs;
  for (const Node& node : graph.nodes) {
    for (const NnInput& in : node.inputs) {
      const auto made = outputs.find(in.src_id);
      const bool is_there =
          made != outputs.end()
              ? in.output_idx < made->second
              : graph.consts.count(in.src_id) != 0 && in.output_idx == 0;
      if (!is_there) return false;
    }
    outputs[node.id] = node.outputs.size();
  }
  return true;
}

NnTensor TensorOf(const NnTensorDef& def, size_t bytes) {
  NnTensor t;
  t.shape[0] = def.batches;
  t.shape[1] = def.height;
  t.shape[2] = def.width;
  t.shape[3] = def.depth;
  if (bytes > 0) t.bytes.assign(def.data, def.data + bytes);
  return t;
}

namespace {

// Copies a result to where the caller wants it. False if there is no room.
bool Give(const NnTensor& t, NnTensorDef* def) {
  if (static_cast<size_t>(def->data_bytes) < t.bytes.size()) return false;
  def->batches = static_cast<uint32_t>(t.shape[0]);
  def->height = static_cast<uint32_t>(t.shape[1]);
  def->width = static_cast<uint32_t>(t.shape[2]);
  def->depth = static_cast<uint32_t>(t.shape[3]);
  std::copy(t.bytes.begin(), t.bytes.end(), def->data);
  def->data_valid_len = static_cast<uint32_t>(t.bytes.size());
  return true;
}

using Values = std::map<std::pair<uint32_t, uint32_t>, NnTensor>;

std::string TakeInputs(const Node& node, const NnTensorDef* inputs, int n,
                       Values& values) {
  if (static_cast<size_t>(n) != node.outputs.size()) return "inputs";
  for (int i = 0; i < n; ++i) {
    const NnTensorDef& in = inputs[i];
    const uint32_t* most = node.outputs[static_cast<size_t>(i)].max_sizes;
    const uint64_t bytes =
        uint64_t{in.batches} * in.height * in.width * in.depth;
    if (in.batches != most[0] || in.height != most[1] || in.width != most[2] ||
        in.depth != most[3] || bytes != in.data_valid_len ||
        bytes != static_cast<uint64_t>(in.data_bytes)) {
      return "input " + std::to_string(i);
    }
    if (reinterpret_cast<uintptr_t>(in.data) % 128 != 0) return "alignment";
    values[{node.id, static_cast<uint32_t>(i)}] = TensorOf(in, bytes);
  }
  return "";
}

std::string RunNode(const Node& node, Values& values) {
  std::vector<const NnTensor*> inputs;
  for (const NnInput& in : node.inputs) {
    inputs.push_back(&values[{in.src_id, in.output_idx}]);
  }
  std::vector<NnTensor> outputs;
  std::string wrong = Compute(node.op, node.padding, inputs, &outputs);
  for (size_t i = 0; wrong.empty() && i < outputs.size(); ++i) {
    const uint32_t* most = node.outputs[i].max_sizes;
    for (int d = 0; d < 4; ++d) {
      if (outputs[i].shape[d] > most[d]) wrong = "an output is too large";
    }
    values[{node.id, static_cast<uint32_t>(i)}] = outputs[i];
  }
  return wrong;
}

}  // namespace

std::string Run(Graph& graph, const NnTensorDef* inputs, int num_inputs,
                NnTensorDef* outputs, int num_outputs) {
  Values values;
  for (const auto& [id, t] : graph.consts) values[{id, 0}] = t;
  for (const Node& node : graph.nodes) {
    if (node.op == "INPUT") {
      const std::string wrong = TakeInputs(node, inputs, num_inputs, values);
      if (!wrong.empty()) return wrong;
    } else if (node.op == "OUTPUT") {
      if (static_cast<size_t>(num_outputs) != node.inputs.size()) {
        return "outputs";
      }
      for (size_t i = 0; i < node.inputs.size(); ++i) {
        const NnInput& in = node.inputs[i];
        if (!Give(values[{in.src_id, in.output_idx}], &outputs[i])) {
          return "room for output " + std::to_string(i);
        }
      }
    } else {
      const std::string wrong = RunNode(node, values);
      if (!wrong.empty()) return node.op + ": " + wrong;
    }
  }
  ++graph.runs;
  return "";
}

}  // namespace mace::hexagon::testing
