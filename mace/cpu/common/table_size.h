// CheckTable: limits the size of tables that kernels make when prepared.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_COMMON_TABLE_SIZE_H_
#define MACE_CPU_COMMON_TABLE_SIZE_H_

#include <cstdint>
#include <initializer_list>
#include <string>

#include "mace/graph/node.h"

namespace mace::cpu {

// The most bytes of one table of a kernel (of the matrices of a GEMM or the
// taps of a window, for example), which is a standard container. Real networks
// stay far below; the shapes of a damaged model could ask for any number.
constexpr int64_t kMaxTableBytes = int64_t{64} << 20;

// Checks the size of a table before it is made. The number of entries is the
// product of `counts`, and `what` names them in the message. Errors:
// MACE_UNSUPPORTED if they would take more than kMaxTableBytes.
inline Status CheckTable(const Node& node, const char* what,
                         std::initializer_list<int64_t> counts,
                         int64_t bytes_each) {
  const int64_t entries = SaturatedProduct(counts);
  if (entries <= kMaxTableBytes / bytes_each) return Status();
  return Unsupported(Label(node), ": ", entries, " ", what,
                     " are more than the CPU's ", kMaxTableBytes / bytes_each);
}

}  // namespace mace::cpu

#endif  // MACE_CPU_COMMON_TABLE_SIZE_H_
