// ReverseSequence on the CPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/reverse_sequence.h"

#include <cstring>

#include "mace/cpu/common/indices.h"
#include "mace/cpu/copy/copy_kernel.h"
#include "mace/ops/common/operands.h"

namespace mace::cpu {
namespace {

// x is seen as [a, n, b, m, run], where one of n and m is the sequence axis and
// the other the batch axis.
struct ReverseSequenceKernel final : Kernel {
  std::string label;
  DataType lens_dtype = DataType::kI64;
  bool seq_first = true;  // n is the sequence axis
  int64_t a = 1, n = 1, b = 1, m = 1, run_bytes = 0;

  Status Run(const RunArgs& args) override {
    const Indices lens(args.inputs[1].handle, lens_dtype);
    const int64_t batches = seq_first ? m : n, extent = seq_first ? n : m;
    for (int64_t i = 0; i < batches; ++i) {
      if (lens[i] < 0 || lens[i] > extent) {
        return InvalidArgument(label, ": length ", lens[i],
                               " is out of range for extent ", extent);
      }
    }
    const char* x = args.inputs[0].as<const char>();
    char* y = args.outputs[0].as<char>();
    const int64_t total = run_bytes == 0 ? 0 : a * n * b * m;
    for (int64_t u = 0; u < total; ++u) {
      const int64_t seq = seq_first ? u / (b * m) % n : u % m;
      const int64_t len = lens[seq_first ? u % m : u / (b * m) % n];
      const int64_t from = seq < len ? len - 1 - seq : seq;
      const int64_t step = seq_first ? b * m : 1;
      std::memcpy(y + u * run_bytes, x + (u + (from - seq) * step) * run_bytes,
                  static_cast<size_t>(run_bytes));
    }
    return Status();
  }
};

Result<KernelPtr> PrepareReverseSequence(const Node& node, CpuContext&) {
  MACE_ASSIGN_OR_RETURN(const ReverseSequenceAttrs attrs,
                        ReadAttrs<ReverseSequenceAttrs>(node));
  const TensorType& x = node.inputs[0].type;
  MACE_ASSIGN_OR_RETURN(const int seq,
                        ResolveAxis(node, attrs.seq_axis, x.rank()));
  MACE_ASSIGN_OR_RETURN(const int batch,
                        ResolveAxis(node, attrs.batch_axis, x.rank()));
  const auto extent = [&x](int first, int last) {
    return NumElements(
        mace::Shape(x.shape.begin() + first, x.shape.begin() + last));
  };
  const int low = seq < batch ? seq : batch, high = seq < batch ? batch : seq;
  auto kernel = std::make_unique<ReverseSequenceKernel>();
  kernel->label = Label(node);
  kernel->lens_dtype = node.inputs[1].type.dtype;
  kernel->seq_first = seq < batch;
  kernel->a = extent(0, low);
  kernel->n = x.shape[low];
  kernel->b = extent(low + 1, high);
  kernel->m = x.shape[high];
  kernel->run_bytes =
      extent(high + 1, x.rank()) * static_cast<int64_t>(SizeOf(x.dtype));
  return KernelPtr(std::move(kernel));
}

}  // namespace

CpuKernelDefs ReverseSequence() { return ForAllTypes(PrepareReverseSequence); }

}  // namespace mace::cpu
