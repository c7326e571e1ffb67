// Chooses a row of a micro-kernel table.
// SPDX-License-Identifier: Apache-2.0
//
// Rows of a table are sorted from the best to the one that runs everywhere:
//
// row   needs             on a CPU with AVX2
//  0    AVX-512           passed over: not among `features`
//  1    AVX2 and FMA      chosen, unless it fails its self-test
//  2    nothing           chosen then
//
// A row is tested once in the life of a process, before it is chosen for the
// first time (again if the machine had no memory for the test). Choosing is
// thread-safe.
#ifndef MACE_CPU_COMMON_CHOOSE_H_
#define MACE_CPU_COMMON_CHOOSE_H_

#include <cstddef>
#include <type_traits>

#include "mace/base/cpu_features.h"
#include "mace/base/kernel_tests.h"
#include "mace/cpu/self_test/self_test.h"

namespace mace::cpu {

// The self-test of a row. `run` computes a case for rows of this type, with
// operands that are filled with numbers of `type`, and returns whether the
// results are right. It runs in a probe (see self_test.h).
struct RowTest {
  bool (*run)(const void* row, TestMemory& memory);
  Element type;
};

// Calls the SelfTest of the row's type.
template <typename Row>
bool RunSelfTest(const void* row, TestMemory& memory) {
  return SelfTest(*static_cast<const Row*>(row), memory);
}
template <typename Row>
constexpr RowTest TestOf(const Row*) {
  return {RunSelfTest<Row>, Row::kType};
}
// The case of a GEMM fills its operands itself.
template <>
constexpr RowTest TestOf(const GemmUkernel*) {
  return {RunSelfTest<GemmUkernel>, Element::kF32};
}

// What rows of all tables begin with, so that this code needs no template for
// each type of rows.
struct RowHead {
  const char* name;
  // All of these bits must be among the CPU's.
  CpuFeatures isa;
};

// Returns whether this CPU computes as it should with a row that its features
// allow. The first call of the process tests it.
bool PassesTest(const RowHead& head, const void* row, RowTest test);

// The same for a row by its type; true if the library has no self-tests.
template <typename Row>
bool PassesTest(const Row& row) {
  if constexpr (!kHasSelfTest) return true;
  return PassesTest({row.name, row.isa}, &row, TestOf(&row));
}

// A table of `count` rows of `row_bytes` each.
struct RowTable {
  const void* rows;
  size_t count, row_bytes;
  RowTest test;
};

// Returns the first row whose instruction set is among `features`, for which
// `fits(row, arg)` is true, and which passes its test. Reports what it passes
// over with ReplaceKernel. If none passes, returns the last one for which the
// first two hold. REQUIRES: they hold for some row.
const void* ChooseTestedRow(const RowTable& table, CpuFeatures features,
                            bool (*fits)(const void* row, const void* arg),
                            const void* arg);

// The same; `fits` takes a row. REQUIRES: the first two hold for some row; the
// last row of each table needs no instruction set. If no row passes,
// CheckKernelsLeft returns an error from then on.
template <typename Row, size_t kRows, typename Fits>
const Row& ChooseRow(const Row (&table)[kRows], CpuFeatures features,
                     const Fits& fits, RowTest test = TestOf<Row>(nullptr)) {
  if constexpr (kHasSelfTest) {
    static_assert(std::is_standard_layout_v<Row>);
    static_assert(offsetof(Row, name) == offsetof(RowHead, name));
    static_assert(offsetof(Row, isa) == offsetof(RowHead, isa));
    const auto fits_row = [](const void* row, const void* arg) {
      return (*static_cast<const Fits*>(arg))(*static_cast<const Row*>(row));
    };
    return *static_cast<const Row*>(ChooseTestedRow(
        {table, kRows, sizeof(Row), test}, features, fits_row, &fits));
  }
  const Row* row = table;
  while ((row->isa & features) != row->isa || !fits(*row)) ++row;
  return *row;
}

template <typename Row, size_t kRows>
const Row& ChooseRow(const Row (&table)[kRows], CpuFeatures features) {
  return ChooseRow(table, features, [](const Row&) { return true; });
}

}  // namespace mace::cpu

#endif  // MACE_CPU_COMMON_CHOOSE_H_
