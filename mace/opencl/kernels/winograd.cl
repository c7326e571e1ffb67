// Conv2d with 3x3 filters and stride 1, in tiles of TILE x TILE outputs that
// share products: Winograd's F(2x2, 3x3) and F(4x4, 3x3). The matrices are
// those of Lavin and Gray, Fast Algorithms for Convolutional Neural Networks
// (2015).
// SPDX-License-Identifier: Apache-2.0
//
// V = B^T d B of each input tile d, and the products M of V with the
// transformed filter, are images of TAPS * TAPS tensors, one below the other:
// [images, lines of tiles, columns of tiles, channels].

#define TAPS (TILE + 2)  // inputs on each side of a tile

#if TILE == 2
__constant float kToProducts[4][4] = {  // B^T
    {1, 0, -1, 0}, {0, 1, 1, 0}, {0, -1, 1, 0}, {0, 1, 0, -1}};
__constant float kToOutputs[2][4] = {{1, 1, 1, 0}, {0, 1, -1, -1}};  // A^T
#else
__constant float kToProducts[6][6] = {
    {4, 0, -5, 0, 1, 0},  {0, -4, -4, 1, 1, 0}, {0, 4, -4, -1, 1, 0},
    {0, -2, -1, 2, 1, 0}, {0, 2, -1, -2, 1, 0}, {0, 4, 0, -5, 0, 1}};
__constant float kToOutputs[4][6] = {{1, 1, 1, 1, 1, 0},
                                     {0, 1, -1, 2, -2, 0},
                                     {0, 1, 1, 4, 4, 0},
                                     {0, 1, -1, 8, -8, 1}};
#endif

// Computes one line of V of one tile.
__kernel void winograd_input(GRID, __read_only image2d_t x,
                             __write_only image2d_t v, WINDOW,
                             const int channels, const int tile_lines,
                             const int tile_rows) {
  GRID_POSITION(block, tile, item)
  const int i = item / tile_rows, tile_row = item - i * tile_rows;
  const int n = tile_row / tile_lines;
  const int top = (tile_row - n * tile_lines) * TILE - pad_top;
  float4 sums[TAPS];
  for (int j = 0; j < TAPS; ++j) {
    const int column = tile * TILE - pad_left + j;
    sums[j] = 0;
    for (int r = 0; r < TAPS; ++r) {
      const int line = top + r;
      if (line < 0 || line >= in_height) continue;
      const float4 d = READ_OR_ZERO(x, COLUMN_OR_PADDING(block, column),
                                    n * in_height + line);
      sums[j] = mad(kToProducts[i][r], d, sums[j]);
    }
  }
  for (int k = 0; k < TAPS; ++k) {
    float4 sum = 0;
    for (int j = 0; j < TAPS; ++j) sum = mad(kToProducts[k][j], sums[j], sum);
    WRITE_BLOCK(v, block, channels, tile, grid_y,
                (i * TAPS + k) * tile_rows + tile_row, sum)
  }
}

// Computes the products of up to four tiles, grid_y apart; an item or a team.
__kernel void winograd_multiply(GRID, __read_only image2d_t v,
                                __read_only image2d_t filter,
                                __write_only image2d_t m, const int width,
                                const int tile_rows, const int in_blocks,
                                const int channels TEAM_ARG) {
  TEAM_POSITION(block, tile, row)
  const int filter_row = block * TAPS * TAPS + row / tile_rows;
  float4 sums[4] = {0, 0, 0, 0};
  for (int b = MEMBER; b < in_blocks; b += TEAM) {
    READ_FILTERS(filter, b, filter_row)
    for (int k = 0; k < 4; ++k) {
      const int at = tile + k * grid_y;
      const float4 u = READ_OR_ZERO(v, at < width ? b * width + at : -1, row);
      MULTIPLY_ADD(sums[k], u)
    }
  }
  SHARE_SUMS(sums, 4)
  for (int k = MEMBER, at = tile + MEMBER * grid_y; k < 4 && at < width;
       k += TEAM, at += TEAM * grid_y) {
    WRITE_BLOCK(m, block, channels, at, width, row, TEAM_SUM(sums, k))
  }
}

// Computes one line of outputs, A^T M A, of one tile.
__kernel void winograd_output(GRID, __read_only image2d_t m,
                              __read_only image2d_t bias,
                              __write_only image2d_t y, WINDOW,
                              const int channels, const int tile_lines,
                              const int tile_rows, ACTIVATION) {
  GRID_POSITION(block, tile, item)
  const int i = item / tile_rows, tile_row = item - i * tile_rows;
  const int n = tile_row / tile_lines;
  const int line = (tile_row - n * tile_lines) * TILE + i;
  if (line >= out_height) return;
  float4 sums[TAPS];
  for (int j = 0; j < TAPS; ++j) {
    sums[j] = 0;
    for (int r = 0; r < TAPS; ++r) {
      READ(product, m, block * grid_y + tile,
           (r * TAPS + j) * tile_rows + tile_row)
      sums[j] = mad(kToOutputs[i][r], product, sums[j]);
    }
  }
  READ(b, bias, block, 0)
  for (int k = 0; k < TILE && tile * TILE + k < out_width; ++k) {
    float4 sum = b;
    for (int j = 0; j < TAPS; ++j) sum = mad(kToOutputs[k][j], sums[j], sum);
    WRITE_BLOCK(y, block, channels, tile * TILE + k, out_width,
                n * out_height + line, ACTIVATE(sum))
  }
}
