// Texts within JSON.
// SPDX-License-Identifier: Apache-2.0

#include "mace/plan/dump/json_text.h"

#include <cstdio>

#include "mace/base/str_cat.h"

namespace mace {

std::string Json(const std::string& s) {
  std::string out = "\"";
  for (const char c : s) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char buffer[8];
      std::snprintf(buffer, sizeof(buffer), "\\u%04x", c);
      out += buffer;
    } else {
      out += c;
    }
  }
  return StrCat(out, '"');
}

}  // namespace mace
