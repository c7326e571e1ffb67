// The cases of micro-kernels that compute floats element by element or by rows.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/self_test/self_test.h"
#include "mace/cpu/ukernels/activate/activate_f32_table.h"
#include "mace/cpu/ukernels/binary/binary_f32_table.h"
#include "mace/cpu/ukernels/gemv/gemv_table.h"
#include "mace/cpu/ukernels/kv/kv_rows_f32_table.h"
#include "mace/cpu/ukernels/magnitude/magnitude_f32_table.h"
#include "mace/cpu/ukernels/peak/peak_f32_table.h"
#include "mace/cpu/ukernels/pool/pool_table.h"
#include "mace/cpu/ukernels/row/row_f32_table.h"

namespace mace::cpu {
namespace {

// Two of the widest vectors, and a rest.
constexpr size_t kCount = 35;

// By function, and by which operand is one element: none, a, b.
constexpr float kBinarySums[7][3] = {
    {37, 406, 409},   {20, 434, -403},
    {337, 122, 92},   {8.834524f, 25.357143f, -2.75f},
    {-272, -75, -93}, {247, 481, 502},
    {783, 843, 947}};

template <typename T>
bool BinaryIsRight(BinaryFn<T>* fn, const float* sums, TestMemory& memory) {
  memory.Restart();
  for (int one = 0; one < 3; ++one) {
    fn({kCount, memory.in<T>(0), memory.in<T>(1), one == 1, one == 2,
        memory.out<T>(), -10, 12});
    memory.Sum(ElementOf<T>(), kCount);
  }
  return memory.HasSums(sums, 3);
}

template <typename T>
bool BinarySetIsRight(const BinarySet<T>& set, TestMemory& memory) {
  BinaryFn<T>* const functions[] = {
      set.add, set.subtract, set.multiply,          set.divide,
      set.min, set.max,      set.squared_difference};
  const auto* sums = kBinarySums;
  for (BinaryFn<T>* const fn : functions) {
    if (fn != nullptr && !BinaryIsRight(fn, *sums, memory)) return false;
    ++sums;
  }
  return true;
}

// The table of sums and that of differences have rows of one type.
template <typename T>
bool BinaryOneIsRight(const BinaryRow<T, BinaryOne<T>>& row,
                      TestMemory& memory) {
  const int function = IsOf(row, "binary_subtract_") ? 1 : 0;
  return BinaryIsRight(row.set->run, kBinarySums[function], memory);
}

// In the order of ActivateF32Set, with a = 1/4 and b = 1/2.
constexpr float kActivationSums[] = {
    39.75f,  1.9391736f,  52.964455f, 190,         122.544312f, 52.75f,
    252.25f, 264.098544f, 1.0015873f, 253.770377f, 160.209028f, 250.816485f};

void ComputeActivation(ActivateF32Fn* fn, TestMemory& memory) {
  fn({kCount, memory.in<float>(0), memory.out<float>(), 0.25f, 0.5f});
  memory.Sum(Element::kF32, kCount);
}

void ComputeExp(void (*exp)(const ExpF32Args&), TestMemory& memory) {
  exp({kCount, memory.in<float>(0), memory.out<float>()});
  memory.Sum(Element::kF32, kCount);
}

// Two outputs of 3x3 pixels of an image 5 pixels wide, clamped.
template <typename T>
void ComputePool(PoolFn<T>* fn, TestMemory& memory) {
  constexpr size_t kWidth = 5, kWindow = 3, kOutputs = 2;
  fn({kCount, kWindow, kWindow, memory.in<T>(0), kWidth * kCount, kCount,
      memory.out<T>(), 0.125f, -1.5f, 6.75f, kOutputs, kCount});
  memory.Sum(ElementOf<T>(), kOutputs * kCount);
}

template <typename T>
void ComputePools(const PoolRow<T>& row, TestMemory& memory) {
  ComputePool(row.max, memory);
  ComputePool(row.mean, memory);
  ComputePool(row.l2, memory);
}

// Three taps, 2 columns apart, of 2 rows; a column at each end is empty.
void ComputePoolLine(void (*line)(const PoolF32Line&),
                     void (*finish)(const PoolF32Finish&), TestMemory& memory) {
  constexpr size_t kIn = 40, kTaps = 3, kStep = 2;
  constexpr size_t kOut = kIn + 2 - (kTaps - 1) * kStep;
  line({2, memory.in<float>(0), kIn, kIn, 1, 1, kOut, memory.in<float>(2),
        kTaps, kStep, memory.out<float>()});
  float scale[kOut];
  for (float& s : scale) s = 0.25f;
  finish({kOut, scale, -1.5f, 6.75f, memory.out<float>()});
  memory.Sum(Element::kF32, kOut);
}

// 3 rows of a cache for 5 queries.
void ComputeKvRows(const KvRowsF32Set& set, KvType type, Element element,
                   TestMemory& memory) {
  constexpr size_t kRows = 3, kDepth = 36, kQueries = 5;
  constexpr ptrdiff_t kRowBytes = 160;
  auto* const rows = static_cast<uint8_t*>(memory.Fill(element, 0));
  if (type == kKvInt8) {
    for (size_t i = 0; i < kRows; ++i) {
      Put(Element::kF32, rows + i * kRowBytes + kDepth, 0, 0.5f);
    }
  }
  KvRowsF32 args = {kRows,     kDepth,
                    kQueries,  rows,
                    kRowBytes, memory.in<float>(1),
                    kDepth,    memory.out<float>(),
                    kRows};
  set.dot[type](args);
  memory.Sum(Element::kF32, kRows * kQueries);
  args.x_stride = kRows;
  args.y = memory.Fill<float>(TestMemory::kOperands);
  args.y_stride = kDepth;
  set.add[type](args);
  memory.Sum(Element::kF32, kDepth * kQueries);
}

}  // namespace

bool SelfTest(const BinaryF32& row, TestMemory& memory) {
  return BinarySetIsRight(*row.set, memory);
}
bool SelfTest(const BinaryF16& row, TestMemory& memory) {
  return BinarySetIsRight(*row.set, memory);
}
bool SelfTest(const BinaryOneF32& row, TestMemory& memory) {
  return BinaryOneIsRight(row, memory);
}
bool SelfTest(const BinaryOneF16& row, TestMemory& memory) {
  return BinaryOneIsRight(row, memory);
}

bool SelfTest(const ActivateF32& row, TestMemory& memory) {
  const ActivateF32Set& s = *row.set;
  ActivateF32Fn* const functions[] = {s.clamp,      s.tanh,     s.sigmoid,
                                      s.leaky_relu, s.elu,      s.hard_sigmoid,
                                      s.hard_swish, s.softplus, s.softsign,
                                      s.gelu,       s.swish,    s.gelu_tanh};
  for (ActivateF32Fn* const fn : functions) ComputeActivation(fn, memory);
  return memory.Has(kActivationSums);
}
bool SelfTest(const ClampF32& row, TestMemory& memory) {
  ComputeActivation(*row.fn, memory);
  return memory.HasSums(kActivationSums, 1);
}

bool SelfTest(const RowF32& row, TestMemory& memory) {
  constexpr float kSums[] = {
      33190.4065f, 395, 856, -108, -5.3834713f, -2.7133468f, 225.858f,
      225.235672f, 300, 8,   9,    9.6375523f,  30.545311f};
  const RowF32Set& set = *row.set;
  const float* const x = memory.in<float>(0);
  const float* const a = memory.in<float>(1);
  const float* const b = memory.in<float>(2);
  float* const y = memory.out<float>();
  const auto sum = [&memory] { memory.Sum(Element::kF32, kCount); };
  ComputeExp(set.exp, memory);
  set.affine({kCount, x, a, b, -15, 16, y});
  sum();
  set.prelu({kCount, x, a, y});
  sum();
  set.mix({kCount, {x, a, b, a}, {0.5f, 2, -1, 0.25f}, y});
  sum();
  // Squares are positive.
  float* const squares = memory.in<float>(3);
  for (size_t i = 0; i < kCount + 3; ++i) squares[i] *= squares[i];
  for (const bool three_quarters : {false, true}) {
    set.lrn({kCount, x, squares, 3, 2, 0.5f, three_quarters, y});
    sum();
  }
  for (const bool centered : {false, true}) {
    set.layer_norm({kCount, x, a, b, centered, 2, y});
    sum();
  }
  set.turn({kCount / 2, x, a, b, kCount / 2, y});
  memory.Sum(Element::kF32, kCount - 1);
  memory.Add(set.largest(kCount, x, -9));
  memory.Add(set.largest(3, x, 9));
  for (size_t i = 0; i < kCount; ++i) y[i] = x[i] / 4;
  memory.Add(set.exp_sum(kCount, y, 2));
  sum();
  return memory.Has(kSums);
}

bool SelfTest(const SoftmaxRowF32& row, TestMemory& memory) {
  constexpr size_t kColumns = 19, kRows = 3;
  constexpr float kSums[] = {33190.4065f, 3.6228459f, 53.654915f, -968.889409f,
                             -913.236697f};
  const float* const x = memory.in<float>(0);
  float* const y = memory.out<float>();
  ComputeExp(row.set->exp, memory);
  for (const bool use_log : {false, true}) {
    row.set->row({kCount, x, use_log, y});
    memory.Sum(Element::kF32, kCount);
    row.set->columns({kRows, kColumns, kColumns, x, use_log, y});
    memory.Sum(Element::kF32, kColumns * kRows);
  }
  return memory.Has(kSums);
}

bool SelfTest(const MagnitudeF32Row& row, TestMemory& memory) {
  constexpr float kSums[] = {8, 345};
  const float* const rows[] = {memory.in<float>(0), memory.in<float>(1)};
  const MagnitudeF32 found = row.fn({2, kCount, rows});
  memory.Add(found.largest);
  memory.Add(found.sum);
  return memory.Has(kSums);
}

bool SelfTest(const PeakF32& row, TestMemory& memory) {
  constexpr float kSums[] = {-39, -16, 1};
  const float* const a = memory.in<float>(0);
  row.set->triad(kCount, a, memory.in<float>(1), 2, memory.out<float>());
  memory.Sum(Element::kF32, kCount);
  memory.Add(row.set->read(kCount, a));
  memory.Add(row.set->multiply_add(3, 0.5f, 0.5f) /
             static_cast<float>(row.set->fmas_per_round));
  return memory.Has(kSums);
}

// The first sums are those of either type.
constexpr float kPoolSums[] = {1353.25f, 66.25f, 1161.338407f,
                               678.5f,   142,    690.565627f};

bool SelfTest(const PoolF32& row, TestMemory& memory) {
  const PoolF32LineSet& l = *row.lines;
  ComputePools(row, memory);
  ComputePoolLine(l.max, l.finish_max, memory);
  ComputePoolLine(l.sum, l.finish_mean, memory);
  ComputePoolLine(l.squares, l.finish_l2, memory);
  return memory.Has(kPoolSums);
}
bool SelfTest(const PoolF16& row, TestMemory& memory) {
  ComputePools(row, memory);
  return memory.HasSums(kPoolSums, 3);
}

bool SelfTest(const GemvF32& row, TestMemory& memory) {
  constexpr size_t kRows = 5, kColumns = 69;
  constexpr float kSums[] = {1438};
  row.fn({kRows, kColumns, memory.in<float>(0), memory.in<float>(1),
          memory.in<float>(2), memory.out<float>(), -130, 140});
  memory.Sum(Element::kF32, kRows);
  return memory.Has(kSums);
}

bool SelfTest(const KvRowsF32Kernel& row, TestMemory& memory) {
  constexpr float kSums[] = {140, 2442, 1345, 1903, 15157.5f, 4103.5f};
  ComputeKvRows(*row.set, kKvF32, Element::kF32, memory);
  ComputeKvRows(*row.set, kKvFp16, Element::kF16, memory);
  ComputeKvRows(*row.set, kKvInt8, Element::kI8, memory);
  return memory.Has(kSums);
}

}  // namespace mace::cpu
