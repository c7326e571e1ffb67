// Settings of the runtime: GPU hints and caches, threads and cores.
// SPDX-License-Identifier: Apache-2.0
//
// The free functions here set defaults for engines created afterwards with
// CreateMaceEngineFromProto and CreateMaceEngineFromCode; a MaceEngineConfig
// overrides them per engine. They may be called from any thread.
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

// A store of byte strings by name, for compiled OpenCL programs. Thread-safe.
class MACE_API KVStorage {
 public:
  virtual ~KVStorage() = default;
  // Reads what was flushed before; a store that does not exist yet is empty.
  // Returns 0, or -1 on an error.
  virtual int Load() = 0;
  virtual bool Insert(const std::string& key,
                      const std::vector<unsigned char>& value) = 0;
  // Null if there is none; valid until the next Insert of that key.
  virtual const std::vector<unsigned char>* Find(const std::string& key) = 0;
  // Makes all insertions durable. Returns 0, or -1 on an error.
  virtual int Flush() = 0;
};

class MACE_API KVStorageFactory {
 public:
  virtual ~KVStorageFactory() = default;
  virtual std::unique_ptr<KVStorage> CreateStorage(const std::string& name) = 0;
};

// Stores in the files of a folder, which must be there: a store's file is
// `folder`, a "/" unless that ends with one, and the store's name. The store
// named "" is the file `folder` itself.
class MACE_API FileStorageFactory : public KVStorageFactory {
 public:
  explicit FileStorageFactory(const std::string& folder);
  explicit FileStorageFactory(const char* folder)
      : FileStorageFactory(StringOrEmpty(folder)) {}
  FileStorageFactory(const FileStorageFactory&) = delete;
  FileStorageFactory& operator=(const FileStorageFactory&) = delete;
  ~FileStorageFactory() override;
  std::unique_ptr<KVStorage> CreateStorage(const std::string& name) override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// Where compiled OpenCL programs are kept between processes.
MACE_API void SetKVStorageFactory(
    std::shared_ptr<KVStorageFactory> storage_factory);
MACE_API void ConfigKVStorageFactory(
    std::shared_ptr<KVStorageFactory> storage_factory);

// Files with OpenCL programs compiled ahead; the first that exists is used.
MACE_API void SetOpenCLBinaryPaths(const std::vector<std::string>& paths);

// Qualcomm Adreno only; ignored elsewhere.
MACE_API void SetGPUHints(GPUPerfHint perf_hint, GPUPriorityHint priority_hint);

// `num_threads_hint` <= 0: as many threads as the policy has cores.
// Errors: MACE_INVALID_ARGS for an unknown policy and more than 1024 threads.
MACE_API MaceStatus SetOpenMPThreadPolicy(int num_threads_hint,
                                          CPUAffinityPolicy policy);

// Uses `num_threads` threads on exactly these cores. More than 1024 threads,
// and a core that there cannot be, are errors when an engine is created.
MACE_API void SetOpenMPThreadAffinity(int num_threads,
                                      const std::vector<int>& cpu_ids);

// The cores with the highest and with the lowest maximum frequency; all cores
// in both where they do not differ. Errors: MACE_INVALID_ARGS for null.
MACE_API MaceStatus GetBigLittleCoreIDs(std::vector<int>* big_core_ids,
                                        std::vector<int>* little_core_ids);

}  // namespace mace

#endif  // MACE_PUBLIC_MACE_RUNTIME_H_
