// The tables of micro-kernels are well-formed. The test records their rows in
// its results, for tools/rings/report.py.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "mace/cpu/ukernels/testing/all_tables.h"

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

// `named` is the type that the name has, and `plain` the row for a CPU without
// any features.
void CheckGemmRow(const GemmUkernel& row, Element named,
                  const GemmUkernel& plain) {
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
  EXPECT_EQ(plain.isa, 0u);
}

TEST(Tables, GemmRowsSayTheirTypes) {
  for (const GemmUkernel& row : kGemm) {
    if (row.is_quantized()) {
      CheckGemmRow(row, row.types.x, BestGemmQ8(-128, 0));
    } else {
      CheckGemmRow(row, row.types.a, BestGemm(row.types, 0));
    }
  }
  for (const GemmUkernel& row : kGemmBlocks) {
    CheckGemmRow(row, row.types.b, BestGemm(kGemmBlocks, row.types, 0));
  }
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
