// The filters of resizing.
// SPDX-License-Identifier: Apache-2.0
//
// Source of BILINEAR and BICUBIC: Pillow's documentation ("Concepts", filters)
// and A. R. Smith, "A Pixel Is Not a Little Square", 1995; a filter is as wide
// as its support times the factor by which the picture shrinks. BICUBIC: R.
// Keys, "Cubic Convolution Interpolation for Digital Image Processing", 1981, a
// = -0.5.

#include "mace/image/taps.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace mace::image {
namespace {

constexpr double kOne = int64_t{1} << kWeightBits;

double Triangle(double x) {
  x = std::fabs(x);
  return x < 1 ? 1 - x : 0;
}

double Cubic(double x) {
  constexpr double a = -0.5;
  x = std::fabs(x);
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2) return (((x - 5) * x + 8) * x - 4) * a;
  return 0;
}

// The weights of one output as real numbers, from input `first` on.
struct Window {
  int first = 0, count = 0;
  double* weights;  // capacity for the most of any output
};

// Inputs and outputs of an axis.
struct Sizes {
  int in, out;
  double step() const { return static_cast<double>(in) / out; }
};

using Filter = double (*)(double);

// As Pillow has it: halves and edges are what its integers make of them.
void Antialiased(Filter f, double radius, Sizes s, int i, Window* w) {
  const double stretch = std::max(s.step(), 1.0);
  const double support = radius * stretch;
  const double center = (i + 0.5) * s.step();
  w->first = std::max(0, static_cast<int>(center - support + 0.5));
  const int end = std::min(s.in, static_cast<int>(center + support + 0.5));
  w->count = end - w->first;
  const double shrink = 1.0 / stretch;
  double sum = 0;
  for (int k = 0; k < w->count; ++k) {
    w->weights[k] = f((k + w->first - center + 0.5) * shrink);
    sum += w->weights[k];
  }
  for (int k = 0; k < w->count && sum != 0; ++k) w->weights[k] /= sum;
}

constexpr double kPairUnits = 1 << kPairBits;

void Bilinear2x2(Sizes s, int i, Window* w) {
  const double at = (i + 0.5) * s.step() - 0.5;
  const int left = static_cast<int>(std::floor(at));
  const double fraction =
      std::floor((at - left) * kPairUnits + 0.5) / kPairUnits;
  w->first = std::max(0, left);
  w->count = std::min(s.in - 1, left + 1) - w->first + 1;
  w->weights[0] = w->count == 2 ? 1 - fraction : 1;
  w->weights[1] = fraction;
}

void Area(Sizes s, int i, Window* w) {
  const double begin = i * s.step(), end = (i + 1) * s.step();
  w->first = std::min(s.in - 1, static_cast<int>(begin));
  const int last =
      std::clamp(static_cast<int>(std::ceil(end)) - 1, w->first, s.in - 1);
  w->count = last - w->first + 1;
  double sum = 0;
  for (int k = 0; k < w->count; ++k) {
    const double x = w->first + k;
    w->weights[k] = std::max(0.0, std::min(end, x + 1) - std::max(begin, x));
    sum += w->weights[k];
  }
  for (int k = 0; k < w->count; ++k) {
    w->weights[k] = sum > 0 ? w->weights[k] / sum : k == 0;
  }
}

void Weigh(MaceImageFilter filter, Sizes s, int i, Window* w) {
  switch (filter) {
    case MaceImageFilter::BILINEAR:
      return Antialiased(Triangle, 1, s, i, w);
    case MaceImageFilter::BICUBIC:
      return Antialiased(Cubic, 2, s, i, w);
    case MaceImageFilter::BILINEAR_2X2:
      return Bilinear2x2(s, i, w);
    default:
      return Area(s, i, w);
  }
}

// An upper bound of the inputs of an output.
int Bound(MaceImageFilter filter, Sizes s) {
  if (filter == MaceImageFilter::NEAREST) return 1;
  const double radius = filter == MaceImageFilter::BICUBIC ? 2 : 1;
  return static_cast<int>(std::ceil(radius * std::max(s.step(), 1.0))) * 2 + 1;
}

// Half-way values go away from 0, as in Pillow.
int32_t Rounded(double weight) {
  const double x = weight * kOne;
  return static_cast<int32_t>(x < 0 ? x - 0.5 : x + 0.5);
}

void Store(const Window& w, int i, Taps* taps) {
  const auto row = static_cast<size_t>(i);
  taps->first[row] = w.first;
  taps->count[row] = w.count;
  int32_t* to = taps->weights.data() + row * static_cast<size_t>(taps->most);
  for (int k = 0; k < w.count; ++k) to[k] = Rounded(w.weights[k]);
}

// The only tap of output i whose weight is not 0, or -1 if there are several.
int OnlyTap(const Taps& taps, int i) {
  int only = -1;
  for (int32_t k = 0; k < taps.count[static_cast<size_t>(i)]; ++k) {
    if (taps.weights_of(i)[k] == 0) continue;
    if (only >= 0) return -1;
    only = k;
  }
  return only;
}

// Leaves out weights of 0 if every output is then one input. (To leave out
// others could put the first tap of an output before that of the one before.)
void Simplify(Taps* taps) {
  for (int i = 0; i < taps->out; ++i) {
    if (OnlyTap(*taps, i) < 0) return;
  }
  for (int i = 0; i < taps->out; ++i) {
    const auto row = static_cast<size_t>(i);
    taps->first[row] += OnlyTap(*taps, i);
    taps->count[row] = 1;
    taps->weights[row * static_cast<size_t>(taps->most)] = 1 << kWeightBits;
  }
}

// Sums of steps, not products, decide which neighbour is nearest, as in Pillow.
void Nearest(Sizes s, Taps* taps) {
  double at = s.step() * 0.5;
  for (int i = 0; i < s.out; ++i, at += s.step()) {
    const auto row = static_cast<size_t>(i);
    taps->first[row] = std::min(s.in - 1, static_cast<int>(at));
    taps->count[row] = 1;
    taps->weights[row] = 1 << kWeightBits;
  }
}

// Moves the rows of weights together, to the width that is in use.
void Narrow(Taps* taps) {
  const int32_t most =
      *std::max_element(taps->count.begin(), taps->count.end());
  for (int i = 0; i < taps->out; ++i) {
    std::copy_n(taps->weights_of(i), most,
                taps->weights.data() +
                    static_cast<size_t>(i) * static_cast<size_t>(most));
  }
  taps->most = most;
}

// Of a filter that mixes inputs: which of them are used, and the places of the
// first ones among these.
Status FindUsed(int in, int density, Axis* axis) {
  constexpr char kWhat[] = "the columns of a picture";
  Taps& taps = axis->taps;
  // At first whether an input is used, then its place.
  MACE_ASSIGN_OR_RETURN(const LargeArray<int32_t> place,
                        LargeArray<int32_t>::Create(in, kWhat));
  int32_t num_used = 0;
  for (size_t i = 0; i < taps.first.size(); ++i) {
    for (int32_t k = 0; k < taps.count[i]; ++k) {
      int32_t& used = place[static_cast<size_t>(taps.first[i] + k)];
      num_used += used == 0 ? 1 : 0;
      used = 1;
    }
  }
  const bool all = int64_t{num_used} * density > in;
  MACE_ASSIGN_OR_RETURN(
      axis->used, LargeArray<int32_t>::Create(all ? in : num_used, kWhat));
  int32_t next = 0;
  for (int32_t x = 0; x < in; ++x) {
    int32_t& at = place[static_cast<size_t>(x)];
    const bool is_used = all || at != 0;
    at = next;
    if (is_used) axis->used[static_cast<size_t>(next++)] = x;
  }
  for (int32_t& first : taps.first) first = place[static_cast<size_t>(first)];
  return Status();
}

}  // namespace

bool Taps::are_pairs() const {
  if (most != 2) return false;
  constexpr int32_t kUnit = 1 << (kWeightBits - kPairBits);
  return std::all_of(weights.begin(), weights.end(),
                     [](int32_t w) { return w >= 0 && w % kUnit == 0; });
}

Result<Taps> MakeTaps(MaceImageFilter filter, int in, int out) {
  const Sizes sizes = {in, out};
  constexpr char kWhat[] = "the weights of a picture's filter";
  Taps taps;
  taps.out = out;
  taps.most = Bound(filter, sizes);
  MACE_ASSIGN_OR_RETURN(taps.first, LargeArray<int32_t>::Create(out, kWhat));
  MACE_ASSIGN_OR_RETURN(taps.count, LargeArray<int32_t>::Create(out, kWhat));
  MACE_ASSIGN_OR_RETURN(taps.weights, LargeArray<int32_t>::Create(
                                          int64_t{out} * taps.most, kWhat));
  if (filter == MaceImageFilter::NEAREST) {
    Nearest(sizes, &taps);
    return taps;
  }
  MACE_ASSIGN_OR_RETURN(const LargeArray<double> storage,
                        LargeArray<double>::Create(taps.most + 1, kWhat));
  Window window;
  window.weights = storage.data();
  for (int i = 0; i < out; ++i) {
    Weigh(filter, sizes, i, &window);
    Store(window, i, &taps);
  }
  Simplify(&taps);
  Narrow(&taps);
  return taps;
}

Result<Axis> MakeAxis(MaceImageFilter filter, int in, int out, int density) {
  Axis axis;
  MACE_ASSIGN_OR_RETURN(axis.taps, MakeTaps(filter, in, out));
  axis.copy = axis.taps.most == 1;
  if (axis.copy) {
    axis.used = std::move(axis.taps.first);
    MACE_ASSIGN_OR_RETURN(
        axis.taps.first,
        LargeArray<int32_t>::Create(out, "the columns of a picture"));
    for (int32_t i = 0; i < out; ++i) {
      axis.taps.first[static_cast<size_t>(i)] = i;
    }
  } else {
    MACE_RETURN_IF_ERROR(FindUsed(in, density, &axis));
  }
  axis.dense = true;
  const auto n = static_cast<int32_t>(axis.used.size());
  for (int32_t i = 0; i < n; ++i) {
    axis.dense &= axis.used[static_cast<size_t>(i)] == axis.used[0] + i;
  }
  return axis;
}

}  // namespace mace::image
