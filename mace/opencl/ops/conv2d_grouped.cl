// Conv2d whose groups are not whole blocks of channels. One work item computes
// one pixel, channel by channel.
// SPDX-License-Identifier: Apache-2.0

__kernel void conv2d_grouped(GRID, __read_only image2d_t x,
                             WEIGHTS(filter),
                             __read_only image2d_t bias,
                             __write_only image2d_t y, WINDOW,
                             const int channels, const int out_per_group,
                             const int in_per_group, ACTIVATION) {
  GRID_POSITION(block, w, row)
  const int n = row / out_height;
  const int top = (row - n * out_height) * stride_h - pad_top;
  const int left = w * stride_w - pad_left;
  START_SUMS(start, bias, block)
  float sums[4] = {start.x, start.y, start.z, start.w};
  for (int k = 0; k < 4 && block * 4 + k < channels; ++k) {
    const int first = (block * 4 + k) / out_per_group * in_per_group;
    for (int r = 0; r < kernel_h; ++r) {
      const int line = top + r * dilation_h;
      if (line < 0 || line >= in_height) continue;
      for (int t = 0; t < kernel_w; ++t) {
        const int column = left + t * dilation_w;
        if (column < 0 || column >= in_width) continue;
        for (int i = 0; i < in_per_group; ++i) {
          const int c = first + i;
          READ(v, x, c / 4 * in_width + column, n * in_height + line)
          READ_WEIGHT(f, filter, i, (block * kernel_h + r) * kernel_w + t)
          sums[k] = mad(Component(v, c % 4), Component(f, k), sums[k]);
        }
      }
    }
  }
  FINISH_SUMS(bias, block)
  const float4 sum = (float4)(sums[0], sums[1], sums[2], sums[3]);
  WRITE_BLOCK(y, block, channels, w, grid_y, row, ACTIVATE(SUM(sum)))
}
