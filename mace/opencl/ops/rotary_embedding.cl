// RotaryEmbedding. One work item turns a block of four elements of one vector.
// SPDX-License-Identifier: Apache-2.0

__kernel void rotary_embedding(GRID, __read_only image2d_t x,
                               __read_only image2d_t cosines,
                               __read_only image2d_t sines,
                               __write_only image2d_t y, HEADS(x),
                               BROADCAST(cosines), BROADCAST(sines),
                               const int heads, const int turned,
                               const int depth) {
  GRID_POSITION(b, row, head_of_all)
  const int n = head_of_all / heads, head = head_of_all - n * heads;
  READ(v, x, COLUMN(x, head, row, b), ROW(x, n, head, row))
  if (b < turned) {
#ifdef INTERLEAVED
    const float4 other = (float4)(-v.y, v.x, -v.w, v.z);
#ifdef OF_PAIRS
    const int at = b / 2;
#else
    const int at = b;
#endif
#else
    const int half_of = turned / 2;
    const bool is_first = b < half_of;
    const int partner = is_first ? b + half_of : b - half_of;
    READ(p, x, COLUMN(x, head, row, partner), ROW(x, n, head, row))
    const float4 other = is_first ? -p : p;
#ifdef OF_PAIRS
    const int at = is_first ? b : b - half_of;
#else
    const int at = b;
#endif
#endif
    READ_BROADCAST(c, cosines, at, row, n, head)
    READ_BROADCAST(s, sines, at, row, n, head)
#if defined(INTERLEAVED) && defined(OF_PAIRS)
    c = (b & 1) != 0 ? c.zzww : c.xxyy;
    s = (b & 1) != 0 ? s.zzww : s.xxyy;
#endif
    v = v * c + other * s;
  }
  v = MaskChannels(v, b, depth);
  WRITE(y, COLUMN(x, head, row, b), ROW(x, n, head, row), v)
}
