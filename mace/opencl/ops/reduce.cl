// Reduce. One work item computes one pixel of the output, whose reduced extents
// are 1.
// SPDX-License-Identifier: Apache-2.0

#if defined(REDUCE_MAX)
#define BEGIN -INFINITY
#define COMBINE(a, b) (b > a ? b : a)
#elif defined(REDUCE_MIN)
#define BEGIN INFINITY
#define COMBINE(a, b) (b < a ? b : a)
#elif defined(REDUCE_PROD)
#define BEGIN 1.0f
#define COMBINE(a, b) (a * b)
#else
#define BEGIN 0.0f
#define COMBINE(a, b) (a + b)
#endif

// Kinds that subtract the result of an earlier reduction, `shift`.
#if defined(REDUCE_MEAN_EXP) || defined(REDUCE_LOG_SUM_EXP) || \
    defined(REDUCE_DEVIATION)
#define SHIFTED
#define SHIFT __read_only image2d_t shift_image,
#else
#define SHIFT
#endif

inline float4 Term(float4 v, float4 shift) {
#if defined(REDUCE_L1)
  return fabs(v);
#elif defined(REDUCE_L2) || defined(REDUCE_SUM_SQUARE) || \
    defined(REDUCE_ROOT_MEAN_SQUARE)
  return v * v;
#elif defined(REDUCE_MEAN_EXP) || defined(REDUCE_LOG_SUM_EXP)
  return exp(v - shift);
#elif defined(REDUCE_DEVIATION)
  return (v - shift) * (v - shift);
#else
  return v;
#endif
}

inline float4 Finish(float4 v, float4 shift, float count) {
#if defined(REDUCE_MEAN) || defined(REDUCE_MEAN_EXP)
  return v / count;
#elif defined(REDUCE_DEVIATION) || defined(REDUCE_ROOT_MEAN_SQUARE)
  return sqrt(v / count);
#elif defined(REDUCE_L2)
  return sqrt(v);
#elif defined(REDUCE_LOG_SUM)
  return log(v);
#elif defined(REDUCE_LOG_SUM_EXP)
  return shift + log(v);
#else
  return v;
#endif
}

// count_...: how many elements are reduced along an axis. 0 blocks means that
// the channels are not reduced. One row of the shift serves shift_rows rows of
// y.
__kernel void reduce(GRID, __read_only image2d_t x, SHIFT
                     __write_only image2d_t y, const int in_height,
                     const int in_width, const int in_channels,
                     const int out_height, const int channels,
                     const int count_n, const int count_h, const int count_w,
                     const int count_blocks, const int shift_rows,
                     const float count) {
  GRID_POSITION(block, w, row)
  const int first_n = row / out_height;
  const int first_h = row - first_n * out_height;
  float4 shift = 0;
#ifdef SHIFTED
  READ(earlier, shift_image, block * grid_y + w, row / shift_rows)
  shift = count_blocks > 0 ? earlier.xxxx : earlier;
#endif
#ifdef REDUCE_LOG_SUM_EXP
  shift = isfinite(shift) ? shift : (float4)(0.0f);
#endif
  float4 acc = BEGIN;
  for (int n = first_n; n < first_n + count_n; ++n) {
    for (int h = first_h; h < first_h + count_h; ++h) {
      for (int b = block; b < block + max(count_blocks, 1); ++b) {
        const int left = in_channels - b * 4;
        for (int t = w; t < w + count_w; ++t) {
          READ(v, x, b * in_width + t, n * in_height + h)
          v = Term(v, shift);
          if (left < 4) v.w = BEGIN;
          if (left < 3) v.z = BEGIN;
          if (left < 2) v.y = BEGIN;
          acc = COMBINE(acc, v);
        }
      }
    }
  }
  if (count_blocks > 0) {
    acc.x = COMBINE(acc.x, acc.y);
    acc.z = COMBINE(acc.z, acc.w);
    acc.x = COMBINE(acc.x, acc.z);
  }
  WRITE_BLOCK(y, block, channels, w, grid_y, row, Finish(acc, shift, count))
}
