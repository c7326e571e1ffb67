// PRelu. One work item computes one pixel.
// SPDX-License-Identifier: Apache-2.0

__kernel void p_relu(GRID, __read_only image2d_t x,
                     __read_only image2d_t alpha, __write_only image2d_t y,
                     BROADCAST(alpha), const int height, const int channels) {
  GRID_POSITION(block, w, row)
  const int n = row / height, h = row - n * height;
  READ(v, x, block * grid_y + w, row)
  READ_BROADCAST(a, alpha, block, w, n, h)
  WRITE_BLOCK(y, block, channels, w, grid_y, row, v < 0.0f ? a * v : v)
}
