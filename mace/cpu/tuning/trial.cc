// Measures kernels outside a plan.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/tuning/trial.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "mace/base/clock.h"
#include "mace/base/sort.h"
#include "mace/base/str_cat.h"
#include "mace/cpu/fused/prepare.h"

namespace mace::cpu {
namespace {

// All threads together read at most this much to empty the last level of cache.
constexpr int64_t kFarBytes = 64 << 20;

// The margin by which a time must be lower, as a share. Noise is smaller.
constexpr double kMargin = 0.04;

Result<AlignedBuffer> CreateBuffer(int64_t bytes) {
  return AlignedBuffer::Create(std::max<int64_t>(bytes, 1), "tuning");
}

// Fills x with small numbers of both signs.
void FillFloats(float* x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    x[i] = static_cast<float>(i * 7919 % 101 - 50) * 0.02f;
  }
}

// Runs the nodes of a fused op as a plan without that op would: the first node
// alone, then the longest sequences of the rest that can be fused.
class OneByOne final : public Kernel {
 public:
  static Result<KernelPtr> Create(const std::vector<FusedNode>& links,
                                  CpuContext& context) {
    auto kernel = std::make_unique<OneByOne>();
    size_t next_input = 0;
    for (size_t begin = 0; begin < links.size();) {
      MACE_ASSIGN_OR_RETURN(
          const size_t end,
          kernel->AddPart(links, begin, begin == 0 ? 1 : links.size(),
                          next_input, context));
      begin = end;
    }
    return KernelPtr(std::move(kernel));
  }

  std::string variant() const override {
    std::string text;
    for (const Part& part : parts_) {
      text += StrCat(text.empty() ? "" : ", then ", part.kernel->variant());
    }
    return text;
  }
  int64_t scratch_bytes() const override {
    int64_t bytes = 0;
    for (const Part& part : parts_) {
      bytes = std::max(bytes, part.kernel->scratch_bytes());
    }
    return bytes;
  }

  Status Run(const RunArgs& args) override {
    for (size_t i = 0; i < parts_.size(); ++i) {
      Part& part = parts_[i];
      part.args.scratch = args.scratch;
      for (const auto& [own, chains] : part.inputs) {
        part.args.inputs[own] = args.inputs[chains];
      }
      part.args.outputs = {Buffer{part.between.data()}};
      if (i + 1 == parts_.size()) part.args.outputs = args.outputs;
      MACE_RETURN_IF_ERROR(part.kernel->Run(part.args));
    }
    return Status();
  }

 private:
  struct Part {
    KernelPtr kernel;
    RunArgs args;
    std::vector<std::pair<size_t, size_t>>
        inputs;             // its own index, that of all
    AlignedBuffer between;  // its output
  };

  // Adds a part that begins at link `begin` and ends at `most` at the latest.
  // Returns its end.
  Result<size_t> AddPart(const std::vector<FusedNode>& links, size_t begin,
                         size_t most, size_t& next_input, CpuContext& context) {
    Part part;
    size_t end = most;
    for (; part.kernel == nullptr; --end) {
      std::vector<FusedNode> own(links.begin() + begin, links.begin() + end);
      own[0].previous = -1;
      auto kernel = PrepareLinks(own, context);
      if (kernel.ok()) {
        part.kernel = std::move(*kernel);
        break;
      }
      if (end == begin + 1) return kernel.status();
    }
    for (size_t l = begin; l < end; ++l) {
      const Node& node = *links[l].node;
      for (size_t i = 0; i < node.inputs.size(); ++i) {
        const size_t own = part.args.inputs.size();
        if (static_cast<int>(i) != links[l].previous) {
          part.inputs.emplace_back(own, next_input++);
        } else if (l > begin) {
          continue;  // computed within the part
        }
        part.args.inputs.emplace_back();
        if (static_cast<int>(i) == links[l].previous) {
          part.args.inputs[own].handle = parts_.back().between.data();
        }
      }
    }
    MACE_ASSIGN_OR_RETURN(part.between,
                          CreateBuffer(Bytes(links[end - 1].node->outputs[0])));
    parts_.push_back(std::move(part));
    return end;
  }

  std::vector<Part> parts_;
};

}  // namespace

Result<Buffer> TrialTensors::Add(const TensorType& type) {
  MACE_ASSIGN_OR_RETURN(AlignedBuffer buffer, CreateBuffer(Bytes(type)));
  std::memset(buffer.data(), 0, buffer.size());
  const Buffer place = {buffer.data()};
  buffers_.push_back(std::move(buffer));
  return place;
}

Result<ColdCaches> ColdCaches::Create(int64_t weight_bytes,
                                      const CpuContext& context) {
  const int64_t shares = context.threads->num_threads();
  ColdCaches cold;
  const bool stay = weight_bytes <= context.caches.l3;
  const int64_t far = stay ? 0 : std::min(weight_bytes, kFarBytes);
  cold.share_bytes_ = std::max(2 * context.caches.l2, far / shares);
  MACE_ASSIGN_OR_RETURN(cold.buffer_, CreateBuffer(shares * cold.share_bytes_));
  std::memset(cold.buffer_.data(), 1, cold.buffer_.size());
  return cold;
}

Result<TrialTensors> TrialTensors::Create(const std::vector<FusedNode>& links,
                                          const ColdCaches& cold,
                                          ThreadPool* threads) {
  TrialTensors t;
  t.threads_ = threads;
  t.cold_ = &cold;
  size_t largest = 1;
  for (const FusedNode& link : links) {
    for (size_t i = 0; i < link.node->inputs.size(); ++i) {
      if (static_cast<int>(i) == link.previous) continue;
      const Operand& operand = link.node->inputs[i];
      Buffer buffer = {const_cast<void*>(operand.data)};
      if (operand.present() && operand.data == nullptr) {
        MACE_ASSIGN_OR_RETURN(buffer, t.Add(operand.type));
        if (operand.type.dtype == DataType::kF32) {
          t.inputs_.push_back(t.buffers_.size() - 1);
          largest = std::max(largest, t.buffers_.back().size());
        }
      }
      t.args_.inputs.push_back(buffer);
    }
  }
  for (const TensorType& type : links.back().node->outputs) {
    MACE_ASSIGN_OR_RETURN(const Buffer buffer, t.Add(type));
    t.args_.outputs.push_back(buffer);
  }
  MACE_ASSIGN_OR_RETURN(t.numbers_, CreateBuffer(largest));
  FillFloats(static_cast<float*>(t.numbers_.data()), largest / sizeof(float));
  return t;
}

void TrialTensors::Refresh() {
  const size_t shares = threads_->num_threads();
  threads_->ParallelFor(shares, 1, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      volatile char sum = 0;
      for (size_t at = 0; at < cold_->share_bytes(); at += kAlignment) {
        sum = static_cast<char>(sum + cold_->share(i)[at]);
      }
      for (const size_t input : inputs_) {
        const size_t size = buffers_[input].size();
        const size_t at = size * i / shares, to = size * (i + 1) / shares;
        std::memcpy(static_cast<char*>(buffers_[input].data()) + at,
                    static_cast<const char*>(numbers_.data()) + at, to - at);
      }
    }
  });
}

Result<Trial> Trial::Create(const std::vector<FusedNode>& links,
                            const StepPlan& plan, const CpuContext& context,
                            const TrialTensors& tensors) {
  Trial trial;
  trial.plan_ = plan;
  trial.packed_ = std::make_unique<PackedWeights>();
  CpuContext own = context;
  own.packed = trial.packed_.get();
  own.asked = nullptr;
  if (links.size() > 1 && plan.fusion == Fusion::kNever) {
    MACE_ASSIGN_OR_RETURN(trial.kernel_, OneByOne::Create(links, own));
  } else {
    own.asked = &plan;
    MACE_ASSIGN_OR_RETURN(trial.kernel_, PrepareLinks(links, own));
  }
  MACE_ASSIGN_OR_RETURN(trial.scratch_,
                        CreateBuffer(trial.kernel_->scratch_bytes()));
  std::memset(trial.scratch_.data(), 0, trial.scratch_.size());
  trial.args_ = tensors.args();
  trial.args_.scratch = {trial.scratch_.data()};
  return trial;
}

Status Trial::RunOnce(TrialTensors& tensors) {
  tensors.Refresh();
  const int64_t begin = NowNanos();
  MACE_RETURN_IF_ERROR(kernel_->Run(args_));
  nanos_.push_back(static_cast<double>(NowNanos() - begin));
  return Status();
}

double Trial::least() const {
  return *std::min_element(nanos_.begin(), nanos_.end());
}

double Trial::median() const {
  std::vector<double> sorted = nanos_;
  StableSort(&sorted);
  return sorted[sorted.size() / 2];
}

bool Trial::Beats(const Trial& other) const {
  return least() < (1 - kMargin) * other.least() &&
         median() < (1 - kMargin) * other.median();
}

}  // namespace mace::cpu
