// Plan: all of a conversion that does not depend on the values of pixels.
// SPDX-License-Identifier: Apache-2.0
//
// In the stored image, "across" is along its rows and "down" along its
// columns. An upright image is resized along its rows first and the result,
// in whole numbers, along its columns. Where it lies on its side that is down
// first and then across, and each line that results is a column of the tensor:
// nothing is ever transposed but the tensor's own pixels.
//
//   rows of the image -> across -> down -> rows of the tensor
//   rows of the image -> down -> across -> columns of the tensor  (on its
//   side)
#ifndef MACE_IMAGE_PLAN_H_
#define MACE_IMAGE_PLAN_H_

#include <cstddef>
#include <cstdint>

#include "mace/base/large_array.h"
#include "mace/base/status.h"
#include "mace/image/geometry.h"
#include "mace/image/reader.h"
#include "mace/image/row_kernels.h"
#include "mace/image/taps.h"

namespace mace::image {

// Where things lie in the scratch memory of a strip, in bytes; each begins at a
// multiple of kAlignment. A row that `across` reads has at least the pixels of
// one output's groups of taps, which the row kernels read as a whole.
struct ScratchLayout {
  size_t raw = 0;     // a row of the image, as PixelReader gives it
  size_t reader = 0;  // PixelReader's own
  size_t lines = 0;   // before `down`: 1, or Plan::kRing that are kept
  size_t sums = 0;    // lines of 32-bit sums
  size_t done = 0;    // a line after `down`
  size_t across = 0;  // and after `across`, if that comes last
  size_t size = 0;
};

// Lines are combined downwards in one of three ways:
//   down.copy      each output is a copy of one line
//   num_sums == 0  outputs have at most kRing inputs: the last kRing lines are
//                  kept, and an output is computed once it has all its inputs
//   num_sums > 0   each line is added, as it comes, to the sums of all outputs
//                  that need it, of which at most num_sums are in progress
// Movable: `read` and `packed` point to elements of the arrays, whose addresses
// a move does not change.
struct Plan {
  // Lines that are kept where few are summed at a time.
  static constexpr size_t kRing = 8;

  Geometry geometry;
  bool gray = false;    // pixels are 1 byte on their way, not 4
  bool direct = false;  // as PixelReader::direct()
  Axis across, down;
  LargeArray<int32_t> columns, rows;  // of used[i] of the axes, in the image
  Columns read;                       // of each row; may point to columns
  bool read_backwards = false;        // a contiguous row, from its end

  // The memory of `packed`.
  LargeArray<int32_t> packed_first;
  LargeArray<int16_t> packed_weights;
  PackedTaps packed = {};  // of `across`, unless it only copies
  // Whether the row kernels that mix two pixels or two rows will do: outputs
  // have at most two taps (Taps::are_pairs), and, across, pixels have 4 bytes.
  bool mix_across = false, mix_down = false;

  size_t line_bytes = 0;  // of a line that is summed down
  size_t num_sums = 0;    // sums in progress at once; 0: lines are kept, or
                          // copied
  ScratchLayout scratch;

  size_t pixel_bytes() const { return gray ? 1 : 4; }
  // The pixels that the row kernel of `across` reads at once: a multiple of it
  // is read from each first tap on.
  size_t group() const {
    return mix_across ? kPair : gray ? kGroupOf1 : kGroupOf4;
  }
};

// Makes the plan. Its size is linear in the sides of the crop and the tensor.
// REQUIRES: the geometry is that of a checked image and input. Errors:
// MACE_OUT_OF_RESOURCES.
Result<Plan> MakePlan(MaceImageFilter filter, const Geometry& geometry,
                      bool gray, bool direct);

}  // namespace mace::image

#endif  // MACE_IMAGE_PLAN_H_
