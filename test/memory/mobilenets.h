// MobileNet v1 and v2 with made-up weights: what memory goals are about.
// SPDX-License-Identifier: Apache-2.0
#ifndef TEST_MEMORY_MOBILENETS_H_
#define TEST_MEMORY_MOBILENETS_H_

#include "mace/testing/model_builder.h"

namespace mace::test {

// Howard et al., arXiv 1704.04861, table 1; Sandler et al., arXiv 1801.04381,
// table 2. One picture of 224 x 224, float32, batch norm folded away. Input
// "input", output "prob" of 1001 classes.
testing::ModelBuilder MobileNetV1();
testing::ModelBuilder MobileNetV2();

// A picture that is the same every time.
MaceTensor Picture();

}  // namespace mace::test

#endif  // TEST_MEMORY_MOBILENETS_H_
