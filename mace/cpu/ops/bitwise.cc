// Bitwise on the CPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/bitwise.h"

#include <algorithm>
#include <type_traits>

#include "mace/cpu/common/broadcast_kernel.h"
#include "mace/cpu/common/kernel_table.h"

namespace mace::cpu {
namespace {

template <typename T>
T ShiftedLeft(T x, T n) {
  if (n < 0 || n >= static_cast<T>(8 * sizeof(T))) return 0;
  return static_cast<T>(static_cast<std::make_unsigned_t<T>>(x) << n);
}

template <typename T>
T ShiftedRight(T x, T n) {
  constexpr T kLimit = 8 * sizeof(T) - 1;
  return static_cast<T>(x >> (n < 0 || n > kLimit ? kLimit : n));
}

template <typename T>
T Apply(BitwiseType type, T a, T b) {
  switch (type) {
    case BitwiseType::kAnd:
      return a & b;
    case BitwiseType::kOr:
      return a | b;
    case BitwiseType::kXor:
      return a ^ b;
    case BitwiseType::kShiftLeft:
      return ShiftedLeft(a, b);
    case BitwiseType::kShiftRight:
      return ShiftedRight(a, b);
  }
  return a;
}

template <typename T>
void BitwiseRow(const BroadcastRow& given) {
  const BroadcastRow row = given;  // which no store changes
  const auto type = static_cast<BitwiseType>(row.mode);
  for (int64_t i = 0; i < row.n; ++i) {
    static_cast<T*>(row.y)[i] = Apply(type, row.At<T>(0, i), row.At<T>(1, i));
  }
}

Result<KernelPtr> PrepareBitwise(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const BitwiseAttrs attrs,
                        ReadAttrs<BitwiseAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const BitwiseType type, BitwiseTypeOf(node, attrs));
  const bool wide = node.inputs[0].type.dtype == DataType::kI64;
  return MakeBroadcastKernel(node,
                             {{0, 1},
                              wide ? BitwiseRow<int64_t> : BitwiseRow<int32_t>,
                              static_cast<int64_t>(type)},
                             context.threads);
}

}  // namespace

CpuKernelDefs Bitwise() {
  return {{DataType::kI32, PrepareBitwise}, {DataType::kI64, PrepareBitwise}};
}

}  // namespace mace::cpu
