// BatchNorm, with its parameters folded into a scale and an offset per channel.
// One work item computes one pixel.
// SPDX-License-Identifier: Apache-2.0

__kernel void batch_norm(GRID, __read_only image2d_t x,
                         __read_only image2d_t scale,
                         __read_only image2d_t offset,
                         __write_only image2d_t y, const int channels,
                         ACTIVATION) {
  GRID_POSITION(block, w, row)
  READ(v, x, block * grid_y + w, row)
  READ(s, scale, block, 0)
  READ(o, offset, block, 0)
  WRITE_BLOCK(y, block, channels, w, grid_y, row, ACTIVATE(mad(v, s, o)))
}
