// Pooling. One work item computes one pixel.
// SPDX-License-Identifier: Apache-2.0

__kernel void pooling(GRID, __read_only image2d_t x, __write_only image2d_t y,
                      WINDOW, const int channels, const int count_padding,
                      const int end_h, const int end_w, ACTIVATION) {
  GRID_POSITION(block, w, row)
  const int n = row / out_height;
  const int top = (row - n * out_height) * stride_h - pad_top;
  const int left = w * stride_w - pad_left;
#ifdef POOL_MAX
  float4 result = -INFINITY;
#else
  float4 result = 0;
#endif
  int count = 0;
  for (int r = 0; r < kernel_h; ++r) {
    const int line = top + r * dilation_h;
    if (line >= end_h) break;
    for (int t = 0; t < kernel_w; ++t) {
      const int column = left + t * dilation_w;
      if (column >= end_w) break;
      const bool inside =
          line >= 0 && line < in_height && column >= 0 && column < in_width;
      count += inside || count_padding;
      if (!inside) continue;
      READ(v, x, block * in_width + column, n * in_height + line)
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
  result /= (float)max(count, 1);
#endif
#ifdef POOL_L2
  result = sqrt(result);
#endif
  WRITE_BLOCK(y, block, channels, w, grid_y, row, ACTIVATE(result))
}
