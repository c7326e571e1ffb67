// The kernels of convolutions of floats: as matrix products, by Strassen's or
// Winograd's method, and in fp16. Several ops use them.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_CONV_CONV_KERNEL_H_
#define MACE_CPU_CONV_CONV_KERNEL_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mace/base/large_array.h"
#include "mace/cpu/common/cpu_context.h"
#include "mace/cpu/conv/conv_node.h"
#include "mace/cpu/gemm/conv_gemm.h"
#include "mace/cpu/reference/conv.h"
#include "mace/device/kernel.h"

namespace mace::cpu {

// Computes one GEMM for each group, or batch, of input 0 and the filter.
struct ConvGemmKernel final : Kernel {
  ConvGemmKernel(PackedB filter_in, ConvGemm gemm_in, const CpuContext& context)
      : filter(std::move(filter_in)),
        gemm(std::move(gemm_in)),
        threads(context.threads) {}

  int64_t scratch_bytes() const override {
    return filter.scratch_bytes() + gemm.scratch_bytes();
  }
  int64_t macs() const override { return num_macs; }
  int64_t cost_macs() const override { return cost; }
  std::vector<Overlap> overlaps() const override;
  std::string variant() const override;
  Status Run(const RunArgs& args) override;

  static constexpr size_t kNone = SIZE_MAX;

  PackedB filter;
  ConvGemm gemm;
  ThreadPool* threads;
  LargeArray<uint16_t> bias_fp16;  // of a constant; empty: input `bias` counts
  size_t bias = 2;                 // index among the inputs
  size_t addend = kNone;
  int64_t num_macs = 0;
  int64_t cost = 0;
};

// The layout of a filter tensor. The taps between output channel o and input
// channel c of a group begin at element (o * out_stride + c * in_stride) * taps
// of the group; groups are group_stride * taps elements apart.
struct FilterLayout {
  const char* name;
  int64_t group_stride;
  int64_t out_stride;
  int64_t in_stride;
};

// Returns the filter of each group as a matrix of kernel_h * kernel_w *
// in_per_group rows.
std::vector<GemmB> FilterMatrices(const ConvShape& shape,
                                  const FilterLayout& layout);

// Describes the matrix product of one group, to be run as `plan` says.
ConvGemm::Spec ConvSpec(const ConvShape& shape,
                        const ActivationFunction& activation,
                        const GemmPlan& plan);

// Packs the filters of all groups. Errors: MACE_OUT_OF_RESOURCES.
Result<PackedB> PackFilter(const Operand& filter, const ConvShape& shape,
                           const FilterLayout& layout, const GemmUkernel& micro,
                           CpuContext& context);

// A convolution as matrix products, one for each group.
struct PackedConvGemm {
  PackedB filter;
  ConvGemm::Spec spec;
};
// Errors: MACE_OUT_OF_RESOURCES.
Result<PackedConvGemm> PackConvGemm(const Operand& filter,
                                    const ConvShape& shape,
                                    const FilterLayout& layout,
                                    const ActivationFunction& activation,
                                    const GemmPlan& plan, CpuContext& context);

// Returns the layout of the filters of Conv2d.
inline FilterLayout Oihw(const ConvShape& s) {
  return {"oihw", s.out_per_group() * s.in_per_group(), s.in_per_group(), 1};
}

// Makes the kernel of a grouped convolution of input 0 with the filter (input
// 1) and the bias (input 2, if present). REQUIRES: the plan's method is a
// product. Errors: MACE_OUT_OF_RESOURCES.
Result<KernelPtr> PrepareConvGemm(const Node& node, const ConvShape& shape,
                                  const FilterLayout& filter,
                                  const ActivationFunction& activation,
                                  const NodePlan& plan, CpuContext& context);

// Makes the kernel of a Conv2d that also adds one more input, which follows
// those of the node. REQUIRES: the filter is constant; the method is not
// Winograd's. Errors: MACE_OUT_OF_RESOURCES.
Result<KernelPtr> PrepareConvSum(const Node& node, const ConvNode& conv,
                                 const NodePlan& plan,
                                 const ActivationFunction& sum_activation,
                                 CpuContext& context);

// Packs a constant filter of layout OIHW for Strassen's method with this
// micro-kernel. Errors: MACE_OUT_OF_RESOURCES.
Result<std::shared_ptr<const void>> PackStrassen(const Operand& filter,
                                                 const ConvShape& shape,
                                                 const GemmUkernel& micro,
                                                 CpuContext& context);

// Makes the kernel of the node's convolution. With `addend`, it also adds one
// more input, which follows those of the node. REQUIRES: the plan's method is
// Strassen's. Errors: MACE_OUT_OF_RESOURCES.
Result<KernelPtr> PrepareConvStrassen(const Node& node, const ConvNode& conv,
                                      const NodePlan& plan, bool addend,
                                      const ActivationFunction& sum_activation,
                                      CpuContext& context);

// Makes the kernel of a Winograd convolution of input 0 with the filter (input
// 1) and the bias (input 2, if present). REQUIRES: the filter is a constant of
// layout OIHW; the plan's method is Winograd's. Errors: MACE_OUT_OF_RESOURCES.
Result<KernelPtr> PrepareConvWinograd(const Node& node, const ConvShape& shape,
                                      const NodePlan& plan,
                                      const ActivationFunction& activation,
                                      CpuContext& context);

// Returns whether a Conv2d whose activations are f32 can also compute in f16.
// False, too, if its output is empty, or if in f32 it would be computed by
// Winograd's method, which f16 has no kernel for.
bool ConvComputesFp16(const Node& node, const CpuContext& context);

// Makes the kernel of a Conv2d with f16 input and output. Errors:
// MACE_UNSUPPORTED unless HasFp16Weights(node), or if there are several groups;
// MACE_OUT_OF_RESOURCES.
Result<KernelPtr> PrepareConvF16(const Node& node, const ConvNode& conv,
                                 CpuContext& context);

// The same, and adds one more input, which follows those of the node. Errors:
// also MACE_UNSUPPORTED if the convolution has an activation of its own, or if
// the sum has one that is not a clamp.
Result<KernelPtr> PrepareConvSumF16(const Node& node, const ConvNode& conv,
                                    const ActivationFunction& sum_activation,
                                    CpuContext& context);

// Makes the kernel of a FullyConnected of m rows with f16 input and output.
// REQUIRES: HasFp16Weights(node). Errors: MACE_OUT_OF_RESOURCES.
Result<KernelPtr> PrepareFullyConnectedF16(const Node& node, int64_t m,
                                           const ActivationFunction& activation,
                                           CpuContext& context);

}  // namespace mace::cpu

#endif  // MACE_CPU_CONV_CONV_KERNEL_H_
