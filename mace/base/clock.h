// The steady clock as integers.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_BASE_CLOCK_H_
#define MACE_BASE_CLOCK_H_

#include <chrono>
#include <cstdint>

namespace mace {

inline int64_t NowNanos() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

inline int64_t NowMicros() { return NowNanos() / 1000; }

}  // namespace mace

#endif  // MACE_BASE_CLOCK_H_
