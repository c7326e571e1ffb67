// MACE_API, which marks what the library exports, MACE_NODISCARD, and
// StringOrEmpty.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PUBLIC_MACE_API_H_
#define MACE_PUBLIC_MACE_API_H_

#include <string>

#define MACE_API __attribute__((visibility("default")))

// Makes compilers warn where a returned status is ignored. Empty before C++17:
// earlier standards lack the attribute, and some compilers warn of it there.
#if __cplusplus >= 201703L
#define MACE_NODISCARD [[nodiscard]]
#else
#define MACE_NODISCARD
#endif

namespace mace {

// Converts a C string; null becomes "". (Constructing a std::string from null
// would end the process.)
inline std::string StringOrEmpty(const char* s) {
  return s == nullptr ? std::string() : std::string(s);
}

}  // namespace mace

#endif  // MACE_PUBLIC_MACE_API_H_
