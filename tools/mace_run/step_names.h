// Names of steps, short enough for tables.
// SPDX-License-Identifier: Apache-2.0
#ifndef TOOLS_MACE_RUN_STEP_NAMES_H_
#define TOOLS_MACE_RUN_STEP_NAMES_H_

#include <string>
#include <vector>

#include "tools/mace_run/statistics.h"

namespace mace::tools {

// A step of several nodes bears all their names: "a/b + a/c + a/d". With
// `fold` it becomes "[3] d", the last of three, without the path that most
// names of the model begin with.
class StepNames {
 public:
  StepNames(const std::vector<OpTimes>& ops, bool fold);

  std::string Of(const OperatorStats& op) const;

  // Lines that say how to read such names; empty if all are whole.
  std::string Note() const;

 private:
  bool fold_;
  bool folded_ = false;  // some step is of several nodes
  std::string path_;     // with its last slash
};

}  // namespace mace::tools

#endif  // TOOLS_MACE_RUN_STEP_NAMES_H_
