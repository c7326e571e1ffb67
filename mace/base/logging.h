// LOG(INFO|WARNING|ERROR) << ... and VLOG(level) << ..., to stderr.
// SPDX-License-Identifier: Apache-2.0
//
// Each statement becomes one line. VLOG(n) prints when the environment
// variable MACE_CPP_MIN_VLOG_LEVEL is at least n (default 0: nothing):
// 1 network-level latencies, 2 important ops, 3 other ops, 4 everything.
// Errors reach the caller as statuses; the log only adds to them.
#ifndef MACE_BASE_LOGGING_H_
#define MACE_BASE_LOGGING_H_

#include "mace/base/text_stream.h"

namespace mace {

enum class LogSeverity { kINFO, kWARNING, kERROR };

// One line of the log. The destructor writes it.
class LogLine {
 public:
  LogLine(LogSeverity severity, const char* file, int line);
  ~LogLine();
  TextStream& stream() { return stream_; }

 private:
  TextStream stream_;
};

// Read once from the environment.
int MaxVlogLevel();

}  // namespace mace

#define LOG(severity) \
  ::mace::LogLine(::mace::LogSeverity::k##severity, __FILE__, __LINE__).stream()
#define VLOG(level)                       \
  if ((level) > ::mace::MaxVlogLevel()) { \
  } else                                  \
    LOG(INFO)

#endif  // MACE_BASE_LOGGING_H_
