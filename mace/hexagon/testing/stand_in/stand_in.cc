// A stand-in for libhexagon_controller.so: the entry points of hexagon_nn over
// plain loops. It proves that the protocol is kept, not what nnlib computes.
// SPDX-License-Identifier: Apache-2.0

#include "mace/hexagon/testing/stand_in/stand_in.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "mace/hexagon/nnlib/abi.h"
#include "mace/hexagon/nnlib/ops.h"
#include "mace/hexagon/testing/stand_in/graph.h"

namespace mace::hexagon::testing {
namespace {

constexpr int kInvalidHandle = 0x2c;
struct Failure {
  std::string call;
  int skip = 0, times = 0, code = 0;
};

struct State {
  std::map<std::string, int> calls;
  std::vector<Failure> failures;
  std::string faults, text;
  int version = 0x21A01;
  bool needs_unsigned = false, is_unsigned = false, is_reached = false;
  bool is_configured = false, is_locked = false, shortens = false;
  int clocks = 0;
};

std::mutex& Mutex() {
  static auto* const mutex = new std::mutex;
  return *mutex;
}
State& Now() {
  static auto* const state = new State;
  return *state;
}
std::map<int, Graph>& Graphs() {
  static auto* const graphs = new std::map<int, Graph>;
  return *graphs;
}

int Fault(const std::string& text) {
  Now().faults += text + '\n';
  return -1;
}

// Counts a call. What it is to return at once, or 0.
int Begin(const std::string& name, bool reaches_dsp = true) {
  State& now = Now();
  ++now.calls[name];
  for (Failure& failure : now.failures) {
    if (failure.call != name || failure.times == 0) continue;
    if (failure.skip > 0) {
      --failure.skip;
      continue;
    }
    --failure.times;
    for (auto& [id, graph] : Graphs()) {
      graph.log += "hexagon/stand_in.cc:1:" + name + " was told to fail\n";
    }
    return failure.code;
  }
  if (!reaches_dsp) return 0;
  if (now.needs_unsigned && !now.is_unsigned) return kInvalidHandle;
  now.is_reached = true;
  return 0;
}

Graph* Find(const char* call, int id) {
  const auto found = Graphs().find(id);
  if (found != Graphs().end()) return &found->second;
  Fault(std::string(call) + ": no graph " + std::to_string(id));
  return nullptr;
}

bool AddId(const char* call, uint32_t id, Graph& graph) {
  if (id != 0 && id < 0xF0000000 && graph.ids.insert(id).second) return true;
  Fault(std::string(call) + ": node id " + std::to_string(id));
  return false;
}

}  // namespace
}  // namespace mace::hexagon::testing

// The entry points. Each holds the mutex as long as it runs.

using mace::hexagon::testing::Begin;
using mace::hexagon::testing::Fault;
using mace::hexagon::testing::Find;
using mace::hexagon::testing::Graphs;
using mace::hexagon::testing::Mutex;
using mace::hexagon::testing::Now;
using std::lock_guard;
using std::mutex;
namespace nnlib = mace::hexagon::nnlib;
namespace standin = mace::hexagon::testing;

extern "C" {

int hexnn_controller_request_unsigned_pd() {
  const lock_guard<mutex> lock(Mutex());
  const int code = Begin("hexnn_controller_request_unsigned_pd", false);
  if (code != 0) return code;
  if (Now().is_reached) return Fault("the request for an unsigned PD is late");
  Now().is_unsigned = true;
  return 0;
}

int hexagon_nn_version(int* version) {
  const lock_guard<mutex> lock(Mutex());
  const int code = Begin("hexagon_nn_version");
  if (code == 0) *version = Now().version;
  return code;
}

int hexagon_nn_op_name_to_id(const char* name, uint32_t* id) {
  const lock_guard<mutex> lock(Mutex());
  const int code = Begin("hexagon_nn_op_name_to_id");
  if (code != 0) return code;
  for (uint32_t i = 0; i < nnlib::kNumOps; ++i) {
    if (std::strcmp(name, nnlib::kOpNames[i]) != 0) continue;
    *id = standin::kFirstId + i;
    return 0;
  }
  return -1;
}

int hexagon_nn_set_clocks(int corner, int dcvs, uint32_t) {
  const lock_guard<mutex> lock(Mutex());
  const int code = Begin("hexagon_nn_set_clocks");
  if (code != 0) return code;
  if (corner < 0 || corner > 6 || (dcvs != 1 && dcvs != 2)) {
    return Fault("hexagon_nn_set_clocks: its parameters");
  }
  Now().clocks = 1;
  return 0;
}

int hexagon_nn_remove_clocks() {
  const lock_guard<mutex> lock(Mutex());
  const int code = Begin("hexagon_nn_remove_clocks");
  if (code != 0) return code;
  if (Now().clocks == 0) return Fault("hexagon_nn_remove_clocks: none are set");
  Now().clocks = 0;
  return 0;
}

int hexagon_nn_config() {
  const lock_guard<mutex> lock(Mutex());
  const int code = Begin("hexagon_nn_config");
  if (code != 0) return code;
  if (!Graphs().empty()) return Fault("hexagon_nn_config: there are graphs");
  Now().is_configured = true;
  return 0;
}

int hexagon_nn_init(int* graph) {
  const lock_guard<mutex> lock(Mutex());
  const int code = Begin("hexagon_nn_init");
  if (code != 0) return code;
  if (!Now().is_configured) return Fault("hexagon_nn_init before config");
  static int last = 0;
  *graph = ++last;
  Graphs()[*graph];
  return 0;
}

int hexagon_nn_set_graph_mode(int graph, int mode) {
  const lock_guard<mutex> lock(Mutex());
  const int code = Begin("hexagon_nn_set_graph_mode");
  if (code != 0) return code;
  const auto* const found = Find("hexagon_nn_set_graph_mode", graph);
  if (found == nullptr) return -1;
  if (mode < 0 || found->is_prepared) {
    return Fault("hexagon_nn_set_graph_mode: its parameters");
  }
  return 0;
}

int hexagon_nn_reset_perfinfo(int graph, uint32_t event) {
  const lock_guard<mutex> lock(Mutex());
  const int code = Begin("hexagon_nn_reset_perfinfo");
  if (code != 0) return code;
  if (Find("hexagon_nn_reset_perfinfo", graph) == nullptr) return -1;
  return event == 5 ? 0 : Fault("hexagon_nn_reset_perfinfo: its event");
}

int hexagon_nn_get_perfinfo(int graph, nnlib::NnPerfInfo* infos, int most,
                            uint32_t* n) {
  const lock_guard<mutex> lock(Mutex());
  const int code = Begin("hexagon_nn_get_perfinfo");
  if (code != 0) return code;
  const auto* const found = Find("hexagon_nn_get_perfinfo", graph);
  if (found == nullptr || static_cast<size_t>(most) < found->nodes.size()) {
    return -1;
  }
  *n = 0;
  for (const auto& node : found->nodes) {
    infos[(*n)++] = {node.id, found->runs, 7 * found->runs, 0};
  }
  return 0;
}

int hexagon_nn_append_const_node_list(int graph,
                                      const nnlib::NnConstNode* nodes, int n) {
  const lock_guard<mutex> lock(Mutex());
  constexpr char kCall[] = "hexagon_nn_append_const_node_list";
  const int code = Begin(kCall);
  if (code != 0) return code;
  auto* const found = Find(kCall, graph);
  if (found == nullptr) return -1;
  if (found->is_prepared || n < 1 || n > 250) {
    return Fault(std::string(kCall) + ": too late, or too many");
  }
  for (int i = 0; i < n; ++i) {
    const nnlib::NnTensorDef& t = nodes[i].tensor;
    const std::string wrong = standin::CheckConst(t);
    if (!wrong.empty()) return Fault(std::string(kCall) + ": " + wrong);
    if (!standin::AddId(kCall, nodes[i].node_id, *found)) return -1;
    found->consts[nodes[i].node_id] =
        standin::TensorOf(t, static_cast<size_t>(t.data_bytes));
  }
  return 0;
}

int hexagon_nn_append_node_list(int graph, const nnlib::NnOpNode* nodes,
                                int n) {
  const lock_guard<mutex> lock(Mutex());
  constexpr char kCall[] = "hexagon_nn_append_node_list";
  const int code = Begin(kCall);
  if (code != 0) return code;
  auto* const found = Find(kCall, graph);
  if (found == nullptr) return -1;
  if (found->is_prepared || n < 1 || n > 125) {
    return Fault(std::string(kCall) + ": too late, or too many");
  }
  for (int i = 0; i < n; ++i) {
    const nnlib::NnOpNode& node = nodes[i];
    const std::string wrong = standin::CheckNode(node);
    if (!wrong.empty()) return Fault(std::string(kCall) + ": " + wrong);
    if (!standin::AddId(kCall, node.node_id, *found)) return -1;
    found->nodes.push_back({node.node_id,
                            nnlib::kOpNames[node.operation - standin::kFirstId],
                            node.padding,
                            {node.inputs, node.inputs + node.num_inputs},
                            {node.outputs, node.outputs + node.num_outputs}});
  }
  return 0;
}

int hexagon_nn_prepare(int graph) {
  const lock_guard<mutex> lock(Mutex());
  const bool was_locked = Now().is_locked;
  Now().is_locked = true;  // as hexagon_nn leaves it if it fails
  const int code = Begin("hexagon_nn_prepare");
  if (was_locked) return Fault("hexagon_nn_prepare would hang");
  if (code != 0) return code;
  auto* const found = Find("hexagon_nn_prepare", graph);
  if (found == nullptr) return -1;
  if (found->is_prepared) return Fault("hexagon_nn_prepare: a second time");
  if (!standin::IsResolved(*found)) {
    return Fault("hexagon_nn_prepare: refers to a node that is not there");
  }
  found->is_prepared = true;
  Now().is_locked = false;
  Now().text = standin::TextOf(*found);
  return 0;
}

int hexagon_nn_execute_new(int graph, const nnlib::NnTensorDef* inputs,
                           int num_inputs, nnlib::NnTensorDef* outputs,
                           int num_outputs) {
  const lock_guard<mutex> lock(Mutex());
  const int code = Begin("hexagon_nn_execute_new");
  if (Now().is_locked) return Fault("hexagon_nn_execute_new would hang");
  if (code != 0) return code;
  auto* const found = Find("hexagon_nn_execute_new", graph);
  if (found == nullptr) return -1;
  if (!found->is_prepared) return Fault("execute_new before prepare");
  const std::string wrong =
      standin::Run(*found, inputs, num_inputs, outputs, num_outputs);
  if (Now().shortens && num_outputs > 0) --outputs[0].data_valid_len;
  Now().shortens = false;
  return wrong.empty() ? 0 : Fault("hexagon_nn_execute_new: " + wrong);
}

int hexagon_nn_teardown(int graph) {
  const lock_guard<mutex> lock(Mutex());
  const int code = Begin("hexagon_nn_teardown");
  if (Find("hexagon_nn_teardown", graph) == nullptr) return -1;
  Graphs().erase(graph);
  return code;
}

int hexagon_nn_getlog(int graph, unsigned char* text, int bytes) {
  const lock_guard<mutex> lock(Mutex());
  const int code = Begin("hexagon_nn_getlog");
  if (code != 0) return code;
  auto* const found = Find("hexagon_nn_getlog", graph);
  if (found == nullptr || bytes < 1) return -1;
  const size_t n = std::min(found->log.size(), static_cast<size_t>(bytes) - 1);
  std::memcpy(text, found->log.data(), n);
  text[n] = 0;
  found->log.clear();
  return 0;
}

const standin::StandInControl* MaceStandInControl() {
  static const standin::StandInControl control = {
      [] {
        const lock_guard<mutex> lock(Mutex());
        Now() = {};
      },
      [](const char* call, int skip, int times, int code) {
        const lock_guard<mutex> lock(Mutex());
        Now().failures.push_back({call, skip, times, code});
      },
      [](const char* call) {
        const lock_guard<mutex> lock(Mutex());
        return Now().calls[call];
      },
      [] {
        const lock_guard<mutex> lock(Mutex());
        return static_cast<int>(Graphs().size());
      },
      [] { return Now().clocks; },
      [] { return Now().faults.c_str(); },
      [] { return Now().text.c_str(); },
      [](int version) { Now().version = version; },
      [] { Now().needs_unsigned = true; },
      [] { Now().shortens = true; },
  };
  return &control;
}

}  // extern "C"
