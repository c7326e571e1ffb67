// MACE_API, which marks what the library exports, and StringOrEmpty.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PUBLIC_MACE_API_H_
#define MACE_PUBLIC_MACE_API_H_

#include <string>

#define MACE_API __attribute__((visibility("default")))

namespace mace {

// Converts a C string; null becomes "". (Constructing a std::string from null
// would end the process.)
inline std::string StringOrEmpty(const char* s) {
  return s == nullptr ? std::string() : std::string(s);
}

}  // namespace mace

#endif  // MACE_PUBLIC_MACE_API_H_
