// Deconv2d. One work item computes one pixel of the output, from the inputs
// that contribute to it.
// SPDX-License-Identifier: Apache-2.0

__kernel void deconv2d(GRID, __read_only image2d_t x,
                       WEIGHTS(filter),
                       __read_only image2d_t bias, __write_only image2d_t y,
                       WINDOW, const int channels, const int out_per_group,
                       const int in_per_group, ACTIVATION) {
  GRID_POSITION(block, w, row)
  const int n = row / out_height;
  const int bottom = row - n * out_height + pad_top;
  const int right = w + pad_left;
  START_SUMS(sum, bias, block)
  for (int r = 0; r < kernel_h; ++r) {
    const int from_line = bottom - r * dilation_h, line = from_line / stride_h;
    if (from_line < 0 || line * stride_h != from_line || line >= in_height) {
      continue;
    }
    const int in_row = n * in_height + line;
    for (int t = 0; t < kernel_w; ++t) {
      const int from = right - t * dilation_w, column = from / stride_w;
      if (from < 0 || column * stride_w != from || column >= in_width) {
        continue;
      }
      const int filter_row = (block * kernel_h + r) * kernel_w + t;
#ifdef GROUPS_CUT_BLOCKS
      for (int i = 0; i < in_per_group; ++i) {
        const int4 own = min(block * 4 + (int4)(0, 1, 2, 3),
                             (int4)(channels - 1));
        const int4 c = own / out_per_group * in_per_group + i;
        READ_WEIGHT(f, filter, i, filter_row)
        READ(v0, x, c.x / 4 * in_width + column, in_row)
        READ(v1, x, c.y / 4 * in_width + column, in_row)
        READ(v2, x, c.z / 4 * in_width + column, in_row)
        READ(v3, x, c.w / 4 * in_width + column, in_row)
        const float4 v = (float4)(Component(v0, c.x % 4),
                                  Component(v1, c.y % 4),
                                  Component(v2, c.z % 4),
                                  Component(v3, c.w % 4));
        sum = mad(v, f, sum);
      }
#else
      const int first_block =
          block * 4 / out_per_group * ((in_per_group + 3) / 4);
      for (int b = 0; b < (in_per_group + 3) / 4; ++b) {
        READ(v, x, (first_block + b) * in_width + column, in_row)
        READ_FILTERS(filter, b, filter_row)
        MULTIPLY_ADD(sum, v)
      }
#endif
    }
  }
  FINISH_SUMS(bias, block)
  WRITE_BLOCK(y, block, channels, w, grid_y, row, ACTIVATE(SUM(sum)))
}
