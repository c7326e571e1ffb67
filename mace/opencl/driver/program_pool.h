// ProgramPool: compiled OpenCL programs, each built once and shared by engines.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPENCL_DRIVER_PROGRAM_POOL_H_
#define MACE_OPENCL_DRIVER_PROGRAM_POOL_H_

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "mace/base/fork.h"
#include "mace/base/str_cat.h"
#include "mace/opencl/driver/cl_context.h"

namespace mace::opencl {

// Names and values of the compiler's -D options.
using Defines = std::map<std::string, std::string>;

// The text of prelude.cl and of one more .cl file, with one set of defines.
struct Program {
  std::string source;      // the file's name without .cl
  std::string options;     // of the compiler
  ClProgramHandle handle;  // null until built

  // Tells the program from all others of the same device.
  std::string key() const { return StrCat(source, " ", options); }
};

// Stores binaries of programs by Program::key. The pool calls it from one
// thread at a time.
class BinaryStore {
 public:
  virtual ~BinaryStore() = default;
  // Returns an intact binary for this device, or an empty vector.
  virtual std::vector<unsigned char> Find(const std::string& key) = 0;
  // May do nothing; a binary that is lost is compiled again. Flush writes what
  // was inserted, after all programs of a Build.
  virtual void Insert(const std::string& key,
                      const std::vector<unsigned char>& binary) = 0;
  virtual void Flush() = 0;
};

struct BuildOptions {
  BinaryStore* store = nullptr;  // null: always compile
  // The maximum number of programs that are compiled at a time, each by a
  // thread of its own, the caller's included.
  int num_threads = 1;
  // If not empty, called after each program, built or not, by one thread at a
  // time.
  std::function<void(int done, int total)> progress;
};

// Thread-safe. Programs that were built stay as long as the pool.
class ProgramPool {
 public:
  explicit ProgramPool(const ClContext& context) : context_(context) {}

  // Returns the program of a file and defines, which all callers share; if no
  // earlier Build made it, the next one does. Errors: MACE_INTERNAL_ERROR if
  // there is no such file.
  Result<std::shared_ptr<Program>> Get(const std::string& source,
                                       const Defines& defines);

  // Builds, in parallel, all programs that Get returned and that are still
  // referenced; forgets the others that were not built. Loads from the store
  // what the driver accepts, and compiles the rest. Goes on after an error
  // (except MACE_CANCELLED) and returns the first one, also if only another
  // engine requested that program; what could be built is. One Build runs at a
  // time.
  // Errors: those of the driver, with the compiler's log if it refuses a
  // program; MACE_CANCELLED.
  Status Build(const BuildOptions& options);

  // How many programs were compiled from source, and how many were loaded from
  // binaries, so far.
  int num_compiled() const;
  int num_loaded() const;

 private:
  Status BuildOne(Program& program, BinaryStore* store);
  bool LoadBinary(Program& program, BinaryStore* store);
  Status Compile(Program& program);
  void Keep(const Program& program, BinaryStore* store);

  const ClContext& context_;
  Mutex build_mutex_;    // held while building
  mutable Mutex mutex_;  // guards programs_ and the counts
  Mutex store_mutex_;    // held while using a store
  std::map<std::string, std::shared_ptr<Program>> programs_;
  int num_compiled_ = 0;
  int num_loaded_ = 0;
};

}  // namespace mace::opencl

#endif  // MACE_OPENCL_DRIVER_PROGRAM_POOL_H_
