// One pass over the rows of a picture.
// SPDX-License-Identifier: Apache-2.0

#include "mace/image/strip.h"

#include <algorithm>
#include <cstring>

namespace mace::image {
namespace {

void Reverse(uint8_t* pixels, size_t n, size_t pixel_bytes) {
  if (pixel_bytes == 1) return std::reverse(pixels, pixels + n);
  for (size_t i = 0, j = n - 1; i < j; ++i, --j) {
    uint32_t a, b;
    std::memcpy(&a, pixels + 4 * i, 4);
    std::memcpy(&b, pixels + 4 * j, 4);
    std::memcpy(pixels + 4 * i, &b, 4);
    std::memcpy(pixels + 4 * j, &a, 4);
  }
}

class Strip {
 public:
  Strip(const Conversion& c, uint8_t* scratch)
      : c_(c), plan_(c.plan), scratch_(scratch) {
    const Plan& p = plan_;
    in_place_ = p.direct && p.read.at == nullptr && !p.read_backwards &&
                p.columns.size() >= p.packed.groups * p.group();
    sum_ = p.mix_across ? c.kernels.mix_4_channels
           : p.gray     ? c.kernels.sum_1_channel
                        : c.kernels.sum_4_channels;
    across_first_ = !p.geometry.swap && !p.across.copy;
    across_last_ = p.geometry.swap && !p.across.copy;
  }

  void Run(int begin, int end) {
    if (plan_.down.copy) {
      Copy(begin, end);
    } else if (plan_.num_sums == 0) {
      KeepLines(begin, end);
    } else {
      KeepSums(begin, end);
    }
  }

 private:
  // Row r of those in use, in `into` or in the picture itself.
  const uint8_t* Row(size_t r, uint8_t* into) const {
    const int y = plan_.rows[r];
    const size_t bytes = plan_.pixel_bytes();
    if (in_place_) {
      return c_.reader.Row(y) + static_cast<size_t>(plan_.read.begin) * bytes;
    }
    c_.reader.Read(y, plan_.read, into, scratch_ + plan_.scratch.reader);
    if (plan_.read_backwards) Reverse(into, plan_.read.n, bytes);
    return into;
  }

  // The line that row r contributes to sums, in `into` or in the picture.
  const uint8_t* Line(size_t r, uint8_t* into) const {
    if (!across_first_) return Row(r, into);
    sum_(Row(r, scratch_ + plan_.scratch.raw), plan_.packed, into);
    return into;
  }

  void Write(size_t o, const uint8_t* line) const {
    const Geometry& g = plan_.geometry;
    if (across_last_) {
      uint8_t* into = scratch_ + plan_.scratch.across;
      sum_(line, plan_.packed, into);
      line = into;
    }
    const int at = static_cast<int>(o);
    c_.output.WriteLine(line, c_.order,
                        static_cast<size_t>(plan_.across.taps.out),
                        g.content.x + (g.swap ? at : 0),
                        g.content.y + (g.swap ? 0 : at), g.swap, c_.tensor);
  }

  int32_t* Sums(size_t slot) const {
    return reinterpret_cast<int32_t*>(scratch_ + plan_.scratch.sums) +
           slot * plan_.line_bytes;
  }

  void EndSum(size_t o, const int32_t* sums) const {
    uint8_t* line = scratch_ + plan_.scratch.done;
    c_.kernels.end_sum(sums, plan_.line_bytes, line);
    Write(o, line);
  }

  void Copy(int begin, int end) const {
    const uint8_t* line = nullptr;
    for (auto o = static_cast<size_t>(begin); o < static_cast<size_t>(end);
         ++o) {
      const bool again = line != nullptr && plan_.rows[o] == plan_.rows[o - 1];
      if (!again) line = Line(o, scratch_ + plan_.scratch.done);
      Write(o, line);
    }
  }

  void MixLines(int i, const uint8_t* a, const uint8_t* b) const {
    const auto o = static_cast<size_t>(i);
    const int32_t* w = plan_.down.taps.weights_of(i);
    const int32_t of_b = plan_.down.taps.count[o] == 2 ? w[1] : 0;
    uint8_t* line = scratch_ + plan_.scratch.done;
    c_.kernels.mix_rows(a, b, plan_.line_bytes,
                        static_cast<int16_t>(w[0] >> kLowBits),
                        static_cast<int16_t>(of_b >> kLowBits), line);
    Write(o, line);
  }

  // Few inputs for each output: the last lines are kept.
  void KeepLines(int begin, int end) const {
    const Taps& taps = plan_.down.taps;
    const uint8_t* kept[Plan::kRing] = {};
    size_t next = static_cast<size_t>(taps.first[static_cast<size_t>(begin)]);
    for (int i = begin; i < end; ++i) {
      const auto o = static_cast<size_t>(i);
      const auto first = static_cast<size_t>(taps.first[o]);
      const auto count = static_cast<size_t>(taps.count[o]);
      for (next = std::max(next, first); next < first + count; ++next) {
        const size_t slot = next % Plan::kRing;
        kept[slot] = Line(
            next, scratch_ + plan_.scratch.lines + slot * plan_.line_bytes);
      }
      if (plan_.mix_down) {
        MixLines(i, kept[first % Plan::kRing],
                 kept[(first + count - 1) % Plan::kRing]);
        continue;
      }
      for (size_t k = 0; k < count; ++k) {
        const auto sum = k == 0 ? c_.kernels.begin_sum : c_.kernels.add_to_sum;
        sum(kept[(first + k) % Plan::kRing], plan_.line_bytes,
            taps.weights_of(i)[k], Sums(0));
      }
      EndSum(o, Sums(0));
    }
  }

  // Many inputs for each output: each line is added to the sums that need it.
  void KeepSums(int begin, int end) const {
    const Taps& taps = plan_.down.taps;
    const auto last = static_cast<size_t>(end);
    auto oldest = static_cast<size_t>(begin);
    for (size_t r = static_cast<size_t>(taps.first[oldest]); oldest < last;
         ++r) {
      const uint8_t* line = Line(r, scratch_ + plan_.scratch.lines);
      for (size_t o = oldest;
           o < last && static_cast<size_t>(taps.first[o]) <= r; ++o) {
        const size_t k = r - static_cast<size_t>(taps.first[o]);
        const auto count = static_cast<size_t>(taps.count[o]);
        if (k >= count) continue;
        int32_t* sums = Sums(o % plan_.num_sums);
        const auto sum = k == 0 ? c_.kernels.begin_sum : c_.kernels.add_to_sum;
        sum(line, plan_.line_bytes, taps.weights_of(static_cast<int>(o))[k],
            sums);
        if (k + 1 == count) EndSum(o, sums);
      }
      while (oldest < last &&
             static_cast<size_t>(taps.first[oldest] + taps.count[oldest]) <=
                 r + 1) {
        ++oldest;
      }
    }
  }

  const Conversion& c_;
  const Plan& plan_;
  uint8_t* const scratch_;
  bool in_place_, across_first_, across_last_;
  void (*sum_)(const uint8_t*, const PackedTaps&, uint8_t*);
};

}  // namespace

void ConvertLines(const Conversion& conversion, int begin, int end,
                  uint8_t* scratch) {
  Strip(conversion, scratch).Run(begin, end);
}

}  // namespace mace::image
