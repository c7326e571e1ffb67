// Asynchronous runs in a library without the component `interfaces`.
// SPDX-License-Identifier: Apache-2.0

#include "mace/base/components.h"
#include "mace/public/mace_async.h"

namespace mace {

class MaceAsyncRuns::Impl {};

MaceStatus MaceAsyncRuns::Create(std::shared_ptr<MaceEngine>, int,
                                 std::shared_ptr<MaceAsyncRuns>* runs) {
  if (runs != nullptr) runs->reset();
  return AbsentComponent("MaceAsyncRuns", "interfaces");
}

MaceAsyncRuns::~MaceAsyncRuns() = default;

// Create makes no object that would have these.
MaceStatus MaceAsyncRuns::RunAsync(std::map<std::string, MaceTensor>,
                                   std::map<std::string, MaceTensor>,
                                   MaceRunCallback,
                                   std::shared_ptr<const MaceDeadline>) {
  return AbsentComponent("MaceAsyncRuns", "interfaces");
}

void MaceAsyncRuns::Close() {}

int MaceAsyncRuns::pending() const { return 0; }

}  // namespace mace
