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

void Mix4(const uint8_t* row, const PackedTaps& taps, uint8_t* out) {
  PlainMix4(row, taps, 0, out);
}
void MixRows(const uint8_t* a, const uint8_t* b, size_t n, int16_t of_a,
             int16_t of_b, uint8_t* out) {
  PlainMixRows(a, b, 0, n, of_a, of_b, out);
}
void EndSums(const int32_t* sums, size_t n, uint8_t* out) {
  PlainEndSum(sums, 0, n, out);
}

}  // namespace

const RowKernels kScalarRows = {"image_rows__scalar",
                                RunsHere,
                                YuvToRgbx,
                                RgbToRgbx,
                                RgbxToGray,
                                PlainSum<4, kGroupOf4>,
                                PlainSum<1, kGroupOf1>,
                                Mix4,
                                MixRows,
                                PlainBeginSum,
                                PlainAddToSum,
                                EndSums};

}  // namespace mace::image
