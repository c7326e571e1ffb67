// Attention. One work item computes VALUE_BLOCKS blocks of the result of one
// query of one head. It goes through the keys four at a time and keeps the
// largest score and the sum of exponentials so far; where a score is larger,
// what came before is scaled down (Milakov and Gimelshein 2018, "Online
// normalizer calculation for softmax"). No matrix of scores is written.
// SPDX-License-Identifier: Apache-2.0

// scores.component += the product of block b of the query, qb, and that of key
// `at`. Components beyond the depth are 0 in both.
#define ADD_PRODUCT(component, at)                                    \
  {                                                                   \
    READ(kb, k, COLUMN(k, shared, at, b), ROW(k, n, shared, at))      \
    scores.component += dot(qb, kb);                                  \
  }
#define ADD_VALUE(component, at)                                      \
  {                                                                   \
    READ(vb, v, COLUMN(v, shared, at, first + b),                     \
         ROW(v, n, shared, at))                                       \
    sums[b] = mad(weights.component, vb, sums[b]);                    \
  }

inline float Largest(float4 v) {
  return fmax(fmax(v.x, v.y), fmax(v.z, v.w));
}

// Sets the scores of keys that are not in [begin, end) to `without`; `key` is
// the first one.
inline float4 WithinWindow(float4 v, int key, int begin, int end) {
  const int4 at = key + (int4)(0, 1, 2, 3);
  return select((float4)(-INFINITY), v, at >= begin && at < end);
}

__kernel void attention(GRID, __read_only image2d_t q, __read_only image2d_t k,
                        __read_only image2d_t v,
#ifdef MASK
                        __read_only image2d_t mask,
#endif
                        __write_only image2d_t y, HEADS(q), HEADS(k), HEADS(v),
                        HEADS(y),
#ifdef MASK
                        BROADCAST(mask),
#endif
                        const int heads, const int queries_per_key,
                        const int keys, const int depth_blocks,
                        const int depth, const float scale,
                        const float softcap, const int offset, const int left,
                        const int right) {
  GRID_POSITION(part, query, head_of_all)
  const int n = head_of_all / heads, head = head_of_all - n * heads;
  const int shared = head / queries_per_key;
  const int first = part * VALUE_BLOCKS;
  const int last = (depth + 3) / 4 - 1 - first;  // of the blocks of this item
  const int begin = left < 0 ? 0 : max(query + offset - left, 0);
  const int end = right < 0 ? keys : min(query + offset + right + 1, keys);

  float most = -INFINITY, total = 0;
  float4 sums[VALUE_BLOCKS];
  for (int b = 0; b < VALUE_BLOCKS; ++b) sums[b] = 0;
  for (int key = begin / 4 * 4; key < end; key += 4) {
    // Scores of keys beyond the last one are those of the last one, and left
    // out below.
    const int4 at = min(key + (int4)(0, 1, 2, 3), (int4)(keys - 1));
    float4 scores = 0;
    for (int b = 0; b < depth_blocks; ++b) {
      READ(qb, q, COLUMN(q, head, query, b), ROW(q, n, head, query))
      ADD_PRODUCT(x, at.x)
      ADD_PRODUCT(y, at.y)
      ADD_PRODUCT(z, at.z)
      ADD_PRODUCT(w, at.w)
    }
    scores *= scale;
    if (softcap > 0) scores = softcap * tanh(scores / softcap);
#ifdef MASK
    READ_BROADCAST(added, mask, key / 4, query, n, head)
    scores += added;
#endif
    scores = WithinWindow(scores, key, begin, end);
    const float now = fmax(most, Largest(scores));
    if (now == -INFINITY) continue;  // none of the keys counts yet
    const float before = most == -INFINITY ? 0.0f : exp(most - now);
    const float4 weights = exp(scores - now);
    total = total * before + dot(weights, (float4)(1));
    most = now;
    for (int b = 0; b < VALUE_BLOCKS && b <= last; ++b) {
      sums[b] *= before;
      ADD_VALUE(x, at.x)
      ADD_VALUE(y, at.y)
      ADD_VALUE(z, at.z)
      ADD_VALUE(w, at.w)
    }
  }

  const float factor = total == 0 ? 0.0f : 1.0f / total;
  for (int b = 0; b < VALUE_BLOCKS && b <= last; ++b) {
    const float4 result = MaskChannels(sums[b] * factor, first + b, depth);
    WRITE(y, COLUMN(y, head, query, first + b), ROW(y, n, head, query), result)
  }
}
