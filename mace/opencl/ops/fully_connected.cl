// FullyConnected. One work item, or a team, computes one block of the outputs of
// one row. A row of x is a window of kernel_h lines of kernel_w pixels.
// SPDX-License-Identifier: Apache-2.0

__kernel void fully_connected(GRID, __read_only image2d_t x,
                              WEIGHTS(weight),
                              __read_only image2d_t bias,
                              __write_only image2d_t y, const int in_width,
                              const int in_channels, const int kernel_h,
                              const int kernel_w, const int channels,
                              ACTIVATION TEAM_ARG) {
  TEAM_POSITION(block, w, row)
  const int in_blocks = (in_channels + 3) / 4;
  START_SUMS(acc, bias, block)
  for (int r = 0; r < kernel_h; ++r) {
    for (int t = 0; t < kernel_w; ++t) {
      const int weight_row = (block * kernel_h + r) * kernel_w + t;
      for (int b = MEMBER; b < in_blocks; b += TEAM) {
        READ(v, x, b * in_width + w * kernel_w + t, row * kernel_h + r)
        READ_FILTERS(weight, b, weight_row)
        MULTIPLY_ADD(acc, v)
      }
    }
  }
  const float4 sums[1] = {acc};
  SHARE_SUMS(sums, 1)
  if (MEMBER > 0) return;
  FINISH_SUMS(bias, block)
  WRITE_BLOCK(y, block, channels, w, grid_y, row,
              ACTIVATE(SUM(TEAM_SUM(sums, 0))))
}
