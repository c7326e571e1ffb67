// ProgramPool: compiled OpenCL programs, each made once and shared by engines.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPENCL_DRIVER_PROGRAM_POOL_H_
#define MACE_OPENCL_DRIVER_PROGRAM_POOL_H_

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "mace/opencl/driver/cl_context.h"

namespace mace::opencl {

// "-D" of the compiler: names and values.
using Defines = std::map<std::string, std::string>;

// prelude.cl and one more .cl file, for one set of defines.
struct Program {
  std::string source;      // the file's name without .cl
  std::string options;     // of the compiler
  ClProgramHandle handle;  // null until built

  // What distinguishes it from other programs of the same device.
  std::string key() const { return source + " " + options; }
};

// Binaries of programs by key, kept by someone else.
class BinaryStore {
 public:
  virtual ~BinaryStore() = default;
  // Empty: there is none. What it gives is whole and of this device.
  virtual std::vector<unsigned char> Find(const std::string& key) = 0;
  virtual void Insert(const std::string& key,
                      const std::vector<unsigned char>& binary) = 0;
  virtual void Flush() = 0;
};

struct BuildOptions {
  BinaryStore* store = nullptr;  // null: everything is compiled
  int num_threads = 1;
  // Called after each program, from one thread at a time; may be empty.
  std::function<void(int done, int total)> progress;
};

// Thread-safe.
class ProgramPool {
 public:
  explicit ProgramPool(const ClContext& context) : context_(context) {}

  // The program, which the next Build makes if no earlier one did.
  // Errors: MACE_INTERNAL_ERROR if there is no such file.
  Result<std::shared_ptr<Program>> Get(const std::string& source,
                                       const Defines& defines);

  // Makes every program asked for and still wanted, in parallel.
  // Errors: MACE_RUNTIME_ERROR with the compiler's words,
  // MACE_OUT_OF_RESOURCES.
  Status Build(const BuildOptions& options);

  // Programs compiled from their source, and made from binaries, so far.
  int num_compiled() const;
  int num_loaded() const;

 private:
  Status BuildOne(Program& program, BinaryStore* store);
  bool LoadBinary(Program& program, BinaryStore* store);
  Status Compile(Program& program);
  void Keep(const Program& program, BinaryStore* store);

  const ClContext& context_;
  std::mutex build_mutex_;    // held while building
  mutable std::mutex mutex_;  // guards what follows
  std::mutex store_mutex_;    // one thread at a time uses a store
  std::map<std::string, std::shared_ptr<Program>> programs_;
  int num_compiled_ = 0;
  int num_loaded_ = 0;
};

}  // namespace mace::opencl

#endif  // MACE_OPENCL_DRIVER_PROGRAM_POOL_H_
