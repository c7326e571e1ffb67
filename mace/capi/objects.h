// What is behind the opaque types of mace_c.h that several files use.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CAPI_OBJECTS_H_
#define MACE_CAPI_OBJECTS_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mace/public/mace.h"
#include "mace/public/mace_c.h"

struct mace_model {
  std::shared_ptr<mace::MaceModel> model;
};

struct mace_config {
  mace::MaceEngineConfig config;
};

struct mace_engine {
  std::shared_ptr<mace::MaceEngine> engine;
};

struct mace_cancellation {
  mace::MaceDeadline cancellation;
};

struct mace_tensors {
  std::map<std::string, mace::MaceTensor> tensors;
};

struct mace_tensor_infos {
  std::vector<mace::MaceTensorInfo> infos;
};

struct mace_gpu_context {
  std::shared_ptr<mace::GPUContext> context;
};

struct mace_run_metadata {
  mace::RunMetadata metadata;
};

// A record is texts, and a number of some of them.
struct mace_records {
  struct Record {
    std::vector<std::string> texts;
    int64_t macs = 0;
  };
  std::vector<Record> records;
};

struct mace_memory_usage {
  mace::MaceMemoryUsage usage;
  mace::MaceMemoryTotals totals;
};

namespace mace::capi {

// Stores `infos` as an object of the caller.
mace_status_t StoreInfos(std::vector<MaceTensorInfo> infos,
                         mace_tensor_infos_t** stored);

}  // namespace mace::capi

#endif  // MACE_CAPI_OBJECTS_H_
