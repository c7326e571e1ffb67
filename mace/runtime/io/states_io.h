// StatesIo: the states of an engine as inputs and outputs of each run.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_RUNTIME_IO_STATES_IO_H_
#define MACE_RUNTIME_IO_STATES_IO_H_

#include <memory>

#include "mace/runtime/io/io_adapter.h"
#include "mace/runtime/io/states.h"

namespace mace {

// Makes the next values that a run wrote the values of the states if the run
// succeeds, and only then (but see States for a KV cache with one buffer).
class StatesIo final : public IoAdapter {
 public:
  // Returns null if there are no states. `states` must outlive the adapter.
  static std::unique_ptr<IoAdapter> Create(States* states);

  // Returns whether there are states.
  bool AppliesTo(const Graph& graph, const Tensors& inputs,
                 const Tensors& outputs) const override;
  // Errors: MACE_INVALID_ARGS if the caller gives a state as an input or
  // output.
  Status Adapt(const Graph& graph, Tensors* inputs, Tensors* outputs) override;
  // Errors: MACE_INVALID_ARGS if a state may not have the value that was
  // written.
  Status Restore(const Graph& graph, Tensors written,
                 Tensors* outputs) override;

 private:
  explicit StatesIo(States* states) : states_(*states) {}

  States& states_;
};

}  // namespace mace

#endif  // MACE_RUNTIME_IO_STATES_IO_H_
