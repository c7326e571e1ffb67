// The row kernels without vectors.
// SPDX-License-Identifier: Apache-2.0

#include "mace/image/row_kernels_plain.h"
#include "mace/image/row_kernels_table.h"

namespace mace::image {
namespace {

bool RunsHere() { return true; }

void YuvToRgbx(const YuvRow& row, const YuvWeights& weights, size_t n,
               uint8_t* out) {
  PlainYuvToRgbx(row, weights, 0, n, out);
}
void RgbToRgbx(const uint8_t* in, size_t n, uint8_t* out) {
  PlainRgbToRgbx(in, 0, n, out);
}
void RgbxToGray(const uint8_t* in, size_t n, size_t red, uint8_t* out) {
  PlainRgbxToGray(in, 0, n, red, out);
}

}  // namespace

const RowKernels kScalarRows = {"scalar",
                                RunsHere,
                                YuvToRgbx,
                                RgbToRgbx,
                                RgbxToGray,
                                PlainSum<4, kGroupOf4>,
                                PlainSum<1, kGroupOf1>,
                                PlainBeginSum,
                                PlainAddToSum,
                                PlainEndSum};

}  // namespace mace::image
