// Converter: MaceImageConverter with row kernels of one's choice.
// SPDX-License-Identifier: Apache-2.0
//
// A conversion reads the crop of an image row by row, turns and resizes it, and
// writes the tensor's values, without an image in between:
//
// PixelReader -> row kernels, by the taps of a Plan -> Output -> tensor
// (any format)   (4 bytes or 1 byte of a pixel)        (a table)
//
// The lines of the tensor are divided into a strip for each thread (strip.h).
#ifndef MACE_IMAGE_CONVERTER_H_
#define MACE_IMAGE_CONVERTER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "mace/base/fork.h"
#include "mace/base/large_array.h"
#include "mace/base/status.h"
#include "mace/base/thread_pool.h"
#include "mace/image/output.h"
#include "mace/image/plan.h"
#include "mace/image/row_kernels.h"
#include "mace/public/mace_image.h"

namespace mace::image {

// Thread-safe: conversions of one object wait for each other.
class Converter {
 public:
  // `kernels` must outlive the object; tests give kernels that are not the
  // best. Errors: MACE_INVALID_ARGS for a field of `input` out of range;
  // MACE_OUT_OF_RESOURCES.
  static Result<std::unique_ptr<Converter>> Create(const MaceImageInput& input,
                                                   const RowKernels& kernels);

  size_t tensor_bytes() const { return output_.bytes(); }

  // As MaceImageConverter::Convert.
  Status Convert(const MaceImage& image, void* tensor, size_t bytes,
                 MaceImageTransform* transform);

  // Bytes of scratch of each thread in the latest conversion; 0 before the
  // first, and after one that found no memory for it. REQUIRES: no conversion
  // is running.
  size_t scratch_bytes() const { return plan_ ? plan_->scratch.size : 0; }

 private:
  Converter(const MaceImageInput& input, const RowKernels& kernels)
      : input_(input), kernels_(kernels), output_(input) {}

  // Checks that the tensor is not null, has at least tensor_bytes(), and is
  // aligned to 4 bytes if its type is float32.
  Status CheckTensor(const void* tensor, size_t bytes) const;
  // Makes plan_ and scratch_ those of such images. Keeps them while geometry,
  // `gray` and `direct` stay, so that the images of a video allocate nothing.
  Status Prepare(const MaceImage& image, bool gray, bool direct);

  const MaceImageInput input_;
  const RowKernels& kernels_;
  const Output output_;
  // Guards what follows; held during a conversion.
  Mutex mutex_;
  std::unique_ptr<ThreadPool> threads_;
  std::optional<Plan> plan_;
  // plan_->scratch.size bytes for each of input_.num_threads strips.
  LargeArray<uint8_t> scratch_;
};

}  // namespace mace::image

#endif  // MACE_IMAGE_CONVERTER_H_
