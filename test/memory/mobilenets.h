// MobileNet v1 and v2 with made-up weights: what memory goals are about.
// SPDX-License-Identifier: Apache-2.0
#ifndef TEST_MEMORY_MOBILENETS_H_
#define TEST_MEMORY_MOBILENETS_H_

#include "mace/testing/model_builder.h"

namespace mace::test {

// Howard et al., arXiv 1704.04861, table 1; Sandler et al., arXiv 1801.04381,
// table 2. One image of 224 x 224, float32, batch norm folded away. Input
// "input", [1,224,224,3], output "prob" of 1001 classes. Weights are random,
// the same in each run, and of a scale that keeps that of the activations.
testing::ModelBuilder MobileNetV1();
testing::ModelBuilder MobileNetV2();

// An image, [1,224,224,3] in [-1, 1], that is the same every time.
MaceTensor Picture();

}  // namespace mace::test

#endif  // TEST_MEMORY_MOBILENETS_H_
