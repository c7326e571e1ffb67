// Requests to the DSP.
// SPDX-License-Identifier: Apache-2.0

#include "mace/hexagon/session/session.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace mace::hexagon {

const char* ToString(DspError error) {
  constexpr const char* kTexts[kNumDspErrors] = {
      "nothing",
      "not a message",
      "a message of another version",
      "an unknown command",
      "a bad buffer",
      "a bad graph",
      "too many buffers",
      "too many graphs",
      "memory that cannot be mapped",
      "a bad header",
      "too many tensors, nodes or words",
      "a bad tensor",
      "a bad node",
      "an unknown op",
      "a bad operand",
      "a bad parameter",
      "a tensor that is too small",
      "too much work",
      "no kernels",
  };
  return error < kNumDspErrors ? kTexts[error] : "an unknown error";
}

Result<std::unique_ptr<Session>> Session::Create(
    std::unique_ptr<Transport> transport) {
  std::unique_ptr<Session> session(new Session(std::move(transport)));
  Message hello;
  hello.command = kHello;
  MACE_RETURN_IF_ERROR(session->transport_->Exchange(&hello));
  if (hello.magic != kMessageMagic || hello.version != kProtocolVersion ||
      hello.error != kDspOk) {
    return Unsupported("the DSP's executor has version ", hello.version,
                       " of the protocol, this library version ",
                       kProtocolVersion, "; use those of one release");
  }
  if (hello.args[1] < kVtcmBytes) {
    return Unsupported("the DSP offers ", hello.args[1],
                       " bytes of VTCM; the executor needs ", kVtcmBytes);
  }
  session->slices_ =
      static_cast<int>(std::clamp<uint32_t>(hello.args[3], 1, kMaxSlices));
  return session;
}

Status Session::Call(Message* message) {
  const std::lock_guard<Mutex> lock(mutex_);
  MACE_RETURN_IF_ERROR(transport_->Exchange(message));
  const auto error = static_cast<DspError>(message->error);
  switch (error) {
    case kDspOk:
      return Status();
    case kTooManyBuffers:
    case kTooManyGraphs:
    case kMapFailed:
    case kTooLarge:
    case kTooMuchWork:
      return OutOfResources("the DSP refused request ", message->command, ": ",
                            ToString(error));
    default:
      return RuntimeError("the DSP refused request ", message->command, ": ",
                          ToString(error), " (", message->place, ")");
  }
}

Result<std::unique_ptr<DspGraph>> DspGraph::Create(Session* session,
                                                   const GraphWriter& writer) {
  std::unique_ptr<DspGraph> graph(new DspGraph);
  graph->session_ = session;
  graph->num_nodes_ = static_cast<uint32_t>(writer.num_nodes());
  graph->perf_offset_ =
      static_cast<uint32_t>(AlignUp(writer.buffer_bytes(), kTensorAlignment));
  const uint32_t bytes =
      graph->perf_offset_ + graph->num_nodes_ * sizeof(PerfRecord);
  MACE_ASSIGN_OR_RETURN(graph->buffer_, session->transport()->NewBuffer(bytes));
  writer.WriteTo(graph->buffer_->data());
  Message attach;
  attach.command = kAttach;
  graph->buffer_->Describe(&attach);
  MACE_RETURN_IF_ERROR(session->Call(&attach));
  graph->buffer_id_ = attach.args[0];
  graph->is_attached_ = true;
  Message create;
  create.command = kCreate;
  create.args[0] = graph->buffer_id_;
  create.args[1] = 0;
  create.args[2] = writer.text_bytes();
  MACE_RETURN_IF_ERROR(session->Call(&create));
  graph->graph_id_ = create.args[0];
  graph->is_created_ = true;
  return graph;
}

DspGraph::~DspGraph() {
  Message message;
  if (is_created_) {
    message.command = kTeardown;
    message.args[0] = graph_id_;
    (void)session_->Call(&message);
  }
  if (is_attached_) {
    message = {};
    message.command = kDetach;
    message.args[0] = buffer_id_;
    (void)session_->Call(&message);
  }
}

Status DspGraph::Run(const Cancellation* cancellation) {
  const std::lock_guard<Mutex> lock(session_->run_mutex());
  packets_ = 0;
  if (cancellation == nullptr) return RunPiece(0, 0);
  const uint32_t piece = (num_nodes_ + kPieces - 1) / kPieces;
  for (uint32_t first = 0; first < num_nodes_; first += piece) {
    if (cancellation->is_cancelled()) {
      return Cancelled("the DSP runs no further nodes");
    }
    MACE_RETURN_IF_ERROR(RunPiece(first, std::min(piece, num_nodes_ - first)));
  }
  return Status();
}

Status DspGraph::RunPiece(uint32_t first, uint32_t count) {
  Message run;
  run.command = kRun;
  run.args[0] = graph_id_;
  run.args[1] = first;
  run.args[2] = count;
  MACE_RETURN_IF_ERROR(session_->Call(&run));
  packets_ += run.args[0];
  return Status();
}

Result<std::vector<PerfRecord>> DspGraph::Perf() {
  Message perf;
  perf.command = kPerf;
  perf.args[0] = graph_id_;
  perf.args[1] = perf_offset_;
  MACE_RETURN_IF_ERROR(session_->Call(&perf));
  std::vector<PerfRecord> records(num_nodes_);
  if (num_nodes_ > 0) {
    std::memcpy(records.data(), buffer_->data() + perf_offset_,
                num_nodes_ * sizeof(PerfRecord));
  }
  return records;
}

}  // namespace mace::hexagon
