// Writing out stdout at the end of a program.
// SPDX-License-Identifier: Apache-2.0

#include "tools/cli/output.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace mace::tools {

int FinishOutput(int code) {
  const bool had_failed = std::ferror(stdout) != 0;
  errno = 0;
  if (std::fflush(stdout) == 0 && !had_failed) return code;
  std::fprintf(stderr, "ERROR: cannot write to stdout: %s\n",
               errno == 0 ? "a write failed" : std::strerror(errno));
  return code == 0 ? 1 : code;
}

}  // namespace mace::tools
