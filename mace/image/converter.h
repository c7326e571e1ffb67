// Converter: MaceImageConverter with row kernels of one's choice.
// SPDX-License-Identifier: Apache-2.0
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

class Converter {
 public:
  // Errors: as MaceImageConverter::Create.
  static Result<std::unique_ptr<Converter>> Create(const MaceImageInput& input,
                                                   const RowKernels& kernels);

  size_t tensor_bytes() const { return output_.bytes(); }

  // As MaceImageConverter::Convert.
  Status Convert(const MaceImage& image, void* tensor, size_t bytes,
                 MaceImageTransform* transform);

  // Of the latest conversion, for each thread.
  size_t scratch_bytes() const { return plan_ ? plan_->scratch.size : 0; }

 private:
  Converter(const MaceImageInput& input, const RowKernels& kernels)
      : input_(input), kernels_(kernels), output_(input) {}

  Status CheckTensor(const void* tensor, size_t bytes) const;
  // Makes plan_ and scratch_ the ones for such pictures.
  Status Prepare(const MaceImage& image, bool gray, bool direct);

  const MaceImageInput input_;
  const RowKernels& kernels_;
  const Output output_;
  Mutex mutex_;
  std::unique_ptr<ThreadPool> threads_;
  std::optional<Plan> plan_;
  LargeArray<uint8_t> scratch_;
};

}  // namespace mace::image

#endif  // MACE_IMAGE_CONVERTER_H_
