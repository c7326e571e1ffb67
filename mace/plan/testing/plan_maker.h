// PlanMaker: graphs and plans node by node, whose kernels are what a test says.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PLAN_TESTING_PLAN_MAKER_H_
#define MACE_PLAN_TESTING_PLAN_MAKER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "mace/plan/types/plan.h"

namespace mace::testing {

// What a kernel says of itself, and what it runs.
struct KernelProperties {
  int64_t scratch_bytes = 0;
  int64_t macs = 0;
  std::vector<Overlap> overlaps;
  bool takes_images = false;  // all of its inputs
  bool gives_images = false;
  DataType image_dtype = DataType::kF32;
  std::vector<Extent2D> scratch_images;
  bool renames_only = false;
  bool writes_rows = false;
  std::string variant = "fake";
  std::function<Status(const RunArgs&)> run;  // none: it computes nothing
};

// A kernel with these properties. on_images() returns it, even if it neither
// takes nor gives images.
class FakeKernel : public Kernel, public ImageKernel {
 public:
  explicit FakeKernel(KernelProperties properties)
      : properties_(std::move(properties)) {
    if (properties_.writes_rows) set_writes_rows();
  }

  int64_t scratch_bytes() const override { return properties_.scratch_bytes; }
  const ImageKernel* on_images() const override { return this; }
  Layout input_layout(size_t) const override {
    return properties_.takes_images ? Layout::kImage : Layout::kRowMajor;
  }
  Layout output_layout() const override {
    return properties_.gives_images ? Layout::kImage : Layout::kRowMajor;
  }
  DataType image_dtype() const override { return properties_.image_dtype; }
  std::vector<Extent2D> scratch_images() const override {
    return properties_.scratch_images;
  }
  bool renames_only() const override { return properties_.renames_only; }
  std::vector<Overlap> overlaps() const override {
    return properties_.overlaps;
  }
  int64_t macs() const override { return properties_.macs; }
  std::string variant() const override { return properties_.variant; }
  Status Run(const RunArgs& args) override {
    return properties_.run ? properties_.run(args) : Status();
  }

 private:
  const KernelProperties properties_;
};

// Fills in plan.graph and plan.steps; ids of values are returned. Memory and
// images remain for the code under test.
class PlanMaker {
 public:
  int Input(const Shape& shape, DataType dtype = DataType::kF32) {
    const int id = AddValue({dtype, shape});
    plan.graph.inputs.push_back(id);
    return id;
  }
  // A tensor of zeros; the value owns its bytes, also if there are none.
  int Constant(const Shape& shape) {
    const int id = AddValue({DataType::kF32, shape});
    auto bytes = std::make_shared<std::vector<char>>(
        static_cast<size_t>(Bytes(plan.graph.values[id].type)) + 1);
    plan.graph.values[id].data = bytes->data();
    plan.graph.values[id].owner = std::move(bytes);
    return id;
  }
  void Output(int id) { plan.graph.outputs.push_back(id); }

  // Adds a node "n0", "n1", ... and a step for it; -1 is an absent input.
  // Returns the values that it writes.
  std::vector<int> Add(const std::string& op, const std::vector<int>& inputs,
                       const std::vector<Shape>& outputs,
                       const KernelProperties& properties = {},
                       const AttrMap& attrs = {}) {
    GraphNode g;
    g.node.name = "n" + std::to_string(plan.graph.nodes.size());
    g.node.op = op;
    g.node.attrs = attrs;
    g.inputs = inputs;
    for (int id : inputs) {
      Operand operand;
      if (id >= 0) {
        operand.type = plan.graph.values[id].type;
        operand.data = plan.graph.values[id].data;
      }
      g.node.inputs.push_back(operand);
    }
    for (const Shape& shape : outputs) {
      g.node.outputs.push_back({DataType::kF32, shape});
      g.outputs.push_back(AddValue(g.node.outputs.back()));
    }
    Step step;
    step.node = static_cast<int>(plan.graph.nodes.size());
    step.kernel = std::make_unique<FakeKernel>(properties);
    step.device = device;
    plan.steps.push_back(std::move(step));
    plan.graph.nodes.push_back(g);
    return g.outputs;
  }
  // The same for a node with one output, which is returned.
  int AddOne(const std::string& op, const std::vector<int>& inputs,
             const Shape& output, const KernelProperties& properties = {},
             const AttrMap& attrs = {}) {
    return Add(op, inputs, {output}, properties, attrs)[0];
  }

  Plan plan;
  Device* device = nullptr;  // of the steps

 private:
  int AddValue(const TensorType& type) {
    Value value;
    value.name = "v" + std::to_string(plan.graph.values.size());
    value.type = type;
    plan.graph.values.push_back(std::move(value));
    return static_cast<int>(plan.graph.values.size()) - 1;
  }
};

// Numbers for random graphs, the same on every machine.
class Random {
 public:
  explicit Random(uint32_t seed) : engine_(seed) {}
  // Of [0, n).
  int Below(int n) {
    return static_cast<int>(engine_() % static_cast<uint32_t>(n));
  }
  int Between(int low, int high) { return low + Below(high - low + 1); }
  bool OneIn(int n) { return Below(n) == 0; }
  template <typename T>
  const T& Of(const std::vector<T>& choices) {
    return choices[Below(static_cast<int>(choices.size()))];
  }

 private:
  std::mt19937 engine_;
};

}  // namespace mace::testing

#endif  // MACE_PLAN_TESTING_PLAN_MAKER_H_
