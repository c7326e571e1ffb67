// The tables of micro-kernels are well-formed. The test records their rows in
// its results, for tools/rings/report.py.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "mace/cpu/ukernels/testing/all_tables.h"
#include "mace/cpu/ukernels/testing/scalar_gemm.h"

namespace mace::cpu {
namespace {

// A name states the types, then what the CPU must have. No two rows share one.
TEST(Tables, NamesAreOnesOwn) {
  std::set<std::string> names;
  ForEachRow([&names](const auto& row) {
    const std::string name = row.name;
    RecordProperty("listed " + name, "row");
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_EQ(row.isa == 0, name.find("__scalar") != std::string::npos) << name;
  });
}

// `named` is the type that the name has.
void CheckGemmRow(const GemmUkernel& row, Element named) {
  SCOPED_TRACE(row.name);
  const GemmTypes& types = row.types;
  const std::string type = std::string("gemm_") + NameOf(named) + "_" +
                           std::to_string(row.mr) + "x" +
                           std::to_string(row.nr);
  EXPECT_EQ(std::string(row.name).substr(0, type.size()), type);
  EXPECT_LE(row.mr, kGemmMaxRows);
  EXPECT_EQ(row.pack == nullptr && row.pack_runs == nullptr,
            row.packs == GemmPacks::kNever);
  // Rows of another type than operand a must be packed.
  EXPECT_TRUE(types.x == types.a || row.packs == GemmPacks::kAlways);
}

TEST(Tables, GemmRowsSayTheirTypes) {
  for (const GemmUkernel& row : kGemm) {
    CheckGemmRow(row, row.is_quantized() ? row.types.x : row.types.a);
    // For the same types there is a row for a CPU without any features.
    if (!row.is_quantized()) {
      EXPECT_NE(ScalarGemm(kGemm, row.types), nullptr);
    }
  }
  for (const GemmUkernel& row : kGemmBlocks) {
    CheckGemmRow(row, row.types.b);
    EXPECT_NE(ScalarGemm(kGemmBlocks, row.types), nullptr);
  }
}

// Where a filter may have any value, quantized or not.
TEST(Tables, QuantizedGemmRunsOnEveryCpu) {
  int rows = 0;
  for (const GemmUkernel& row : kGemm) {
    rows += row.is_quantized() && row.isa == 0 && row.packing.b_min == -128;
  }
  EXPECT_EQ(rows, 1);
}

TEST(Tables, OtherFamiliesSayTheirTypes) {
  ForEachRow([](const auto& row) {
    using Row = std::decay_t<decltype(row)>;
    if constexpr (!std::is_same_v<Row, GemmUkernel>) {
      const std::string type = std::string("_") + NameOf(Row::kType) + "_";
      EXPECT_NE(std::string(row.name).find(type), std::string::npos)
          << row.name;
    }
  });
}

}  // namespace
}  // namespace mace::cpu
