// DepthwiseConv2d with one output per channel. One work item computes four
// columns, grid_y apart, of one block.
// SPDX-License-Identifier: Apache-2.0

__kernel void depthwise_conv2d(GRID, __read_only image2d_t x,
                               WEIGHTS(filter),
                               __read_only image2d_t bias,
                               __write_only image2d_t y, WINDOW,
                               const int channels, ACTIVATION) {
  GRID_POSITION(block, w, row)
  const int n = row / out_height;
  const int top = (row - n * out_height) * stride_h - pad_top;
  const int left = w * stride_w - pad_left;
  const int apart = grid_y * stride_w;
  START_SUMS(acc0, bias, block)
  float4 acc1 = acc0, acc2 = acc0, acc3 = acc0;

  for (int r = 0; r < kernel_h; ++r) {
    const int line = top + r * dilation_h;
    if (line < 0 || line >= in_height) continue;
    const int in_row = n * in_height + line;
    for (int t = 0; t < kernel_w; ++t) {
      READ_WEIGHT(f, filter, r * kernel_w + t, block)
      const int x0 = left + t * dilation_w;
      const int x1 = x0 + apart, x2 = x1 + apart, x3 = x2 + apart;
      acc0 = mad(READ_OR_ZERO(x, COLUMN_OR_PADDING(block, x0), in_row), f,
                 acc0);
      acc1 = mad(READ_OR_ZERO(x, COLUMN_OR_PADDING(block, x1), in_row), f,
                 acc1);
      acc2 = mad(READ_OR_ZERO(x, COLUMN_OR_PADDING(block, x2), in_row), f,
                 acc2);
      acc3 = mad(READ_OR_ZERO(x, COLUMN_OR_PADDING(block, x3), in_row), f,
                 acc3);
    }
  }

  FINISH_SUMS(bias, block)
  const float4 sums[4] = {acc0, acc1, acc2, acc3};
  WRITE_COLUMNS(y, block, channels, w, row, sums, 0)
}
