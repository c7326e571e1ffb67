// The loop over the steps of recurrent ops.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/recurrent/recurrent_kernel.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "mace/cpu/common/tasks.h"
#include "mace/cpu/conv/conv_plan.h"
#include "mace/cpu/reference/mat_mul.h"

namespace mace::cpu {
namespace {

// Inputs are multiplied for as many steps at a time as have this many bytes of
// gates: these stay in a cache until their step reads them, and their memory
// does not grow with the sequence. Fewer rows than kMinRows would not be
// worth reading the weights again.
constexpr int64_t kGateBytes = 256 << 10;
constexpr int64_t kMinRows = 128;

// Each part of the scratch memory begins at a line of the cache.
int64_t FloatBytes(int64_t floats) {
  return AlignUp(floats * static_cast<int64_t>(sizeof(float)), kAlignment);
}

}  // namespace

RecurrentActivator::RecurrentActivator(const RecurrentActivation& activation,
                                       const CpuContext& context)
    : as_(activation), reference_(context.reference) {
  function_.kind = as_.kind == RecurrentKind::kScaledTanh
                       ? ActivationKind::kTanh
                       : as_.activation;
  function_.limit = function_.coefficient = as_.alpha;
  function_.beta = as_.beta;
  activator_ = Activator(function_, context.features);
}

void RecurrentActivator::Apply(float* x, int64_t n) const {
  const float a = as_.alpha, b = as_.beta;
  switch (as_.kind) {
    case RecurrentKind::kAffine:
      for (int64_t i = 0; i < n; ++i) x[i] = a * x[i] + b;
      return;
    case RecurrentKind::kThresholdedRelu:
      for (int64_t i = 0; i < n; ++i) x[i] = x[i] <= a ? 0 : x[i];
      return;
    case RecurrentKind::kScaledTanh:
      for (int64_t i = 0; i < n; ++i) x[i] *= b;
      break;
    case RecurrentKind::kActivation:
      break;
  }
  if (reference_) {
    for (int64_t i = 0; i < n; ++i) {
      x[i] = static_cast<float>(ReferenceActivation(function_, x[i]));
    }
  } else {
    activator_.Apply(x, n, x);
  }
  if (as_.kind != RecurrentKind::kScaledTanh) return;
  for (int64_t i = 0; i < n; ++i) x[i] *= a;
}

[[gnu::noinline, gnu::cold]] RecurrentKernel::RecurrentKernel() = default;

[[gnu::noinline, gnu::cold]] RecurrentKernel::~RecurrentKernel() = default;

void RecurrentKernel::Bound(float* x, int64_t n, float limit) {
  if (limit == 0) return;
  for (int64_t i = 0; i < n; ++i) {
    const float above = x[i] < -limit ? -limit : x[i];
    x[i] = above > limit ? limit : above;
  }
}

Status RecurrentKernel::Init(const Node& node, const RecurrentAttrs& attrs,
                             const RecurrentShape& shape,
                             const RecurrentCellProperties& properties,
                             size_t projection, CpuContext& context) {
  label_ = Label(node);
  shape_ = shape;
  properties_ = properties;
  batch_major_ = attrs.batch_major;
  reverse_ = attrs.direction == "REVERSE";
  clip_ = attrs.clip;
  if (node.has_input(kRecurrentLens)) {
    lens_dtype_ = node.inputs[kRecurrentLens].type.dtype;
  }
  threads_ = context.threads;
  projection_input_ = projection;
  MACE_ASSIGN_OR_RETURN(
      r_, StateGemm::Create(node.inputs[kRecurrentR], "recurrent weights",
                            properties.parts, context));
  if (projection != 0) {
    MACE_ASSIGN_OR_RETURN(
        projection_, StateGemm::Create(node.inputs[projection], "projection",
                                       {shape.outputs}, context));
  }
  block_steps_ = BlockSteps();
  if (context.reference || rows() == 0) return Status();
  // All directions read the same x, so that their weights form one matrix.
  const int64_t n = shape.directions * all_gates(), k = shape.inputs;
  const Operand& w = node.inputs[kRecurrentW];
  const GemmPlan plan = PlanGemm(w, {block_rows(), n, k * 4}, context);
  GemmB b;
  b.n = n;
  b.column_stride = k;
  b.channels = k;
  b.channel_stride = 1;
  MACE_ASSIGN_OR_RETURN(
      w_, PackedB::Create(w, "input weights", *plan.kernel, {b}, context));
  ConvGemm::Spec spec;
  spec.kernel = plan.kernel;
  spec.plan = plan;
  spec.patches.window.w.in = spec.patches.window.w.out = block_rows();
  spec.patches.batch = 1;
  spec.patches.channels = spec.patches.pixel_stride = k;
  spec.n = spec.pixel_stride = n;
  spec.image_stride = spec.line_stride = block_rows() * n;
  inputs_ = std::make_unique<ConvGemm>(spec, context);
  return Status();
}

int64_t RecurrentKernel::BlockSteps() const {
  // Steps must follow each other in x, and in one order of time.
  const bool is_whole =
      shape_.directions != 1 || (batch_major_ && shape_.batch != 1);
  if (is_whole || rows() == 0) return shape_.steps;
  const int64_t bytes = SaturatedProduct({shape_.batch, all_gates(), 4});
  const int64_t most = std::max({kGateBytes / std::max<int64_t>(bytes, 1),
                                 kMinRows / shape_.batch, int64_t{1}});
  const int64_t blocks = (shape_.steps + most - 1) / most;
  return (shape_.steps + blocks - 1) / blocks;
}

// The parts of the scratch memory.
struct RecurrentKernel::Memory {
  // For packing operands that are no constants.
  void *w_space, *r_space, *projection_space;
  // As PackedB::Get and StateGemm::Get returned.
  const void *w, *r, *projection;
  float* gates;         // [block_rows, directions, gates, hidden]
  float* bias;          // [directions, gates, hidden]
  float *h, *c, *work;  // [directions, batch, ...]
  void* gemm;
  int64_t bytes;
};

RecurrentKernel::Memory RecurrentKernel::Lay(char* scratch) const {
  int64_t at = 0;
  const auto take = [&](int64_t bytes) {
    char* part = scratch == nullptr ? nullptr : scratch + at;
    at += bytes;
    return part;
  };
  const auto floats = [&](int64_t count) {
    return reinterpret_cast<float*>(take(FloatBytes(count)));
  };
  const int64_t states = shape_.directions * shape_.batch;
  Memory m = {};
  m.w_space = take(w_.scratch_bytes());
  m.r_space = take(r_.scratch_bytes());
  m.projection_space = take(projection_.scratch_bytes());
  m.gates = floats(block_rows() * shape_.directions * all_gates());
  m.bias = floats(shape_.directions * all_gates());
  m.h = floats(states * shape_.outputs);
  m.c = floats(properties_.has_cells ? states * shape_.hidden : 0);
  m.work = floats(states * properties_.work_width);
  m.gemm = take(inputs_ != nullptr ? inputs_->scratch_bytes() : 0);
  m.bytes = at;
  return m;
}

int64_t RecurrentKernel::scratch_bytes() const { return Lay(nullptr).bytes; }

int64_t RecurrentKernel::macs() const {
  return SaturatedProduct(
      {rows(), shape_.directions, all_gates(), shape_.inputs + shape_.outputs});
}

std::string RecurrentKernel::variant() const {
  return inputs_ == nullptr ? "scalar" : inputs_->variant();
}

Status RecurrentKernel::CheckLens(const RunArgs& args) const {
  if (args.inputs.size() <= kRecurrentLens ||
      args.inputs[kRecurrentLens].handle == nullptr) {
    return Status();
  }
  const Indices lens(args.inputs[kRecurrentLens].handle, lens_dtype_);
  for (int64_t i = 0; i < shape_.batch; ++i) {
    if (lens[i] >= 0 && lens[i] <= shape_.steps) continue;
    return InvalidArgument(label_, ": sequence_lens[", i, "] is ", lens[i],
                           ", it must be in [0, ", shape_.steps, "], as x has ",
                           shape_.steps, " steps");
  }
  return Status();
}

void RecurrentKernel::SumBiases(const float* bias, float* to) const {
  const int64_t n = all_gates(),
                summed = properties_.summed_biases * shape_.hidden;
  for (int64_t d = 0; d < shape_.directions; ++d, to += n) {
    if (bias == nullptr) {
      std::fill_n(to, n, 0.f);
      continue;
    }
    const float* of_w = bias + 2 * d * n;
    for (int64_t i = 0; i < n; ++i) {
      to[i] = i < summed ? of_w[i] + of_w[n + i] : of_w[i];
    }
  }
}

void RecurrentKernel::MultiplyInputs(const RunArgs& args, int64_t first_time,
                                     const Memory& m) const {
  if (rows() == 0) return;
  const int64_t n = shape_.directions * all_gates(), k = shape_.inputs;
  const float* x = args.inputs[kRecurrentX].as<const float>() +
                   first_time * shape_.batch * k;
  const float* bias = properties_.adds_bias ? m.bias : nullptr;
  if (inputs_ == nullptr) {
    return ReferenceMatMul(block_rows(), n, k, {x, k, 1},
                           {static_cast<const float*>(m.w), 1, k}, bias,
                           ActivationFunction(), m.gates);
  }
  inputs_->Run(threads_, {x, m.w, bias, m.gates}, m.gemm);
}

void RecurrentKernel::MoveStates(const float* from, bool from_operand,
                                 int64_t width, float* to) const {
  for (int64_t d = 0; d < shape_.directions; ++d) {
    for (int64_t b = 0; b < shape_.batch; ++b) {
      const int64_t dense = d * shape_.batch + b;
      const int64_t other = batch_major_ ? b * shape_.directions + d : dense;
      std::memcpy(to + (from_operand ? dense : other) * width,
                  from + (from_operand ? other : dense) * width,
                  static_cast<size_t>(width) * sizeof(float));
    }
  }
}

void RecurrentKernel::LoadStates(const RunArgs& args, const Memory& m) const {
  const auto load = [&](size_t input, int64_t width, float* to) {
    const float* from = input < args.inputs.size()
                            ? args.inputs[input].as<const float>()
                            : nullptr;
    if (from == nullptr) {
      std::fill_n(to, shape_.directions * shape_.batch * width, 0.f);
    } else {
      MoveStates(from, /*from_operand=*/true, width, to);
    }
  };
  load(kRecurrentH, shape_.outputs, m.h);
  if (properties_.has_cells) load(kRecurrentH + 1, shape_.hidden, m.c);
}

void RecurrentKernel::StoreStates(const RunArgs& args, const Memory& m) const {
  const auto store = [&](size_t output, int64_t width, const float* from) {
    if (output >= args.outputs.size()) return;
    float* to = args.outputs[output].as<float>();
    if (to != nullptr) MoveStates(from, /*from_operand=*/false, width, to);
  };
  store(1, shape_.outputs, m.h);
  if (properties_.has_cells) store(2, shape_.hidden, m.c);
}

// Steps [begin, end), in the order in which they are computed, of sequences
// [first, first + count) in one direction.
struct RecurrentKernel::Block {
  int64_t begin, end;
  int64_t first_time;  // of the gates that are computed
  int64_t direction, first, count;
  ThreadPool* threads;
};

void RecurrentKernel::StoreStep(const RecurrentStep& s) const {
  const int64_t width = shape_.outputs, d = shape_.directions;
  float* y = s.args->outputs[0].as<float>();
  for (int64_t i = 0; i < s.rows; ++i) {
    const int64_t b = s.first_sequence + i;
    const int64_t row = batch_major_
                            ? (b * shape_.steps + s.time) * d + s.direction
                            : (s.time * d + s.direction) * shape_.batch + b;
    if (s.IsActive(i)) {
      std::memcpy(y + row * width, s.h + i * width,
                  static_cast<size_t>(width) * sizeof(float));
    } else {
      std::fill_n(y + row * width, width, 0.f);
    }
  }
}

void RecurrentKernel::RunBlock(const RunArgs& args, const Memory& m,
                               const Block& block) const {
  const int64_t state = block.direction * shape_.batch + block.first;
  const int64_t gates_width = shape_.directions * all_gates();
  const bool has_lens = args.inputs.size() > kRecurrentLens &&
                        args.inputs[kRecurrentLens].handle != nullptr;
  const Indices lens(has_lens ? args.inputs[kRecurrentLens].handle : nullptr,
                     lens_dtype_);
  RecurrentStep s;
  s.args = &args;
  s.direction = block.direction;
  s.rows = block.count;
  s.gates_stride = (batch_major_ ? shape_.steps : 1) * gates_width;
  s.h = m.h + state * shape_.outputs;
  s.c = m.c + (properties_.has_cells ? state * shape_.hidden : 0);
  s.work = m.work + state * properties_.work_width;
  s.bias = m.bias + block.direction * all_gates();
  s.r = m.r;
  s.projection = m.projection;
  s.threads = block.threads;
  s.lens = has_lens ? &lens : nullptr;
  s.first_sequence = block.first;
  const bool backwards = reverse_ || block.direction == 1;
  for (int64_t t = block.begin; t < block.end && !threads_->is_cancelled();
       ++t) {
    s.time = backwards ? shape_.steps - 1 - t : t;
    const int64_t at = s.time - block.first_time;
    const int64_t row = batch_major_ ? block.first * shape_.steps + at
                                     : at * shape_.batch + block.first;
    s.gates = m.gates + row * gates_width + block.direction * all_gates();
    Step(s);
    StoreStep(s);
  }
}

void RecurrentKernel::RunSteps(const RunArgs& args, const Memory& m,
                               int64_t begin, int64_t end,
                               int64_t first_time) const {
  const int64_t threads = threads_->num_threads();
  const int64_t d = shape_.directions, batch = shape_.batch;
  const int64_t blocks = std::min(batch, (threads + d - 1) / d);
  const int64_t tasks = d * blocks;
  if (batch == 0) return;
  const bool single = tasks == 1;
  const auto run = [&](size_t, size_t i) {
    const auto task = static_cast<int64_t>(i);
    const int64_t part = task / d;
    const int64_t first = part * batch / blocks;
    const int64_t last = (part + 1) * batch / blocks;
    RunBlock(args, m,
             {begin, end, first_time, task % d, first, last - first,
              single ? threads_ : nullptr});
  };
  RunTasks(threads_, static_cast<size_t>(tasks), run);
}

Status RecurrentKernel::Run(const RunArgs& args) {
  MACE_RETURN_IF_ERROR(CheckLens(args));
  Memory m = Lay(args.scratch.as<char>());
  const bool has_bias = args.inputs.size() > kRecurrentBias;
  SumBiases(has_bias ? args.inputs[kRecurrentBias].as<const float>() : nullptr,
            m.bias);
  LoadStates(args, m);
  m.w = args.inputs[kRecurrentW].handle;
  if (inputs_ != nullptr) m.w = w_.Get(m.w, m.w_space);
  m.r = r_.Get(args.inputs[kRecurrentR].handle, m.r_space);
  if (projection_input_ != 0) {
    m.projection = projection_.Get(args.inputs[projection_input_].handle,
                                   m.projection_space);
  }
  for (int64_t done = 0; done < shape_.steps && !threads_->is_cancelled();) {
    // The last block computes gates again that the one before it computed.
    const int64_t begin = std::min(done, shape_.steps - block_steps_);
    const int64_t end = begin + block_steps_;
    const int64_t first_time = reverse_ ? shape_.steps - end : begin;
    MultiplyInputs(args, first_time, m);
    RunSteps(args, m, done, end, first_time);
    done = end;
  }
  StoreStates(args, m);
  return Status();
}

}  // namespace mace::cpu
