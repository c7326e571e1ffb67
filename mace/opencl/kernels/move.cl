// Moves elements. One work item writes one pixel of the region.
// SPDX-License-Identifier: Apache-2.0

// Returns which element of x becomes element `at` of the region, or -1 for
// none.
//
// `map` holds the number of axes of x; for each of them its first position,
// extent, stride in elements and number of digits; for each digit the divisor,
// extent and step (see move.h).
#define MOVE_CONSTANT 0  // the modes, as MoveMode
#define MOVE_EDGE 1
#define MOVE_SYMMETRIC 2

inline int SourceOf(__global const int *map, int at, int mode) {
  int source = 0;
  for (int axes = *map++; axes > 0; --axes) {
    int position = map[0];
    const int extent = map[1], stride = map[2], digits = map[3];
    map += 4;
    for (int d = 0; d < digits; ++d, map += 3) {
      position += at / map[0] % map[1] * map[2];
    }
    if (position < 0 || position >= extent) {
      if (mode == MOVE_CONSTANT) return -1;
      if (mode == MOVE_EDGE) {
        position = clamp(position, 0, extent - 1);
      } else {  // mirrored with the edge or without it
        const int edge = mode == MOVE_SYMMETRIC;
        position = position < 0 ? -edge - position
                                : 2 * (extent - 1) + edge - position;
      }
    }
    source += position * stride;
  }
  return source;
}

// The arguments after the image and the map of x, and the image of y: the width
// and channels of x, the channels of the region, the channels and width of y,
// the position in y at which the region begins, and how many rows it skips
// after how many.
#define MOVE                                                            \
  const int in_width, const int in_channels, const int region_channels, \
      const int channels, const int out_width, const int first_block,   \
      const int first_column, const int first_row, const int rows,      \
      const int rows_apart, const int mode, const float fill

// float4 v = the pixel that holds element `at` of x, as its component c % 4.
#define READ_ELEMENT(v, c, at)                                          \
  const int pixel = at / in_channels, c = at - pixel * in_channels;     \
  const int line = pixel / in_width;                                    \
  READ(v, x, c / 4 * in_width + pixel - line * in_width, line)

#define WRITE_MOVED(v)                                                  \
  WRITE_BLOCK(y, first_block + block, channels, first_column + w,       \
              out_width, row / rows * (rows_apart - rows) + row + first_row, v)

// Any elements.
__kernel void move(GRID, __read_only image2d_t x, __global const int *map,
                   __write_only image2d_t y, MOVE) {
  GRID_POSITION(block, w, row)
  const int at = (row * grid_y + w) * region_channels + block * 4;
  float v[4] = {fill, fill, fill, fill};
  for (int k = 0; k < 4 && block * 4 + k < region_channels; ++k) {
    const int source = SourceOf(map, at + k, mode);
    if (source < 0) continue;
    READ_ELEMENT(from, c, source)
    v[k] = Component(from, c & 3);
  }
  WRITE_MOVED((float4)(v[0], v[1], v[2], v[3]))
}

// Each block of y is a block of x, in the same order.
__kernel void move_blocks(GRID, __read_only image2d_t x,
                          __global const int *map, __write_only image2d_t y,
                          MOVE) {
  GRID_POSITION(block, w, row)
  const int at = (row * grid_y + w) * region_channels + block * 4;
  const int source = SourceOf(map, at, mode);
  float4 v = fill;
  if (source >= 0) {
    READ_ELEMENT(from, c, source)
    v = from;
  }
  WRITE_MOVED(v)
}
