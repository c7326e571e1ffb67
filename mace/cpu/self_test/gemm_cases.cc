// The cases of GEMM micro-kernels.
// SPDX-License-Identifier: Apache-2.0

#include <cstring>

#include "mace/cpu/self_test/self_test.h"
#include "mace/cpu/ukernels/gemm/gemm_blocks.h"
#include "mace/cpu/ukernels/gemm/gemm_table.h"

namespace mace::cpu {
namespace {

constexpr size_t kGemmStride = 80;  // of rows of x

// Element (k, j) of a panel of b.
using GemmWeight = float(const GemmUkernel& row, const void* b, size_t k,
                         size_t j);

size_t PanelIndex(const GemmUkernel& row, size_t k, size_t j) {
  const auto group = static_cast<size_t>(row.packing.group);
  return (k / group * static_cast<size_t>(row.nr) + j) * group + k % group;
}

float PlainWeight(const GemmUkernel& row, const void* b, size_t k, size_t j) {
  return Get(row.types.b, b, PanelIndex(row, k, j));
}

struct GemmCase {
  const GemmUkernel& row;
  Element x_type;
  size_t k;
  GemmWeight* weight;
  float limit;  // of results
};

bool GemmResultsAreRight(const GemmCase& c, const GemmTile& tile,
                         const void* x) {
  const Element type = c.row.types.c;
  for (size_t i = 0; i < tile.m * tile.n; ++i) {
    const size_t line = i / tile.n, j = i % tile.n;
    float wanted = Get(type, tile.bias, j);
    if (tile.addend != nullptr) wanted += Get(type, tile.addend, i);
    for (size_t k = 0; k < c.k; ++k) {
      wanted += Get(c.x_type, x, line * kGemmStride + k) *
                c.weight(c.row, tile.b, k, j);
    }
    wanted = wanted < -c.limit ? -c.limit : wanted;
    wanted = wanted > c.limit ? c.limit : wanted;
    const size_t at = line * static_cast<size_t>(tile.c_stride) + j;
    if (!(Get(type, tile.c, at) == wanted)) return false;
  }
  return true;
}

// Packs rows for a tile.
bool PackRows(const GemmCase& c, const void* x, void* a, GemmTile* tile) {
  const void* rows[kGemmMaxRows];
  for (size_t i = 0; i < tile->m; ++i) {
    rows[i] = static_cast<const char*>(x) + i * kGemmStride * SizeOf(c.x_type);
  }
  tile->a = a;
  tile->a_stride = static_cast<ptrdiff_t>(tile->k);
  tile->a_packed = true;
  if (c.row.pack_runs == nullptr) {
    c.row.pack({tile->m, c.k, 1, rows, 0}, a);
    return true;
  }
  int32_t sums[kGemmMaxRows];
  c.row.pack_runs(
      {tile->m, c.k, 1, reinterpret_cast<const uint8_t* const*>(rows), 0, sums},
      a);
  float difference = 0;
  for (size_t i = 0; i < tile->m; ++i) {
    auto sum = static_cast<float>(sums[i]);
    for (size_t k = 0; k < c.k; ++k) sum -= Get(c.x_type, rows[i], k);
    difference += sum < 0 ? -sum : sum;
  }
  return difference == 0;
}

#if defined(__x86_64__)

int32_t Requantized(int32_t sum, int32_t mantissa, int32_t right) {
  const int64_t high = (int64_t{sum} * mantissa + (int64_t{1} << 30)) >> 31;
  const int64_t magnitude = high < 0 ? -high : high;
  const int64_t rounded = (magnitude + (int64_t{1} << (right - 1))) >> right;
  return static_cast<int32_t>(high < 0 ? -rounded : rounded);
}

// Of the sums of a whole tile.
bool GemmEpilogueIsRight(const GemmUkernel& row, const GemmTile& tile) {
  constexpr int kMaxNr = 32, kRight = 9;
  int32_t mantissa[kMaxNr], left[kMaxNr], right[kMaxNr];
  for (int j = 0; j < row.nr; ++j) {
    mantissa[j] = (1 << 30) + j * 30000000;
    left[j] = 0;
    right[j] = kRight;
  }
  alignas(64) uint8_t y[kGemmMaxRows * kMaxNr] = {};
  row.epilogue.fn({1, tile.k, tile.a, 0, static_cast<const int8_t*>(tile.b),
                   static_cast<const int32_t*>(tile.bias), mantissa, left,
                   right, 3, -128, 127, y, row.nr});
  for (int i = 0; i < row.mr * row.nr; ++i) {
    const int32_t sum = static_cast<const int32_t*>(tile.c)[i];
    const int32_t scaled = Requantized(sum, mantissa[i % row.nr], kRight) + 3;
    const int32_t wanted = scaled < -128 ? -128 : scaled > 127 ? 127 : scaled;
    if (static_cast<int8_t>(y[i]) != wanted) return false;
  }
  return true;
}

#endif

// A whole tile, or one that is smaller.
bool GemmTileIsRight(const GemmCase& c, TestMemory& memory, bool is_packed,
                     size_t smaller) {
  const GemmUkernel& row = c.row;
  const bool is_quantized = row.types.c == Element::kI32;
  const void* const x = memory.in<void>(0);
  GemmTile tile = {};
  tile.m = static_cast<size_t>(row.mr) - smaller;
  tile.n = static_cast<size_t>(row.nr) - (is_quantized ? 0 : smaller);
  tile.k = c.k;
  tile.segments = 1;
  tile.a = x;
  tile.a_stride = kGemmStride;
  tile.b = memory.in<void>(1);
  tile.c = memory.out<void>();
  tile.c_stride = row.nr;
  tile.bias = memory.Fill(row.types.c, 2);
  if (!is_quantized) tile.addend = memory.Fill(row.types.c, 3);
  tile.addend_stride = static_cast<ptrdiff_t>(tile.n);
  tile.lower = -c.limit;
  tile.upper = c.limit;
  if (is_packed && !PackRows(c, x, memory.in<void>(4), &tile)) return false;
  row.fn(tile);
  if (!GemmResultsAreRight(c, tile, x)) return false;
#if defined(__x86_64__)
  if (row.epilogue.fn != nullptr && smaller == 0) {
    return GemmEpilogueIsRight(row, tile);
  }
#endif
  return true;
}

bool GemmIsRight(const GemmCase& c, TestMemory& memory) {
  bool is_right = true;
  for (size_t smaller = 0; smaller < 2; ++smaller) {
    if (c.row.packs != GemmPacks::kAlways) {
      is_right = is_right && GemmTileIsRight(c, memory, false, smaller);
    }
    if (c.row.packs != GemmPacks::kNever) {
      is_right = is_right && GemmTileIsRight(c, memory, true, smaller);
    }
  }
  return is_right;
}

// Before the bytes of a block are its scales, and perhaps as many zero points.
size_t NumbersOfBlock(const GemmUkernel& row) {
  return static_cast<size_t>(row.nr) *
         (row.types.b == Element::kQ4ZeroBlock ? 2 : 1);
}

float BlockWeight(const GemmUkernel& row, const void* b, size_t k, size_t j) {
  const Element type = row.types.b;
  const auto nr = static_cast<size_t>(row.nr);
  const uint8_t* const block =
      static_cast<const uint8_t*>(b) + k / kGemmBlock * nr * SizeOf(type);
  const uint8_t* const bytes = block + 2 * NumbersOfBlock(row);
  const float scale = Get(Element::kF16, block, j);
  k %= kGemmBlock;
  if (type == Element::kW8Block) {
    const size_t i = PanelIndex(row, k, j);
    return scale * (row.packing.b_min == 0 ? Get(Element::kU8, bytes, i) - 128
                                           : Get(Element::kI8, bytes, i));
  }
  const uint8_t pair = bytes[PanelIndex(row, k % (kGemmBlock / 2), j)];
  const int value = k < kGemmBlock / 2 ? pair & 15 : pair >> 4;
  const float zero =
      type == Element::kQ4Block ? 8 : Get(Element::kF16, block, nr + j);
  return scale * (static_cast<float>(value) - zero);
}

}  // namespace

bool SelfTest(const GemmUkernel& row, TestMemory& memory) {
  // Bytes are what the micro-kernel multiplies.
  GemmCase c = {row, row.types.x, 32, PlainWeight, 200};
  if (kHas8BitKernels && row.is_quantized()) {
    c.x_type = row.reads_unsigned() ? Element::kU8 : Element::kI8;
    c.k = 64;
    c.limit = 1e9f;
  }
  memory.Fill(c.x_type, 0);
  memory.Fill(row.types.b, 1);
  return GemmIsRight(c, memory);
}

bool SelfTestOfBlocks(const GemmUkernel& row, TestMemory& memory) {
  // Rows whose largest element is 127 are quantized to what they are.
  auto* const x = memory.in<float>(0);
  auto* const b = memory.Fill<int8_t>(1);
  for (size_t i = 0; i < kGemmStride * kGemmMaxRows; ++i) {
    x[i] = i % kGemmStride == 0 ? 127 : static_cast<float>(b[i]);
  }
  const void* const numbers = memory.Fill(Element::kF16, 2);
  const size_t block_bytes = static_cast<size_t>(row.nr) * SizeOf(row.types.b);
  std::memcpy(b, numbers, 2 * NumbersOfBlock(row));
  std::memcpy(b + block_bytes, numbers, 2 * NumbersOfBlock(row));
  return GemmIsRight({row, Element::kF32, 64, BlockWeight, 50000}, memory);
}

}  // namespace mace::cpu
