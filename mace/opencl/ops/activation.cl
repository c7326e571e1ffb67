// Activation. One work item computes one pixel.
// SPDX-License-Identifier: Apache-2.0

__kernel void activation(GRID, __read_only image2d_t x,
                         __write_only image2d_t y, const int channels,
                         ACTIVATION) {
  GRID_POSITION(block, w, row)
  READ(v, x, block * grid_y + w, row)
  WRITE_BLOCK(y, block, channels, w, grid_y, row, ACTIVATE(v))
}
