// Compare on the CPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/compare.h"

#include "mace/cpu/common/broadcast_kernel.h"
#include "mace/cpu/common/kernel_table.h"
#include "mace/cpu/ops/eltwise_q8.h"

namespace mace::cpu {
namespace {

template <typename T>
bool CompareEqual(T a, T b) {
  return a == b;
}
template <typename T>
bool CompareLess(T a, T b) {
  return a < b;
}
template <typename T>
bool LessEqual(T a, T b) {
  return a <= b;
}

using CompareRowFn = void(const BroadcastRow& row);

// `mode` is 1 if the result is to be negated.
template <typename T, bool (*kHolds)(T, T)>
void CompareRow(const BroadcastRow& given) {
  const BroadcastRow row = given;  // which no store changes
  auto* const y = static_cast<uint8_t*>(row.y);
  const auto negated = static_cast<uint8_t>(row.mode);
  for (int64_t i = 0; i < row.n; ++i) {
    const bool holds = kHolds(row.At<T>(0, i), row.At<T>(1, i));
    y[i] = static_cast<uint8_t>(holds ? 1 : 0) ^ negated;
  }
}

struct Rows {
  CompareRowFn *equal, *less, *less_equal;
};

template <typename T>
constexpr Rows kRows = {CompareRow<T, CompareEqual<T>>,
                        CompareRow<T, CompareLess<T>>,
                        CompareRow<T, LessEqual<T>>};

const Rows& RowsFor(DataType dtype) {
  switch (dtype) {
    case DataType::kF32:
      return kRows<float>;
    case DataType::kI32:
      return kRows<int32_t>;
    case DataType::kI64:
      return kRows<int64_t>;
    case DataType::kI16:
      return kRows<int16_t>;
    case DataType::kI8:
      return kRows<int8_t>;
    default:  // u8 and bool
      return kRows<uint8_t>;
  }
}

// a > b is b < a, and a != b is whatever is not a == b.
BroadcastSpec SpecOf(CompareType type, const Rows& rows) {
  switch (type) {
    case CompareType::kEqual:
      return {{0, 1}, rows.equal};
    case CompareType::kNotEqual:
      return {{0, 1}, rows.equal, 1};
    case CompareType::kLess:
      return {{0, 1}, rows.less};
    case CompareType::kLessEqual:
      return {{0, 1}, rows.less_equal};
    case CompareType::kGreater:
      return {{1, 0}, rows.less};
    case CompareType::kGreaterEqual:
      return {{1, 0}, rows.less_equal};
  }
  return {};
}

Result<KernelPtr> PrepareCompare(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const CompareAttrs attrs,
                        ReadAttrs<CompareAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const CompareType type, CompareTypeOf(node, attrs));
  return MakeBroadcastKernel(
      node, SpecOf(type, RowsFor(node.inputs[0].type.dtype)), context.threads);
}

}  // namespace

CpuKernelDefs Compare() {
  return WithQ8({{DataType::kF32, PrepareCompare},
                 {DataType::kI32, PrepareCompare},
                 {DataType::kI64, PrepareCompare},
                 {DataType::kI16, PrepareCompare},
                 {DataType::kI8, PrepareCompare},
                 {DataType::kU8, PrepareCompare},
                 {DataType::kBool, PrepareCompare}},
                PrepareCompareQ8);
}

}  // namespace mace::cpu
