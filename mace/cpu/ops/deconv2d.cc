// Deconv2d on the CPU: one ordinary convolution per phase of the stride.
// SPDX-License-Identifier: Apache-2.0
//
// Outputs that are equal modulo the stride see the same taps, and see them as a
// convolution of stride 1 would, so that no multiplication with the zeros
// between the inputs is made:
//
//   stride 2, kernel 3    outputs 0, 2, 4, ...: taps 2, 0 of inputs i - 1, i
//                         outputs 1, 3, 5, ...: tap 1 of input i

#include "mace/ops/deconv2d.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "mace/cpu/conv_gemm.h"
#include "mace/cpu/function_kernel.h"
#include "mace/cpu/kernel_inputs.h"
#include "mace/cpu/kernel_table.h"
#include "mace/cpu/reference/conv.h"
#include "mace/cpu/table_size.h"

namespace mace::cpu {
namespace {

// The outputs first, first + stride, ... of one dimension.
struct Phase {
  int64_t first = 0;
  std::vector<int64_t> taps;  // in the order of the inputs that they see
  Window window;
};

std::vector<Phase> PhasesOf(const Window& w) {
  std::vector<Phase> phases;
  for (int64_t first = 0; first < std::min(w.stride, w.out); ++first) {
    Phase phase;
    phase.first = first;
    int64_t top = 0;  // the input of the first tap, for the first output
    for (int64_t k = w.kernel - 1; k >= 0; --k) {
      const int64_t at = first + w.pad_before - k * w.dilation;
      if (at % w.stride != 0) continue;
      if (phase.taps.empty()) top = at / w.stride;
      phase.taps.push_back(k);
    }
    phase.window.in = w.in;
    phase.window.out = (w.out - first + w.stride - 1) / w.stride;
    phase.window.kernel = static_cast<int64_t>(phase.taps.size());
    phase.window.dilation = w.dilation / std::gcd(w.dilation, w.stride);
    phase.window.pad_before = -top;
    phases.push_back(std::move(phase));
  }
  return phases;
}

// There are not too many phases, nor too many taps to look at for them.
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
    if (has_gaps) {  // outputs that no input reaches
      threads->ParallelFor(num_outputs, 1024, [&](size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i) {
          const double b = bias != nullptr ? bias[i % out_channels] : 0;
          y[i] = static_cast<float>(ReferenceActivation(activation, b));
        }
      });
    }
    const float* b =
        filter.Get(args.inputs[1].as<const float>(), args.scratch.handle);
    for (const ConvGemm& gemm : gemms) {
      gemm.Run(threads, {args.inputs[0].as<const float>(), b, bias, y},
               args.scratch.as<char>() + filter.scratch_bytes());
    }
    return Status();
  }

  PackedB filter;
  std::vector<ConvGemm> gemms;  // one per phase that has taps
  ThreadPool* threads = nullptr;
  ActivationFunction activation;
  bool has_gaps = false;
  int64_t num_outputs = 0;
  int64_t out_channels = 0;
  int64_t num_macs = 0;
};

// The filter [O, I, kh, kw] of group g, with the taps of one phase.
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

// Without the offsets into the packed filter.
ConvGemm::Spec PhaseSpec(const ConvShape& s, const Phase& ph, const Phase& pw) {
  const Window &h = s.window.h, &w = s.window.w;
  ConvGemm::Spec spec;
  spec.patches = {
      {ph.window, pw.window}, s.batch, s.in_per_group(), s.in_channels};
  spec.n = s.out_per_group();
  spec.pixel_stride = w.stride * s.out_channels;
  spec.line_stride = h.stride * w.out * s.out_channels;
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

Result<KernelPtr> PreparePhases(const Node& node, const ConvShape& s,
                                const ActivationFunction& act,
                                CpuContext& context) {
  auto kernel = std::make_unique<DeconvF32>();
  kernel->threads = context.threads;
  kernel->activation = act;
  kernel->num_outputs = NumElements(node.outputs[0].shape);
  kernel->out_channels = s.out_channels;
  kernel->num_macs = SaturatedProduct(
      {NumElements(node.inputs[0].type.shape), s.out_per_group(), s.taps()});
  const Shape& x = node.inputs[0].type.shape;
  const int64_t pixels = x[0] * x[1] * x[2];  // rows of a phase, about
  const GemmF32& micro = ChooseGemm(node.inputs[1], {pixels}, context);
  std::vector<GemmB> matrices;
  std::vector<ConvGemm::Spec> specs;
  for (const Phase& ph : PhasesOf(s.window.h)) {
    for (const Phase& pw : PhasesOf(s.window.w)) {
      if (ph.taps.empty() || pw.taps.empty()) {
        kernel->has_gaps = true;
        continue;
      }
      for (int64_t g = 0; g < s.group; ++g) {
        matrices.push_back(FilterMatrix(s, g, ph, pw));
      }
      specs.push_back(PhaseSpec(s, ph, pw));
    }
  }
  std::string how = "deconv of " + std::to_string(s.group) + " groups";
  for (const Window* w : {&s.window.h, &s.window.w}) {
    how += ", stride " + std::to_string(w->stride) + " dilation " +
           std::to_string(w->dilation) + " from " +
           std::to_string(w->pad_before) + " to " + std::to_string(w->out);
  }
  MACE_ASSIGN_OR_RETURN(kernel->filter,
                        PackedB::Create(node.inputs[1], how, micro,
                                        std::move(matrices), context));
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

Result<KernelPtr> PrepareF32(const Node& node, CpuContext& context) {
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
      ReferenceDeconv(s, act, args.inputs[0].as<const float>(),
                      args.inputs[1].as<const float>(), BiasF32(args),
                      args.outputs[0].as<float>());
    });
  }
  MACE_RETURN_IF_ERROR(CheckPhases(node, s));
  return PreparePhases(node, s, act, context);
}

}  // namespace

CpuKernelDefs Deconv2d() { return {{DataType::kF32, PrepareF32, 1}}; }

}  // namespace mace::cpu
