// Log lines on stderr.
// SPDX-License-Identifier: Apache-2.0

#include "mace/base/logging.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace mace {

LogLine::LogLine(LogSeverity severity, const char* file, int line) {
  const char* base = std::strrchr(file, '/');
  stream_ << "IWE"[static_cast<int>(severity)] << ' '
          << (base ? base + 1 : file) << ':' << line << ": ";
}

LogLine::~LogLine() {
  stream_ << '\n';
  // One write, so that lines of several threads do not mix.
  const std::string& s = stream_.str();
  std::fwrite(s.data(), 1, s.size(), stderr);
}

int MaxVlogLevel() {
  static const int level = [] {
    const char* s = std::getenv("MACE_CPP_MIN_VLOG_LEVEL");
    return s ? std::atoi(s) : 0;
  }();
  return level;
}

}  // namespace mace
