// Attributes of ReverseSequence.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_REVERSE_SEQUENCE_H_
#define MACE_OPS_REVERSE_SEQUENCE_H_

#include <cstdint>

namespace mace {

// 1 2 3 4 with the length 3 becomes 3 2 1 4. The axes are in [-rank, rank), and
// differ.
struct ReverseSequenceAttrs {
  int64_t seq_axis = 0;    // the axis that is reversed
  int64_t batch_axis = 1;  // has one length for each position

  template <typename V>
  void Fields(V& v) {
    v("seq_axis", seq_axis);
    v("batch_axis", batch_axis);
  }
};

}  // namespace mace

#endif  // MACE_OPS_REVERSE_SEQUENCE_H_
