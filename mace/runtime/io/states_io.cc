// Adding states to the tensors of a run, and taking their next values.
// SPDX-License-Identifier: Apache-2.0

#include "mace/runtime/io/states_io.h"

#include <utility>

namespace mace {

std::unique_ptr<IoAdapter> StatesIo::Create(States* states) {
  if (states->empty()) return nullptr;
  return std::unique_ptr<IoAdapter>(new StatesIo(states));
}

bool StatesIo::AppliesTo(const Graph&, const Tensors&, const Tensors&) const {
  return !states_.empty();
}

Status StatesIo::Adapt(const Graph&, Tensors* inputs, Tensors* outputs) {
  return states_.AddTensors(inputs, outputs);
}

Status StatesIo::Restore(const Graph&, Tensors written, Tensors* outputs) {
  MACE_RETURN_IF_ERROR(states_.CheckWritten(written));
  states_.Advance(written);
  states_.RemoveFrom(&written);
  *outputs = std::move(written);
  return Status();
}

}  // namespace mace
