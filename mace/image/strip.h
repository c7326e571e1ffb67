// ConvertLines: some lines of a tensor from an image, by a plan.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_IMAGE_STRIP_H_
#define MACE_IMAGE_STRIP_H_

#include <cstdint>

#include "mace/image/output.h"
#include "mace/image/plan.h"
#include "mace/image/reader.h"
#include "mace/image/row_kernels.h"

namespace mace::image {

// What all strips of a conversion share. The references must outlive it;
// nothing but the tensor is written.
struct Conversion {
  const Plan& plan;
  const RowKernels& kernels;
  const PixelReader& reader;
  const Output& output;
  Output::Order order;
  void* tensor;
};

// Computes and writes lines [begin, end) of the content: rows of the tensor, or
// columns if the image lies on its side. `scratch` has plan.scratch.size bytes
// at a 64-byte boundary, for this call alone. Lines do not depend on where
// strips begin and end, so the tensor is the same with any number of threads; a
// strip reads again the rows that it shares with the one before.
void ConvertLines(const Conversion& conversion, int begin, int end,
                  uint8_t* scratch);

}  // namespace mace::image

#endif  // MACE_IMAGE_STRIP_H_
