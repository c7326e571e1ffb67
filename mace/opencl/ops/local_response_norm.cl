// LocalResponseNorm. One work item computes one pixel.
// SPDX-License-Identifier: Apache-2.0

__kernel void local_response_norm(GRID, __read_only image2d_t x,
                                  __write_only image2d_t y, const int channels,
                                  const int before, const int after,
                                  const float bias, const float alpha,
                                  const float beta) {
  GRID_POSITION(block, w, row)
  const int4 own = (int4)(0, 1, 2, 3);  // channels, from the block's first
  const int first = max(block * 4 - before, 0) / 4;
  const int last = min(block * 4 + 3 + after, channels - 1) / 4;
  float4 sum = 0;
  for (int b = first; b <= last; ++b) {
    READ(u, x, b * grid_y + w, row)
    u *= u;
    for (int k = 0; k < 4; ++k) {
      const int4 apart = (b - block) * 4 + k - own;
      const int4 inside = apart >= -before && apart <= after;
      sum += inside ? (float4)(Component(u, k)) : (float4)(0.0f);
    }
  }
  READ(v, x, block * grid_y + w, row)
  v *= pow(mad(sum, alpha, (float4)(bias)), (float4)(-beta));
  WRITE_BLOCK(y, block, channels, w, grid_y, row, v)
}
