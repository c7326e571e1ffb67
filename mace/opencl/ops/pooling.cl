// Pooling. One work item computes one pixel.
// SPDX-License-Identifier: Apache-2.0

// How many of `taps` taps, the first of which is at `start`, are before `end`.
inline int TapsBefore(int end, int start, int taps, int step) {
  if (start >= end) return 0;
  const uint last = ((uint)end - (uint)start - 1) / (uint)step;
  return last < (uint)taps ? (int)last + 1 : taps;
}

__kernel void pooling(GRID, __read_only image2d_t x, __write_only image2d_t y,
                      WINDOW, const int channels, const int count_padding,
                      const int end_h, const int end_w, ACTIVATION) {
  GRID_POSITION(block, w, row)
  const int n = row / out_height;
  const int top = (row - n * out_height) * stride_h - pad_top;
  const int left = w * stride_w - pad_left;
  // The taps inside of the image.
  const int first_r = TapsBefore(0, top, kernel_h, dilation_h);
  const int end_r = TapsBefore(in_height, top, kernel_h, dilation_h);
  const int first_t = TapsBefore(0, left, kernel_w, dilation_w);
  const int end_t = TapsBefore(in_width, left, kernel_w, dilation_w);
#ifdef POOL_MAX
  float4 result = -INFINITY;
#else
  float4 result = 0;
#endif
  for (int r = first_r; r < end_r; ++r) {
    const int line = n * in_height + top + r * dilation_h;
    for (int t = first_t; t < end_t; ++t) {
      READ(v, x, block * in_width + left + t * dilation_w, line)
#ifdef POOL_MAX
      result = v > result || isnan(v) ? v : result;
#elif defined(POOL_L2)
      result = mad(v, v, result);
#else
      result += v;
#endif
    }
  }
#ifndef POOL_MAX
  const float counted_h = count_padding
      ? TapsBefore(end_h, top, kernel_h, dilation_h) : end_r - first_r;
  const float counted_w = count_padding
      ? TapsBefore(end_w, left, kernel_w, dilation_w) : end_t - first_t;
  result /= fmax(counted_h * counted_w, 1.0f);
#endif
#ifdef POOL_L2
  result = sqrt(result);
#endif
  WRITE_BLOCK(y, block, channels, w, grid_y, row, ACTIVATE(result))
}
