// Reduce. One work item, or a team, computes one pixel of the output, whose
// reduced extents are 1.
// SPDX-License-Identifier: Apache-2.0

// A NaN wins over any number.
#if defined(REDUCE_MAX)
#define BEGIN -INFINITY
#define COMBINE(a, b) (b > a || isnan(b) ? b : a)
#elif defined(REDUCE_MIN)
#define BEGIN INFINITY
#define COMBINE(a, b) (b < a || isnan(b) ? b : a)
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

// A team divides the reduced lines, columns or blocks.
#if defined(TEAM_OVER_H)
#define OVER_H(team, alone) (team)
#else
#define OVER_H(team, alone) (alone)
#endif
#if defined(TEAM_OVER_W)
#define OVER_W(team, alone) (team)
#else
#define OVER_W(team, alone) (alone)
#endif
#if defined(TEAM_OVER_BLOCKS)
#define OVER_BLOCKS(team, alone) (team)
#else
#define OVER_BLOCKS(team, alone) (alone)
#endif

// count_...: how many elements are reduced along an axis. 0 blocks means that
// the channels are not reduced. One row of the shift serves shift_rows rows of
// y.
__kernel void reduce(GRID, __read_only image2d_t x, SHIFT
                     __write_only image2d_t y, const int in_height,
                     const int in_width, const int in_channels,
                     const int out_height, const int channels,
                     const int count_n, const int count_h, const int count_w,
                     const int count_blocks, const int shift_rows,
                     const float count TEAM_ARG) {
  TEAM_POSITION(block, w, row)
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
    for (int h = first_h + OVER_H(MEMBER, 0); h < first_h + count_h;
         h += OVER_H(TEAM, 1)) {
      for (int b = block + OVER_BLOCKS(MEMBER, 0);
           b < block + max(count_blocks, 1); b += OVER_BLOCKS(TEAM, 1)) {
        const int left = in_channels - b * 4;
        for (int t = w + OVER_W(MEMBER, 0); t < w + count_w;
             t += OVER_W(TEAM, 1)) {
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
  const float4 parts[1] = {acc};
  SHARE_SUMS(parts, 1)
  if (MEMBER > 0) return;
  for (int i = 1; i < TEAM; ++i) {
    const float4 part = TEAM_PART(parts, 0, i);
    acc = COMBINE(acc, part);
  }
  if (count_blocks > 0) {
    acc.x = COMBINE(acc.x, acc.y);
    acc.z = COMBINE(acc.z, acc.w);
    acc.x = COMBINE(acc.x, acc.z);
  }
  WRITE_BLOCK(y, block, channels, w, grid_y, row, Finish(acc, shift, count))
}
