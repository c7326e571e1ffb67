// Unary. One work item computes one pixel.
// SPDX-License-Identifier: Apache-2.0

#define UNARY_ABS(v) fabs(v)
#define UNARY_NEG(v) -(v)
#define UNARY_EXP(v) exp(v)
#define UNARY_LOG(v) log(v)
#define UNARY_SQRT(v) sqrt(v)
#define UNARY_RSQRT(v) (1.0f / sqrt(v))
#define UNARY_SQUARE(v) ((v) * (v))
#define UNARY_RECIPROCAL(v) (1.0f / (v))
#define UNARY_FLOOR(v) floor(v)
#define UNARY_CEIL(v) ceil(v)
#define UNARY_ROUND(v) rint(v)
#define UNARY_SIGN(v) (isnan(v) ? (v) : sign(v))
#define UNARY_SIN(v) sin(v)
#define UNARY_COS(v) cos(v)
#define UNARY_TAN(v) tan(v)
#define UNARY_ASIN(v) asin(v)
#define UNARY_ACOS(v) acos(v)
#define UNARY_ATAN(v) atan(v)
#define UNARY_SINH(v) sinh(v)
#define UNARY_COSH(v) cosh(v)
#define UNARY_ASINH(v) asinh(v)
#define UNARY_ACOSH(v) acosh(v)
#define UNARY_ATANH(v) atanh(v)
#define UNARY_ERF(v) erf(v)
#define UNARY_ERFC(v) erfc(v)

// -DUNARY=UNARY_ABS, ...
__kernel void unary(GRID, __read_only image2d_t x, __write_only image2d_t y,
                    const int channels) {
  GRID_POSITION(block, w, row)
  READ(v, x, block * grid_y + w, row)
  WRITE_BLOCK(y, block, channels, w, grid_y, row, UNARY(v))
}
