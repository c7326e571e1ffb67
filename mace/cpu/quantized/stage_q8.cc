// Packing the numbers of output channels.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/quantized/stage_q8.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "mace/base/aligned_buffer.h"
#include "mace/cpu/common/choose.h"

namespace mace::cpu {
namespace {

// Arrays of int32: start, mantissa, left, right. Where sums are rounded once,
// doubles take the place of mantissas and left shifts.
constexpr int64_t kArrays = 4;

// The right shift of channels of which all values are the zero point, because
// their mantissa is 0: one that every micro-kernel takes on its fastest path.
constexpr int32_t kAnyRight = 8;

// Sums are shifted within 32 bits, whose upper ones are lost: a larger shift
// leaves nothing.
constexpr int32_t kWordBits = 32;

// How many bits the largest magnitude of a channel's sums has, once shifted.
int32_t Bits(int64_t most, int left) {
  int32_t bits = left;
  for (; most > 0; most >>= 1) ++bits;
  return std::min(bits, kWordBits);
}

}  // namespace

// What the factors of all channels demand of a micro-kernel.
struct StageQ8::Head {
  int32_t bits, right;
};

int64_t StageQ8::Bytes(int64_t channels) {
  return kAlignment +
         kArrays * Padded(channels) * static_cast<int64_t>(sizeof(int32_t));
}

void StageQ8::Clear(int64_t channels, void* data) {
  std::memset(data, 0, static_cast<size_t>(Bytes(channels)));
}

void StageQ8::Pack(int64_t channels, int64_t channel, const OutputStage& stage,
                   int64_t output, const ChannelSums& sums, void* data) {
  auto* start =
      reinterpret_cast<int32_t*>(static_cast<char*>(data) + kAlignment);
  start[channel] = static_cast<int32_t>(sums.start);
  const int64_t stride = Padded(channels);
  if (!stage.multipliers.empty()) {
    reinterpret_cast<double*>(start + stride)[channel] =
        stage.multiplier(output);
    return;
  }
  const FixedFactor factor = stage.factor(output);
  // A channel whose quantized values are all the zero point, because even its
  // largest sum is less than a quarter, demands nothing.
  const double real = std::ldexp(factor.mantissa, factor.exponent - 31);
  if (static_cast<double>(sums.most) * real < 0.25) {
    start[3 * stride + channel] = kAnyRight;
    return;
  }
  const int left = std::clamp(factor.exponent, 0, kWordBits);
  const int right = std::max(-factor.exponent, 0);
  start[stride + channel] = factor.mantissa;
  start[2 * stride + channel] = left;
  start[3 * stride + channel] = right;
  auto* head = static_cast<Head*>(data);
  head->bits = std::max(head->bits, Bits(sums.most, left));
  head->right = std::max(head->right, right);
}

StageQ8::StageQ8(const OutputStage& stage, int64_t channels, const void* data,
                 CpuFeatures features)
    : head_(static_cast<const Head*>(data)),
      start_(reinterpret_cast<const int32_t*>(static_cast<const char*>(data) +
                                              kAlignment)),
      channels_(channels),
      zero_point_(stage.zero_point),
      rounds_once_(!stage.multipliers.empty()),
      range_(stage.range),
      features_(features) {}

bool StageQ8::IsWithin(int bits, int max_right) const {
  return !rounds_once_ && head_->bits <= bits && head_->right <= max_right;
}

const RequantizeQ8& StageQ8::Micro() const {
  if (rounds_once_) return ChooseRow(kRequantizeOnceQ8, features_);
  return ChooseRow(kRequantizeQ8, features_, [this](const RequantizeQ8& row) {
    return IsWithin(row.bits, row.max_right);
  });
}

}  // namespace mace::cpu
