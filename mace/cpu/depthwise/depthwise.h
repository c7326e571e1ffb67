// Depthwise: computes a depthwise convolution with one output per channel, line
// by line, in float or fp16.
// SPDX-License-Identifier: Apache-2.0
//
// A line of the output is computed in tiles of up to max_width_ pixels, all
// channels at once. The addresses of the pixels that a tile reads are collected
// first, so that the micro-kernel knows nothing of padding, dilation and rings
// of lines; those beside the image point to zeros, lines above or below it are
// left out:
//
// 3x3 window, a tile of 2 outputs at the upper left corner of the image
//   line -1      left out: the window's height is 2
//   line 0       zeros_  p00  p01  p02
//   line 1       zeros_  p10  p11  p12      (pointers, line by line)
#ifndef MACE_CPU_DEPTHWISE_DEPTHWISE_H_
#define MACE_CPU_DEPTHWISE_DEPTHWISE_H_

#include <memory>
#include <string>
#include <vector>

#include "mace/cpu/common/activation.h"
#include "mace/cpu/common/cpu_context.h"
#include "mace/cpu/ukernels/dwconv/dwconv_f32_table.h"
#include "mace/graph/node.h"
#include "mace/ops/common/window.h"

namespace mace::cpu {

// T is float, or uint16_t for fp16. x is [batch, in_h, in_w, channels], y
// [batch, out_h, out_w, channels] unless y_pixel is larger. Immutable after
// construction: threads run lines at once.
template <typename T>
class DepthwiseOf {
 public:
  struct Spec {
    Window2D window;
    int64_t batch = 0;
    int64_t channels = 0;
    ActivationFunction activation;
    // Elements between pixels of the output; 0 means `channels`.
    int64_t y_pixel = 0;
    int64_t tile = 0;  // NodePlan::tile
  };
  // An image, or a ring buffer of `lines` of its lines: line i is at x + i %
  // lines * w.in * channels. The lines that a window covers must be among the
  // latest `lines`.
  struct Image {
    const T* x;
    int64_t lines;
  };

  // Chooses the micro-kernel. context.threads must outlive the object.
  DepthwiseOf(const Spec& spec, const CpuContext& context);

  std::string variant() const { return micro_->name; }

  // Filters [channels, kernel_h, kernel_w] are packed for each group of `lanes`
  // channels as [kernel_h, kernel_w, lanes], of type T; lanes without a channel
  // are 0. Pack writes packed_bytes().
  // lanes 4, channels 6:   [taps of c0 c1 c2 c3][taps of c4 c5 0 0]
  //                        tap 0, tap 1, ...
  int64_t packed_bytes() const;
  std::string packing() const;  // names the layout, for sharing packed filters
  void Pack(const float* w, T* packed) const;
  // Returns the packed form of a constant filter; kernels share it. Errors:
  // MACE_OUT_OF_RESOURCES.
  Result<std::shared_ptr<const void>> PackConstant(const Operand& w,
                                                   CpuContext& context) const;

  // Return the bytes of scratch for all threads, and for one. Scratch holds
  // pointers to pixels.
  int64_t scratch_bytes() const {
    return threads_->num_threads() * thread_scratch_bytes();
  }
  int64_t thread_scratch_bytes() const;

  // Returns the safe distance (common/safe_distance.h) of an output that begins
  // before its input, in bytes; -1 if they must not overlap.
  int64_t SafeDistanceBytes() const;

  // Computes the output with all threads. `packed` is as Pack or PackConstant
  // made it. `bias` has an element for each channel, or is null. y may overlap
  // x if it begins SafeDistanceBytes() or more before x and that is not -1:
  // then lines are computed in order.
  void Run(const T* x, const T* packed, const T* bias, T* y,
           void* scratch) const;

  // Computes output line `p` of one image to `y` on the calling thread.
  // `thread_scratch` has thread_scratch_bytes() and is not shared; it is
  // aligned to pointers.
  void RunLine(const Image& image, int64_t p, const T* packed, const T* bias,
               T* y, void* thread_scratch) const;

 private:
  struct Line;

  int64_t num_tasks() const;
  void RunTiles(const Line& line, const T** pixels) const;
  // Writes the addresses of the pixels that outputs [q, q + width) of a line
  // read, at most pixels_ of them.
  void FindPixels(const Line& line, int64_t q, int64_t width,
                  const T** pixels) const;

  Spec spec_;
  Activator activator_;  // for activations that are not clamps
  ThreadPool* threads_;
  const Dwconv<T>* micro_;
  int64_t taps_ = 0;
  int64_t max_width_ = 1;  // most outputs of a tile
  int64_t pixels_ = 0;     // most pixels that a tile reads
  std::vector<T> zeros_;   // stands for pixels outside the image
};

extern template class DepthwiseOf<float>;
extern template class DepthwiseOf<uint16_t>;
using Depthwise = DepthwiseOf<float>;
using DepthwiseF16 = DepthwiseOf<uint16_t>;

}  // namespace mace::cpu

#endif  // MACE_CPU_DEPTHWISE_DEPTHWISE_H_
