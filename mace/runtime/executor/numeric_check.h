// Finds the first node whose outputs hold NaN or infinity, and says whether
// fp16 may be to blame.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_RUNTIME_EXECUTOR_NUMERIC_CHECK_H_
#define MACE_RUNTIME_EXECUTOR_NUMERIC_CHECK_H_

#include <memory>
#include <string>
#include <vector>

#include "mace/base/large_array.h"
#include "mace/base/status.h"
#include "mace/plan/types/plan.h"

namespace mace {

// Looks at tensors while a plan runs. Not thread-safe.
class NumericCheck {
 public:
  // `plan` must outlive the object. Errors: those of the device that has the
  // images; MACE_OUT_OF_RESOURCES; MACE_UNSUPPORTED if this library checks no
  // numbers.
  static Result<std::unique_ptr<NumericCheck>> Create(const Plan& plan);

  // Errors: MACE_INVALID_ARGS, with the first position, if the caller's memory
  // of graph input `index` holds NaN or infinity.
  Status CheckInput(int index, const void* data) const;

  // Must be called after each step, with the arguments of the step. Errors:
  // MACE_RUNTIME_ERROR if an output holds NaN, infinity or, in fp16, the
  // largest value; the message names the node, the tensor, the position, the
  // value and the cure. Also those of the device.
  Status CheckStep(size_t step, const RunArgs& args);

 private:
  // How an output of a step is read on the host. `download` is null if it is
  // there already; else it converts an image to float32, into `host`.
  struct Look {
    KernelPtr download;
    LargeArray<float> host;
  };

  explicit NumericCheck(const Plan& plan) : plan_(plan) {}
  // Adds how to look at the outputs of the next step; called for all steps in
  // order.
  Status AddLooks(const Step& step);
  // Returns the error of CheckStep. `is_too_large`: `what` is no NaN, but
  // infinity or the largest fp16 value.
  Status Found(const Step& step, size_t output, const std::string& what,
               bool is_too_large) const;
  std::string CureOf(const Step& step, int value, bool is_too_large) const;

  const Plan& plan_;
  std::vector<std::vector<Look>> looks_;  // by step and output
};

}  // namespace mace

#endif  // MACE_RUNTIME_EXECUTOR_NUMERIC_CHECK_H_
