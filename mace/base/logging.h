// LOG(INFO|WARNING|ERROR) << ... and VLOG(level) << ..., to stderr or to the
// callback of SetLogCallback.
// SPDX-License-Identifier: Apache-2.0
//
// Each statement that prints writes one line, in which line ends of its parts
// stay. VLOG(n), n >= 1, prints when the environment variable
// MACE_CPP_MIN_VLOG_LEVEL is at least n (default 0); if there is a callback,
// its own level decides instead, for LOG too. Without a callback, LOG always
// prints. mace/runtime/report/run_log.h lists what each level prints. Errors
// reach the caller as statuses; the log only adds to them.
//
// Thread-safe. A line that a callback itself writes goes to stderr.
#ifndef MACE_BASE_LOGGING_H_
#define MACE_BASE_LOGGING_H_

#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

#include "mace/base/text_stream.h"
#include "mace/public/mace_log.h"

namespace mace {

struct LogText {
  MaceLogLevel level;
  std::string text;
  size_t prefix;  // characters of `text` before the message
};

// One line of the log. The destructor writes the line, leaves it to the HoldLog
// of this thread, or drops it if the callback's level leaves it out.
class LogLine {
 public:
  LogLine(MaceLogLevel level, const char* file, int line);
  ~LogLine();
  TextStream& stream() { return stream_; }

 private:
  MaceLogLevel level_;
  size_t prefix_ = 0;
  TextStream stream_;
};

// The level of VLOG up to which this thread prints.
int MaxVlogLevel();

// A callback may call any function of the library, and so must not run while a
// lock is held that such a function takes. While a thread has a HoldLog, its
// lines for a callback are kept; the destructor of the outermost HoldLog of the
// thread hands them over. Declare it before the lock, so that it outlives the
// lock.
class HoldLog {
 public:
  HoldLog() : HoldLog(nullptr) {}
  // For a thread for which another one waits: if this object is the outermost
  // one of its thread, its lines go to `other`, which must outlive it. Null: to
  // the callback.
  explicit HoldLog(HoldLog* other);
  ~HoldLog();
  HoldLog(const HoldLog&) = delete;
  HoldLog& operator=(const HoldLog&) = delete;

  // The outermost one of this thread; null: there is none.
  static HoldLog* OfThread();

 private:
  friend class LogLine;
  // Called by the thread itself, or by one that it waits for.
  void Keep(LogText line);

  HoldLog* const other_;
  const bool is_outermost_;
  // Guards lines_, to which the thread of another HoldLog may add.
  std::mutex mutex_;
  std::vector<LogText> lines_;
};

}  // namespace mace

#define LOG(severity) \
  ::mace::LogLine(::mace::MACE_LOG_##severity, __FILE__, __LINE__).stream()
#define VLOG(level)                                                       \
  if ((level) > ::mace::MaxVlogLevel()) {                                 \
  } else                                                                  \
    ::mace::LogLine(static_cast<::mace::MaceLogLevel>(                    \
                        static_cast<int>(::mace::MACE_LOG_INFO) + level), \
                    __FILE__, __LINE__)                                   \
        .stream()

#endif  // MACE_BASE_LOGGING_H_
