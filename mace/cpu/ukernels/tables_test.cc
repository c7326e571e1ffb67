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

TEST(Tables, GemmRowsSayTheirTypes) {
  for (const GemmUkernel& row : kGemm) {
    SCOPED_TRACE(row.name);
    const GemmTypes& types = row.types;
    const Element named = row.is_quantized()             ? types.x
                          : types.b == Element::kQ4Block ? types.b
                                                         : types.a;
    const std::string type = std::string("gemm_") + NameOf(named) + "_" +
                             std::to_string(row.mr) + "x" +
                             std::to_string(row.nr);
    EXPECT_EQ(std::string(row.name).substr(0, type.size()), type);
    EXPECT_LE(row.mr, kGemmMaxRows);
    EXPECT_EQ(row.pack == nullptr && row.pack_runs == nullptr,
              row.packs == GemmPacks::kNever);
    // Rows of another type than operand a must be packed.
    EXPECT_TRUE(row.types.x == row.types.a || row.packs == GemmPacks::kAlways);
    // For the same types there is a row for a CPU without any features.
    EXPECT_EQ(
        (row.is_quantized() ? BestGemmQ8(-128, 0) : BestGemm(row.types, 0)).isa,
        0u);
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
