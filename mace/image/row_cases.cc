// The cases of row kernels.
// SPDX-License-Identifier: Apache-2.0

#include "mace/image/row_cases.h"

#include <cstring>
#include <initializer_list>

#include "mace/base/hash.h"

namespace mace::image {
namespace {

// More than one of the widest vectors, and a rest.
constexpr size_t kPixels = 37, kBytes = 4 * kPixels;
constexpr size_t kTaps = 5, kGroups = 2;

// Of what the kernels compute, as row_kernels_test compares them with.
constexpr uint64_t kHashOfResults = 0xc2589bf67960430e;

struct RowInputs {
  uint8_t bytes[2 * kBytes];
  int16_t weights[kTaps * kGroups * 2 * kGroupOf1];
};

// Writes what all functions compute, one behind the other.
void RunAll(const RowKernels& k, const RowInputs& inputs, uint8_t* out) {
  const uint8_t* const in = inputs.bytes;
  constexpr YuvWeights kYuv = {16, 9539, 14686, -1747, -4366, 17305};
  for (const Chroma chroma : {Chroma::kEach, Chroma::kHalf, Chroma::kPairs}) {
    const size_t next = chroma == Chroma::kPairs ? 1 : kPixels;
    k.yuv_to_rgbx({in, in + kPixels, in + kPixels + next, chroma}, kYuv,
                  kPixels, out);
    out += kBytes;
  }
  k.rgb_to_rgbx(in, kPixels, out);
  // The fourth bytes may be anything.
  for (size_t i = 3; i < kBytes; i += 4) out[i] = 0;
  out += kBytes;
  k.rgbx_to_gray(in, kPixels, 0, out);
  k.rgbx_to_gray(in, kPixels, 2, out + kPixels);
  out += 2 * kPixels;
  constexpr int32_t kFirst[kTaps] = {0, 3, 7, 1, 12};
  const PackedTaps taps = {kFirst, inputs.weights, kGroups, kTaps};
  k.sum_4_channels(in, taps, out);
  k.sum_1_channel(in, taps, out + 4 * kTaps);
  k.mix_4_channels(in, {kFirst, inputs.weights, 1, kTaps}, out + 5 * kTaps);
  out += 9 * kTaps;
  constexpr int32_t kWeight = 1 << 20;
  int32_t sums[kBytes];
  k.begin_sum(in, kBytes, kWeight, sums);
  k.add_to_sum(in + kBytes, kBytes, 2 * kWeight, sums);
  k.end_sum(sums, kBytes, out);
  k.mix_rows(in, in + kBytes, kBytes, 700, 1348, out + kBytes);
}

}  // namespace

bool ComputesRightly(const RowKernels& kernels) {
  constexpr size_t kOut = 4 * kBytes + 2 * kPixels + 9 * kTaps + 2 * kBytes;
  RowInputs inputs;
  uint32_t seed = 1;
  for (uint8_t& byte : inputs.bytes) {
    seed = seed * 1664525 + 1013904223;  // Numerical Recipes
    byte = static_cast<uint8_t>(seed >> 24);
  }
  for (int16_t& weight : inputs.weights) {
    seed = seed * 1664525 + 1013904223;
    weight = static_cast<int16_t>(seed >> 24);
  }
  uint8_t found[kOut];
  std::memset(found, 0x5a, kOut);
  RunAll(kernels, inputs, found);
  return Hash64(found, kOut) == kHashOfResults;
}

}  // namespace mace::image
