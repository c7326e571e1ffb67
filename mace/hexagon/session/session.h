// Session: a connection to an executor on a DSP, and the graphs in it.
// SPDX-License-Identifier: Apache-2.0
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

// Memory that the host and the DSP see.
class SharedBuffer {
 public:
  virtual ~SharedBuffer() = default;
  virtual uint8_t* data() = 0;
  virtual uint32_t bytes() const = 0;
  // What kAttach tells the DSP of it: args 0 to 2.
  virtual void Describe(Message* attach) const = 0;
};

// How messages and memory reach the DSP.
class Transport {
 public:
  virtual ~Transport() = default;
  virtual Result<std::unique_ptr<SharedBuffer>> NewBuffer(uint32_t bytes) = 0;
  // Sends a request and puts the answer in its place. Errors:
  // MACE_RUNTIME_ERROR if none comes; no later call succeeds then.
  virtual Status Exchange(Message* message) = 0;
};

// Thread-safe. Graphs must go before their session.
class Session {
 public:
  // Asks for the DSP's version. Errors: of the transport; MACE_UNSUPPORTED if
  // the DSP speaks another version.
  static Result<std::unique_ptr<Session>> Create(
      std::unique_ptr<Transport> transport);

  // One request; an error of the DSP becomes a status.
  Status Call(Message* message);
  Transport* transport() { return transport_.get(); }

  // In how many slices nodes should run: the DSP's hardware threads. An
  // emulator has one; tests ask for more.
  int slices() const { return slices_; }
  void set_slices(int slices) { slices_ = slices; }
  // Held while a graph runs, which may be several requests: graphs share VTCM.
  Mutex& run_mutex() { return run_mutex_; }

 private:
  explicit Session(std::unique_ptr<Transport> transport)
      : transport_(std::move(transport)) {}

  Mutex mutex_, run_mutex_;
  std::unique_ptr<Transport> transport_;
  int slices_ = 1;
};

// "bad parameter", ...
const char* ToString(DspError error);

// A graph on the DSP. Not thread-safe.
class DspGraph {
 public:
  // Hands the graph over. `writer` is planned. Errors: MACE_OUT_OF_RESOURCES;
  // of the transport.
  static Result<std::unique_ptr<DspGraph>> Create(Session* session,
                                                  const GraphWriter& writer);
  ~DspGraph();

  // Where the host writes an input before Run, and reads an output after it.
  uint8_t* at(const BufferRange& range) {
    return buffer_->data() + range.offset;
  }
  // `cancellation`, if there is one, is looked at between pieces of the graph,
  // of which there are at most kPieces. Errors: MACE_CANCELLED; of the
  // transport.
  Status Run(const Cancellation* cancellation = nullptr);
  static constexpr uint32_t kPieces = 16;

  // Packets of the latest Run, and of each node in it.
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
