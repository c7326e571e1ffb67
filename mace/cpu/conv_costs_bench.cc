// Measures the costs that conv_cost.h predicts: prints comma-separated values,
// a line for each instruction set, convolution and method. test/costs fits the
// table of costs to them.
// SPDX-License-Identifier: Apache-2.0
//   bazel run //mace/cpu:conv_costs_bench -- ROUNDS

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mace/cpu/common/machine_limits.h"
#include "mace/cpu/conv/conv_cost.h"
#include "mace/cpu/conv/conv_node.h"
#include "mace/cpu/conv/conv_plan.h"
#include "mace/cpu/tuning/trial.h"
#include "mace/ops/common/op.h"

namespace mace::cpu {
namespace {

// Typical layers of networks for images: the side of the input, the side of the
// kernel, and the channels in and out.
struct Layer {
  int64_t side, kernel, in, out;
};
constexpr Layer kLayers[] = {
    {112, 1, 32, 64},   {56, 1, 64, 64},    {56, 1, 64, 256},
    {56, 1, 256, 64},   {56, 1, 128, 128},  {28, 1, 128, 512},
    {28, 1, 512, 128},  {28, 1, 256, 256},  {28, 1, 64, 384},
    {14, 1, 512, 512},  {14, 1, 256, 1024}, {14, 1, 1024, 256},
    {14, 1, 96, 576},   {7, 1, 512, 2048},  {7, 1, 2048, 512},
    {7, 1, 1024, 1024}, {7, 1, 320, 1280},  {112, 3, 32, 32},
    {56, 3, 64, 64},    {56, 3, 32, 128},   {28, 3, 128, 128},
    {28, 3, 64, 64},    {28, 3, 192, 96},   {14, 3, 256, 256},
    {14, 3, 128, 128},  {14, 3, 512, 512},  {7, 3, 512, 512},
    {7, 3, 256, 256},
};

Node MakeNode(const Layer& layer, const float* weights) {
  Node node;
  node.name = "layer";
  node.op = "Conv2d";
  node.attrs = {{"padding", int64_t{1}}};
  Operand x, filter;
  x.type = {DataType::kF32, {1, layer.side, layer.side, layer.in}};
  filter.type = {DataType::kF32,
                 {layer.out, layer.in, layer.kernel, layer.kernel}};
  filter.data = weights;
  node.inputs = {x, filter};
  node.outputs.resize(1);
  return node;
}

ConvWork WorkOf(const NodePlan& plan, const ConvShape& shape,
                const CacheSizes& caches) {
  switch (plan.method) {
    case Method::kWinograd:
      return WinogradWork(shape, static_cast<int>(plan.tile), caches);
    case Method::kStrassen:
      return StrassenWork(shape, caches);
    default:
      return DirectWork(shape, caches);
  }
}

std::string NameOf(const NodePlan& plan) {
  switch (plan.method) {
    case Method::kWinograd:
      return "winograd " + std::to_string(plan.tile);
    case Method::kStrassen:
      return "strassen";
    default:
      return "product";
  }
}

// A layer with the kernels of all its methods.
class Rival {
 public:
  static Result<std::unique_ptr<Rival>> Create(const Layer& layer,
                                               const CpuContext& context,
                                               const ColdCaches& cold) {
    auto rival = std::make_unique<Rival>();
    rival->layer_ = layer;
    rival->weights_.resize(layer.out * layer.in * layer.kernel * layer.kernel);
    for (size_t i = 0; i < rival->weights_.size(); ++i) {
      rival->weights_[i] = static_cast<float>(i * 7919 % 101) * 0.02f - 1;
    }
    rival->node_ = MakeNode(layer, rival->weights_.data());
    MACE_RETURN_IF_ERROR(Infer(rival->node_));
    MACE_ASSIGN_OR_RETURN(const ConvNode conv, ReadConv2d(rival->node_));
    rival->links_ = {{&rival->node_, -1}};
    MACE_ASSIGN_OR_RETURN(
        TrialTensors tensors,
        TrialTensors::Create(rival->links_, cold, context.threads));
    rival->tensors_.emplace(std::move(tensors));
    for (const NodePlan& plan :
         ConvMethods(rival->node_.inputs[1], conv.shape, context)) {
      StepPlan step;
      step.nodes = {plan};
      MACE_ASSIGN_OR_RETURN(
          Trial trial,
          Trial::Create(rival->links_, step, context, *rival->tensors_));
      rival->trials_.push_back(std::move(trial));
      rival->works_.push_back(WorkOf(plan, conv.shape, context.caches));
    }
    return rival;
  }

  Status RunOnce() {
    for (Trial& trial : trials_) MACE_RETURN_IF_ERROR(trial.RunOnce(*tensors_));
    return Status();
  }

  // Prints a line for each method. `peak` is in multiply-adds per nanosecond.
  void Print(const std::string& isa, double peak) const {
    for (size_t i = 0; i < trials_.size(); ++i) {
      const ConvWork& work = works_[i];
      std::printf("%s,%dx%d %d to %d of side %d,%s,%.0f,%.0f,%.0f,%.0f,%.0f\n",
                  isa.c_str(), static_cast<int>(layer_.kernel),
                  static_cast<int>(layer_.kernel), static_cast<int>(layer_.in),
                  static_cast<int>(layer_.out), static_cast<int>(layer_.side),
                  NameOf(trials_[i].plan().nodes[0]).c_str(), work.products,
                  work.filter_bytes, work.transforms, work.sums,
                  trials_[i].median() * peak);
    }
  }

 private:
  Layer layer_ = {};
  std::vector<float> weights_;
  Node node_;
  std::vector<FusedNode> links_;
  std::optional<TrialTensors> tensors_;
  std::vector<Trial> trials_;
  std::vector<ConvWork> works_;
};

// Runs layer after layer, as a network does, so that the weights of a layer are
// as far away as those of a network when its turn comes again.
Status Measure(CpuFeatures isa, int rounds) {
  MACE_ASSIGN_OR_RETURN(const auto threads, ThreadPool::Create(1));
  MACE_ASSIGN_OR_RETURN(const MachineLimits limits,
                        MeasureLimits(threads.get(), isa));
  PackedWeights packed;
  CpuContext context;
  context.threads = threads.get();
  context.features = isa;
  context.packed = &packed;
  context.max_winograd = 6;
  context.caches = DetectCacheSizes();
  MACE_ASSIGN_OR_RETURN(const ColdCaches cold, ColdCaches::Create(0, context));
  std::vector<std::unique_ptr<Rival>> rivals;
  for (const Layer& layer : kLayers) {
    MACE_ASSIGN_OR_RETURN(std::unique_ptr<Rival> rival,
                          Rival::Create(layer, context, cold));
    rivals.push_back(std::move(rival));
  }
  for (int i = 0; i < rounds; ++i) {
    for (const auto& rival : rivals) MACE_RETURN_IF_ERROR(rival->RunOnce());
  }
  for (const auto& rival : rivals) {
    rival->Print(ToString(isa), limits.gflops / 2);
  }
  return Status();
}

Status MeasureAll(int rounds) {
  std::printf("isa,layer,method,products,filter_bytes,transforms,sums,cost\n");
  // The vendor does not affect which kernels run.
  for (const CpuFeatures isa :
       {kCpuAvx512 | kCpuAvx2Fma, +kCpuAvx2Fma, +kCpuNeon, CpuFeatures{0}}) {
    if ((isa & DetectCpuFeatures()) != isa) continue;
    // Plain C++ is slow, so it gets fewer rounds.
    MACE_RETURN_IF_ERROR(Measure(isa, isa == 0 ? 1 + rounds / 10 : rounds));
  }
  return Status();
}

}  // namespace
}  // namespace mace::cpu

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 15;
  if (argc > 2 || rounds < 1) {
    std::fprintf(stderr, "usage: conv_costs_bench [ROUNDS]\n");
    return 2;
  }
  const mace::Status status = mace::cpu::MeasureAll(rounds);
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", status.information().c_str());
  return 1;
}
