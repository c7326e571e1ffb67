// Packing weights stored as int8 or int4, panel by panel.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/gemm/pack_blocks.h"

#include <algorithm>
#include <cstring>

#include "mace/base/aligned_buffer.h"
#include "mace/cpu/common/blocking.h"
#include "mace/cpu/gemm/gemm_pack.h"

namespace mace::cpu {
namespace {

constexpr int64_t kFp16Bytes = 2;

// One block of the rows that are the columns of a panel.
class BlockPacker {
 public:
  BlockPacker(const GemmUkernel& kernel, const QuantizedRows& rows)
      : rows_(rows),
        nr_(kernel.nr),
        group_(kernel.packing.group),
        flip_(rows.bits == 8 && kernel.packing.b_min == 0 ? 0x80 : 0) {}

  void Pack(int64_t first, int64_t block, uint8_t* to) const {
    const int64_t columns = std::min(nr_, rows_.rows - first);
    const int64_t bytes = kValuesPerBlock * rows_.bits / 8;
    const auto* scales = static_cast<const uint8_t*>(rows_.scales);
    const auto* zeros = reinterpret_cast<const uint8_t*>(rows_.zeros);
    std::memset(to, 0, static_cast<size_t>(BlockBytes()));
    for (int64_t c = 0; c < columns; ++c) {
      const int64_t at = (first + c) * rows_.row_scales + block;
      std::memcpy(to + c * kFp16Bytes, scales + at * kFp16Bytes, kFp16Bytes);
      if (zeros == nullptr) continue;
      std::memcpy(to + (nr_ + c) * kFp16Bytes, zeros + at * kFp16Bytes,
                  kFp16Bytes);
    }
    uint8_t* values = to + ScaleBytes();
    for (int64_t c = 0; c < columns; ++c) {
      const uint8_t* from =
          rows_.values + (first + c) * rows_.row_bytes + block * bytes;
      for (int64_t i = 0; i < bytes; ++i) {
        values[(i / group_ * nr_ + c) * group_ + i % group_] = from[i] ^ flip_;
      }
    }
  }

  int64_t BlockBytes() const {
    return ScaleBytes() + nr_ * kValuesPerBlock * rows_.bits / 8;
  }

 private:
  int64_t ScaleBytes() const {
    return nr_ * kFp16Bytes * (rows_.zeros == nullptr ? 1 : 2);
  }

  const QuantizedRows& rows_;
  int64_t nr_, group_;
  uint8_t flip_;
};

}  // namespace

GemmTypes TypesOfBlocks(const QuantizedRows& rows) {
  if (rows.bits == 8) return kGemmW8;
  return rows.zeros == nullptr ? kGemmQ4 : kGemmQ4Zero;
}

int64_t BlockPanelBytes(const GemmUkernel& kernel, const QuantizedRows& rows) {
  return rows.row_scales * BlockPacker(kernel, rows).BlockBytes();
}

void PackBlocks(const GemmUkernel& kernel, const QuantizedRows& rows,
                ThreadPool* threads, void* packed) {
  const BlockPacker packer(kernel, rows);
  const int64_t panels = CeilDiv(rows.rows, kernel.nr);
  threads->ParallelFor(panels, 1, [&](size_t begin, size_t end) {
    for (auto p = static_cast<int64_t>(begin); p < static_cast<int64_t>(end);
         ++p) {
      auto* to = static_cast<uint8_t*>(packed) +
                 p * rows.row_scales * packer.BlockBytes();
      for (int64_t b = 0; b < rows.row_scales; ++b) {
        packer.Pack(p * kernel.nr, b, to);
        to += packer.BlockBytes();
      }
    }
  });
}

Int8Panel::Int8Panel(const GemmUkernel& kernel, int64_t depth) {
  k = static_cast<int64_t>(AlignUp(depth, kernel.packing.k_pad));
  const int64_t values = PackedElements(kernel, kernel.nr, depth) *
                         static_cast<int64_t>(SizeOf(kernel.types.b));
  start_at = static_cast<int64_t>(AlignUp(values, kAlignment));
  scales_at = start_at + kernel.nr * static_cast<int64_t>(sizeof(int32_t));
  bytes = static_cast<int64_t>(
      AlignUp(scales_at + kernel.nr * sizeof(float), kAlignment));
}

void PackInt8Rows(const GemmUkernel& kernel, const QuantizedRows& rows,
                  ThreadPool* threads, void* packed) {
  const Int8Panel panel(kernel, rows.depth);
  const int64_t nr = kernel.nr, panels = CeilDiv(rows.rows, nr);
  std::memset(packed, 0, static_cast<size_t>(panels * panel.bytes));
  threads->ParallelFor(panels, 1, [&](size_t begin, size_t end) {
    for (auto p = static_cast<int64_t>(begin); p < static_cast<int64_t>(end);
         ++p) {
      auto* to = static_cast<char*>(packed) + p * panel.bytes;
      auto* start = reinterpret_cast<int32_t*>(to + panel.start_at);
      auto* scales = reinterpret_cast<float*>(to + panel.scales_at);
      const int64_t columns = std::min(nr, rows.rows - p * nr);
      const uint8_t* from = rows.values + p * nr * rows.row_bytes;
      GemmB b;
      b.n = columns;
      b.column_stride = rows.row_bytes;
      b.channels = rows.depth;
      b.channel_stride = 1;
      PackPanelQ8(kernel, b, from, to);
      for (int64_t c = 0; c < columns; ++c) {
        rows.ScalesOf(p * nr + c, scales + c);
        if (!kernel.reads_unsigned()) continue;
        int32_t sum = 0;
        for (int64_t i = 0; i < rows.depth; ++i) {
          sum += static_cast<int8_t>(from[c * rows.row_bytes + i]);
        }
        start[c] = kStartOfUnsigned * sum;
      }
    }
  });
}

}  // namespace mace::cpu
