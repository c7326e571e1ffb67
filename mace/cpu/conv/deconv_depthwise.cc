// A transposed convolution as depthwise ones, one for each phase of the stride.
// SPDX-License-Identifier: Apache-2.0
//
// Groups of several inputs or outputs become depthwise by spreading: each input
// line is copied to one line for each input of a group, with a channel for each
// output. Here, groups have the inputs a and b, and two outputs:
//
//   line    a0 b0 a1 b1      of two groups, 0 and 1
//   spread  a0 a0 a1 a1      what the first input gives to the four outputs
//           b0 b0 b1 b1      the second

#include "mace/cpu/conv/deconv_depthwise.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "mace/base/aligned_buffer.h"
#include "mace/base/large_array.h"
#include "mace/base/str_cat.h"
#include "mace/cpu/common/blocking.h"
#include "mace/cpu/common/blocks.h"
#include "mace/cpu/common/choose.h"
#include "mace/cpu/common/kernel_inputs.h"
#include "mace/cpu/common/table_size.h"
#include "mace/cpu/common/tasks.h"
#include "mace/cpu/common/weight_floats.h"
#include "mace/cpu/conv/deconv_phases.h"
#include "mace/cpu/depthwise/depthwise.h"

namespace mace::cpu {
namespace {

constexpr int64_t kDeconvDepthwiseTasksPerThread = 8;
// A task spreads some lines again that the previous one has spread, so there
// are fewer tasks.
constexpr int64_t kSpreadTasksPerThread = 4;

struct DepthwisePhase {
  Depthwise depthwise;
  std::vector<int64_t> taps;  // indices into the filter of one output
  int64_t first = 0;          // first output column
  int64_t packed = 0;         // offset of its packed taps in bytes
};

// The phases of the lines first, first + stride, ...
struct PhaseLines {
  size_t begin = 0, end = 0;  // in `phases`
  int64_t top = 0;            // input line of the first tap, for the first line
  int64_t count = 0;          // input lines of a window
};

// Returns how many input lines the windows of one output line read at most,
// over all phases.
int64_t MostLines(const Window& h) {
  return CeilDiv(h.kernel, h.stride / std::gcd(h.stride, h.dilation));
}

int64_t SpreadBytes(const ConvShape& s) {
  return SaturatedProduct({MostLines(s.window.h), s.in_per_group(),
                           s.window.w.in, s.out_channels, sizeof(float)});
}

// Returns the number of equal blocks into which the groups are divided. Blocks
// must fill vectors; returns the fewest whose spread lines fit the cache, or 1
// if there are none.
int64_t NumBlocks(const ConvShape& s, const CpuContext& context) {
  const int64_t lanes = ChooseRow(kDwconvF32, context.features).lanes;
  const int64_t good = BlocksOf(context.caches).spread_good;
  const int64_t most = std::min(s.group, s.out_channels / lanes);
  for (int64_t n = 1; n <= most; ++n) {
    if (s.group % n != 0 || s.out_channels / n % lanes != 0) continue;
    if (SpreadBytes(s) / n <= good) return n;
  }
  return 1;
}

// Spreads one line of `groups` groups to as many lines as a group has inputs. A
// group has kOutputs outputs; 0 means any number.
template <int64_t kOutputs>
void SpreadGroups(const ConvShape& s, int64_t groups, const float* x,
                  float* to) {
  const int64_t inputs = s.in_per_group();
  const int64_t outputs = kOutputs > 0 ? kOutputs : s.out_per_group();
  for (int64_t i = 0; i < inputs; ++i) {
    const float* pixel = x + i;
    for (int64_t q = 0; q < s.window.w.in; ++q, pixel += s.in_channels) {
      for (int64_t g = 0; g < groups; ++g, to += outputs) {
        for (int64_t o = 0; o < outputs; ++o) to[o] = pixel[g * inputs];
      }
    }
  }
}

void Spread(const ConvShape& s, int64_t groups, const float* x, float* to) {
  switch (s.out_per_group()) {
    case 1:
      return SpreadGroups<1>(s, groups, x, to);
    case 2:
      return SpreadGroups<2>(s, groups, x, to);
    case 4:
      return SpreadGroups<4>(s, groups, x, to);
    case 8:
      return SpreadGroups<8>(s, groups, x, to);
    default:
      return SpreadGroups<0>(s, groups, x, to);
  }
}

struct DeconvDepthwiseF32 final : Kernel {
  int64_t scratch_bytes() const override {
    return pack_bytes() + threads->num_threads() * thread_bytes();
  }
  int64_t macs() const override { return num_macs; }
  std::string variant() const override {
    return phases.empty() ? "no taps" : phases[0].depthwise.variant();
  }

  Status Run(const RunArgs& args) override {
    const Window &h = s.window.h, &w = s.window.w;
    float* y = args.outputs[0].as<float>();
    Operands at = {args.inputs[0].as<const float>(),
                   static_cast<const char*>(constant.get()), BiasF32(args), y};
    if (has_gaps) {
      FillWithoutInputs(threads, activation, s.rows() * s.out_channels,
                        s.out_channels, at.bias, y);
    }
    char* scratch = args.scratch.as<char>();
    if (at.packed == nullptr) {
      Pack(args.inputs[1].as<const float>(), scratch,
           reinterpret_cast<float*>(scratch + packed_bytes));
      at.packed = scratch;
    }
    char* for_threads = scratch + pack_bytes();
    const int64_t num_lines = s.batch * h.out;
    const int64_t tasks = std::min(
        num_lines,
        threads->num_threads() *
            (spreads ? kSpreadTasksPerThread : kDeconvDepthwiseTasksPerThread));
    RunTasks(threads, blocks * tasks, [&](size_t worker, size_t task) {
      const int64_t i = static_cast<int64_t>(task) % tasks;
      const Operands block = Block(at, static_cast<int64_t>(task) / tasks);
      char* const thread_scratch = for_threads + worker * thread_bytes();
      const int64_t end = (i + 1) * num_lines / tasks;
      for (int64_t line = i * num_lines / tasks; line < end;) {
        const int64_t image = line / h.out, p = line % h.out;
        const int64_t count = std::min(end - line, h.out - p);
        Operands of = block;
        of.x += image * h.in * w.in * s.in_channels;
        of.y += image * h.out * w.out * s.out_channels;
        RunLines(of, p, p + count, thread_scratch);
        line += count;
      }
    });
    return Status();
  }

  struct Operands {
    const float* x;
    const char* packed;
    const float* bias;
    float* y;
  };

  // Returns the operands of block `i` of the channels.
  Operands Block(Operands at, int64_t i) const {
    at.x += i * s.in_channels / blocks;
    at.packed += i * packed_bytes / blocks;
    if (at.bias != nullptr) at.bias += i * block_channels();
    at.y += i * block_channels();
    return at;
  }

  // Computes output lines [begin, end) of the block and image at `at`.
  void RunLines(const Operands& at, int64_t begin, int64_t end,
                char* thread_scratch) const {
    const Window &h = s.window.h, &w = s.window.w;
    auto* const ring = reinterpret_cast<float*>(thread_scratch + pixel_bytes);
    Depthwise::Image image = {at.x, h.in};
    if (spreads) image = {ring, ring_lines * s.in_per_group()};
    int64_t next = 0;  // the next input line to spread
    for (int64_t line = begin; line < end; ++line) {
      const PhaseLines& row = rows[line % h.stride];
      if (row.begin == row.end) continue;  // all gaps
      const int64_t p = line / h.stride;
      if (spreads) {
        // From one output line to the next, neither the first nor the last
        // input line that is read goes back.
        next = std::max(next, p + row.top);
        const int64_t seen = std::min(p + row.top + row.count, h.in);
        for (; next < seen; ++next) {
          Spread(s, s.group / blocks, at.x + next * w.in * s.in_channels,
                 ring + next % ring_lines * spread_floats());
        }
      }
      for (size_t i = row.begin; i < row.end; ++i) {
        const DepthwisePhase& phase = phases[i];
        phase.depthwise.RunLine(
            image, p, reinterpret_cast<const float*>(at.packed + phase.packed),
            at.bias, at.y + (line * w.out + phase.first) * s.out_channels,
            thread_scratch);
      }
    }
  }

  // Packs the taps of each block and phase. `taps` has room for those of one
  // phase, in the layout [output, kernel_h, input, kernel_w].
  void Pack(const float* filter, char* packed, float* taps) const {
    const int64_t of_output = s.in_per_group() * s.taps();
    for (int64_t i = 0; i < blocks; ++i, packed += packed_bytes / blocks) {
      for (const DepthwisePhase& phase : phases) {
        float* to = taps;
        for (int64_t c = 0; c < block_channels(); ++c) {
          for (int64_t tap : phase.taps) *to++ = filter[c * of_output + tap];
        }
        phase.depthwise.Pack(taps,
                             reinterpret_cast<float*>(packed + phase.packed));
      }
      filter += block_channels() * of_output;
    }
  }

  int64_t pack_bytes() const {
    if (constant != nullptr) return 0;
    return packed_bytes + AlignUp(s.out_channels * s.in_per_group() * s.taps() *
                                      static_cast<int64_t>(sizeof(float)),
                                  kAlignment);
  }
  int64_t block_channels() const { return s.out_channels / blocks; }
  // Returns the number of floats of a spread input line of a block.
  int64_t spread_floats() const {
    return s.in_per_group() * s.window.w.in * block_channels();
  }
  int64_t thread_bytes() const {
    if (!spreads) return pixel_bytes;
    return pixel_bytes + AlignUp(ring_lines * spread_floats() *
                                     static_cast<int64_t>(sizeof(float)),
                                 kAlignment);
  }

  ConvShape s;
  bool spreads = false;  // false: groups have one input and one output
  std::vector<DepthwisePhase> phases;  // without those that have no taps
  std::vector<PhaseLines> rows;
  std::shared_ptr<const void> constant;
  ThreadPool* threads = nullptr;
  ActivationFunction activation;
  bool has_gaps = false;
  int64_t blocks = 1;      // of channels
  int64_t ring_lines = 0;  // spread input lines that a thread keeps
  int64_t packed_bytes = 0;
  int64_t pixel_bytes = 0;  // of a thread
  int64_t num_macs = 0;
};

void AddPhase(const Phase& ph, const Phase& pw, const CpuContext& context,
              DeconvDepthwiseF32* kernel) {
  const ConvShape& s = kernel->s;
  const int64_t inputs = s.in_per_group();
  Depthwise::Spec spec;
  spec.window = {ph.window, pw.window};
  if (kernel->spreads) {
    Window& h = spec.window.h;
    h.in *= inputs;
    h.kernel *= inputs;
    h.stride = inputs;
    h.pad_before *= inputs;
  }
  spec.batch = s.batch;
  spec.channels = kernel->block_channels();
  spec.activation = kernel->activation;
  spec.y_pixel = s.window.w.stride * s.out_channels;
  DepthwisePhase phase = {Depthwise(spec, context), {}};
  for (int64_t r : ph.taps) {
    for (int64_t i = 0; i < inputs; ++i) {
      for (int64_t t : pw.taps) {
        phase.taps.push_back(i * s.taps() + r * s.window.w.kernel + t);
      }
    }
  }
  phase.first = pw.first;
  phase.packed = kernel->packed_bytes;
  kernel->packed_bytes += AlignUp(phase.depthwise.packed_bytes(), kAlignment);
  kernel->pixel_bytes =
      std::max(kernel->pixel_bytes,
               AlignUp(phase.depthwise.thread_scratch_bytes(), kAlignment));
  kernel->phases.push_back(std::move(phase));
}

void AddPhases(const CpuContext& context, DeconvDepthwiseF32* kernel) {
  const std::vector<Phase> columns = PhasesOf(kernel->s.window.w);
  for (const Phase& ph : PhasesOf(kernel->s.window.h)) {
    PhaseLines row;
    row.begin = kernel->phases.size();
    row.top = -ph.window.pad_before;
    row.count = static_cast<int64_t>(ph.taps.size());
    for (const Phase& pw : columns) {
      if (ph.taps.empty() || pw.taps.empty()) {
        kernel->has_gaps = true;
      } else {
        AddPhase(ph, pw, context, kernel);
      }
    }
    row.end = kernel->phases.size();
    kernel->rows.push_back(row);
  }
  kernel->packed_bytes *= kernel->blocks;
}

}  // namespace

bool DeconvDepthwisePays(const ConvShape& s, int64_t product_columns,
                         const CpuContext& context) {
  const Window &h = s.window.h, &w = s.window.w;
  if (s.in_per_group() == 1 && s.out_per_group() == 1) return true;
  // Otherwise the lines of a window would not be consecutive.
  if (s.group == 1 || h.stride % h.dilation != 0) return false;
  const int64_t lanes = ChooseRow(kDwconvF32, context.features).lanes;
  // Groups that fill vectors do not need spreading; too many spread lines would
  // come from too far a cache.
  if (s.out_per_group() >= lanes || SpreadBytes(s) / NumBlocks(s, context) >
                                        BlocksOf(context.caches).spread_most) {
    return false;
  }
  const int64_t columns = AlignUp(s.out_channels, lanes);
  // The micro-kernels for narrow windows reach two thirds of the speed of a
  // matrix product, the one for any window a quarter.
  const bool narrow = w.stride % w.dilation == 0 &&
                      CeilDiv(w.kernel, w.stride / w.dilation) <= 3;
  return narrow ? columns * 3 < product_columns * 2
                : columns * 4 < product_columns;
}

Result<KernelPtr> PrepareDeconvDepthwise(const Node& node, const ConvShape& s,
                                         const ActivationFunction& activation,
                                         CpuContext& context) {
  const Window &h = s.window.h, &w = s.window.w;
  MACE_RETURN_IF_ERROR(CheckTable(
      node, "taps of a group", {s.in_per_group(), s.taps()}, sizeof(int64_t)));
  MACE_RETURN_IF_ERROR(CheckTable(
      node, "channels of all phases",
      {std::min(h.stride, h.out), std::min(w.stride, w.out), s.out_channels},
      sizeof(float)));
  auto kernel = std::make_unique<DeconvDepthwiseF32>();
  kernel->s = s;
  kernel->spreads = s.in_per_group() > 1 || s.out_per_group() > 1;
  kernel->ring_lines = MostLines(s.window.h);
  kernel->threads = context.threads;
  kernel->activation = activation;
  kernel->num_macs = SaturatedProduct(
      {NumElements(node.inputs[0].type.shape), s.out_per_group(), s.taps()});
  if (kernel->spreads) kernel->blocks = NumBlocks(s, context);
  AddPhases(context, kernel.get());
  const Operand& filter = node.inputs[1];
  if (filter.data == nullptr || kernel->phases.empty()) {
    return KernelPtr(std::move(kernel));
  }
  std::string how = StrCat("deconv of ", s.group, " groups as depthwise in ",
                           kernel->blocks, " blocks", DescribePhases(s.window));
  for (const DepthwisePhase& phase : kernel->phases) {
    how += StrCat(", ", phase.depthwise.packing());
  }
  const auto pack = [&](void* packed) -> Status {
    MACE_ASSIGN_OR_RETURN(const WeightFloats floats,
                          WeightFloats::Create(filter));
    MACE_ASSIGN_OR_RETURN(
        const LargeArray<float> taps,
        LargeArray<float>::Create(NumElements(filter.type.shape),
                                  "the taps of one phase"));
    kernel->Pack(floats.data(), static_cast<char*>(packed), taps.data());
    return Status();
  };
  MACE_ASSIGN_OR_RETURN(kernel->constant,
                        context.packed->GetOrPack(filter.weight_id, how,
                                                  kernel->packed_bytes, pack));
  return KernelPtr(std::move(kernel));
}

}  // namespace mace::cpu
