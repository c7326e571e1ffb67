// The cases of micro-kernels that quantize, requantize, pool, add and look up.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/self_test/self_test.h"
#include "mace/cpu/ukernels/add_q8/add_q8_table.h"
#include "mace/cpu/ukernels/gemv/gemv_table.h"
#include "mace/cpu/ukernels/lut_q8/lut_q8_table.h"
#include "mace/cpu/ukernels/peak/peak_q8_table.h"
#include "mace/cpu/ukernels/pool/pool_table.h"
#include "mace/cpu/ukernels/quantize_q8/quantize_q8_table.h"
#include "mace/cpu/ukernels/requantize_q8/requantize_q8_table.h"

namespace mace::cpu {
namespace {

// More than one of the widest vectors of bytes, and a rest.
constexpr size_t kValues = 83;

void SumBytes(TestMemory& memory) { memory.Sum(Element::kI8, kValues); }
void SumFloats(TestMemory& memory) { memory.Sum(Element::kF32, kValues); }

void ComputeAdd(AddQ8Fn* fn, bool subtract, bool is_unsigned,
                TestMemory& memory) {
  const int zero = is_unsigned ? 130 : -7;
  fn({kValues,
      {memory.in<uint8_t>(0), 3, {1 << 30, 0}},
      {memory.in<uint8_t>(1), zero, {1300000000, 2}},
      subtract,
      is_unsigned,
      {1500000000, 19},
      zero,
      zero - 100,
      zero + 100,
      memory.out<uint8_t>()});
  SumBytes(memory);
}

// Six pixels, signed or not.
void ComputePoolQ8(PoolQ8Fn* fn, bool is_signed, TestMemory& memory) {
  constexpr size_t kChannels = kValues;
  fn({kChannels, 2, 3, memory.in<uint8_t>(0), 3 * kChannels, kChannels,
      is_signed, is_signed ? -100 : 10, is_signed ? 120 : 250,
      memory.out<uint8_t>(), 1, 0, 0});
  SumBytes(memory);
}

void DequantizeRow(DequantizeRowsQ8Fn* fn, TestMemory& memory) {
  fn({kValues, memory.in<uint8_t>(0), memory.in<float>(1),
      memory.out<float>()});
  SumFloats(memory);
}

void ComputeGemvQ8(GemvQ8Fn* fn, Element scales, TestMemory& memory) {
  constexpr size_t kRows = 5, kColumns = 69, kBlocks = 3, kRowBytes = 80;
  fn({kRows, kColumns, memory.in<uint8_t>(0), kRowBytes, memory.Fill(scales, 1),
      kBlocks, memory.Fill<float>(2), memory.Fill<float>(3),
      memory.out<float>(), -30000, 20000});
  memory.Sum(Element::kF32, kRows);
}

}  // namespace

// Two rows. Factors are such that no product is a tie; those that are rounded
// once differ from those that are rounded twice, where rows of both have one
// type.
bool SelfTest(const RequantizeQ8& row, TestMemory& memory) {
  constexpr size_t kPadded = 2 * kRequantizeQ8Columns;
  constexpr float kTwice[] = {4084}, kOnce[] = {4086};
  const auto* const bytes = memory.in<int8_t>(0);
  auto* const sums = memory.in<int32_t>(1);
  auto* const mantissa = memory.in<int32_t>(2);
  auto* const left = memory.in<int32_t>(3);
  int32_t* const right = left + kPadded;
  auto* const multipliers = memory.in<double>(4);
  for (size_t i = 0; i < kPadded; ++i) {
    const bool is_left = i % 2 == 0;
    sums[i] = bytes[i];
    sums[kPadded + i] = -3 * bytes[i];
    mantissa[i] = (1 << 30) + static_cast<int32_t>(i) * 8000009;
    left[i] = is_left ? 1 : 0;
    right[i] = is_left ? 0 : 3;
    multipliers[i] = mantissa[i] * (is_left ? 0x1p-30 : 0x1p-34);
  }
  const int32_t row_add[] = {5, -9};
  row.fn({2, kValues, sums, kPadded, row_add, mantissa, left, right, 7, -100,
          110, memory.out<uint8_t>(), kValues, multipliers});
  memory.Sum(Element::kI8, 2 * kValues);
  return memory.Has(IsOf(row, "requantize_once_") ? kOnce : kTwice);
}

bool SelfTest(const AddQ8& row, TestMemory& memory) {
  constexpr float kSums[] = {174, 148, -10462};
  ComputeAdd(row.fn, false, false, memory);
  ComputeAdd(row.fn, true, false, memory);
  ComputeAdd(row.fn, false, true, memory);
  return memory.Has(kSums);
}

bool SelfTest(const LutQ8& row, TestMemory& memory) {
  constexpr float kSums[] = {405};
  row.fn({kValues, memory.in<uint8_t>(0), memory.in<uint8_t>(1),
          memory.out<uint8_t>()});
  SumBytes(memory);
  return memory.Has(kSums);
}

// Halves of the scale are ties.
bool SelfTest(const QuantizeQ8& row, TestMemory& memory) {
  constexpr float kSums[] = {-546, 14157, -529, 1357};
  const float* const x = memory.Fill<float>(1);
  for (const bool flag : {false, true}) {
    row.quantize({kValues, x, 2, -2, -5, 1, flag, memory.out<uint8_t>()});
    SumBytes(memory);
    row.dequantize(
        {kValues, memory.in<uint8_t>(0), flag, 0.5f, 3, memory.out<float>()});
    SumFloats(memory);
  }
  return memory.Has(kSums);
}

bool SelfTest(const DequantizeRowsQ8& row, TestMemory& memory) {
  constexpr float kSums[] = {13808, -1322};
  memory.Fill<float>(1);
  DequantizeRow(row.bits8, memory);
  DequantizeRow(row.bits4, memory);
  return memory.Has(kSums);
}

// The tables of maxima and of means have rows of one type.
bool SelfTest(const PoolQ8& row, TestMemory& memory) {
  constexpr float kMax[] = {22369, -9368}, kMean[] = {187, 206};
  ComputePoolQ8(row.fn, true, memory);
  ComputePoolQ8(row.fn, false, memory);
  return memory.Has(IsOf(row, "maxpool_") ? kMax : kMean);
}

bool SelfTest(const GemvQ8& row, TestMemory& memory) {
  constexpr float kSums[] = {-202415, 755};
  ComputeGemvQ8(row.bits8, Element::kF32, memory);
  ComputeGemvQ8(row.bits4, Element::kF16, memory);
  return memory.Has(kSums);
}

bool SelfTest(const PeakQ8& row, TestMemory&) {
  return row.fn(3, 3, -5) == -45 * static_cast<int32_t>(row.macs_per_round);
}

}  // namespace mace::cpu
