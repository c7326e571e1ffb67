// The beginning of every OpenCL program.
// SPDX-License-Identifier: Apache-2.0
//
// Activations are channel-major images: block b of four channels of pixel w in
// row r (r = n * H + h for line h of image n) is at column b * W + w, row r.
// Components beyond the last channel are 0: a kernel may read them and must
// write them so, as WRITE_BLOCK does. An image may be larger than its tensor;
// the pixels beyond the tensor are undefined.

// Every kernel is `__kernel void f(GRID, ...)` and begins with GRID_POSITION. A
// checked build counts accesses outside of the image.
#ifdef MACE_CHECKED
#define GRID                                                         \
  __global int *violations, const int grid_x, const int grid_y,      \
      const int grid_z
#define CHECK_PIXEL(image, x, y)                                     \
  if ((x) < 0 || (y) < 0 || (x) >= get_image_width(image) ||         \
      (y) >= get_image_height(image)) {                              \
    atomic_inc(violations);                                          \
  }
#else
#define GRID const int grid_x, const int grid_y, const int grid_z
#define CHECK_PIXEL(image, x, y)
#endif

#define GRID_POSITION(x, y, z)                                       \
  const int x = get_global_id(0);                                    \
  const int y = get_global_id(1);                                    \
  const int z = get_global_id(2);                                    \
  if (x >= grid_x || y >= grid_y || z >= grid_z) return;

// A kernel whose grid does not fill the device divides each of its sums among a
// team: TEAM work items (Pass::Team), which compute one position together. Each
// adds every TEAM-th term. They are neighbours in dimension 2, so that those in
// dimensions 0 and 1 still read the same or adjacent pixels. All items of a
// group meet at a barrier, those outside of the grid too.
//   TEAM_ARG                the last argument
//   TEAM_POSITION(x, y, z)  instead of GRID_POSITION
//   MEMBER                  the item's number in its team: its first term
//   SHARE_SUMS(v, n)        what each item has added up: v[0] to v[n - 1]
//   TEAM_SUM(v, k)          sum k of the team; each is finished by one member,
//                           k = MEMBER, MEMBER + TEAM, ...
//   TEAM_PART(v, k, i)      v[k] of member i
// Without a team the same kernel works with TEAM 1.
#ifdef TEAM
#define TEAM_ARG , __local float4 *team_parts
#define TEAM_POSITION(x, y, z)                                       \
  const int member = get_global_id(2) % TEAM;                        \
  const int team = get_global_id(2) / TEAM;                          \
  const int x = min((int)get_global_id(0), grid_x - 1);              \
  const int y = min((int)get_global_id(1), grid_y - 1);              \
  const int z = min(team, grid_z - 1);                               \
  const bool is_inside = (int)get_global_id(0) < grid_x &&           \
      (int)get_global_id(1) < grid_y && team < grid_z;
#define MEMBER member
#define SHARE_SUMS(v, n)                                             \
  const int layer = get_local_size(0) * get_local_size(1);           \
  const int items = layer * get_local_size(2);                       \
  const int item = get_local_id(0) + get_local_size(0) *             \
      get_local_id(1) + layer * get_local_id(2);                     \
  for (int k = 0; k < n; ++k) team_parts[k * items + item] = v[k];   \
  barrier(CLK_LOCAL_MEM_FENCE);                                      \
  if (!is_inside) return;
#define TEAM_PART(v, k, i) \
  team_parts[(k) * items + item + ((i) - member) * layer]
#define TEAM_SUM(v, k) TeamSum(&TEAM_PART(v, k, 0), layer)
inline float4 TeamSum(__local const float4 *parts, int layer) {
  float4 sum = parts[0];
  for (int i = 1; i < TEAM; ++i) sum += parts[i * layer];
  return sum;
}
#else
#define TEAM 1
#define TEAM_ARG
#define TEAM_POSITION(x, y, z) GRID_POSITION(x, y, z)
#define MEMBER 0
#define SHARE_SUMS(v, n)
#define TEAM_PART(v, k, i) v[k]
#define TEAM_SUM(v, k) v[k]
#endif

// Reads outside of the image give 0.
__constant sampler_t kPixels =
    CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;

// float4 v = pixel (x, y), which must be inside.
#define READ(v, image, x, y)                                         \
  CHECK_PIXEL(image, x, y)                                           \
  float4 v = read_imagef(image, kPixels, (int2)(x, y));

// The pixel, or 0 outside of the image. Callers pass x = -1 to get 0.
#define READ_OR_ZERO(image, x, y) read_imagef(image, kPixels, (int2)(x, y))

#define WRITE(image, x, y, v)                                        \
  CHECK_PIXEL(image, x, y)                                           \
  write_imagef(image, (int2)(x, y), v);

// Sets the channels of block `block` beyond `channels` to 0.
inline float4 MaskChannels(float4 v, int block, int channels) {
  const int left = channels - block * 4;
  if (left < 4) v.w = 0;
  if (left < 3) v.z = 0;
  if (left < 2) v.y = 0;
  return v;
}

// Writes block `block` of pixel `w` of row `row`, in a tensor with `width`
// pixels in a row.
#define WRITE_BLOCK(image, block, channels, w, width, row, v)        \
  {                                                                  \
    const int column = (block) * (width) + (w);                      \
    WRITE(image, column, row, MaskChannels(v, block, channels))      \
  }

// Writes the blocks of up to four pixels, from `w` on, grid_y apart, whose sums
// from sums[first] on the team has shared.
#define WRITE_COLUMNS(image, block, channels, w, row, sums, first)   \
  for (int k = MEMBER, at = w + MEMBER * grid_y;                     \
       k < 4 && at < out_width; k += TEAM, at += TEAM * grid_y)      \
    WRITE_BLOCK(image, block, channels, at, out_width, row,          \
                ACTIVATE(WITH_ADDEND(SUM(TEAM_SUM(sums, (first) + k)), \
                                     (block) * out_width + at, row)))

// A tensor that a kernel adds to its sums, pixel by pixel.
#ifdef ADDEND
#define ADDEND_ARG , __read_only image2d_t addend
#define WITH_ADDEND(v, x, y) ((v) + READ_OR_ZERO(addend, x, y))
#else
#define ADDEND_ARG
#define WITH_ADDEND(v, x, y) (v)
#endif

// Returns component k of v for a k that is not a compile-time constant.
inline float Component(float4 v, int k) {
  return k == 0 ? v.x : k == 1 ? v.y : k == 2 ? v.z : v.w;
}

// Floor division and remainder for divisors above 0.
inline int FloorDiv(int a, int b) {
  return a >= 0 ? a / b : -((b - 1 - a) / b);
}

// min(max(v, lower), upper), but NaN stays NaN.
inline float4 Clamp(float4 v, float lower, float upper) {
  v = v < lower ? (float4)(lower) : v;
  return v > upper ? (float4)(upper) : v;
}

// The steps of an operand that broadcasts (see broadcast.h), and its block that
// belongs to block (block, w) of line h of image n.
#define BROADCAST(operand)                                           \
  const int operand##_image, const int operand##_line,               \
      const int operand##_pixel_rows, const int operand##_pixel,     \
      const int operand##_block
#define READ_BROADCAST(v, operand, block, w, n, h)                   \
  READ(v, operand,                                                   \
       max(operand##_block, 0) * (block) + operand##_pixel * (w),    \
       operand##_image * (n) + operand##_line * (h) +                \
           operand##_pixel_rows * (w))                               \
  if (operand##_block < 0) v = v.xxxx;

// Where the vectors of an operand with heads are (heads.h): block b of row i of head h of image n is
// pixel (b * block + i * row_x + h * head_x, n * image + i * row_y +
// h * head_y).
#define HEADS(m)                                                      \
  const int m##_block, const int m##_row_x, const int m##_row_y,      \
      const int m##_head_x, const int m##_head_y, const int m##_image
#define COLUMN(m, h, i, b) \
  ((b) * m##_block + (i) * m##_row_x + (h) * m##_head_x)
#define ROW(m, n, h, i) \
  ((n) * m##_image + (i) * m##_row_y + (h) * m##_head_y)

// The arguments of a sliding window (window.h).
#define WINDOW                                                       \
  const int in_height, const int in_width, const int out_height,     \
      const int out_width, const int kernel_h, const int kernel_w,   \
      const int stride_h, const int stride_w, const int pad_top,     \
      const int pad_left, const int dilation_h, const int dilation_w

// The column of input pixel (x, block), or -1 where x is padding.
#define COLUMN_OR_PADDING(block, x) \
  ((x) >= 0 && (x) < in_width ? (block) * in_width + (x) : -1)

// Weights (weights.h) are floats, or int8, whose sums become those
// of weights by a factor for each output, in the image `scales`. Pixels hold
// code / 127, or (code + 128) / 255, of which weight_zero stands for a weight
// of 0.
//   WEIGHTS(w)               the arguments
//   WEIGHT_AT(w, x, y)       a pixel; outside of the image any number
//   READ_WEIGHT(v, w, x, y)  float4 v = a pixel, which must be inside
//   START_SUMS(v, bias, block)  float4 v = the first summand of this item
//   FINISH_SUMS(bias, block)    after the last summand, before SUM
//   SUM(v)                   what the sum v is with weights, and with the bias
#ifdef CODES_WITH_ZERO
#define WEIGHT_AT(w, x, y) (READ_OR_ZERO(w, x, y) - weight_zero)
#define WEIGHT_ZERO , const float weight_zero
#else
#define WEIGHT_AT(w, x, y) READ_OR_ZERO(w, x, y)
#define WEIGHT_ZERO
#endif
#define READ_WEIGHT(v, w, x, y)                                      \
  CHECK_PIXEL(w, x, y)                                               \
  float4 v = WEIGHT_AT(w, x, y);
#ifdef CODES
#define WEIGHTS(w) \
  __read_only image2d_t w, __read_only image2d_t scales WEIGHT_ZERO
#define START_SUMS(v, bias, block) float4 v = 0;
#define FINISH_SUMS(bias, block)                                     \
  READ(sum_scale, scales, block, 0)                                  \
  READ(sum_bias, bias, block, 0)
#define SUM(v) mad(v, sum_scale, sum_bias)
#else
#define WEIGHTS(w) __read_only image2d_t w
#define START_SUMS(v, bias, block)                                   \
  READ(v, bias, block, 0)                                            \
  if (MEMBER > 0) v = 0;
#define FINISH_SUMS(bias, block)
#define SUM(v) (v)
#endif

// f0 to f3: the four outputs of each input channel of block b, in a row of a
// filter image. Those of input channels that do not exist, which are 0, may be
// any number.
#define READ_FILTERS(filter, b, row)                                 \
  const float4 f0 = WEIGHT_AT(filter, (b) * 4, row);                 \
  const float4 f1 = WEIGHT_AT(filter, (b) * 4 + 1, row);             \
  const float4 f2 = WEIGHT_AT(filter, (b) * 4 + 2, row);             \
  const float4 f3 = WEIGHT_AT(filter, (b) * 4 + 3, row);

// acc += the four input channels of v times their filters.
#define MULTIPLY_ADD(acc, v) \
  acc = mad(v.x, f0, acc);   \
  acc = mad(v.y, f1, acc);   \
  acc = mad(v.z, f2, acc);   \
  acc = mad(v.w, f3, acc);

// The activation that the host chose by -DACTIVATION_...; a and b are its
// parameters (see activation.h). Without a define it is a clamp to [a, b].
#define ACTIVATION const float act_a, const float act_b
#define ACTIVATE(v) Activate(v, act_a, act_b)
inline float4 Activate(float4 v, float a, float b) {
#if defined(ACTIVATION_TANH)
  return tanh(v);
#elif defined(ACTIVATION_SIGMOID)
  return 1.0f / (1.0f + exp(-v));
#elif defined(ACTIVATION_LEAKYRELU)
  return v < 0.0f ? a * v : v;
#elif defined(ACTIVATION_ELU)
  return v < 0.0f ? a * expm1(v) : v;
#elif defined(ACTIVATION_SELU)
  return a * (v < 0.0f ? b * expm1(v) : v);
#elif defined(ACTIVATION_HARDSIGMOID)
  return Clamp(a * v + b, 0.0f, 1.0f);
#elif defined(ACTIVATION_HARDSWISH)
  return v * Clamp(v * (1.0f / 6.0f) + 0.5f, 0.0f, 1.0f);
#elif defined(ACTIVATION_SOFTPLUS)
  return fmax(v, 0.0f) + log1p(exp(-fabs(v)));
#elif defined(ACTIVATION_SOFTSIGN)
  return v / (1.0f + fabs(v));
#elif defined(ACTIVATION_GELU)
  return 0.5f * v * (1.0f + erf(v * M_SQRT1_2_F));
#elif defined(ACTIVATION_GELU_TANH)
  return v / (1.0f + exp(-v * mad(v * v, (float4)(b), (float4)(a))));
#elif defined(ACTIVATION_SWISH)
  return v / (1.0f + exp(-a * v));
#else
  return Clamp(v, a, b);
#endif
}
