// Converts between dense floats in a buffer and a channel-major image.
// SPDX-License-Identifier: Apache-2.0

__kernel void buffer_to_image(GRID, __global const float *x,
                              __write_only image2d_t y, const int channels) {
  GRID_POSITION(block, w, row)
  const int at = (row * grid_y + w) * channels + block * 4;
  const int left = channels - block * 4;
  float4 v = 0;
  v.x = x[at];
  if (left > 1) v.y = x[at + 1];
  if (left > 2) v.z = x[at + 2];
  if (left > 3) v.w = x[at + 3];
  WRITE(y, block * grid_y + w, row, v)
}

__kernel void image_to_buffer(GRID, __read_only image2d_t x,
                              __global float *y, const int channels) {
  GRID_POSITION(block, w, row)
  const int at = (row * grid_y + w) * channels + block * 4;
  const int left = channels - block * 4;
  READ(v, x, block * grid_y + w, row)
  y[at] = v.x;
  if (left > 1) y[at + 1] = v.y;
  if (left > 2) y[at + 2] = v.z;
  if (left > 3) y[at + 3] = v.w;
}
