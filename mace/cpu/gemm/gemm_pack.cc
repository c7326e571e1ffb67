// Packs the b operand of matrix products, and chooses their micro-kernel.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/gemm/gemm_pack.h"

#include <algorithm>
#include <cstring>

#include "mace/base/cpu_rows.h"
#include "mace/base/str_cat.h"
#include "mace/cpu/common/choose_gemm.h"
#include "mace/cpu/common/weight_floats.h"
#include "mace/cpu/simd/transpose_4x4.h"

namespace mace::cpu {
namespace {

int64_t NumPanels(const GemmUkernel& kernel, int64_t n) {
  return (n + kernel.nr - 1) / kernel.nr;
}

// A tile with fewer rows takes as long as one with this many, because reading
// the panel limits it.
constexpr int64_t kGemmPackFewRows = 4;
// A different tile must cost less than this share of the best so far.
constexpr double kWorthwhile = 0.97;
constexpr double kCopying = 1.05;  // cost of a product whose rows are copied

// Returns the cost of a product's tiles, in rows at full speed.
double RowsCost(const GemmUkernel& kernel, const GemmSize& size,
                const Blocks& blocks) {
  const int64_t rest = size.rows % kernel.mr;
  const int64_t rows =
      size.rows - rest + (rest > 0 ? std::max(rest, kGemmPackFewRows) : 0);
  return static_cast<double>(rows) *
         (RowsConflict(kernel, size.row_bytes, size.n, blocks) ? kCopying : 1);
}

// Rows that are packed together: as many as a cache line has floats, so that
// the lines of the columns stay in the first-level cache.
constexpr int64_t kLine = 16;

// Returns whether each column is contiguous, with the taps of a channel side by
// side.
bool HasDenseColumns(const GemmB& b) {
  const int64_t taps = static_cast<int64_t>(b.taps.size());
  for (int64_t t = 0; t < taps; ++t) {
    if (b.taps[t] != t) return false;
  }
  return b.channel_stride == taps;
}

// Iterates over the rows of a panel in the order of a dense column: its float c
// * taps + t belongs to row t * channels + c.
class RowOrder {
 public:
  RowOrder(const GemmB& b, int64_t nr, float* packed)
      : taps_(static_cast<int64_t>(b.taps.size())),
        next_tap_(b.channels * nr),
        next_channel_(nr - (taps_ - 1) * next_tap_),
        row_(packed) {}

  float* Next() {
    float* row = row_;
    const bool last = ++tap_ == taps_;
    row_ += last ? next_channel_ : next_tap_;
    if (last) tap_ = 0;
    return row;
  }

 private:
  int64_t taps_, next_tap_, next_channel_;
  float* row_;
  int64_t tap_ = 0;
};

// Packs dense columns, four at a time from end to end. The CPU prefetches the
// four streams, and the panel stays in the second-level cache.
void PackDense(const GemmB& b, const float* data, int64_t columns, int64_t nr,
               float* packed) {
  const int64_t k = b.k();
  for (int64_t j = 0; j < columns; j += 4) {
    const float* from = data + j * b.column_stride;
    RowOrder rows(b, nr, packed + j);
    int64_t i = 0;
    for (; j + 4 <= columns && i + 4 <= k; i += 4) {
      Four v[4];
      Transpose4x4(reinterpret_cast<const char*>(from + i),
                   b.column_stride * static_cast<int64_t>(sizeof(float)),
                   reinterpret_cast<char*>(v), sizeof(v[0]));
      for (const Four& row : v) {
        StoreFour(reinterpret_cast<char*>(rows.Next()), row);
      }
    }
    const int64_t left = std::min<int64_t>(4, columns - j);
    for (; i < k; ++i) {
      float* row = rows.Next();
      for (int64_t c = 0; c < left; ++c) row[c] = from[c * b.column_stride + i];
    }
  }
}

}  // namespace

void PackPanel(const GemmUkernel& kernel, const GemmB& b, const float* tensor,
               int64_t panel, float* packed) {
  const int64_t nr = kernel.nr;
  const int64_t first = panel * nr;
  const int64_t columns = std::min(nr, b.n - first);
  if (columns < nr) std::fill_n(packed, b.k() * nr, 0.f);
  const float* data = tensor + b.offset + first * b.column_stride;
  if (HasDenseColumns(b)) {
    return PackDense(b, data, columns, nr, packed);
  }
  for (const int64_t tap : b.taps) {
    for (int64_t c0 = 0; c0 < b.channels; c0 += kLine) {
      const int64_t c1 = std::min(c0 + kLine, b.channels);
      for (int64_t j = 0; j < columns; ++j) {
        const float* column = data + tap + j * b.column_stride;
        for (int64_t c = c0; c < c1; ++c) {
          packed[c * nr + j] = column[c * b.channel_stride];
        }
      }
    }
    packed += b.channels * nr;
  }
}

namespace {

// Returns whether `b` is also a matrix of groups of elements, each group as
// wide as a float, which PackPanel packs like floats.
bool IsMatrixOfGroups(const GemmUkernel& kernel, const GemmB& b) {
  const int64_t group = kernel.packing.group;
  return group * static_cast<int64_t>(SizeOf(kernel.types.b)) ==
             sizeof(float) &&
         b.taps.size() == 1 && b.taps[0] == 0 && b.channel_stride == 1 &&
         b.channels % group == 0 && b.offset % group == 0 &&
         b.column_stride % group == 0;
}

// Its taps are {0}, as those of `b`.
GemmB MatrixOfGroups(const GemmUkernel& kernel, const GemmB& b) {
  const int64_t group = kernel.packing.group;
  GemmB groups;
  groups.offset = b.offset / group;
  groups.n = b.n;
  groups.column_stride = b.column_stride / group;
  groups.channels = b.channels / group;
  groups.channel_stride = 1;
  return groups;
}

// Packs a panel of any element type of sizeof(T) bytes.
template <typename T>
void PackGroups(const GemmUkernel& kernel, const GemmB& b, const void* tensor,
                int64_t panel, void* packed) {
  const int64_t nr = kernel.nr, first = panel * nr;
  const int64_t columns = std::min(nr, b.n - first);
  const int64_t group = kernel.packing.group;
  T* to = static_cast<T*>(packed);
  std::fill_n(to, AlignUp(b.k(), group) * nr, T{0});
  const T* data =
      static_cast<const T*>(tensor) + b.offset + first * b.column_stride;
  for (size_t t = 0; t < b.taps.size(); ++t) {
    for (int64_t c0 = 0; c0 < b.channels; c0 += kLine) {
      const int64_t c1 = std::min(c0 + kLine, b.channels);
      for (int64_t j = 0; j < columns; ++j) {
        const T* column = data + b.taps[t] + j * b.column_stride;
        for (int64_t c = c0; c < c1; ++c) {
          const int64_t k = static_cast<int64_t>(t) * b.channels + c;
          to[(k / group * nr + j) * group + k % group] =
              column[c * b.channel_stride];
        }
      }
    }
  }
}

void PackAnyPanel(const GemmUkernel& kernel, const GemmB& b, const void* data,
                  int64_t panel, void* packed) {
  if (IsMatrixOfGroups(kernel, b)) {
    PackPanel(kernel, MatrixOfGroups(kernel, b),
              static_cast<const float*>(data), panel,
              static_cast<float*>(packed));
  } else if (kernel.types.b == Element::kF32) {
    PackPanel(kernel, b, static_cast<const float*>(data), panel,
              static_cast<float*>(packed));
  } else if ((kHas16BitKernels || kHas8BitKernels) &&
             SizeOf(kernel.types.b) == sizeof(uint16_t)) {
    PackGroups<uint16_t>(kernel, b, data, panel, packed);
  } else if (kHas8BitKernels) {
    PackGroups<int8_t>(kernel, b, data, panel, packed);
  }
}

}  // namespace

void PackPanelQ8(const GemmUkernel& kernel, const GemmB& b, const void* data,
                 void* packed) {
  PackAnyPanel(kernel, b, data, 0, packed);
}

// Rows that are half of set_bytes apart leave two sets for a tile, which costs
// less than copying them (4 %, measured).
bool RowsConflict(const GemmUkernel& kernel, int64_t row_bytes, int64_t n,
                  const Blocks& blocks) {
  return row_bytes % blocks.set_bytes == 0 && kernel.mr > blocks.ways &&
         n >= 2 * kernel.nr;
}

const GemmUkernel& ChooseGemmF32(GemmSize size, const CpuContext& context) {
  // Prefers another micro-kernel of the same instruction set if the last tile
  // fits it better or its rows need not be copied.
  const GemmUkernel* best = &BestGemm(kGemmF32, context.features);
  const Blocks blocks = BlocksOf(context.caches);
  for (const GemmUkernel& row : kGemm) {
    if (!(row.types == kGemmF32) || row.isa != best->isa) continue;
    const double cost = kWorthwhile * RowsCost(*best, size, blocks);
    if (RowsCost(row, size, blocks) < cost && PassesTest(row)) best = &row;
  }
  return *best;
}

namespace {

// Returns whether products in bf16 are faster than in float32. VDPBF16PS does
// twice the work of an FMA: AMD executes it as often as an FMA, Intel at most
// half as often (uops.info). On Emerald Rapids the bf16 micro-kernel was
// measured at half the speed of the float32 one. Arm's BFMMLA does several
// times the work of an FMA.
bool HasFastBf16(CpuFeatures features) {
  constexpr CpuFeatures kFastOnX86 = kCpuAvx512Bf16 | kCpuAmd;
  return (features & kCpuBf16) != 0 || (features & kFastOnX86) == kFastOnX86;
}

}  // namespace

const GemmUkernel& ChooseGemm(const Operand& b, GemmSize size,
                              const CpuContext& context) {
  if constexpr (kHas16BitKernels) {
    if (b.stored == DataType::kF16 ||
        (b.stored == DataType::kBF16 && HasFastBf16(context.features))) {
      const GemmUkernel& narrow = BestGemm(
          b.stored == DataType::kF16 ? kGemmF16 : kGemmBf16, context.features);
      if (narrow.isa != 0) return narrow;
    }
  }
  return ChooseGemmF32(size, context);
}

namespace {

// Returns whether an element of a filter may be -128 once it is packed.
bool HasLeastElement(const Operand& w) {
  if (w.data == nullptr) return true;
  const int value = w.type.dtype == DataType::kU8 ? 0 : 0x80;
  const auto n = static_cast<size_t>(NumElements(w.type.shape));
  return std::memchr(w.data, value, n) != nullptr;
}

}  // namespace

const GemmUkernel& ChooseGemmQ8(const Operand& b, const CpuContext& context) {
  return BestGemmQ8(HasLeastElement(b) ? -128 : -127, context.features);
}

int64_t PackedElements(const GemmUkernel& kernel, int64_t n, int64_t k) {
  const int64_t pad = std::max(kernel.packing.group, kernel.packing.k_pad);
  return NumPanels(kernel, n) * kernel.nr * AlignUp(k, pad);
}

void PackB(const GemmUkernel& kernel, const GemmB& b, const void* data,
           void* packed, ThreadPool* threads) {
  constexpr int64_t kTaskBytes = 256 * 1024;
  const int64_t panel_bytes = PackedElements(kernel, kernel.nr, b.k()) *
                              static_cast<int64_t>(SizeOf(kernel.types.b));
  const int64_t tile = kTaskBytes / std::max<int64_t>(panel_bytes, 1) + 1;
  threads->ParallelFor(
      NumPanels(kernel, b.n), tile, [&](size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i) {
          PackAnyPanel(kernel, b, data, i,
                       static_cast<char*>(packed) + i * panel_bytes);
        }
      });
}

Result<PackedB> PackedB::Create(const Operand& operand, const std::string& how,
                                const GemmUkernel& kernel,
                                std::vector<GemmB> matrices,
                                CpuContext& context) {
  PackedB b;
  b.kernel_ = &kernel;
  b.threads_ = context.threads;
  b.matrices_ = std::move(matrices);
  int64_t total = 0;
  for (const GemmB& matrix : b.matrices_) {
    total += PackedElements(kernel, matrix.n, matrix.k());
    b.offsets_.push_back(total);
  }
  if (operand.data == nullptr) return b;
  const auto pack = [&](void* packed) -> Status {
    if (kernel.types.b != Element::kF32) {
      b.Pack(operand.data, packed);
      return Status();
    }
    MACE_ASSIGN_OR_RETURN(const WeightFloats floats,
                          WeightFloats::Create(operand));
    b.Pack(floats.data(), packed);
    return Status();
  };
  MACE_ASSIGN_OR_RETURN(
      b.constant_, context.packed->GetOrPack(operand.weight_id,
                                             StrCat(how, " for ", kernel.name),
                                             b.bytes(), pack));
  return b;
}

int64_t PackedB::bytes() const {
  if (kernel_ == nullptr) return 0;
  return offsets_.back() * static_cast<int64_t>(SizeOf(kernel_->types.b));
}

int64_t PackedB::scratch_bytes() const {
  if (constant_ != nullptr) return 0;
  return AlignUp(bytes(), kAlignment);
}

const void* PackedB::Get(const void* data, void* scratch) const {
  if (constant_ != nullptr) return constant_.get();
  Pack(data, scratch);
  return scratch;
}

void PackedB::Pack(const void* data, void* packed) const {
  const auto element = static_cast<int64_t>(SizeOf(kernel_->types.b));
  for (size_t i = 0; i < matrices_.size(); ++i) {
    PackB(*kernel_, matrices_[i], data,
          static_cast<char*>(packed) + offsets_[i] * element, threads_);
  }
}

}  // namespace mace::cpu
