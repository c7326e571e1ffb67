// CLocale: reads and writes numbers with a decimal point in every app.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_BASE_C_LOCALE_H_
#define MACE_BASE_C_LOCALE_H_

#include <locale.h>

namespace mace {

// While it lives, strtod, snprintf, strftime and the functions of <ctype.h>
// that this thread calls follow the locale "C". Otherwise they follow that of
// the process, which an app may have set with setlocale(LC_ALL, ""): in German,
// strtod("0.5") is 0, and 0.5 is written as 0,5. Other threads are not
// affected. std::ostream follows std::locale::global, and is not for mace/.
// Without memory for the locale "C", nothing changes.
class CLocale {
 public:
  CLocale();
  ~CLocale();
  CLocale(const CLocale&) = delete;
  CLocale& operator=(const CLocale&) = delete;

 private:
  locale_t before_;
};

}  // namespace mace

#endif  // MACE_BASE_C_LOCALE_H_
