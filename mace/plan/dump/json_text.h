// Texts within JSON.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PLAN_DUMP_JSON_TEXT_H_
#define MACE_PLAN_DUMP_JSON_TEXT_H_

#include <string>

namespace mace {

// Returns a JSON string, with its quotes, of the bytes of `s`. Names come from
// files and may contain anything.
std::string Json(const std::string& s);

}  // namespace mace

#endif  // MACE_PLAN_DUMP_JSON_TEXT_H_
