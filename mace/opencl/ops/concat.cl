// Concat along the channels, where inputs begin or end within a block. One work
// item computes one block of the output.
// SPDX-License-Identifier: Apache-2.0

// v[k] = channel c of this pixel of x, whose channel 0 is channel `first` of y.
#define TAKE(x, first)                                               \
  {                                                                  \
    READ(from, x, (c - first) / 4 * grid_y + w, row)                 \
    v[k] = Component(from, (c - first) % 4);                         \
  }

// The block begins within in0, and the other inputs follow it. Each has at
// least one channel, so the block ends before in3 does.
__kernel void concat(GRID, __read_only image2d_t in0, __read_only image2d_t in1,
                     __read_only image2d_t in2, __read_only image2d_t in3,
                     __write_only image2d_t y, const int begin0,
                     const int begin1, const int begin2, const int begin3,
                     const int first_block, const int channels) {
  GRID_POSITION(block, w, row)
  const int out_block = first_block + block;
  float v[4] = {0, 0, 0, 0};
  for (int k = 0; k < 4 && out_block * 4 + k < channels; ++k) {
    const int c = out_block * 4 + k;
    if (c < begin1) {
      TAKE(in0, begin0)
    } else if (c < begin2) {
      TAKE(in1, begin1)
    } else if (c < begin3) {
      TAKE(in2, begin2)
    } else {
      TAKE(in3, begin3)
    }
  }
  WRITE_BLOCK(y, out_block, channels, w, grid_y, row,
              (float4)(v[0], v[1], v[2], v[3]))
}
