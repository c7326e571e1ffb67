// Softmax and the norms. One work item computes one pixel from the statistics
// of the box that it belongs to.
// SPDX-License-Identifier: Apache-2.0

#ifdef NORMALIZE_MOMENTS
#define AFFINE_IMAGES \
  __read_only image2d_t scale, __read_only image2d_t offset,
#define AFFINE_STEPS , BROADCAST(scale), BROADCAST(offset), ACTIVATION
#else
#define AFFINE_IMAGES
#define AFFINE_STEPS
#endif

// center and spread are the mean and the root of the mean square deviation; or
// the maximum, and the mean of exp(element - maximum); or both are the length,
// or the root of the mean square.
__kernel void normalize_box(GRID, __read_only image2d_t x,
                            __read_only image2d_t center,
                            __read_only image2d_t spread, AFFINE_IMAGES
                            __write_only image2d_t y, const int height,
                            const int channels, const float parameter,
                            BROADCAST(statistic) AFFINE_STEPS) {
  GRID_POSITION(block, w, row)
  const int n = row / height, h = row - n * height;
  const int at_x = max(statistic_block, 0) * block + statistic_pixel * w;
  const int at_y = statistic_image * n + statistic_line * h;
  READ(v, x, block * grid_y + w, row)
  READ(a, center, at_x, at_y)
  READ(b, spread, at_x, at_y)
  if (statistic_block < 0) {
    a = a.xxxx;
    b = b.xxxx;
  }
#if defined(NORMALIZE_SOFTMAX)
  v = exp(v - a) / (b * parameter);
#elif defined(NORMALIZE_LOG_SOFTMAX)
  v = v - a - log(b * parameter);
#elif defined(NORMALIZE_LENGTH)
  const float4 length = b < parameter ? (float4)(parameter) : b;
  v = length == 0.0f ? (float4)(0.0f) : v / length;
#else
  READ_BROADCAST(s, scale, block, w, n, h)
  READ_BROADCAST(o, offset, block, w, n, h)
#ifdef NORMALIZE_UNCENTERED
  a = 0.0f;
#endif
  v = (v - a) * rsqrt(mad(b, b, (float4)(parameter))) * s + o;
  v = ACTIVATE(v);
#endif
  WRITE_BLOCK(y, block, channels, w, grid_y, row, v)
}
