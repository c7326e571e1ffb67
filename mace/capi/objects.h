// The opaque types of mace_c.h that several files use.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CAPI_OBJECTS_H_
#define MACE_CAPI_OBJECTS_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mace/public/mace.h"
#include "mace/public/mace_c.h"

// A function that creates an object allocates it with `new (std::nothrow)`, so
// that a lack of memory is an error and does not end the process (Made);
// destroy deletes the object. The C++ object inside lives on where others share
// it: once an engine is created, it needs neither its mace_model_t nor its
// mace_config_t. A function that gets an object checks it for null; it cannot
// notice an object that was destroyed.
struct mace_model {
  std::shared_ptr<mace::MaceModel> model;
};

struct mace_config {
  mace::MaceEngineConfig config;
};

struct mace_engine {
  std::shared_ptr<mace::MaceEngine> engine;
};

// A MaceDeadline, because without a call of Set it is a MaceCancellation.
struct mace_cancellation {
  mace::MaceDeadline cancellation;
};

// A mace_tensor_t* points to a MaceTensor in this map, whose elements do not
// move when others are added; the type mace_tensor_t is never defined.
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

// The placement of nodes or the tests of micro-kernels. `texts` are indexed by
// MACE_PLACEMENT_* or MACE_KERNEL_* of mace_c_stats.h; `macs` is 0 for tests of
// micro-kernels.
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

// Stores `infos` as a new object, which the app destroys. Errors: as Made; then
// *stored is null.
mace_status_t StoreInfos(std::vector<MaceTensorInfo> infos,
                         mace_tensor_infos_t** stored);

}  // namespace mace::capi

#endif  // MACE_CAPI_OBJECTS_H_
