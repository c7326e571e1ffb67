// Names of model files in messages, and checking them.
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

// Checks that a name of a model file is UTF-8, since names come back in
// messages, tables and JSON, which are text. Errors: MACE_INVALID_MODEL,
// beginning with the parts of `what`, which are joined only then.
template <typename... Parts>
Status CheckText(std::string_view name, const Parts&... what) {
  return IsUtf8(name) ? Status() : InvalidModel(what..., " is not UTF-8");
}

}  // namespace mace

#endif  // MACE_MODEL_TEXT_H_
