// Shape on the CPU, for when a plan did not fold it.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/shape.h"

#include "mace/cpu/copy/copy_kernel.h"

namespace mace::cpu {
namespace {

struct ShapeKernel final : Kernel {
  std::vector<int64_t> values;
  bool wide = true;  // i64, else i32

  Status Run(const RunArgs& args) override {
    for (size_t i = 0; i < values.size(); ++i) {
      if (wide) {
        args.outputs[0].as<int64_t>()[i] = values[i];
      } else {
        args.outputs[0].as<int32_t>()[i] = static_cast<int32_t>(values[i]);
      }
    }
    return Status();
  }
};

Result<KernelPtr> PrepareShape(const Node& node, CpuContext&) {
  MACE_ASSIGN_OR_RETURN(const ShapeAttrs attrs, ReadAttrs<ShapeAttrs>(node));
  auto kernel = std::make_unique<ShapeKernel>();
  kernel->values = ShapeValues(attrs, node.inputs[0].type);
  kernel->wide = node.outputs[0].dtype == DataType::kI64;
  return KernelPtr(std::move(kernel));
}

}  // namespace

CpuKernelDefs Shape() { return ForAllTypes(PrepareShape); }

}  // namespace mace::cpu
