// GridSample. One work item computes one block of channels of one position.
// SPDX-License-Identifier: Apache-2.0
//
// The host chooses by defines: GRID_AXES (1 to 3), GRID_LINEAR, GRID_NEAREST or
// GRID_CUBIC, PAD_ZEROS, PAD_BORDER or PAD_REFLECTION, ALIGN_CORNERS, PIXELS.

// Which element is next to a position must not depend on how a device rounds.
#pragma OPENCL FP_CONTRACT OFF

#if defined(GRID_NEAREST)
#define TAPS 1
#elif defined(GRID_LINEAR)
#define TAPS 2
#else
#define TAPS 4
#endif

// The elements along an axis that a position reads; -1: x is 0 there.
struct Taps {
  int at[TAPS];
  float weight[TAPS];
};

inline float Pixel(float v, float extent) {
#if defined(PIXELS)
  return v;
#elif defined(ALIGN_CORNERS)
  return (v + 1.0f) / 2.0f * (extent - 1.0f);
#else
  return ((v + 1.0f) * extent - 1.0f) / 2.0f;
#endif
}

// Mirrors v at the first and the last element, or at their edges.
inline float Mirrored(float v, float extent) {
#ifdef ALIGN_CORNERS
  const float low = 0.0f, high = extent - 1.0f;
#else
  const float low = -0.5f, high = extent - 0.5f;
#endif
  const float span = high - low;
  if (!(span > 0.0f)) return low;
  const float away = fmod(fabs(v - low), 2.0f * span);
  return away > span ? high - (away - span) : low + away;
}

// NaN becomes the lower limit.
inline float Limited(float v, float low, float high) {
  return v > low ? fmin(v, high) : low;
}

inline int Element(int i, int extent) {
  if (i >= 0 && i < extent) return i;
#ifdef PAD_ZEROS
  return -1;
#else
  float v = i;
#ifdef PAD_REFLECTION
  v = Mirrored(v, extent);
#endif
  return (int)Limited(rint(v), 0.0f, extent - 1.0f);
#endif
}

// Keys' weights with a = -0.75 of an element at a distance below 1, or from 1
// to 2.
inline float Near(float d) { return ((1.25f * d - 2.25f) * d) * d + 1.0f; }
inline float Far(float d) {
  return ((-0.75f * d + 3.75f) * d - 6.0f) * d + 3.0f;
}

inline struct Taps TapsAt(float coordinate, int extent) {
  const float last = extent - 1.0f;
  float v = Pixel(coordinate, extent);
#if !defined(GRID_CUBIC) && !defined(PAD_ZEROS)
#ifdef PAD_REFLECTION
  if (isfinite(v)) v = Mirrored(v, extent);
#endif
  v = Limited(v, 0.0f, last);
#endif
  // Three elements outside of x is as far as any tap reaches back in.
#ifdef PAD_REFLECTION
  v = isfinite(v) ? Limited(v, -1e9f, 1e9f) : Limited(v, -4.0f, last + 4.0f);
#else
  v = Limited(v, -4.0f, last + 4.0f);
#endif
  struct Taps taps;
#if defined(GRID_NEAREST)
  taps.at[0] = Element((int)rint(v), extent);
  taps.weight[0] = 1.0f;
#else
  const float below = floor(v), t = v - below;
  const int first = (int)below;
#if defined(GRID_LINEAR)
  taps.at[0] = Element(first, extent);
  taps.at[1] = Element(first + 1, extent);
  taps.weight[0] = 1.0f - t;
  taps.weight[1] = t;
#else
  for (int k = 0; k < 4; ++k) taps.at[k] = Element(first - 1 + k, extent);
  taps.weight[0] = Far(1.0f + t);
  taps.weight[1] = Near(t);
  taps.weight[2] = Near(1.0f - t);
  taps.weight[3] = Far(2.0f - t);
#endif
#endif
  return taps;
}

// `rows_of_image` rows of y are samples of the same image. `images` names it
// for each of them, if -DIMAGES. The extents of x are those of the axes that a
// position names, the last axis first; those that are not there are 1. The
// elements of the first axis are `column_step` columns and `row_step` rows
// apart.
__kernel void grid_sample(GRID, __read_only image2d_t x,
                          __read_only image2d_t positions,
#ifdef IMAGES
                          __global const int *images,
#endif
                          __write_only image2d_t y, const int channels,
                          const int rows_of_image, const int extent0,
                          const int extent1, const int extent2,
                          const int block_columns, const int column_step,
                          const int row_step, const int image_rows) {
  GRID_POSITION(block, w, row)
  READ(position, positions, w, row)
#ifdef IMAGES
  const int image = images[row / rows_of_image];
#else
  const int image = row / rows_of_image;
#endif
  const struct Taps taps0 = TapsAt(position.x, extent0);
#if GRID_AXES > 1
  const struct Taps taps1 = TapsAt(position.y, extent1);
#endif
#if GRID_AXES > 2
  const struct Taps taps2 = TapsAt(position.z, extent2);
#endif
  float4 sum = 0;
#if GRID_AXES > 2
  for (int k = 0; k < TAPS; ++k) {
    if (taps2.at[k] < 0) continue;
    const int plane = taps2.at[k] * extent1;
    const float weight2 = taps2.weight[k];
#else
    const int plane = 0;
    const float weight2 = 1.0f;
#endif
#if GRID_AXES > 1
    for (int j = 0; j < TAPS; ++j) {
      if (taps1.at[j] < 0) continue;
      const int line = plane + taps1.at[j];
      const float weight1 = weight2 * taps1.weight[j];
#else
      const int line = plane;
      const float weight1 = weight2;
#endif
      for (int i = 0; i < TAPS; ++i) {
        const int at = taps0.at[i];
        if (at < 0) continue;
        READ(v, x, block * block_columns + at * column_step,
             image * image_rows + line + at * row_step)
        sum += weight1 * taps0.weight[i] * v;
      }
#if GRID_AXES > 1
    }
#endif
#if GRID_AXES > 2
  }
#endif
  WRITE_BLOCK(y, block, channels, w, grid_y, row, sum)
}
