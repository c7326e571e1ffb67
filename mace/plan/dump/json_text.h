// Texts within JSON.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PLAN_DUMP_JSON_TEXT_H_
#define MACE_PLAN_DUMP_JSON_TEXT_H_

#include <string>

namespace mace {

// Returns a JSON string, with its quotes, of the bytes of `s`. Escapes quotes,
// backslashes and control characters, which names from files may contain; the
// text is valid JSON if `s` is valid UTF-8.
std::string Json(const std::string& s);

}  // namespace mace

#endif  // MACE_PLAN_DUMP_JSON_TEXT_H_
