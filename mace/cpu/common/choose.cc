// Passing over rows that fail their tests.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/common/choose.h"

#include <cstring>

namespace mace::cpu {
namespace {

struct TestedRow {
  const void* row;
  RowTest test;
};

bool RunTestOfRow(const void* arg) {
  const TestedRow& tested = *static_cast<const TestedRow*>(arg);
  TestMemory memory(tested.test.type);
  return tested.test.run(tested.row, memory);
}

}  // namespace

bool PassesTest(const RowHead& head, const void* row, RowTest test) {
  const TestedRow tested = {row, test};
  return KernelPasses(head.name, &tested, RunTestOfRow);
}

const void* ChooseTestedRow(const RowTable& table, CpuFeatures features,
                            bool (*fits)(const void* row, const void* arg),
                            const void* arg) {
  const char* failed = nullptr;
  const void* last = table.rows;
  for (size_t i = 0; i < table.count; ++i) {
    const void* const row =
        static_cast<const char*>(table.rows) + i * table.row_bytes;
    RowHead head;
    std::memcpy(&head, row, sizeof(head));
    if ((head.isa & features) != head.isa || !fits(row, arg)) continue;
    last = row;
    const bool passes = PassesTest(head, row, table.test);
    if (failed != nullptr) ReplaceKernel(failed, head.name);
    if (passes) return row;
    failed = head.name;
  }
  ReplaceKernel(failed, nullptr);
  return last;
}

}  // namespace mace::cpu
