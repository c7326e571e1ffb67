// Text of a graph.
// SPDX-License-Identifier: Apache-2.0

#include "mace/base/text_stream.h"
#include "mace/graph/graph.h"

namespace mace {
namespace {

struct AttrPrinter {
  TextStream& out;
  template <typename T>
  void operator()(const T& v) const {
    out << v;
  }
  template <typename T>
  void operator()(const std::vector<T>& v) const {
    out << '[';
    for (size_t i = 0; i < v.size(); ++i) out << (i ? "," : "") << v[i];
    out << ']';
  }
};

void PrintValue(TextStream& out, const Graph& graph, int id) {
  if (id < 0) {
    out << '-';
    return;
  }
  const Value& value = graph.values[id];
  out << value.name;
  if (value.type.dtype != DataType::kInvalid)
    out << ' ' << ToString(value.type);
  if (value.is_constant()) out << " const";
}

void PrintValues(TextStream& out, const Graph& graph,
                 const std::vector<int>& ids) {
  for (size_t i = 0; i < ids.size(); ++i) {
    if (i > 0) out << ", ";
    PrintValue(out, graph, ids[i]);
  }
}

}  // namespace

std::string Dump(const Graph& graph) {
  TextStream out;
  out << "graph " << graph.name << "\ninputs: ";
  PrintValues(out, graph, graph.inputs);
  out << '\n';
  for (const GraphNode& g : graph.nodes) {
    out << Label(g.node) << " (";
    PrintValues(out, graph, g.inputs);
    out << ") -> ";
    PrintValues(out, graph, g.outputs);
    for (const auto& [name, attr] : g.node.attrs) {
      out << ' ' << name << '=';
      std::visit(AttrPrinter{out}, attr);
    }
    out << '\n';
  }
  out << "outputs: ";
  PrintValues(out, graph, graph.outputs);
  out << '\n';
  return out.str();
}

}  // namespace mace
