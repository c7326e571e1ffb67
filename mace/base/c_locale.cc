// The locale "C" of a thread.
// SPDX-License-Identifier: Apache-2.0

#include "mace/base/c_locale.h"

namespace mace {

CLocale::CLocale() {
  static const locale_t c = newlocale(LC_ALL_MASK, "C", nullptr);
  before_ = uselocale(c);  // changes nothing if `c` is null
}

CLocale::~CLocale() { uselocale(before_); }

}  // namespace mace
