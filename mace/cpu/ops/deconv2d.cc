// Deconv2d on the CPU: one ordinary convolution for each phase of the stride.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/deconv2d.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "mace/base/large_array.h"
#include "mace/base/str_cat.h"
#include "mace/cpu/common/blocking.h"
#include "mace/cpu/common/function_kernel.h"
#include "mace/cpu/common/kernel_inputs.h"
#include "mace/cpu/common/kernel_table.h"
#include "mace/cpu/common/table_size.h"
#include "mace/cpu/conv/conv_q8.h"
#include "mace/cpu/conv/deconv_depthwise.h"
#include "mace/cpu/conv/deconv_phases.h"
#include "mace/cpu/gemm/conv_gemm.h"
#include "mace/cpu/gemm/q16.h"
#include "mace/cpu/reference/conv.h"
#include "mace/graph/stored_weight.h"

namespace mace::cpu {
namespace {

// Checks that there are not too many phases, or taps to look at for them.
Status CheckPhases(const Node& node, const ConvShape& s) {
  const Window &h = s.window.h, &w = s.window.w;
  const int64_t lines = std::min(h.stride, h.out);
  const int64_t columns = std::min(w.stride, w.out);
  constexpr int64_t kPhaseBytes = sizeof(ConvGemm) + sizeof(ConvGemm::Spec);
  MACE_RETURN_IF_ERROR(
      CheckTable(node, "phases", {lines, columns}, kPhaseBytes));
  MACE_RETURN_IF_ERROR(CheckTable(node, "phases of all groups",
                                  {lines, columns, s.group}, sizeof(GemmB)));
  for (const Window* d : {&h, &w}) {
    MACE_RETURN_IF_ERROR(CheckTable(node, "taps of all phases",
                                    {std::min(d->stride, d->out), d->kernel},
                                    sizeof(int64_t)));
  }
  return CheckTable(node, "taps of all groups", {s.group, s.taps()},
                    sizeof(int64_t));
}

struct DeconvF32 final : Kernel {
  int64_t scratch_bytes() const override {
    int64_t most = 0;
    for (const ConvGemm& gemm : gemms) {
      most = std::max(most, gemm.scratch_bytes());
    }
    return filter.scratch_bytes() + most;
  }
  int64_t macs() const override { return num_macs; }
  std::string variant() const override {
    return gemms.empty() ? "no taps" : gemms[0].variant();
  }

  Status Run(const RunArgs& args) override {
    float* y = args.outputs[0].as<float>();
    const float* bias = BiasF32(args);
    if (has_gaps) {
      FillWithoutInputs(threads, activation, num_outputs, out_channels, bias,
                        y);
    }
    const void* b =
        filter.Get(args.inputs[1].as<const float>(), args.scratch.handle);
    for (const ConvGemm& gemm : gemms) {
      gemm.Run(threads, {args.inputs[0].as<const float>(), b, bias, y},
               args.scratch.as<char>() + filter.scratch_bytes());
    }
    return Status();
  }

  PackedB filter;
  std::vector<ConvGemm> gemms;  // one for each phase that has taps
  ThreadPool* threads = nullptr;
  ActivationFunction activation;
  bool has_gaps = false;
  int64_t num_outputs = 0;
  int64_t out_channels = 0;
  int64_t num_macs = 0;
};

// Describes the taps of one phase in the filter [O, I, kh, kw] of group g.
GemmB FilterMatrix(const ConvShape& s, int64_t g, const Phase& ph,
                   const Phase& pw) {
  GemmB b;
  b.n = s.out_per_group();
  b.column_stride = s.in_per_group() * s.taps();
  b.offset = g * b.n * b.column_stride;
  b.channels = s.in_per_group();
  b.channel_stride = s.taps();
  b.taps.clear();
  for (int64_t r : ph.taps) {
    for (int64_t t : pw.taps) b.taps.push_back(r * s.window.w.kernel + t);
  }
  return b;
}

// Returns the product of a phase, without the offsets into the packed filter.
ConvGemm::Spec PhaseSpec(const ConvShape& s, const Phase& ph, const Phase& pw) {
  const Window &h = s.window.h, &w = s.window.w;
  ConvGemm::Spec spec;
  spec.patches = {
      {ph.window, pw.window}, s.batch, s.in_per_group(), s.in_channels};
  spec.n = s.out_per_group();
  spec.pixel_stride = w.stride * s.out_channels;
  spec.line_stride = std::min(h.stride, h.out) * w.out * s.out_channels;
  spec.image_stride = h.out * w.out * s.out_channels;
  spec.parts.clear();
  for (int64_t g = 0; g < s.group; ++g) {
    ConvGemm::Part part;
    part.x = g * s.in_per_group();
    part.bias = g * spec.n;
    part.y = (ph.first * w.out + pw.first) * s.out_channels + part.bias;
    spec.parts.push_back(part);
  }
  return spec;
}

// Returns how many groups are computed as one: as many as fill half of the
// columns of a micro-kernel, the least that it computes. More groups would gain
// nothing: there would be fewer products, but their rows would grow by as many
// zeros.
int64_t GroupsAsOne(const ConvShape& s, const GemmUkernel& micro) {
  const int64_t most = micro.nr / 2 / s.out_per_group();
  for (int64_t n = std::min(most, s.group); n > 1; --n) {
    if (s.group % n == 0) return n;
  }
  return 1;
}

// Returns at most how many columns are computed for each output pixel, for all
// groups: including columns of zeros in a joined filter, and those that fill up
// micro-kernels.
int64_t ProductColumns(const ConvShape& s, int64_t as_one,
                       const GemmUkernel& micro) {
  const int64_t columns = AlignUp(s.out_per_group() * as_one, micro.nr);
  return SaturatedProduct({s.group, columns});
}

// Joins the filters of `n` groups to one filter [O, n * I, kh, kw], in which
// the weights of each output are zero for the inputs of other groups. Its
// elements have the type in which `w` is stored. Errors: MACE_OUT_OF_RESOURCES.
Result<LargeArray<char>> JoinedFilter(const ConvShape& s, int64_t n,
                                      const Operand& w, size_t element) {
  const size_t block = s.in_per_group() * s.taps() * element;
  MACE_ASSIGN_OR_RETURN(
      LargeArray<char> joined,
      LargeArray<char>::Create(
          SaturatedProduct({s.out_channels, n, static_cast<int64_t>(block)}),
          "the joined filter of a transposed convolution"));
  for (int64_t o = 0; o < s.out_channels; ++o) {
    const int64_t place = o / s.out_per_group() % n;
    std::memcpy(joined.data() + (o * n + place) * block,
                static_cast<const char*>(w.data) + o * block, block);
  }
  return Result<LargeArray<char>>(std::move(joined));
}

// Adds the product of each phase, with one matrix for each group. Returns
// whether a phase has no taps, so that the products do not write its pixels.
bool AddPhases(const ConvShape& s, std::vector<GemmB>& matrices,
               std::vector<ConvGemm::Spec>& specs) {
  bool has_gaps = false;
  const std::vector<Phase> columns = PhasesOf(s.window.w);
  for (const Phase& ph : PhasesOf(s.window.h)) {
    for (const Phase& pw : columns) {
      if (ph.taps.empty() || pw.taps.empty()) {
        has_gaps = true;
        continue;
      }
      for (int64_t g = 0; g < s.group; ++g) {
        matrices.push_back(FilterMatrix(s, g, ph, pw));
      }
      specs.push_back(PhaseSpec(s, ph, pw));
    }
  }
  return has_gaps;
}

Result<KernelPtr> PreparePhases(const Node& node, ConvShape s,
                                const ActivationFunction& act,
                                CpuContext& context) {
  const Shape& x = node.inputs[0].type.shape;
  const int64_t pixels = x[0] * x[1] * x[2];  // rows of a phase, about
  const GemmUkernel& micro = ChooseGemm(node.inputs[1], {pixels}, context);
  Operand filter = node.inputs[1];
  const bool may_join =
      filter.data != nullptr && !IsStoredQuantized(filter.stored);
  const int64_t as_one = may_join ? GroupsAsOne(s, micro) : 1;
  if (DeconvDepthwisePays(s, ProductColumns(s, as_one, micro), context)) {
    return PrepareDeconvDepthwise(node, s, act, context);
  }
  auto kernel = std::make_unique<DeconvF32>();
  kernel->threads = context.threads;
  kernel->activation = act;
  kernel->num_outputs = NumElements(node.outputs[0].shape);
  kernel->out_channels = s.out_channels;
  kernel->num_macs = SaturatedProduct(
      {NumElements(node.inputs[0].type.shape), s.out_per_group(), s.taps()});
  LargeArray<char> joined;
  if (as_one > 1) {
    const size_t element = filter.stored == DataType::kInvalid
                               ? sizeof(float)
                               : SizeOf(filter.stored);
    MACE_ASSIGN_OR_RETURN(joined, JoinedFilter(s, as_one, filter, element));
    filter.data = joined.data();
    filter.type.shape[1] *= as_one;
    s.group /= as_one;
  }
  std::vector<GemmB> matrices;
  std::vector<ConvGemm::Spec> specs;
  kernel->has_gaps = AddPhases(s, matrices, specs);
  const std::string how = StrCat("deconv of ", s.group, " groups",
                                 as_one > 1 ? StrCat(", each of ", as_one) : "",
                                 DescribePhases(s.window));
  MACE_ASSIGN_OR_RETURN(
      kernel->filter,
      PackedB::Create(filter, how, micro, std::move(matrices), context));
  size_t matrix = 0;
  for (ConvGemm::Spec& spec : specs) {
    spec.kernel = &micro;
    spec.activation = act;
    for (ConvGemm::Part& part : spec.parts) {
      part.b = kernel->filter.offset(matrix++);
    }
    kernel->gemms.emplace_back(spec, context);
  }
  return KernelPtr(std::move(kernel));
}

Result<KernelPtr> PrepareDeconv2dF32(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const Deconv2dAttrs attrs,
                        ReadAttrs<Deconv2dAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const ActivationFunction act,
                        ResolveActivation(node, attrs));
  ConvShape s;
  MACE_ASSIGN_OR_RETURN(s.window, Deconv2dWindow(node, attrs));
  s.batch = node.inputs[0].type.shape[0];
  s.in_channels = node.inputs[0].type.shape[3];
  s.out_channels = node.outputs[0].shape[3];
  s.group = attrs.group;
  if (context.reference) {
    return MakeKernel([s, act](const RunArgs& args) {
      ReferenceConv(ConvKind::kTransposed, s, act,
                    args.inputs[0].as<const float>(),
                    args.inputs[1].as<const float>(), BiasF32(args),
                    args.outputs[0].as<float>());
    });
  }
  MACE_RETURN_IF_ERROR(CheckPhases(node, s));
  return PreparePhases(node, s, act, context);
}

}  // namespace

CpuKernelDefs Deconv2d() {
  return WithQ16(
      WithQ8({{DataType::kF32, PrepareDeconv2dF32, 1}}, PrepareDeconvQ8),
      PrepareDeconvQ16);
}

}  // namespace mace::cpu
