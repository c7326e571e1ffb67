// OpSamples: small nodes that are right, of every op that devices run.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_TESTING_OP_SAMPLES_H_
#define MACE_TESTING_OP_SAMPLES_H_

#include <vector>

#include "mace/testing/check_op.h"

namespace mace::testing {

// Returns a node of each op of this build but If and Loop, in the order of
// their names, with every input that the op can have: an op of many inputs has
// three. What must be known before the model runs is constant.
// mace/ops/testing/softmax.cc has the node of Softmax. Tests change one thing
// in each of them: an absent input, an empty tensor, a hostile value.
std::vector<OpCase> OpSamples();

}  // namespace mace::testing

#endif  // MACE_TESTING_OP_SAMPLES_H_
