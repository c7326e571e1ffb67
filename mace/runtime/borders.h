// Where a plan's inputs and outputs go over to a device with images.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_RUNTIME_BORDERS_H_
#define MACE_RUNTIME_BORDERS_H_

#include <string>
#include <vector>

#include "mace/plan/plan.h"

namespace mace {

// A graph input and its upload, or a graph output and its download.
struct Border {
  int step = -1;            // the convert; -1: there is none
  std::string obstacle;     // why memory of the device cannot take the host's
                            // place; empty: it can
  std::string no_image;     // the same for images only
  std::vector<int> images;  // values that are the tensor's image, or rename it
};

std::vector<Border> InputBorders(const Plan& plan);
std::vector<Border> OutputBorders(const Plan& plan);

}  // namespace mace

#endif  // MACE_RUNTIME_BORDERS_H_
