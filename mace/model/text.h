// What messages and checks about names have in common.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_MODEL_TEXT_H_
#define MACE_MODEL_TEXT_H_

#include <string>
#include <string_view>

#include "mace/base/status.h"
#include "mace/base/str_cat.h"
#include "mace/base/utf8.h"

namespace mace {

inline std::string Quoted(std::string_view s) { return StrCat("'", s, "'"); }

// Checks a name of a model file, since names come back in messages, tables and
// JSON, which are text. Errors: MACE_INVALID_MODEL, naming `what`, the parts of
// which are put together only then.
template <typename... Parts>
Status CheckText(std::string_view name, const Parts&... what) {
  return IsUtf8(name) ? Status() : InvalidModel(what..., " is not UTF-8");
}

}  // namespace mace

#endif  // MACE_MODEL_TEXT_H_
