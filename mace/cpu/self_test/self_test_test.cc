// The cases of all micro-kernels: those of this CPU pass, and none does of
// which any function is broken.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/self_test/self_test.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <memory>
#include <string>

#include "mace/base/kernel_tests.h"
#include "mace/cpu/common/choose.h"
#include "mace/cpu/ukernels/testing/all_tables.h"
#include "mace/cpu/ukernels/testing/rows.h"

namespace mace::cpu {
namespace {

// Calls f(row) for a copy of each row that kernels choose and this CPU runs.
template <typename F>
void ForEachChosen(const F& f) {
  const auto each = [&f](auto row) {
    if (!FitsThisCpu(row)) return;
    f(row);
  };
  ForEachRow(each);
}

template <typename Row>
bool Passes(const Row& row) {
  const auto memory = std::make_unique<TestMemory>(TestOf(&row).type);
  if constexpr (std::is_same_v<Row, GemmUkernel>) {
    if (row.types.a == Element::kQ8Block) return SelfTestOfBlocks(row, *memory);
  }
  return SelfTest(row, *memory);
}

TEST(SelfTest, EveryRowOfThisCpuPasses) {
  int rows = 0;
  ForEachChosen([&rows](const auto& row) {
    EXPECT_TRUE(Passes(row)) << row.name;
    ++rows;
  });
  EXPECT_GE(rows, 30);
}

// Does nothing where a function of a row was.
template <typename R, typename... A>
R Nothing(A...) {
  return R();
}
#if defined(__x86_64__)
#define MACE_ILLEGAL_INSTRUCTION "ud2"
#elif defined(__aarch64__)
#define MACE_ILLEGAL_INSTRUCTION ".inst 0"
#else
#define MACE_ILLEGAL_INSTRUCTION ".inst.w 0xf7f0a0ff"
#endif
template <typename R, typename... A>
R Illegal(A...) {
  asm volatile(MACE_ILLEGAL_INSTRUCTION);
  return R();
}

int broken_functions = 0;

// Whether `row` fails without one of its functions, and faults with one that
// this CPU cannot run.
template <typename Row, typename R, typename... A>
void Break(const Row& row, R (*&function)(A...)) {
  if (function == nullptr) return;
  ++broken_functions;
  R (*const right)(A...) = function;
  static auto* const names = new std::list<std::string>;  // they outlive all
  const std::string& name = names->emplace_back(
      std::string(row.name) + "#" + std::to_string(broken_functions));
  function = Nothing<R, A...>;
  EXPECT_FALSE(Passes(row)) << name;
  function = Illegal<R, A...>;
  EXPECT_FALSE(KernelPasses(name.c_str(), &row, [](const void* r) {
    return Passes(*static_cast<const Row*>(r));
  })) << name;
  EXPECT_EQ(KernelTests().back().reason, "illegal instruction") << name;
  function = right;
  EXPECT_TRUE(Passes(row)) << name;
}

// Those of a set that other rows share: of a copy of it.
template <typename Row, typename Set, typename... Functions>
void BreakSet(Row row, const Set* Row::* set, Functions Set::*... functions) {
  if (row.*set == nullptr) return;
  Set copy = *(row.*set);
  row.*set = &copy;
  (Break(row, copy.*functions), ...);
}

void BreakEach(GemmUkernel row) {
  Break(row, row.fn);
  Break(row, row.pack);
  Break(row, row.pack_runs);
  Break(row, row.epilogue.fn);
}
template <typename T>
void BreakEach(PoolRow<T> row) {
  Break(row, row.max);
  Break(row, row.mean);
  Break(row, row.l2);
  using L = PoolF32LineSet;
  BreakSet(row, &PoolRow<T>::lines, &L::max, &L::sum, &L::squares,
           &L::finish_max, &L::finish_mean, &L::finish_l2);
}
void BreakEach(GemvQ8 row) {
  Break(row, row.bits8);
  Break(row, row.bits4);
}
void BreakEach(DequantizeRowsQ8 row) {
  Break(row, row.bits8);
  Break(row, row.bits4);
}
void BreakEach(QuantizeQ8 row) {
  Break(row, row.quantize);
  Break(row, row.dequantize);
}
void BreakEach(WinogradF32 row) {
  WinogradF32Set copy = *row.set;
  row.set = &copy;
  for (int i = 0; i < 3; ++i) {
    Break(row, copy.input[i]);
    Break(row, copy.output[i]);
    Break(row, copy.filter[i]);
  }
}
void BreakEach(const WinogradQ8& row) {
  using S = WinogradQ8Set;
  BreakSet(row, &WinogradQ8::set, &S::input, &S::product, &S::output);
}
template <typename T>
void BreakEach(const BinaryRow<T, BinarySet<T>>& row) {
  using S = BinarySet<T>;
  BreakSet(row, &BinaryRow<T, S>::set, &S::add, &S::subtract, &S::multiply,
           &S::divide, &S::min, &S::max, &S::squared_difference);
}
template <typename T>
void BreakEach(const BinaryRow<T, BinaryOne<T>>& row) {
  BreakSet(row, &BinaryRow<T, BinaryOne<T>>::set, &BinaryOne<T>::run);
}
void BreakEach(const ActivateF32& row) {
  using S = ActivateF32Set;
  BreakSet(row, &ActivateF32::set, &S::clamp, &S::tanh, &S::sigmoid,
           &S::leaky_relu, &S::elu, &S::hard_sigmoid, &S::hard_swish,
           &S::softplus, &S::softsign, &S::gelu, &S::swish, &S::gelu_tanh);
}
void BreakEach(ClampF32 row) {
  ActivateF32Fn* fn = *row.fn;
  row.fn = &fn;
  Break(row, fn);
}
void BreakEach(const RowF32& row) {
  using S = RowF32Set;
  BreakSet(row, &RowF32::set, &S::affine, &S::prelu, &S::mix, &S::lrn, &S::exp,
           &S::layer_norm, &S::turn, &S::largest, &S::exp_sum);
}
void BreakEach(const SoftmaxRowF32& row) {
  using S = SoftmaxF32Set;
  BreakSet(row, &SoftmaxRowF32::set, &S::row, &S::columns, &S::exp);
}
void BreakEach(const PeakF32& row) {
  BreakSet(row, &PeakF32::set, &PeakF32Set::multiply_add, &PeakF32Set::triad,
           &PeakF32Set::read);
}
void BreakEach(KvRowsF32Kernel row) {
  KvRowsF32Set copy = *row.set;
  row.set = &copy;
  for (int type = 0; type < kKvTypes; ++type) {
    Break(row, copy.dot[type]);
    Break(row, copy.add[type]);
  }
}
template <typename Row>
void BreakEach(Row row) {  // of the rows that have one function
  Break(row, row.fn);
}

TEST(SelfTest, NoRowPassesWithABrokenFunction) {
  ForEachChosen([](const auto& row) { BreakEach(row); });
  EXPECT_GE(broken_functions, 90);
}

// Tables of one type of rows have different functions.
template <typename RowsA, typename RowsB, typename Function>
void ExchangeFunctions(const RowsA& a, const RowsB& b, Function of) {
  for (size_t i = 0; i < std::min(std::size(a), std::size(b)); ++i) {
    if (!FitsThisCpu(a[i]) || !FitsThisCpu(b[i])) continue;
    auto row = a[i];
    row.*of = b[i].*of;
    EXPECT_FALSE(Passes(row)) << row.name;
    row = b[i];
    row.*of = a[i].*of;
    EXPECT_FALSE(Passes(row)) << row.name;
  }
}

TEST(SelfTest, NoRowPassesWithTheFunctionOfAnotherTable) {
  ExchangeFunctions(kBinaryAddF32, kBinarySubtractF32, &BinaryOneF32::set);
  ExchangeFunctions(kMaxpoolQ8, kAvgpoolQ8, &PoolQ8::fn);
  ExchangeFunctions(kRequantizeQ8, kRequantizeOnceQ8, &RequantizeQ8::fn);
}

TEST(TestMemory, HasAsManySumsAsWereRemembered) {
  const float sums[TestMemory::kMaxSums + 1] = {};
  const auto memory = std::make_unique<TestMemory>(Element::kF32);
  for (size_t i = 0; i < TestMemory::kMaxSums; ++i) {
    EXPECT_FALSE(memory->HasSums(sums, i + 1));
    memory->Add(0);
    EXPECT_TRUE(memory->HasSums(sums, i + 1));
    EXPECT_FALSE(memory->HasSums(sums, i));
  }
  memory->Add(0);  // one more than fit, which is not stored
  EXPECT_FALSE(memory->HasSums(sums, TestMemory::kMaxSums + 1));
  EXPECT_FALSE(memory->HasSums(sums, TestMemory::kMaxSums));
}

}  // namespace
}  // namespace mace::cpu
