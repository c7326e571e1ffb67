// Finding the first node whose outputs hold NaN or infinity, and why fp16
// may be to blame.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_RUNTIME_NUMERIC_CHECK_H_
#define MACE_RUNTIME_NUMERIC_CHECK_H_

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "mace/base/large_array.h"
#include "mace/base/status.h"
#include "mace/plan/plan.h"

namespace mace {

// Looks at tensors while a plan runs. Not thread-safe.
class NumericCheck {
 public:
  // `plan` must outlive it. Errors: of the device that has the images.
  static Result<std::unique_ptr<NumericCheck>> Create(const Plan& plan);

  // Errors: MACE_INVALID_ARGS, with the first place, if the caller's tensor
  // of graph input `index` holds NaN or infinity.
  Status CheckInput(int index, const void* data) const;

  // To be called after each step, with its arguments.
  // Errors: MACE_RUNTIME_ERROR, naming node, tensor, place, value and cure, if
  // an output holds NaN or infinity, or of fp16 the largest; of the device.
  Status CheckStep(size_t step, const RunArgs& args);

 private:
  // How an output of a step comes to the host; null: it is there.
  struct Look {
    KernelPtr download;
    LargeArray<float> host;
  };

  explicit NumericCheck(const Plan& plan) : plan_(plan) {}
  Status AddLooks(const Step& step);
  Status Found(const Step& step, size_t output, const std::string& what,
               bool is_too_large) const;
  std::string CureOf(const Step& step, int value, bool is_too_large) const;

  const Plan& plan_;
  std::vector<std::vector<Look>> looks_;  // by step and output
};

// Errors: MACE_INVALID_ARGS for a name that no node of the graph has.
Status CheckNodeNames(const Graph& graph,
                      const std::vector<std::string>& names);

}  // namespace mace

#endif  // MACE_RUNTIME_NUMERIC_CHECK_H_
