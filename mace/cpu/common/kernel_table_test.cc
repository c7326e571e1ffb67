// Every op of the op table has a kernel on the CPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/common/kernel_table.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <string>
#include <utility>

#include "mace/ops/common/op.h"

namespace mace {
namespace {

TEST(KernelTable, EveryOpHasAKernel) {
  std::set<std::string> ops, kernels;
  for (const Op* op : AllOps()) ops.insert(op->name);
  // These run between plans (mace/runtime/control_flow), on no device.
  ops.erase("If");
  ops.erase("Loop");
  for (int i = 0; i < kNumCpuKernels; ++i) {
    EXPECT_TRUE(kernels.insert(kCpuKernels[i].name).second);
  }
  EXPECT_EQ(ops, kernels);
}

TEST(KernelTable, OneKernelPerType) {
  for (int i = 0; i < kNumCpuKernels; ++i) {
    SCOPED_TRACE(kCpuKernels[i].name);
    std::set<std::pair<DataType, bool>> types;
    for (const CpuKernelDef& def : kCpuKernels[i].make()) {
      EXPECT_NE(def.prepare, nullptr);
      EXPECT_TRUE(types.insert({def.dtype, def.is_quantized}).second)
          << Name(def.dtype);
    }
    EXPECT_FALSE(types.empty());
  }
}

// If a table named an op differently than the op itself, the op would not be
// found.
TEST(OpTable, NamesAgree) {
  for (int i = 0; i < kNumOps; ++i) {
    const Op op = kOps[i].make();
    EXPECT_STREQ(op.name, kOps[i].name);
    EXPECT_LE(op.min_inputs, op.max_inputs);
    EXPECT_GE(op.num_outputs, 1);
  }
}

// As LazyTable searches them.
TEST(OpTable, TablesAreSorted) {
  for (int i = 1; i < kNumOps; ++i) {
    EXPECT_LT(std::strcmp(kOps[i - 1].name, kOps[i].name), 0);
  }
  for (int i = 1; i < kNumCpuKernels; ++i) {
    EXPECT_LT(std::strcmp(kCpuKernels[i - 1].name, kCpuKernels[i].name), 0);
  }
}

}  // namespace
}  // namespace mace
