// Append on the CPU. Where y is the memory of cache, only the new rows move.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/append.h"

#include <utility>

#include "mace/cpu/copy/copy_kernel.h"

namespace mace::cpu {
namespace {

class AppendKernel final : public Kernel {
 public:
  AppendKernel(const Node& node, const AppendExtents& e, CpuContext& context)
      : threads_(context.threads),
        naive_(context.reference),
        grows_(e.next_capacity > e.capacity) {
    const TensorType& y = node.outputs[kAppendedCache];
    const std::vector<int64_t> to = DenseStrides(y.shape);
    const auto box = [&](size_t input, int64_t at) {
      const Shape& from = node.inputs[input].type.shape;
      return Made(MakeBox(SizeOf(y.dtype), from, DenseStrides(from), 0, to,
                          at * to[e.axis]));
    };
    zeros_ = Made(FillBox(y));
    cache_ = box(kAppendCache, 0);
    rows_ = box(kAppendRows, e.past);
    if (node.outputs.size() <= kAppendedAll) return;
    const Shape& all = node.outputs[kAppendedAll].shape;
    has_all_ = true;
    all_ = Made(MakeBox(SizeOf(y.dtype), all, to, 0, DenseStrides(all), 0));
  }

  std::vector<Overlap> overlaps() const override {
    if (grows_) return {};
    return {{kAppendCache, 0}};
  }

  Status Run(const RunArgs& args) override {
    void* const y = args.outputs[kAppendedCache].handle;
    const void* const cache = args.inputs[kAppendCache].handle;
    if (y != cache || grows_) {
      if (grows_) Copy(zeros_, kZeros, y);
      Copy(cache_, cache, y);
    }
    Copy(rows_, args.inputs[kAppendRows].handle, y);
    if (args.outputs.size() > kAppendedCount) {
      *args.outputs[kAppendedCount].as<int64_t>() = count_;
    }
    if (has_all_) Copy(all_, y, args.outputs[kAppendedAll].handle);
    return Status();
  }

  void set_count(int64_t count) { count_ = count; }

 private:
  static constexpr uint64_t kZeros[1] = {0};

  CopyBox Made(CopyBox box) const {
    return naive_ ? box : Simplify(std::move(box));
  }
  void Copy(const CopyBox& box, const void* from, void* to) const {
    if (naive_) {
      CopyNaive(box, from, to);
    } else {
      CopyStrided(box, from, to, threads_);
    }
  }

  ThreadPool* threads_;
  bool naive_, grows_, has_all_ = false;
  int64_t count_ = 0;
  CopyBox zeros_, cache_, rows_, all_;
};

Result<KernelPtr> PrepareAppend(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const AppendExtents e, ResolveAppend(node));
  auto kernel = std::make_unique<AppendKernel>(node, e, context);
  kernel->set_count(e.all());
  return KernelPtr(std::move(kernel));
}

}  // namespace

CpuKernelDefs Append() { return ForAllTypes(PrepareAppend); }

}  // namespace mace::cpu
