// Where the inputs and outputs of a plan cross between the host and a device
// with images.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_RUNTIME_EXECUTOR_BOUNDARY_CONVERTS_H_
#define MACE_RUNTIME_EXECUTOR_BOUNDARY_CONVERTS_H_

#include <string>
#include <vector>

#include "mace/plan/types/plan.h"

namespace mace {

// How one graph input is uploaded, or one graph output is downloaded.
struct BoundaryConvert {
  int step = -1;  // of the Upload or Download; -1: none
  // Why the caller cannot pass memory of the device instead of host memory.
  // Empty: it can.
  std::string obstacle;
  // Why it cannot pass an image, though it may pass a buffer. Empty: it can.
  std::string no_image;
  std::vector<int> images;  // the value of the image, and its views
};

// Return the converts by graph input or output. If the CPU, or a copy to the
// caller, touches the host's memory of the tensor as well, that is an obstacle.
std::vector<BoundaryConvert> InputConverts(const Plan& plan);
std::vector<BoundaryConvert> OutputConverts(const Plan& plan);

}  // namespace mace

#endif  // MACE_RUNTIME_EXECUTOR_BOUNDARY_CONVERTS_H_
