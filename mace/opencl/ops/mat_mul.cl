// MatMul. One work item, or a team, computes one block of one row of the
// product.
// SPDX-License-Identifier: Apache-2.0

// The position of the rows of a matrix: block b of row i of matrix n is pixel
// (b * block + i * row_x, n * image + i * row_y).
#define MATRIX(m)                                                     \
  const int m##_block, const int m##_row_x, const int m##_row_y,      \
      const int m##_image
#define READ_MATRIX(v, m, n, i, b)                                    \
  READ(v, m, (b) * m##_block + (i) * m##_row_x,                       \
       (n) * m##_image + (i) * m##_row_y)
#define READ_MATRIX_OF_WEIGHTS(v, m, n, i, b)                         \
  READ_WEIGHT(v, m, (b) * m##_block + (i) * m##_row_x,                \
              (n) * m##_image + (i) * m##_row_y)

__kernel void mat_mul(GRID, __read_only image2d_t a, WEIGHTS(b),
                      __write_only image2d_t y, MATRIX(a), MATRIX(b),
                      MATRIX(y), const int depth, const int channels
                      TEAM_ARG) {
  TEAM_POSITION(block, i, n)
  float4 sum = 0;
  for (int k = MEMBER * 4; k < depth; k += TEAM * 4) {
#ifdef TRANSPOSE_A
    float4 va = 0;
#define TAKE_A(component, at)                                         \
  if (at < depth) {                                                   \
    READ_MATRIX(v, a, n, at, i / 4)                                   \
    va.component = Component(v, i % 4);                               \
  }
    TAKE_A(x, k)
    TAKE_A(y, k + 1)
    TAKE_A(z, k + 2)
    TAKE_A(w, k + 3)
#else
    READ_MATRIX(va, a, n, i, k / 4)
#endif
#ifdef TRANSPOSE_B
    // Components beyond the depth are 0 in both.
#define ADD_COLUMN(component, at)                                     \
  if (at < channels) {                                                \
    READ_MATRIX_OF_WEIGHTS(v, b, n, at, k / 4)                        \
    sum.component += dot(va, v);                                      \
  }
    ADD_COLUMN(x, block * 4)
    ADD_COLUMN(y, block * 4 + 1)
    ADD_COLUMN(z, block * 4 + 2)
    ADD_COLUMN(w, block * 4 + 3)
#else
#define ADD_ROW(component, at)                                        \
  if (at < depth) {                                                   \
    READ_MATRIX_OF_WEIGHTS(v, b, n, at, block)                        \
    sum = mad(va.component, v, sum);                                  \
  }
    ADD_ROW(x, k)
    ADD_ROW(y, k + 1)
    ADD_ROW(z, k + 2)
    ADD_ROW(w, k + 3)
#endif
  }
  const float4 sums[1] = {sum};
  SHARE_SUMS(sums, 1)
  if (MEMBER > 0) return;
  sum = TEAM_SUM(sums, 0);
#ifdef CODES
  READ(scale, scales, block, 0)
  sum *= scale;
#endif
  WRITE_BLOCK(y, block, channels, i * y_row_x, y_block,
              n * y_image + i * y_row_y, sum)
}
