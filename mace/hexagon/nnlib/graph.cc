// Handing graphs to hexagon_nn, and running them.
// SPDX-License-Identifier: Apache-2.0

#include "mace/hexagon/nnlib/graph.h"

#include <algorithm>
#include <string>
#include <utility>

#include "mace/base/logging.h"

namespace mace::hexagon::nnlib {
namespace {

constexpr int kLogBytes = 1 << 16;
constexpr size_t kMaxOfLog = 400;  // the last of it, in a message

// Calls `append` with pieces of at most `most` nodes.
template <typename T, typename F>
int InPieces(const std::vector<T>& nodes, size_t most, const F& append) {
  for (size_t i = 0; i < nodes.size(); i += most) {
    const size_t n = std::min(most, nodes.size() - i);
    const int code = append(nodes.data() + i, static_cast<int>(n));
    if (code != 0) return code;
  }
  return 0;
}

// The end of a log as one line of printable characters.
std::string OneLine(const std::vector<unsigned char>& log) {
  const auto end = std::find(log.begin(), log.end(), 0);
  std::string line;
  for (auto c = log.begin(); c != end; ++c) {
    const bool is_text = *c >= ' ' && *c < 127;
    if (is_text) line += static_cast<char>(*c);
    if (*c == '\n' && !line.empty()) line += ' ';
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  if (line.size() > kMaxOfLog) line = line.substr(line.size() - kMaxOfLog);
  return line;
}

bool IsWhole(const NnTensorDef& found, const NnTensorDef& wanted) {
  return found.batches == wanted.batches && found.height == wanted.height &&
         found.width == wanted.width && found.depth == wanted.depth &&
         found.data_valid_len == static_cast<uint32_t>(wanted.data_bytes);
}

}  // namespace

Result<std::unique_ptr<Graph>> Graph::Create(std::shared_ptr<Library> library,
                                             const GraphBuilder& builder,
                                             int mode) {
  MACE_RETURN_IF_ERROR(builder.status());
  MACE_RETURN_IF_ERROR(library->CheckUsable());
  std::unique_ptr<Graph> graph(new Graph(std::move(library)));
  Library& lib = *graph->library_;
  int code = lib.api().init(&graph->id_);
  // hexagon_nn_init has no other reason to return -1.
  if (code == -1) {
    return OutOfResources("hexagon_nn_init returned -1: the DSP has no memory ",
                          "for another graph");
  }
  if (code != 0) return CallError("hexagon_nn_init", code, "");
  graph->exists_ = true;
  graph->num_nodes_ = builder.operations().size();
  if (mode != 0 && lib.has_modes()) {
    code = lib.api().set_graph_mode(graph->id_, mode);
    if (code != 0) return graph->Error("hexagon_nn_set_graph_mode", code);
  }
  if (lib.api().reset_perfinfo != nullptr &&
      lib.api().get_perfinfo != nullptr) {
    code = lib.api().reset_perfinfo(graph->id_, kCountMicroseconds);
    graph->measures_ = code == 0;
    if (code != 0) {
      LOG(WARNING)
          << "the DSP does not measure its nodes: "
          << graph->Error("hexagon_nn_reset_perfinfo", code).information();
    }
  }
  MACE_RETURN_IF_ERROR(graph->Append(builder));
  MACE_RETURN_IF_ERROR(lib.CheckUsable());
  code = lib.api().prepare(graph->id_);
  if (code == 0) return graph;
  // Not as a lack of memory, upon which other regions would stay on the DSP.
  const Status status =
      RuntimeError(graph->Error("hexagon_nn_prepare", code).information());
  lib.GiveUp(status);
  return status;
}

Graph::~Graph() {
  if (!exists_) return;
  const int code = library_->api().teardown(id_);
  if (code != 0) {
    LOG(WARNING) << CallError("hexagon_nn_teardown", code, "").information();
  }
}

Status Graph::Append(const GraphBuilder& builder) const {
  const NnApi& api = library_->api();
  int code = InPieces(builder.consts(), kMaxConstsPerCall,
                      [&](const NnConstNode* nodes, int n) {
                        return api.append_const_node_list(id_, nodes, n);
                      });
  if (code != 0) return Error("hexagon_nn_append_const_node_list", code);
  std::vector<NnOpNode> nodes;
  for (const Operation& operation : builder.operations()) {
    NnOpNode node = {};
    node.node_id = operation.id;
    node.operation = library_->id(operation.op);
    node.padding = operation.padding;
    // The library only reads them.
    node.inputs = const_cast<NnInput*>(operation.inputs.data());
    node.num_inputs = static_cast<int32_t>(operation.inputs.size());
    node.outputs = const_cast<NnOutput*>(operation.outputs.data());
    node.num_outputs = static_cast<int32_t>(operation.outputs.size());
    nodes.push_back(node);
  }
  code = InPieces(nodes, kMaxOpsPerCall, [&](const NnOpNode* some, int n) {
    return api.append_node_list(id_, some, n);
  });
  return code == 0 ? Status() : Error("hexagon_nn_append_node_list", code);
}

Status Graph::Execute(const std::vector<NnTensorDef>& inputs,
                      std::vector<NnTensorDef>* outputs) {
  MACE_RETURN_IF_ERROR(library_->CheckUsable());
  const std::vector<NnTensorDef> wanted = *outputs;
  const int code = library_->api().execute_new(
      id_, inputs.data(), static_cast<int>(inputs.size()), outputs->data(),
      static_cast<int>(outputs->size()));
  if (code != 0) {
    const Status status = Error("hexagon_nn_execute_new", code);
    return RuntimeError(status.information());
  }
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (IsWhole((*outputs)[i], wanted[i])) continue;
    return RuntimeError("hexagon_nn_execute_new gave ",
                        (*outputs)[i].data_valid_len, " bytes of output ", i,
                        ", or another shape, in place of ",
                        wanted[i].data_bytes, " bytes");
  }
  return Status();
}

Result<std::vector<NodeTime>> Graph::Times() const {
  std::vector<NodeTime> times;
  if (!measures_) return times;
  // The library may split nodes and add some of its own.
  std::vector<NnPerfInfo> infos(2 * num_nodes_ + 256);
  uint32_t n = 0;
  const int code = library_->api().get_perfinfo(
      id_, infos.data(), static_cast<uint32_t>(infos.size()), &n);
  if (code != 0) return Error("hexagon_nn_get_perfinfo", code);
  if (n > infos.size()) {
    return RuntimeError("hexagon_nn_get_perfinfo counts ", n, " nodes");
  }
  for (uint32_t i = 0; i < n; ++i) {
    const NnPerfInfo& info = infos[i];
    if (info.executions == 0) continue;
    const uint64_t sum = (uint64_t{info.counter_hi} << 32) + info.counter_lo;
    times.push_back(
        {info.node_id, static_cast<int64_t>(sum / info.executions)});
  }
  return times;
}

Status Graph::Error(const char* call, int code) const {
  std::vector<unsigned char> log(kLogBytes, 0);
  if (library_->api().getlog(id_, log.data(), kLogBytes - 1) != 0) log[0] = 0;
  return CallError(call, code, OneLine(log));
}

}  // namespace mace::hexagon::nnlib
