// Taps: the pixels, and their weights, of which a filter makes each new one.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_IMAGE_TAPS_H_
#define MACE_IMAGE_TAPS_H_

#include <cstdint>

#include "mace/base/large_array.h"
#include "mace/base/status.h"
#include "mace/public/mace_image.h"

namespace mace::image {

// Weights are in units of 2^-22; 1 << kWeightBits is 1.
constexpr int kWeightBits = 22;
// The unit of the two weights of BILINEAR_2X2 is 2^-11: exact enough for pixels
// of 8 bits, and it takes one multiplication instead of two.
constexpr int kPairBits = 11;

// Along one axis: output i is the sum of inputs first[i] and the count[i] - 1
// that follow it, times their weights, rounded to the nearest and kept from 0
// to 255. Weights add up to 1 but for rounding.
// inputs    0   1   2   3   4   5   6
//                |___|___|               first[i] = 1, count[i] = 3
// output i           o                   weights_of(i)[0 .. 2]
struct Taps {
  int out = 0;
  int most = 0;  // the largest of `count`
  LargeArray<int32_t> first, count;
  LargeArray<int32_t> weights;  // [out][most]

  // Whether `most` is 2, and all weights are multiples of 2^-11 that are not
  // negative: each output is a mix of two pixels.
  bool are_pairs() const;

  // Returns `most` weights of output i, of which count[i] are in use.
  const int32_t* weights_of(int i) const {
    return weights.data() + static_cast<size_t>(i) * static_cast<size_t>(most);
  }
};

// Makes the taps of a resize from `in` pixels to `out`. Neither the first nor
// the last input of an output lies before that of the output before it. Where
// each output is one input, `most` is 1. NEAREST, BILINEAR and BICUBIC are
// Pillow's filters of these names, with its rounding; taps.cc names the
// sources. REQUIRES: in, out > 0. Errors: MACE_OUT_OF_RESOURCES.
Result<Taps> MakeTaps(MaceImageFilter filter, int in, int out);

// An axis, and the inputs that it reads.
struct Axis {
  Taps taps;  // `first` counts in `used`
  // Positions of the inputs, ascending. Where `copy`, one for each output.
  LargeArray<int32_t> used;
  bool copy = false;   // each output is one input
  bool dense = false;  // used[i] == used[0] + i
};

// Makes an axis. If it copies, `used` has only the inputs that outputs need.
// Otherwise it leaves the others out if those needed are at most 1 / `density`
// of all: to gather few pixels is then cheaper than to convert all. REQUIRES:
// in, out, density > 0. Errors: MACE_OUT_OF_RESOURCES.
Result<Axis> MakeAxis(MaceImageFilter filter, int in, int out, int density);

}  // namespace mace::image

#endif  // MACE_IMAGE_TAPS_H_
