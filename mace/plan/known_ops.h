// KnownOps: the ops that an engine may run, the app's own among them.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PLAN_KNOWN_OPS_H_
#define MACE_PLAN_KNOWN_OPS_H_

#include <map>
#include <memory>
#include <set>
#include <string>

#include "mace/base/status.h"
#include "mace/graph/graph.h"
#include "mace/ops/common/custom_op.h"

namespace mace {

class KnownOps {
 public:
  // As MaceOpResolver. Errors: MACE_INVALID_ARGS for a custom op whose name is
  // taken, or an op that this library does not have; those of CustomOp::Create.
  Status AddCustom(const mace_op_registration_t& op);
  Status AddBuiltin(const std::string& name);

  // Drops dead nodes, and calls the op's init for each remaining node of a
  // custom op; does nothing if no op was added. Does not look at subgraphs.
  // Errors: MACE_UNSUPPORTED if AddBuiltin was called, but not for the op of
  // some node that this library has; those of the custom ops.
  Status Resolve(Graph& graph) const;

 private:
  std::map<std::string, std::shared_ptr<const CustomOp>> custom_;
  std::set<std::string> builtin_;  // empty: all
};

}  // namespace mace

#endif  // MACE_PLAN_KNOWN_OPS_H_
