// Functions of one quantized value: activations, unary functions, limits, other
// scales.
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>
#include <numeric>
#include <utility>

#include "mace/base/aligned_buffer.h"
#include "mace/hexagon/device/translate.h"

namespace mace::hexagon {
namespace {

constexpr int64_t kNumBytes = 256;

// The node on a tensor with each quantized value once.
Node OfAllBytes(const Node& node) {
  Node all = node;
  all.inputs[0].type.shape = all.outputs[0].shape = {kNumBytes};
  return all;
}

// What the host's kernel makes of each quantized value, by its byte: so the
// DSP has the host's bits, whatever the function.
Result<AlignedBuffer> TableOf(const Node& node, NodeKernels& host) {
  MACE_ASSIGN_OR_RETURN(const KernelPtr kernel, host.Prepare(OfAllBytes(node)));
  MACE_ASSIGN_OR_RETURN(
      AlignedBuffer values,
      AlignedBuffer::Create(kNumBytes, "a table for the DSP"));
  MACE_ASSIGN_OR_RETURN(
      AlignedBuffer table,
      AlignedBuffer::Create(kNumBytes, "a table for the DSP"));
  MACE_ASSIGN_OR_RETURN(
      const AlignedBuffer scratch,
      AlignedBuffer::Create(static_cast<size_t>(kernel->scratch_bytes()),
                            "a table for the DSP"));
  auto* const bytes = static_cast<uint8_t*>(values.data());
  std::iota(bytes, bytes + kNumBytes, uint8_t{0});
  RunArgs args;
  args.inputs.resize(node.inputs.size());
  args.inputs[0] = {bytes};
  args.outputs = {{table.data()}};
  args.scratch = {scratch.data()};
  MACE_RETURN_IF_ERROR(kernel->Run(args));
  return table;
}

}  // namespace

Status TranslateLookup(const Node& node, const Target& target,
                       int64_t* /*macs*/) {
  for (size_t i = 1; i < node.inputs.size(); ++i) {
    if (!node.has_input(i)) continue;
    return Unsupported(Label(node), ": the DSP looks up functions of input 0 ",
                       "alone");
  }
  if (target.host == nullptr) {
    return Unsupported(Label(node), ": nothing computes its table");
  }
  MACE_RETURN_IF_ERROR(target.host->Supports(OfAllBytes(node)).status());
  if (target.writer == nullptr) return Status();
  MACE_ASSIGN_OR_RETURN(AlignedBuffer table, TableOf(node, *target.host));
  const int constant = target.writer->AddConstant(std::move(table));
  const LookupParams p = {
      static_cast<int32_t>(NumElements(node.outputs[0].shape))};
  target.writer->AddNode(kLookup, {target.inputs[0], constant, target.output},
                         p);
  return Status();
}

}  // namespace mace::hexagon
