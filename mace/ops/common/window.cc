// Window arithmetic. Every quantity is below 2^31 before it is multiplied, so
// that nothing overflows 64 bits.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/common/window.h"

#include <algorithm>

#include "mace/base/str_cat.h"
#include "mace/ops/common/attr_info.h"

namespace mace {
namespace {

// Formats a kernel, such as "2x3", for messages.
std::string KernelToString(int64_t kernel_h, int64_t kernel_w) {
  return StrCat(kernel_h, "x", kernel_w);
}

constexpr int64_t kLimit = int64_t{1} << 30;

Status CheckList(const Node& node, const char* name,
                 const std::vector<int64_t>& values, size_t count,
                 int64_t min) {
  if (values.size() != count) {
    return InvalidModel(Label(node), ": attribute '", name, "' needs ", count,
                        " values, got ", values.size());
  }
  for (int64_t v : values) {
    if (v < min || v > kLimit) {
      return InvalidModel(Label(node), ": attribute '", name,
                          "' must be at least ", min, " and at most ", kLimit,
                          ", got ", v);
    }
  }
  return Status();
}

// Fills in everything except pads and outputs.
Result<Window2D> StartWindow(const Node& node, const WindowAttrs& attrs,
                             const Shape& x, int64_t kernel_h,
                             int64_t kernel_w) {
  if (x.size() != 4) {
    return InvalidModel(Label(node), ": x must be [N, H, W, C], it is ",
                        ToString(x));
  }
  MACE_RETURN_IF_ERROR(CheckList(node, "strides", attrs.strides, 2, 1));
  MACE_RETURN_IF_ERROR(CheckList(node, "dilations", attrs.dilations, 2, 1));
  if (static_cast<Padding>(attrs.padding) == Padding::kExplicit) {
    MACE_RETURN_IF_ERROR(
        CheckList(node, "padding_values", attrs.padding_values, 4, 0));
  } else if (!attrs.padding_values.empty()) {
    return InvalidModel(Label(node),
                        ": padding_values are only for padding 4 (explicit), "
                        "padding is ",
                        attrs.padding);
  }
  if (std::min(kernel_h, kernel_w) < 1 ||
      std::max({kernel_h, kernel_w, x[1], x[2]}) > kLimit ||
      (kernel_h - 1) * attrs.dilations[0] >= kLimit ||
      (kernel_w - 1) * attrs.dilations[1] >= kLimit) {
    return InvalidModel(Label(node), ": kernel ",
                        KernelToString(kernel_h, kernel_w), " over ",
                        ToString(x), " is out of range");
  }
  Window2D window;
  window.h.in = x[1];
  window.w.in = x[2];
  window.h.kernel = kernel_h;
  window.w.kernel = kernel_w;
  window.h.stride = attrs.strides[0];
  window.w.stride = attrs.strides[1];
  window.h.dilation = attrs.dilations[0];
  window.w.dilation = attrs.dilations[1];
  return window;
}

void SplitSamePads(Padding padding, int64_t total, Window* w) {
  total = std::max<int64_t>(total, 0);
  w->pad_before = padding == Padding::kSame ? total / 2 : total - total / 2;
  w->pad_after = total - w->pad_before;
}

// `d` is 0 for height and 1 for width.
void SetFixedPads(const WindowAttrs& attrs, int d, Window* w) {
  switch (static_cast<Padding>(attrs.padding)) {
    case Padding::kFull:
      w->pad_before = w->pad_after = w->extent() - 1;
      break;
    case Padding::kExplicit:
      w->pad_before = attrs.padding_values[d];
      w->pad_after = attrs.padding_values[d + 2];
      break;
    default:
      w->pad_before = w->pad_after = 0;
  }
}

// Refuses windows that contain only padding: kernels rely on there being a
// pixel to read.
Status CheckSeesInput(const Node& node, const Window2D& window,
                      const Shape& x) {
  for (const Window* w : {&window.h, &window.w}) {
    if (w->in == 0 && w->out > 0) {
      return InvalidModel(Label(node), ": x ", ToString(x),
                          " has no pixels, and the output would have some");
    }
  }
  return Status();
}

bool IsSame(int64_t padding) {
  return padding == static_cast<int64_t>(Padding::kSame) ||
         padding == static_cast<int64_t>(Padding::kSameLower);
}

}  // namespace

std::vector<Choice> PaddingChoices() {
  const auto value = [](Padding p) { return static_cast<int64_t>(p); };
  return {{"VALID", value(Padding::kValid)},
          {"SAME", value(Padding::kSame)},
          {"FULL", value(Padding::kFull)},
          {"SAME_LOWER", value(Padding::kSameLower)},
          {"EXPLICIT", value(Padding::kExplicit)}};
}

Result<Window2D> ResolveWindow(const Node& node, const WindowAttrs& attrs,
                               const Shape& x, int64_t kernel_h,
                               int64_t kernel_w, bool ceil) {
  MACE_ASSIGN_OR_RETURN(Window2D window,
                        StartWindow(node, attrs, x, kernel_h, kernel_w));
  int d = 0;
  for (Window* w : {&window.h, &window.w}) {
    if (IsSame(attrs.padding)) {
      w->out = (w->in + w->stride - 1) / w->stride;
      SplitSamePads(static_cast<Padding>(attrs.padding),
                    (w->out - 1) * w->stride + w->extent() - w->in, w);
    } else {
      SetFixedPads(attrs, d, w);
      const int64_t span = w->in + w->pad_before + w->pad_after - w->extent();
      if (span < 0) {
        return InvalidModel(
            Label(node), ": kernel ", KernelToString(kernel_h, kernel_w),
            window.h.dilation * window.w.dilation > 1 ? " (dilated)" : "",
            " is larger than the padded input ", ToString(x));
      }
      w->out = (span + (ceil ? w->stride - 1 : 0)) / w->stride + 1;
      // Drops a window that would start in the padding after the input.
      if (ceil && (w->out - 1) * w->stride >= w->in + w->pad_before) --w->out;
    }
    ++d;
  }
  MACE_RETURN_IF_ERROR(CheckSeesInput(node, window, x));
  return window;
}

Result<Window2D> ResolveTransposedWindow(
    const Node& node, const WindowAttrs& attrs, const Shape& x,
    int64_t kernel_h, int64_t kernel_w,
    const std::vector<int64_t>& output_padding,
    const std::vector<int64_t>& output_size) {
  MACE_ASSIGN_OR_RETURN(Window2D window,
                        StartWindow(node, attrs, x, kernel_h, kernel_w));
  MACE_RETURN_IF_ERROR(CheckList(node, "output_padding", output_padding, 2, 0));
  if (!output_size.empty()) {
    MACE_RETURN_IF_ERROR(CheckList(node, "output_shape", output_size, 2, 1));
  }
  int d = 0;
  for (Window* w : {&window.h, &window.w}) {
    const int64_t full = (w->in - 1) * w->stride + w->extent();
    if (IsSame(attrs.padding)) {
      w->out = output_size.empty() ? w->in * w->stride : output_size[d];
      SplitSamePads(static_cast<Padding>(attrs.padding),
                    full + output_padding[d] - w->out, w);
    } else {
      SetFixedPads(attrs, d, w);
      w->out = output_size.empty()
                   ? full - w->pad_before - w->pad_after + output_padding[d]
                   : output_size[d];
      if (w->out < 1) {
        return InvalidModel(Label(node), ": the padding leaves ", w->out,
                            " outputs along one dimension of input ",
                            ToString(x));
      }
    }
    ++d;
  }
  MACE_RETURN_IF_ERROR(CheckSeesInput(node, window, x));
  return window;
}

}  // namespace mace
