// Convolutions and GEMM of quantized values of 8 bits.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_CONV_CONV_Q8_H_
#define MACE_CPU_CONV_CONV_Q8_H_

#include "mace/cpu/common/cpu_context.h"
#include "mace/cpu/depthwise/depthwise_q8.h"
#include "mace/cpu/gemm/conv_gemm.h"
#include "mace/cpu/gemm/filter_q8.h"
#include "mace/cpu/reference/conv.h"
#include "mace/device/kernel.h"

namespace mace::cpu {

// A GEMM with a constant filter, one part for each group.
struct ConvGemmQ8 {
  PanelsQ8 filter;
  ConvGemm gemm;
  ThreadPool* threads;

  int64_t scratch_bytes() const { return gemm.scratch_bytes(); }
  int64_t SafeDistanceBytes() const { return gemm.SafeDistanceBytes(); }

  // See Kernel::writes_rows.
  static constexpr bool kWritesRows = true;
  void Run(const uint8_t* x, uint8_t* y, int64_t row_stride,
           void* scratch) const {
    gemm.Run(threads, Operands(x, y, row_stride), scratch);
  }
  // As ConvGemm::RunRows.
  void RunRows(int64_t begin, int64_t end, const uint8_t* x, uint8_t* y,
               void* scratch) const {
    gemm.RunRows(begin, end, Operands(x, y, 0), scratch);
  }

 private:
  ConvGemm::Operands Operands(const uint8_t* x, uint8_t* y,
                              int64_t stride) const {
    const FilterDataQ8 b = filter.data();
    return {x, b.panels, b.start, y, nullptr, stride};
  }
};

// Each prepares a node whose input 0 is quantized i8 or u8. Results are those
// of TFLite's reference kernels: sums of 32 bits, scaled in fixed point; those
// of FullyConnected in double precision if CpuContext::fc_rounds_once. Errors:
// MACE_UNSUPPORTED for filters and biases that are not constant, for
// activations other than NOOP, RELU and RELUX, and for a DepthwiseConv2d with
// several outputs per channel and one scale for each; MACE_OUT_OF_RESOURCES.
Result<KernelPtr> PrepareConvQ8(const Node& node, const ConvShape& shape,
                                CpuContext& context);
Result<KernelPtr> PrepareDepthwiseQ8(const Node& node, CpuContext& context);
Result<KernelPtr> PrepareFullyConnectedQ8(const Node& node,
                                          CpuContext& context);

// Prepares a Deconv2d node whose input 0 is quantized i8 or u8. Results are
// those of TFLite's reference kernel of TRANSPOSE_CONV. Errors:
// MACE_UNSUPPORTED for filters and biases that are not constant, and for
// activations other than NOOP, RELU and RELUX; MACE_OUT_OF_RESOURCES.
Result<KernelPtr> PrepareDeconvQ8(const Node& node, CpuContext& context);

// Make parts of a fused kernel: the GEMM of a Conv2d, of which only RunRows may
// be called, and a DepthwiseConv2d with one output for each channel. `shape` is
// that of the node. Errors: as the functions above.
Result<ConvGemmQ8> MakeConvRowsQ8(const Node& node, const ConvShape& shape,
                                  CpuContext& context);
Result<DepthwiseQ8> MakeDepthwiseQ8(const Node& node, const ConvShape& shape,
                                    CpuContext& context);

}  // namespace mace::cpu

#endif  // MACE_CPU_CONV_CONV_Q8_H_
