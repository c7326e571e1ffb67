// Constants of fp16 kernels.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/common/fp16_weights.h"

#include "mace/base/fp16.h"
#include "mace/base/search.h"
#include "mace/cpu/common/convert.h"

namespace mace::cpu {
namespace {

bool IsFp16Bias(const Operand& bias) {
  return bias.data != nullptr &&
         LargestFinite(static_cast<const float*>(bias.data),
                       NumElements(bias.type.shape)) < kFp16Infinity;
}

}  // namespace

bool HasFp16Weights(const Node& node) {
  const DataType x = node.inputs[0].type.dtype;
  return (x == DataType::kF32 || x == DataType::kF16) &&
         node.inputs[0].data == nullptr && node.inputs[1].data != nullptr &&
         node.inputs[1].stored == DataType::kF16 &&
         (!node.has_input(2) || IsFp16Bias(node.inputs[2]));
}

bool ReadsActivationsOnly(const Node& node) {
  return node.inputs[0].type.dtype == DataType::kF32 &&
         !AnyOf(node.inputs, [](const Operand& operand) {
           return operand.type.dtype == DataType::kF32 &&
                  operand.data != nullptr;
         });
}

Result<LargeArray<uint16_t>> RoundedToFp16(const Operand& operand, int64_t n) {
  if (!operand.present()) return LargeArray<uint16_t>();
  MACE_ASSIGN_OR_RETURN(LargeArray<uint16_t> fp16,
                        LargeArray<uint16_t>::Create(n, "a bias of fp16"));
  ConvertElements(operand.type.dtype, operand.data, DataType::kF16, fp16.data(),
                  NumElements(operand.type.shape));
  return fp16;
}

}  // namespace mace::cpu
