// Library: the vendor's hexagon_nn, opened once in a process.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_HEXAGON_NNLIB_LIBRARY_H_
#define MACE_HEXAGON_NNLIB_LIBRARY_H_

#include <cstdint>
#include <memory>
#include <string>

#include "mace/base/status.h"
#include "mace/hexagon/nnlib/abi.h"
#include "mace/hexagon/nnlib/ops.h"

namespace mace::hexagon::nnlib {

// What MACE's newest releases call it.
constexpr char kLibraryName[] = "libhexagon_controller.so";

struct LibraryOptions {
  std::string path = kLibraryName;  // looked up as dlopen does
  // Ask for a process domain on the DSP that needs no signed code.
  bool unsigned_pd = false;
  // How fast the DSP shall be: a power level, whether clocks follow the load,
  // and the longest wake-up time. Without effect if the library lacks
  // set_clocks.
  int corner = 1;  // hexagon_nn_corner_type of the host's side
  bool dcvs = true;
  uint32_t latency_us = 100;
};

// Thread-safe. The file stays open until the process ends, as the DSP's process
// does; the vote for a clock goes with the last Library of a file.
class Library {
 public:
  // Opens the library, unless the process has, and configures it. Errors, each
  // with the cure: MACE_UNSUPPORTED if the library, a function, its skeleton on
  // the DSP, a permission or an op is missing, the version is another one, a
  // graph could not be prepared before (GiveUp), or this process is a fork of
  // the one that opened the library.
  static Result<std::shared_ptr<Library>> Open(const LibraryOptions& options);
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  const NnApi& api() const;
  uint32_t version() const { return version_; }
  // The number of an operation in this version of the library.
  uint32_t id(Op op) const { return ids_[op]; }
  // Whether the library takes the corner, DCVS and the latency, and graph
  // modes.
  bool has_power() const { return api().set_clocks != nullptr; }
  bool has_modes() const { return api().set_graph_mode != nullptr; }

  // MACE_RUNTIME_ERROR once a graph could not be prepared (GiveUp): the library
  // then keeps a lock for as long as its process on the DSP lives, and the next
  // call to prepare or to execute would never return. Counts for all objects of
  // the same file.
  Status CheckUsable() const;
  void GiveUp(const Status& why);

  // Forgets all that this process knows of the libraries that it opened, as a
  // new process would. For tests. REQUIRES: no Library exists.
  static void ForgetAllForTest();

  struct File;  // what a process knows of a library

 private:
  explicit Library(File* file) : file_(file) {}
  // The steps of Open, and Stop for what they did. TheMutex of library.cc is
  // held.
  Status Start(const LibraryOptions& options);
  Status RequestUnsigned();
  Status CheckVersion();
  void Stop();

  // Never freed, but by ForgetAllForTest.
  File* const file_;
  uint32_t version_ = 0;
  uint32_t ids_[kNumOps] = {};
  bool is_user_ = false, has_clocks_ = false;
};

// A status for a call that returned `code`, which is not 0; `log` is what the
// library logged, or empty. MACE_OUT_OF_RESOURCES if the DSP has no memory,
// MACE_RUNTIME_ERROR otherwise.
Status CallError(const char* call, int code, const std::string& log);

}  // namespace mace::hexagon::nnlib

#endif  // MACE_HEXAGON_NNLIB_LIBRARY_H_
