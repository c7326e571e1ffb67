// Where no row kernels are right, nothing is converted. In a process of its
// own, as their tests are remembered.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "mace/base/kernel_tests.h"
#include "mace/image/row_kernels.h"
#include "mace/public/mace_image.h"

namespace mace::image {
namespace {

TEST(RowChoice, SaysWherePlainRowsAreWrong) {
  std::string found;
  for (size_t i = 0; i < kNumRowKernels; ++i) {
    found += std::string(kRowKernels[i]->name) + ":wrong numbers\n";
  }
  RememberKernelTests(found);
  MaceImageInput input;
  input.width = input.height = 4;
  std::unique_ptr<MaceImageConverter> converter;
  const MaceStatus status = MaceImageConverter::Create(input, &converter);
  EXPECT_EQ(status, MaceStatus::MACE_RUNTIME_ERROR);
  EXPECT_NE(status.information().find("'image_rows__scalar' fails its test on "
                                      "this CPU (wrong numbers)"),
            std::string::npos)
      << status.information();
  EXPECT_EQ(KernelTests().back().kernel, "image_rows__scalar");
  EXPECT_EQ(converter, nullptr);
}

}  // namespace
}  // namespace mace::image
