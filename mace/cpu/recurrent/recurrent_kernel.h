// RecurrentKernel: the loop over the steps of Lstm, Gru and Rnn.
// SPDX-License-Identifier: Apache-2.0
//
// gates of many steps = x W' + bias      one matrix product
// for each step:  gates += h R'          a product with the state alone
//                 h = cell(gates, h)     element by element
//
// gates   [rows of x of some steps, directions, gates, hidden]
// h, c    [directions, batch, outputs or hidden]
//
// Directions and blocks of sequences do not depend on each other: the threads
// share them. A subclass (ops/lstm.cc, gru.cc, rnn.cc) is a cell, and computes
// the steps: that of Gru multiplies for its last gate separately.
#ifndef MACE_CPU_RECURRENT_RECURRENT_KERNEL_H_
#define MACE_CPU_RECURRENT_RECURRENT_KERNEL_H_

#include <memory>
#include <string>
#include <vector>

#include "mace/cpu/common/activation.h"
#include "mace/cpu/common/indices.h"
#include "mace/cpu/gemm/conv_gemm.h"
#include "mace/cpu/recurrent/state_gemm.h"
#include "mace/device/kernel.h"
#include "mace/ops/common/recurrent.h"

namespace mace::cpu {

// An activation of a recurrent op, applied in place.
class RecurrentActivator {
 public:
  RecurrentActivator() = default;
  RecurrentActivator(const RecurrentActivation& activation,
                     const CpuContext& context);

  // Replaces n floats by the function of them.
  void Apply(float* x, int64_t n) const;

 private:
  RecurrentActivation as_;
  ActivationFunction function_;
  Activator activator_;
  bool reference_ = false;
};

// One step of some sequences in one direction; each row is a sequence. Pointers
// are to operands, and to memory of the Run, of which h, c, work and gates are
// used by no other task.
struct RecurrentStep {
  const RunArgs* args = nullptr;
  int64_t direction = 0;
  int64_t rows = 0;
  float* gates = nullptr;  // x W' of this step, + bias if adds_bias
  int64_t gates_stride = 0;
  float* h = nullptr;           // [rows, outputs], the state
  float* c = nullptr;           // [rows, hidden], the cells of an Lstm
  float* work = nullptr;        // [rows, RecurrentKernel::work_width]
  const float* bias = nullptr;  // [gates, hidden], see summed_biases
  const void* r = nullptr;      // as StateGemm::Get returns
  const void* projection = nullptr;
  ThreadPool* threads = nullptr;  // for StateGemm::Multiply; null: none
  // The index of the step in x, which decreases from step to step in a reverse
  // direction.
  int64_t time = 0;
  const Indices* lens = nullptr;  // null: all sequences have all steps
  int64_t first_sequence = 0;

  // Returns whether the sequence of a row has this step.
  bool IsActive(int64_t row) const {
    return lens == nullptr || time < (*lens)[first_sequence + row];
  }
};

// The properties of a cell that decide how the loop prepares its steps.
struct RecurrentCellProperties {
  // The columns of the parts of r, in order.
  std::vector<int64_t> parts;
  // Leading gates whose two biases, that of W and that of R, are added before
  // the step; of the others only that of W is.
  int64_t summed_biases = 0;
  bool adds_bias = true;   // to x W'; else the cell adds it
  bool has_cells = false;  // c
  int64_t work_width = 0;
};

class RecurrentKernel : public Kernel {
 public:
  RecurrentKernel();
  ~RecurrentKernel() override;

  int64_t scratch_bytes() const override;
  int64_t macs() const override;
  std::string variant() const override;
  Status Run(const RunArgs& args) override;

 protected:
  // Sets up everything but the cell. `projection` is the input with the
  // projection, or 0. REQUIRES: the node is inferred. Errors:
  // MACE_OUT_OF_RESOURCES.
  Status Init(const Node& node, const RecurrentAttrs& attrs,
              const RecurrentShape& shape,
              const RecurrentCellProperties& properties, size_t projection,
              CpuContext& context);

  // Computes a step: updates h and c of the rows that are active, and leaves
  // those of others as they are. Called for disjoint sequences or directions at
  // once.
  virtual void Step(const RecurrentStep& step) const = 0;

  // Bounds n values to [-limit, limit], unless it is 0. NaN stays.
  [[gnu::noinline]] static void Bound(float* x, int64_t n, float limit);

  const RecurrentShape& shape() const { return shape_; }
  float clip() const { return clip_; }
  const StateGemm& r() const { return r_; }
  const StateGemm& projection() const { return projection_; }

 private:
  struct Memory;
  struct Block;
  // Divides the scratch memory; null: only counts its bytes.
  Memory Lay(char* scratch) const;
  // Errors: MACE_INVALID_ARGS for a length outside of [0, steps].
  Status CheckLens(const RunArgs& args) const;
  void SumBiases(const float* bias, float* to) const;
  // How many steps have their inputs multiplied at a time: all, or fewer.
  int64_t BlockSteps() const;
  // Computes the gates of the steps from `first_time` on.
  void MultiplyInputs(const RunArgs& args, int64_t first_time,
                      const Memory& memory) const;
  // Computes steps [begin, end), counted in the order of computation. The gates
  // in memory begin with those of step `first_time` of x.
  void RunSteps(const RunArgs& args, const Memory& memory, int64_t begin,
                int64_t end, int64_t first_time) const;
  void LoadStates(const RunArgs& args, const Memory& memory) const;
  void StoreStates(const RunArgs& args, const Memory& memory) const;
  void RunBlock(const RunArgs& args, const Memory& memory,
                const Block& block) const;
  // Writes h of the step to output 0; zeros for sequences without this step.
  void StoreStep(const RecurrentStep& step) const;
  // Moves states between operand [D,B,width] or [B,D,width] and dense
  // [D,B,width].
  void MoveStates(const float* from, bool from_operand, int64_t width,
                  float* to) const;

  int64_t rows() const { return shape_.steps * shape_.batch; }
  int64_t block_rows() const { return block_steps_ * shape_.batch; }
  int64_t all_gates() const { return shape_.gates * shape_.hidden; }

  std::string label_;
  RecurrentShape shape_;
  RecurrentCellProperties properties_;
  bool batch_major_ = false;
  bool reverse_ = false;
  int64_t block_steps_ = 0;  // BlockSteps
  float clip_ = 0;
  DataType lens_dtype_ = DataType::kI64;
  ThreadPool* threads_ = nullptr;
  PackedB w_;
  std::unique_ptr<ConvGemm> inputs_;  // null: the reference, or no rows
  StateGemm r_;
  StateGemm projection_;
  size_t projection_input_ = 0;
};

}  // namespace mace::cpu

#endif  // MACE_CPU_RECURRENT_RECURRENT_KERNEL_H_
