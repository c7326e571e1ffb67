// Resize on the CPU. Positions and weights are computed once into tables; then
// each output pixel is a weighted sum of a few input pixels, for each channel.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/resize.h"

#include <algorithm>
#include <cstring>

#include "mace/cpu/common/choose.h"
#include "mace/cpu/common/table_size.h"
#include "mace/cpu/copy/copy_kernel.h"
#include "mace/cpu/ops/resize_q8.h"
#include "mace/cpu/ukernels/row/row_f32_table.h"

namespace mace::cpu {
namespace {

struct ResizeKernel final : Kernel {
  ThreadPool* threads = nullptr;
  const RowF32* micro = nullptr;
  ResizeTaps rows, cols;  // indices of cols are byte offsets in a row
  int64_t batch = 1, height = 1, out_h = 1, out_w = 1, channels = 1;
  int64_t row_bytes = 0, pixel_bytes = 0;

  std::string variant() const override {
    return rows.num_taps == 2 ? micro->name : "scalar";
  }

  Status Run(const RunArgs& args) override {
    const char* x = args.inputs[0].as<const char>();
    char* y = args.outputs[0].as<char>();
    const int64_t out_row_bytes = out_w * pixel_bytes;
    const int64_t tile = 32768 / std::max<int64_t>(1, out_row_bytes);
    threads->ParallelFor(
        batch * out_h, std::max<int64_t>(1, tile),
        [&](size_t begin, size_t end) {
          for (int64_t u = begin; u < static_cast<int64_t>(end); ++u) {
            const char* image = x + u / out_h * height * row_bytes;
            char* to = y + u * out_row_bytes;
            switch (rows.num_taps) {
              case 1:
                NearestRow(image, u % out_h, to);
                break;
              case 2:
                LinearRow(image, u % out_h, to);
                break;
              default:
                CubicRow(image, u % out_h, to);
                break;
            }
          }
        });
    return Status();
  }

  void NearestRow(const char* image, int64_t i, char* y) const {
    const char* row = image + rows.index[i] * row_bytes;
    for (int64_t j = 0; j < out_w; ++j) {
      std::memcpy(y + j * pixel_bytes, row + cols.index[j],
                  static_cast<size_t>(pixel_bytes));
    }
  }

  void LinearRow(const char* image, int64_t i, char* y) const {
    const char* top = image + rows.index[2 * i] * row_bytes;
    const char* bottom = image + rows.index[2 * i + 1] * row_bytes;
    const float wt = rows.weight[2 * i], wb = rows.weight[2 * i + 1];
    for (int64_t j = 0; j < out_w; ++j) {
      const int64_t left = cols.index[2 * j], right = cols.index[2 * j + 1];
      const float wl = cols.weight[2 * j], wr = cols.weight[2 * j + 1];
      micro->set->mix({static_cast<size_t>(channels),
                       {Floats(top + left), Floats(top + right),
                        Floats(bottom + left), Floats(bottom + right)},
                       {wt * wl, wt * wr, wb * wl, wb * wr},
                       reinterpret_cast<float*>(y + j * pixel_bytes)});
    }
  }

  void CubicRow(const char* image, int64_t i, char* y) const {
    for (int64_t j = 0; j < out_w; ++j) {
      float* to = reinterpret_cast<float*>(y + j * pixel_bytes);
      std::fill_n(to, channels, 0.0f);
      for (int64_t k = 4 * i; k < 4 * i + 4; ++k) {
        const char* row = image + rows.index[k] * row_bytes;
        for (int64_t l = 4 * j; l < 4 * j + 4; ++l) {
          const float* from = Floats(row + cols.index[l]);
          const float w = rows.weight[k] * cols.weight[l];
          for (int64_t c = 0; c < channels; ++c) to[c] += from[c] * w;
        }
      }
    }
  }

  static const float* Floats(const char* p) {
    return reinterpret_cast<const float*>(p);
  }
};

Result<KernelPtr> PrepareResize(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const ResizeAttrs attrs, ReadAttrs<ResizeAttrs>(node));
  const TensorType& x = node.inputs[0].type;
  if (x.shape == node.outputs[0].shape && attrs.size.size() == 2 &&
      attrs.mode != "CUBIC" && attrs.coordinate != "TF_HALF_PIXEL_NN") {
    return PrepareView(node, context);  // every pixel stays where it is
  }
  for (int axis : {1, 2}) {
    // Each has at most four positions and weights.
    MACE_RETURN_IF_ERROR(
        cpu::CheckTable(node, "lines or columns", {node.outputs[0].shape[axis]},
                        4 * (sizeof(int64_t) + sizeof(float))));
  }
  auto kernel = std::make_unique<ResizeKernel>();
  kernel->threads = context.threads;
  kernel->micro = &ChooseRow(kRowF32, context.features);
  kernel->rows = TapsOf(attrs, node, 0);
  kernel->cols = TapsOf(attrs, node, 1);
  kernel->batch = x.shape[0];
  kernel->height = x.shape[1];
  kernel->channels = x.shape[3];
  kernel->out_h = node.outputs[0].shape[1];
  kernel->out_w = node.outputs[0].shape[2];
  kernel->pixel_bytes = x.shape[3] * static_cast<int64_t>(SizeOf(x.dtype));
  kernel->row_bytes = x.shape[2] * kernel->pixel_bytes;
  for (int64_t& i : kernel->cols.index) i *= kernel->pixel_bytes;
  return KernelPtr(std::move(kernel));
}

Result<KernelPtr> PrepareResizeCodes(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const ResizeAttrs attrs, ReadAttrs<ResizeAttrs>(node));
  return attrs.mode == "NEAREST" ? PrepareResize(node, context)
                                 : PrepareResizeQ8(node, context);
}

}  // namespace

// The rows for codes come first, as those for integers take codes, too.
CpuKernelDefs Resize() {
  CpuKernelDefs defs = WithQ8({}, PrepareResizeCodes);
  for (const CpuKernelDef& def : ForAllTypes(PrepareResize))
    defs.push_back(def);
  return defs;
}

}  // namespace mace::cpu
