// Passes tensors, scratch and threads to the op's invoke.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/custom_kernel.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "mace/ops/common/custom_op.h"
#include "mace/ops/common/operands.h"

namespace mace::cpu {
namespace {

void ParallelFor(const mace_op_invoke_args_t* args, size_t n, size_t grain,
                 void (*work)(void* arg, size_t begin, size_t end), void* arg) {
  static_cast<ThreadPool*>(args->library)
      ->ParallelFor(n, std::max<size_t>(grain, 1),
                    [&](size_t begin, size_t end) { work(arg, begin, end); });
}

class CustomKernel final : public Kernel {
 public:
  CustomKernel(const Node& node, ThreadPool* threads) : node_(node) {
    for (const Operand& operand : node_.inputs) {
      inputs_.Add(operand.type, nullptr);
    }
    for (const TensorType& type : node_.outputs) outputs_.Add(type, nullptr);
    args_.struct_size = sizeof(args_);
    args_.num_inputs = static_cast<int32_t>(inputs_.size());
    args_.num_outputs = static_cast<int32_t>(outputs_.size());
    args_.inputs = inputs_.pointers();
    args_.outputs = outputs_.pointers();
    args_.scratch_bytes = static_cast<size_t>(node_.custom.scratch_bytes);
    args_.num_threads = threads->num_threads();
    args_.parallel_for = ParallelFor;
    args_.library = threads;
  }

  int64_t scratch_bytes() const override { return node_.custom.scratch_bytes; }
  std::string variant() const override { return "custom"; }

  std::vector<Overlap> overlaps() const override {
    if (node_.custom.in_place_input < 0) return {};
    return {{node_.custom.in_place_input, 0}};
  }

  Status Run(const RunArgs& args) override {
    CustomState& state = *node_.custom.state;
    if (state.prepared() != node_.custom.prepared) {
      MACE_RETURN_IF_ERROR(PrepareAgain(state));
    }
    for (size_t i = 0; i < args.inputs.size(); ++i) {
      inputs_.SetData(i, args.inputs[i].handle);
    }
    for (size_t i = 0; i < args.outputs.size(); ++i) {
      outputs_.SetData(i, args.outputs[i].handle);
    }
    args_.scratch = args.scratch.handle;
    return state.Invoke(node_, args_);
  }

 private:
  // Another plan of the engine was made since: what the op stored is for other
  // shapes.
  Status PrepareAgain(CustomState& state) {
    Node again = node_;
    const Status status = state.Prepare(again);
    if (!status.ok()) {
      return {Status::MACE_RUNTIME_ERROR, status.information()};
    }
    if (again.outputs != node_.outputs ||
        again.custom.scratch_bytes > node_.custom.scratch_bytes ||
        again.custom.in_place_input != node_.custom.in_place_input) {
      return RuntimeError(Label(node_),
                          ": the custom op's prepare gave other outputs, "
                          "scratch or in_place_input than before for the same "
                          "input shapes");
    }
    node_.custom.prepared = again.custom.prepared;
    return Status();
  }

  Node node_;
  CustomTensors inputs_, outputs_;
  mace_op_invoke_args_t args_ = {};
};

}  // namespace

Result<KernelPtr> PrepareCustom(const Node& node, ThreadPool* threads) {
  return KernelPtr(new CustomKernel(node, threads));
}

}  // namespace mace::cpu
