// Depthwise: computes a depthwise convolution with one output per channel, line
// by line, in float or fp16.
// SPDX-License-Identifier: Apache-2.0
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

// T is float, or uint16_t for fp16.
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
  // lines * w.in * channels.
  struct Image {
    const T* x;
    int64_t lines;
  };

  DepthwiseOf(const Spec& spec, const CpuContext& context);

  std::string variant() const { return micro_->name; }

  // Filters [channels, kernel_h, kernel_w] are packed for each group of `lanes`
  // channels as [kernel_h, kernel_w, lanes].
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

  // Returns the safe distance of an output that begins before its input, in
  // bytes.
  int64_t SafeDistanceBytes() const;

  // Computes the output. `bias` may be null.
  void Run(const T* x, const T* packed, const T* bias, T* y,
           void* scratch) const;

  // Computes output line `p` of one image to `y` on the calling thread.
  void RunLine(const Image& image, int64_t p, const T* packed, const T* bias,
               T* y, void* thread_scratch) const;

 private:
  struct Line;

  int64_t num_tasks() const;
  void RunTiles(const Line& line, const T** pixels) const;
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
