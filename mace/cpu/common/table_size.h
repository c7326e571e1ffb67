// CheckTable: the tables that kernels make when they are prepared stay small.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_COMMON_TABLE_SIZE_H_
#define MACE_CPU_COMMON_TABLE_SIZE_H_

#include <cstdint>
#include <initializer_list>
#include <string>

#include "mace/graph/node.h"

namespace mace::cpu {

// Bytes of a kernel's tables (of the matrices of a product, of the taps of a
// window), which standard containers hold. No network comes near; the shapes of
// a damaged model ask for any number.
constexpr int64_t kMaxTableBytes = int64_t{64} << 20;

// Errors: MACE_UNSUPPORTED for more entries than that, before any is made. The
// number of entries is the product of `counts`; `what` names them.
inline Status CheckTable(const Node& node, const char* what,
                         std::initializer_list<int64_t> counts,
                         int64_t bytes_each) {
  const int64_t entries = SaturatedProduct(counts);
  if (entries <= kMaxTableBytes / bytes_each) return Status();
  return Unsupported(Label(node) + ": " + std::to_string(entries) + " " + what +
                     " are more than the CPU's " +
                     std::to_string(kMaxTableBytes / bytes_each));
}

}  // namespace mace::cpu

#endif  // MACE_CPU_COMMON_TABLE_SIZE_H_
