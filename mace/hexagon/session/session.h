// Session: a connection to an executor on a DSP, and the graphs in it.
// SPDX-License-Identifier: Apache-2.0
//
//   DspGraph --\                                     executor (Server)
//   DspGraph ---> Session --> Transport == messages ==> graphs[]
//       \--> SharedBuffer ===== the same memory ======> buffers[]
#ifndef MACE_HEXAGON_SESSION_SESSION_H_
#define MACE_HEXAGON_SESSION_SESSION_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "mace/base/cancellation.h"
#include "mace/base/fork.h"
#include "mace/base/status.h"
#include "mace/hexagon/packing/graph_writer.h"
#include "mace/hexagon/protocol/messages.h"

namespace mace::hexagon {

// Memory that the host and the DSP see, made by a transport; its contents are
// undefined at first. Freed on destruction: the DSP must be told before
// (kDetach).
class SharedBuffer {
 public:
  virtual ~SharedBuffer() = default;
  virtual uint8_t* data() = 0;
  virtual uint32_t bytes() const = 0;
  // Sets args 0 to 2 of a kAttach message, from which the DSP finds the memory:
  // process, file descriptor, bytes.
  virtual void Describe(Message* attach) const = 0;
};

// How messages and memory reach the DSP. Exchange is called by one thread at a
// time, NewBuffer by any.
class Transport {
 public:
  virtual ~Transport() = default;
  // Errors: MACE_OUT_OF_RESOURCES.
  virtual Result<std::unique_ptr<SharedBuffer>> NewBuffer(uint32_t bytes) = 0;
  // Sends a request, waits for the answer and writes it to `*message`. An
  // answer with an error of the DSP is a success here. Errors:
  // MACE_RUNTIME_ERROR if no answer comes; no later call succeeds then.
  virtual Status Exchange(Message* message) = 0;
};

// Thread-safe, except set_slices: one request is with the DSP at a time. Graphs
// must go before their session.
class Session {
 public:
  // Asks for the DSP's version. Errors: of the transport; MACE_UNSUPPORTED if
  // the DSP speaks another version, or has less VTCM than kVtcmBytes.
  static Result<std::unique_ptr<Session>> Create(
      std::unique_ptr<Transport> transport);

  // Sends one request, and replaces it by the answer. Errors: of the transport;
  // an error of the DSP becomes MACE_OUT_OF_RESOURCES if the DSP lacks memory
  // or entries for the request, or the graph is too large or too much work, and
  // MACE_RUNTIME_ERROR otherwise, with the tensor or node at fault.
  Status Call(Message* message);
  Transport* transport() { return transport_.get(); }

  // In how many slices nodes of later graphs should run: the DSP's hardware
  // threads, 1 to kMaxSlices. An emulator has one; tests ask for more.
  int slices() const { return slices_; }
  void set_slices(int slices) { slices_ = slices; }
  // Held while a graph runs, which may be several requests: graphs share VTCM,
  // and another one would overwrite what lies there between two pieces.
  Mutex& run_mutex() { return run_mutex_; }

 private:
  explicit Session(std::unique_ptr<Transport> transport)
      : transport_(std::move(transport)) {}

  // mutex_ is held during an exchange; run_mutex_ is locked before it.
  Mutex mutex_, run_mutex_;
  std::unique_ptr<Transport> transport_;
  int slices_ = 1;
};

// Returns a phrase for messages, such as "a bad parameter"; for unknown errors,
// too.
const char* ToString(DspError error);

// A graph on the DSP, and the buffer with its text, constants, inputs and
// outputs. Not thread-safe. Its buffer ends with a PerfRecord for each node.
class DspGraph {
 public:
  // Hands the graph over: copies it to a new buffer, attaches that and creates
  // the graph in it. `writer` is not needed afterwards. `session` must outlive
  // the graph. REQUIRES: writer.Plan() succeeded. Errors:
  // MACE_OUT_OF_RESOURCES; of the transport; of Session::Call. After an error
  // the buffer is detached again.
  static Result<std::unique_ptr<DspGraph>> Create(Session* session,
                                                  const GraphWriter& writer);
  // Frees the graph and the buffer on the DSP; errors of that are ignored.
  ~DspGraph();

  // Returns where a range of the writer lies in the buffer: where the host
  // writes an input before Run, and reads an output after it. Valid as long as
  // the graph.
  uint8_t* at(const BufferRange& range) {
    return buffer_->data() + range.offset;
  }
  // Runs all nodes and waits. Keeps other graphs of the session waiting. With a
  // `cancellation`, the graph goes to the DSP in at most kPieces requests, and
  // `cancellation` is checked before each; a request itself cannot be ended.
  // Outputs have undefined values after an error. Errors: MACE_CANCELLED; of
  // Session::Call.
  Status Run(const Cancellation* cancellation = nullptr);
  static constexpr uint32_t kPieces = 16;

  // Packets of instructions of the latest Run, in emulation; and of each node
  // in it, in the order of the writer. Errors: of Session::Call.
  uint32_t packets() const { return packets_; }
  Result<std::vector<PerfRecord>> Perf();

 private:
  DspGraph() = default;
  // `count` nodes from `first` on; 0: all that follow.
  Status RunPiece(uint32_t first, uint32_t count);

  Session* session_ = nullptr;
  std::unique_ptr<SharedBuffer> buffer_;
  bool is_attached_ = false, is_created_ = false;
  uint32_t buffer_id_ = 0, graph_id_ = 0;
  uint32_t perf_offset_ = 0;
  uint32_t num_nodes_ = 0;
  uint32_t packets_ = 0;
};

}  // namespace mace::hexagon

#endif  // MACE_HEXAGON_SESSION_SESSION_H_
