// The kernel that copies boxes.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/copy/copy_kernel.h"

#include <cstring>

#include "mace/cpu/common/fp16_weights.h"

namespace mace {
namespace {

class CopyKernel final : public Kernel {
 public:
  CopyKernel(const CpuContext& context, std::vector<CopyBox> boxes,
             const void* fill, bool is_view)
      : threads_(context.threads),
        naive_(context.reference),
        is_view_(is_view),
        boxes_(std::move(boxes)) {
    if (fill != nullptr && !boxes_.empty()) {
      const auto size = static_cast<size_t>(boxes_[0].run_bytes);
      for (size_t i = 0; i + size <= sizeof(fill_); i += size) {
        std::memcpy(fill_ + i, fill, size);
      }
    }
    if (naive_) return;
    for (CopyBox& box : boxes_) {
      box = Simplify(std::move(box));
      if (box.input == CopyBox::kFill) JoinElements(&box);
    }
  }

  std::vector<Overlap> overlaps() const override {
    if (is_view_) return {{0, 0}};
    return {};
  }

  Status Run(const RunArgs& args) override {
    for (const CopyBox& box : boxes_) {
      const void* src = box.input == CopyBox::kFill
                            ? static_cast<const void*>(fill_)
                            : args.inputs[box.input].handle;
      void* dst = args.outputs[box.output].handle;
      if (is_view_ && src == dst) continue;
      if (naive_) {
        CopyNaive(box, src, dst);
      } else {
        CopyStrided(box, src, dst, threads_);
      }
    }
    return Status();
  }

 private:
  // Makes adjacent elements one run, if `fill_` has as many of them.
  static void JoinElements(CopyBox* box) {
    if (box->dims.empty()) return;
    const CopyDim& last = box->dims.back();
    if (last.src_stride != 0 || last.dst_stride != box->run_bytes ||
        last.extent > kFillBytes / box->run_bytes) {
      return;
    }
    box->run_bytes *= last.extent;
    box->dims.pop_back();
  }

  static constexpr int64_t kFillBytes = 64;

  ThreadPool* threads_;
  bool naive_, is_view_;
  std::vector<CopyBox> boxes_;
  alignas(16) char fill_[kFillBytes] = {};  // the value, again and again
};

}  // namespace

KernelPtr MakeCopyKernel(const CpuContext& context, std::vector<CopyBox> boxes,
                         const void* fill) {
  return std::make_unique<CopyKernel>(context, std::move(boxes), fill, false);
}

Result<KernelPtr> PrepareView(const Node& node, CpuContext& context) {
  CopyBox box;
  box.run_bytes = Bytes(node.inputs[0].type);
  return KernelPtr(std::make_unique<CopyKernel>(
      context, std::vector<CopyBox>{box}, nullptr, true));
}

CpuKernelDefs ForTypes(std::initializer_list<DataType> types,
                       Result<KernelPtr> (*prepare)(const Node&, CpuContext&)) {
  CpuKernelDefs defs;
  for (DataType t : types) defs.push_back({t, prepare});
  return defs;
}

CpuKernelDefs ForAllTypes(Result<KernelPtr> (*prepare)(const Node&,
                                                       CpuContext&)) {
  return ForTypes({DataType::kF32, DataType::kF16, DataType::kBF16,
                   DataType::kI32, DataType::kI64, DataType::kI16,
                   DataType::kI8, DataType::kU8, DataType::kBool},
                  prepare);
}

CpuKernelDefs ForAllTypesAndFp16(Result<KernelPtr> (*prepare)(const Node&,
                                                              CpuContext&)) {
  CpuKernelDefs defs = ForAllTypes(prepare);
  for (CpuKernelDef& def : defs) {
    if (def.dtype != DataType::kF16) continue;
    def.computes_fp16 = [](const Node& node, const CpuContext&) {
      return cpu::ReadsActivationsOnly(node);
    };
  }
  return defs;
}

}  // namespace mace
