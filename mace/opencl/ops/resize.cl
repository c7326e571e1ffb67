// Resize. One work item computes one pixel of the output, from taps in tables
// that the host computed.
// SPDX-License-Identifier: Apache-2.0

// Tap k of line h is line lines[h * num_taps + k] of x, with weight
// line_weights[h * num_taps + k]. Columns likewise.
__kernel void resize(GRID, __read_only image2d_t x, __global const int *lines,
                     __global const float *line_weights,
                     __global const int *columns,
                     __global const float *column_weights,
                     __write_only image2d_t y, const int num_taps,
                     const int in_height, const int in_width,
                     const int out_height, const int channels) {
  GRID_POSITION(block, w, row)
  const int n = row / out_height, h = row - n * out_height;
  float4 sum = 0;
  for (int i = h * num_taps; i < (h + 1) * num_taps; ++i) {
    for (int j = w * num_taps; j < (w + 1) * num_taps; ++j) {
      READ(v, x, block * in_width + columns[j], n * in_height + lines[i])
      sum = mad(v, line_weights[i] * column_weights[j], sum);
    }
  }
  WRITE_BLOCK(y, block, channels, w, grid_y, row, sum)
}
