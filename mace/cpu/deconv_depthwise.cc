// Depthwise convolutions, one for each phase of the stride.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/deconv_depthwise.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mace/base/aligned_buffer.h"
#include "mace/cpu/blocking.h"
#include "mace/cpu/deconv_phases.h"
#include "mace/cpu/depthwise.h"
#include "mace/cpu/kernel_inputs.h"
#include "mace/cpu/tasks.h"
#include "mace/cpu/weight_floats.h"

namespace mace::cpu {
namespace {

constexpr int64_t kTasksPerThread = 8;

struct DepthwisePhase {
  Depthwise depthwise;
  std::vector<int64_t> taps;  // of the filter
  int64_t out_h = 0;
  int64_t y = 0;       // floats to its first output
  int64_t packed = 0;  // bytes to its packed taps
};

struct DeconvDepthwiseF32 final : Kernel {
  int64_t scratch_bytes() const override {
    return pack_bytes() + threads->num_threads() * thread_bytes;
  }
  int64_t macs() const override { return num_macs; }
  std::string variant() const override {
    return phases.empty() ? "no taps" : phases[0].depthwise.variant();
  }

  Status Run(const RunArgs& args) override {
    const float* bias = BiasF32(args);
    float* y = args.outputs[0].as<float>();
    if (has_gaps) {
      FillWithoutInputs(threads, activation, batch * h.out * w.out * channels,
                        channels, bias, y);
    }
    char* scratch = args.scratch.as<char>();
    const char* packed = static_cast<const char*>(constant.get());
    if (packed == nullptr) {
      Pack(args.inputs[1].as<const float>(), scratch,
           reinterpret_cast<float*>(scratch + packed_bytes));
      packed = scratch;
    }
    char* pixels = scratch + pack_bytes();
    const int64_t pieces =
        std::min(batch * most_lines, threads->num_threads() * kTasksPerThread);
    const float* x = args.inputs[0].as<const float>();
    RunTasks(threads, phases.size() * pieces, [&](size_t worker, size_t task) {
      const DepthwisePhase& phase = phases[task / pieces];
      const int64_t piece = static_cast<int64_t>(task) % pieces;
      const int64_t lines = batch * phase.out_h;
      for (int64_t i = piece * lines / pieces; i < (piece + 1) * lines / pieces;
           ++i) {
        const int64_t image = i / phase.out_h, p = i % phase.out_h;
        phase.depthwise.RunLine(
            {x + image * h.in * w.in * channels, h.in}, p,
            reinterpret_cast<const float*>(packed + phase.packed), bias,
            y + phase.y + (image * h.out + p * h.stride) * w.out * channels,
            pixels + worker * thread_bytes);
      }
    });
    return Status();
  }

  // The taps [channels, kernel_h, kernel_w] of each phase, through `taps`,
  // which has room for all of one.
  void Pack(const float* filter, char* packed, float* taps) const {
    const int64_t num_taps = h.kernel * w.kernel;
    for (const DepthwisePhase& phase : phases) {
      float* to = taps;
      for (int64_t c = 0; c < channels; ++c) {
        for (int64_t tap : phase.taps) *to++ = filter[c * num_taps + tap];
      }
      phase.depthwise.Pack(taps,
                           reinterpret_cast<float*>(packed + phase.packed));
    }
  }

  int64_t pack_bytes() const {
    if (constant != nullptr) return 0;
    return packed_bytes + AlignUp(channels * h.kernel * w.kernel *
                                      static_cast<int64_t>(sizeof(float)),
                                  kAlignment);
  }

  std::vector<DepthwisePhase> phases;  // those that have taps
  std::shared_ptr<const void> constant;
  ThreadPool* threads = nullptr;
  ActivationFunction activation;
  Window h, w;
  int64_t batch = 0;
  int64_t channels = 0;
  bool has_gaps = false;
  int64_t most_lines = 0;  // of a phase and an image
  int64_t packed_bytes = 0;
  int64_t thread_bytes = 0;
  int64_t num_macs = 0;
};

void AddPhase(const Phase& ph, const Phase& pw, const CpuContext& context,
              DeconvDepthwiseF32* kernel) {
  const Window& w = kernel->w;
  Depthwise::Spec spec;
  spec.window = {ph.window, pw.window};
  spec.batch = kernel->batch;
  spec.channels = kernel->channels;
  spec.activation = kernel->activation;
  spec.y_pixel = w.stride * kernel->channels;
  DepthwisePhase phase = {Depthwise(spec, context), {}};
  for (int64_t r : ph.taps) {
    for (int64_t t : pw.taps) phase.taps.push_back(r * w.kernel + t);
  }
  phase.out_h = ph.window.out;
  phase.y = (ph.first * w.out + pw.first) * kernel->channels;
  phase.packed = kernel->packed_bytes;
  kernel->packed_bytes += AlignUp(phase.depthwise.packed_bytes(), kAlignment);
  kernel->most_lines = std::max(kernel->most_lines, phase.out_h);
  kernel->thread_bytes =
      std::max(kernel->thread_bytes,
               AlignUp(phase.depthwise.thread_scratch_bytes(), kAlignment));
  kernel->phases.push_back(std::move(phase));
}

}  // namespace

Result<KernelPtr> PrepareDeconvDepthwise(const Node& node, const ConvShape& s,
                                         const ActivationFunction& activation,
                                         CpuContext& context) {
  auto kernel = std::make_unique<DeconvDepthwiseF32>();
  kernel->threads = context.threads;
  kernel->activation = activation;
  kernel->h = s.window.h;
  kernel->w = s.window.w;
  kernel->batch = s.batch;
  kernel->channels = s.out_channels;
  kernel->num_macs = NumElements(node.inputs[0].type.shape) * s.taps();
  for (const Phase& ph : PhasesOf(s.window.h)) {
    for (const Phase& pw : PhasesOf(s.window.w)) {
      if (ph.taps.empty() || pw.taps.empty()) {
        kernel->has_gaps = true;
      } else {
        AddPhase(ph, pw, context, kernel.get());
      }
    }
  }
  const Operand& filter = node.inputs[1];
  if (filter.data == nullptr || kernel->phases.empty()) {
    return KernelPtr(std::move(kernel));
  }
  std::string how = "deconv" + DescribePhases(s.window);
  for (const DepthwisePhase& phase : kernel->phases) {
    how += ", " + phase.depthwise.packing();
  }
  const auto pack = [&](void* packed) -> Status {
    MACE_ASSIGN_OR_RETURN(const WeightFloats floats,
                          WeightFloats::Create(filter));
    std::vector<float> taps(s.out_channels * s.taps());
    kernel->Pack(floats.data(), static_cast<char*>(packed), taps.data());
    return Status();
  };
  MACE_ASSIGN_OR_RETURN(kernel->constant,
                        context.packed->GetOrPack(filter.weight_id, how,
                                                  kernel->packed_bytes, pack));
  return KernelPtr(std::move(kernel));
}

}  // namespace mace::cpu
