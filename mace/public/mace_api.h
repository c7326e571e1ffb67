// MACE_API: marks what the library exports; and C strings that may be null.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PUBLIC_MACE_API_H_
#define MACE_PUBLIC_MACE_API_H_

#include <string>

#define MACE_API __attribute__((visibility("default")))

namespace mace {

// A C string as a string; null is "". What a std::string makes of null itself
// is to end the process.
inline std::string StringOrEmpty(const char* s) {
  return s == nullptr ? std::string() : std::string(s);
}

}  // namespace mace

#endif  // MACE_PUBLIC_MACE_API_H_
