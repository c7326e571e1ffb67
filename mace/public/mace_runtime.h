// Process-wide settings: GPU hints, caches of compiled programs, CPU threads.
// SPDX-License-Identifier: Apache-2.0
//
// The functions here may be called from any thread. Those for CPU threads and
// GPU hints set the defaults of each MaceEngineConfig that is made afterwards;
// those for stores and precompiled programs hold for engines that are created
// afterwards. A MaceEngineConfig overrides them for its engines.
#ifndef MACE_PUBLIC_MACE_RUNTIME_H_
#define MACE_PUBLIC_MACE_RUNTIME_H_

#include <memory>
#include <string>
#include <vector>

#include "mace/public/mace_api.h"
#include "mace/public/status.h"

namespace mace {

enum GPUPerfHint {
  PERF_DEFAULT = 0,
  PERF_LOW = 1,
  PERF_NORMAL = 2,
  PERF_HIGH = 3
};

enum GPUPriorityHint {
  PRIORITY_DEFAULT = 0,
  PRIORITY_LOW = 1,
  PRIORITY_NORMAL = 2,
  PRIORITY_HIGH = 3
};

// Which cores the worker threads of an engine may run on.
enum CPUAffinityPolicy {
  AFFINITY_NONE = 0,
  AFFINITY_BIG_ONLY = 1,          // the cores of the highest frequency
  AFFINITY_LITTLE_ONLY = 2,       // the cores of the lowest frequency
  AFFINITY_HIGH_PERFORMANCE = 3,  // the cores above the average frequency
  AFFINITY_POWER_SAVE = 4,        // the others
};

// A store of byte strings by name, for compiled OpenCL programs and results of
// tuning and of tests. Implementations must be thread-safe.
class MACE_API KVStorage {
 public:
  virtual ~KVStorage() = default;
  // Reads what was flushed earlier. A store that does not exist yet is empty.
  // Returns 0, or -1 on an error.
  virtual int Load() = 0;
  // Copies a value, which replaces that of the same key. Returns whether it was
  // stored.
  virtual bool Insert(const std::string& key,
                      const std::vector<unsigned char>& value) = 0;
  // Returns null if the key is not in the store. The pointer is valid until the
  // next Insert of the same key.
  virtual const std::vector<unsigned char>* Find(const std::string& key) = 0;
  // Makes all insertions durable. Returns 0, or -1 on an error.
  virtual int Flush() = 0;
};

class MACE_API KVStorageFactory {
 public:
  virtual ~KVStorageFactory() = default;
  // Returns the store of this name, which may not exist yet. Null: what belongs
  // there is not kept. Several objects may exist for one name.
  virtual std::unique_ptr<KVStorage> CreateStorage(const std::string& name) = 0;
};

// Makes stores that are files. The store with the name "" is the file `path`.
// If `path` is a folder, ends in '/' or is empty (the current folder), the file
// of another store is `name` in it. Otherwise `path` is also the file of
// compiled OpenCL programs, and `path`.`name` that of another store; the folder
// around them must exist.
class MACE_API FileStorageFactory : public KVStorageFactory {
 public:
  explicit FileStorageFactory(const std::string& path);
  explicit FileStorageFactory(const char* path)
      : FileStorageFactory(StringOrEmpty(path)) {}
  FileStorageFactory(const FileStorageFactory&) = delete;
  FileStorageFactory& operator=(const FileStorageFactory&) = delete;
  ~FileStorageFactory() override;
  std::unique_ptr<KVStorage> CreateStorage(const std::string& name) override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// Sets where compiled OpenCL programs, results of tuning, and results of tests
// of micro-kernels and drivers are kept between processes. Null: nowhere, which
// is the default. Both functions do the same.
MACE_API void SetKVStorageFactory(
    std::shared_ptr<KVStorageFactory> storage_factory);
MACE_API void ConfigKVStorageFactory(
    std::shared_ptr<KVStorageFactory> storage_factory);

// Sets the files of precompiled OpenCL programs, which are searched in this
// order and before the store of SetKVStorageFactory. Files that do not exist
// are ignored.
MACE_API void SetOpenCLBinaryPaths(const std::vector<std::string>& paths);

// Sets hints for Qualcomm Adreno GPUs. Other GPUs ignore them. The GPU keeps
// the hints of the first engine of the process that uses it. A call with a hint
// that does not exist changes nothing.
MACE_API void SetGPUHints(GPUPerfHint perf_hint, GPUPriorityHint priority_hint);

// Sets the number of CPU threads and the cores they may run on. If
// `num_threads_hint` is 0 or negative, there is one thread for each core of the
// policy. Errors: MACE_INVALID_ARGS for an unknown policy or more than 1024
// threads.
MACE_API MaceStatus SetOpenMPThreadPolicy(int num_threads_hint,
                                          CPUAffinityPolicy policy);

// Sets the number of CPU threads and the exact cores they run on. If
// `num_threads` is 0 or negative, there is one thread for each core. No cores:
// those of the policy. Cores that the process may not use are left out, with a
// warning in the log; if none remains, all that it may use count. Creating an
// engine fails with MACE_INVALID_ARGS for more than 1024 threads or a core
// number that cannot exist.
MACE_API void SetOpenMPThreadAffinity(int num_threads,
                                      const std::vector<int>& cpu_ids);

// Stores the online cores with the highest and with the lowest maximum
// frequency. If all cores have the same, or it is unknown, both lists hold all
// of them. Errors: MACE_INVALID_ARGS if a pointer is null.
MACE_API MaceStatus GetBigLittleCoreIDs(std::vector<int>* big_core_ids,
                                        std::vector<int>* little_core_ids);

// Tries the driver of a GPU or a DSP, in a helper program of the app
// (MaceEngineConfig::SetDriverProbe): its main calls this with argv[1] and
// returns the result. Runs a small network on the device "gpu" or "dsp",
// compares the outputs with the CPU's, and writes the result to stdout. Returns
// 0 if the device is right; 1 if it is not; 2, with nothing on stdout, if it
// cannot be tried.
MACE_API int RunDriverProbe(const std::string& device);

}  // namespace mace

#endif  // MACE_PUBLIC_MACE_RUNTIME_H_
