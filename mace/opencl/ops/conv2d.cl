// Conv2d whose groups are whole blocks of channels. One work item, or a team,
// computes four columns, grid_y apart, of one block, or of two: then each pixel
// of x that it reads serves both.
// SPDX-License-Identifier: Apache-2.0

__kernel void conv2d(GRID, __read_only image2d_t x,
                     WEIGHTS(filter), __read_only image2d_t bias,
                     __write_only image2d_t y, WINDOW, const int channels,
                     const int out_per_group, const int in_per_group,
                     ACTIVATION ADDEND_ARG TEAM_ARG) {
#ifdef TWO_BLOCKS
  TEAM_POSITION(pair, w, row)
  const int block = pair * 2;
#else
  TEAM_POSITION(block, w, row)
#endif
  const int n = row / out_height;
  const int top = (row - n * out_height) * stride_h - pad_top;
  const int left = w * stride_w - pad_left;
  const int apart = grid_y * stride_w;
  const int in_blocks = (in_per_group + 3) / 4;
  const int first_block = block * 4 / out_per_group * in_blocks;
  START_SUMS(acc0, bias, block)
  float4 acc1 = acc0, acc2 = acc0, acc3 = acc0;
#ifdef TWO_BLOCKS
  const int last_block = (channels - 1) / 4;
  const int other = min(block + 1, last_block);
  START_SUMS(acc4, bias, other)
  float4 acc5 = acc4, acc6 = acc4, acc7 = acc4;
#endif

  for (int r = 0; r < kernel_h; ++r) {
    const int line = top + r * dilation_h;
    if (line < 0 || line >= in_height) continue;
    const int in_row = n * in_height + line;
    for (int t = 0; t < kernel_w; ++t) {
      const int tap = r * kernel_w + t;
      const int x0 = left + t * dilation_w;
      const int x1 = x0 + apart, x2 = x1 + apart, x3 = x2 + apart;
      for (int b = MEMBER; b < in_blocks; b += TEAM) {
        const int in_block = first_block + b;
        const float4 v0 =
            READ_OR_ZERO(x, COLUMN_OR_PADDING(in_block, x0), in_row);
        const float4 v1 =
            READ_OR_ZERO(x, COLUMN_OR_PADDING(in_block, x1), in_row);
        const float4 v2 =
            READ_OR_ZERO(x, COLUMN_OR_PADDING(in_block, x2), in_row);
        const float4 v3 =
            READ_OR_ZERO(x, COLUMN_OR_PADDING(in_block, x3), in_row);
        {
          READ_FILTERS(filter, b, block * kernel_h * kernel_w + tap)
          MULTIPLY_ADD(acc0, v0)
          MULTIPLY_ADD(acc1, v1)
          MULTIPLY_ADD(acc2, v2)
          MULTIPLY_ADD(acc3, v3)
        }
#ifdef TWO_BLOCKS
        {
          READ_FILTERS(filter, b, other * kernel_h * kernel_w + tap)
          MULTIPLY_ADD(acc4, v0)
          MULTIPLY_ADD(acc5, v1)
          MULTIPLY_ADD(acc6, v2)
          MULTIPLY_ADD(acc7, v3)
        }
#endif
      }
    }
  }

#ifdef TWO_BLOCKS
  const float4 sums[8] = {acc0, acc1, acc2, acc3, acc4, acc5, acc6, acc7};
  SHARE_SUMS(sums, 8)
  if (block < last_block) {
    FINISH_SUMS(bias, other)
    WRITE_COLUMNS(y, other, channels, w, row, sums, 4)
  }
#else
  const float4 sums[4] = {acc0, acc1, acc2, acc3};
  SHARE_SUMS(sums, 4)
#endif
  FINISH_SUMS(bias, block)
  WRITE_COLUMNS(y, block, channels, w, row, sums, 0)
}
