// MatMul on the GPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/mat_mul.h"

#include <utility>

#include "mace/opencl/kernels/kernel_table.h"
#include "mace/opencl/kernels/weights.h"

namespace mace::opencl {
namespace {

// Adds the numbers that mat_mul.cl calls MATRIX. `repeats`: one matrix is used
// for the whole batch.
void AddMatrix(const Shape& shape, bool repeats, Pass& pass) {
  const Extents4 e = AsNhwc(shape);
  if (shape.size() >= 4) {  // the rows are the pixels of a line
    pass.Int(e[2], 1, 0, repeats ? 0 : 1);
  } else {
    const int64_t rows = shape[shape.size() - 2];
    pass.Int(e[2], 0, 1, repeats ? 0 : rows);
  }
}

Status CheckOperands(const Node& node, const MatMulShapes& s) {
  for (const Operand& operand : node.inputs) {
    if (operand.type.rank() < 2) {
      return Unsupported(Label(node), ": the GPU does not treat the vector ",
                         ToString(operand.type), " as a matrix");
    }
  }
  for (const Shape* batch : {&s.batch_a, &s.batch_b}) {
    const int64_t matrices = NumElements(*batch);
    if (matrices != 1 && matrices != NumElements(s.batch)) {
      return Unsupported(Label(node),
                         ": the GPU does not repeat some of the "
                         "matrices ",
                         ToString(*batch), " to ", ToString(s.batch));
    }
  }
  return Status();
}

// Describes a constant matrix. That of input 1 may be int8.
Result<WeightImages> Matrix(const Node& node, size_t i, bool has_row_outputs,
                            const MatMulShapes& s, int64_t macs,
                            const Target& target) {
  const Operand& operand = node.inputs[i];
  WeightUse use;
  use.weight = &operand;
  use.layout = ImageLayout::kChannelMajor;
  use.extents = AsNhwc(operand.type.shape);
  use.outputs = s.n;
  use.output_axes = has_row_outputs ? 1 : 0;
  use.macs = macs;
  if (i == 1) return DescribeWeights(use, target);
  WeightImages images;
  MACE_ASSIGN_OR_RETURN(images.weights,
                        target.ConstantImage(use.layout, use.extents, operand));
  return images;
}

Result<KernelSpec> DescribeMatMul(const Node& node, const Target& target) {
  MACE_ASSIGN_OR_RETURN(const MatMulAttrs attrs, ReadAttrs<MatMulAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const MatMulShapes s, ResolveMatMul(node, attrs));
  MACE_RETURN_IF_ERROR(CheckOperands(node, s));
  const int64_t matrices = NumElements(s.batch);
  Pass pass("mat_mul", "mat_mul",
            {static_cast<size_t>(Blocks(s.n)), static_cast<size_t>(s.m),
             static_cast<size_t>(matrices)});
  if (attrs.transpose_a) pass.Define("TRANSPOSE_A");
  if (attrs.transpose_b) pass.Define("TRANSPOSE_B");
  const int64_t macs = matrices * s.m * s.n * s.k;
  WeightImages weights;
  for (size_t i : {0, 1}) {
    const Operand& operand = node.inputs[i];
    if (operand.data == nullptr) {
      pass.In(i);
      continue;
    }
    const bool has_row_outputs =
        i == 1 && attrs.transpose_b && operand.type.rank() == 2;
    MACE_ASSIGN_OR_RETURN(WeightImages images,
                          Matrix(node, i, has_row_outputs, s, macs, target));
    AddWeights(images, pass);
    if (i == 1) weights = std::move(images);
  }
  pass.Out();
  AddMatrix(node.inputs[0].type.shape, NumElements(s.batch_a) == 1, pass);
  AddMatrix(node.inputs[1].type.shape, NumElements(s.batch_b) == 1, pass);
  AddMatrix(node.outputs[0].shape, false, pass);
  pass.Int(s.k, s.n);
  pass.Team(target.TeamOf(pass.grid, Blocks(s.k), 1), 1);
  return KernelSpec{{pass}, InfoOf(weights, pass, macs)};
}

}  // namespace

GpuKernelDef MatMul() { return {DescribeMatMul, 1}; }

}  // namespace mace::opencl
