// Eltwise. One work item computes one pixel of the output.
// SPDX-License-Identifier: Apache-2.0

inline float4 Combine(float4 a, float4 b) {
#if defined(ELTWISE_SUM)
  return a + b;
#elif defined(ELTWISE_SUB)
  return a - b;
#elif defined(ELTWISE_PROD)
  return a * b;
#elif defined(ELTWISE_DIV)
  return a / b;
#elif defined(ELTWISE_MIN)
  return b < a || isnan(b) ? b : a;
#elif defined(ELTWISE_MAX)
  return b > a || isnan(b) ? b : a;
#elif defined(ELTWISE_POW)
  return pow(a, b);
#elif defined(ELTWISE_SQR_DIFF)
  return (a - b) * (a - b);
#elif defined(ELTWISE_FLOOR_DIV)
  return floor(a / b);
#elif defined(ELTWISE_MOD)
  const float4 rest = fmod(a, b);
  return rest != 0.0f && ((rest < 0.0f) != (b < 0.0f)) ? rest + b : rest;
#elif defined(ELTWISE_FMOD)
  return fmod(a, b);
#endif
}

__kernel void eltwise(GRID, __read_only image2d_t a, __read_only image2d_t b,
                      __write_only image2d_t y, BROADCAST(a), BROADCAST(b),
                      const int height, const int channels, ACTIVATION) {
  GRID_POSITION(block, w, row)
  const int n = row / height, h = row - n * height;
  READ_BROADCAST(va, a, block, w, n, h)
  READ_BROADCAST(vb, b, block, w, n, h)
  WRITE_BLOCK(y, block, channels, w, grid_y, row, ACTIVATE(Combine(va, vb)))
}
