// Depthwise: a depthwise convolution with one output per channel, line by line.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_DEPTHWISE_H_
#define MACE_CPU_DEPTHWISE_H_

#include <string>
#include <vector>

#include "mace/cpu/activation.h"
#include "mace/cpu/cpu_context.h"
#include "mace/cpu/ukernels/dwconv_f32/dwconv_f32_table.h"
#include "mace/ops/common/window.h"

namespace mace::cpu {

class Depthwise {
 public:
  struct Spec {
    Window2D window;
    int64_t batch = 0;
    int64_t channels = 0;
    ActivationFunction activation;
  };

  Depthwise(const Spec& spec, const CpuContext& context);

  std::string variant() const { return micro_->name; }

  // Filters [channels, kernel_h, kernel_w] are packed for each group of `lanes`
  // channels as [kernel_h, kernel_w, lanes].
  int64_t packed_bytes() const;
  std::string packing() const;  // names the arrangement
  void Pack(const float* w, float* packed) const;

  // For all threads; pointers to pixels.
  int64_t scratch_bytes() const;

  // Bytes that the output may begin before the input.
  int64_t SafeDistanceBytes() const;

  // `bias` may be null.
  void Run(const float* x, const float* packed, const float* bias, float* y,
           void* scratch) const;

 private:
  struct Line;

  int64_t num_tasks() const;
  void RunLine(const Line& line, const float** pixels) const;
  void FindPixels(const Line& line, int64_t q, int64_t width,
                  const float** pixels) const;

  Spec spec_;
  Activator activator_;  // of what is not a clamp
  ThreadPool* threads_;
  const DwconvF32* micro_;
  int64_t taps_ = 0;
  int64_t pixels_ = 0;        // of a tile, at most
  std::vector<float> zeros_;  // a pixel outside the image
};

}  // namespace mace::cpu

#endif  // MACE_CPU_DEPTHWISE_H_
