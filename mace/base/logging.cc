// Log lines on stderr or to a callback.
// SPDX-License-Identifier: Apache-2.0

#include "mace/base/logging.h"

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <utility>

#include "mace/base/fork.h"
#include "mace/base/make_shared.h"
#include "mace/base/str_cat.h"

namespace mace {
namespace {

struct Callback {
  MaceLogCallback function;
  void* user;
  int num_running = 0;  // calls of it
};

class State final : public ForkListener {
 public:
  Mutex mutex;
  pthread_cond_t idle = PTHREAD_COND_INITIALIZER;  // a call has ended
  std::shared_ptr<Callback> callback;

 private:
  void InChild() override;
};

State& GetState() {
  static auto* state = new State;
  return *state;
}

// The largest level that the callback asks for; kNoCallback: there is none.
constexpr int kNoCallback = std::numeric_limits<int>::min();
std::atomic<int> callback_level{kNoCallback};

thread_local const Callback* in_callback = nullptr;
thread_local HoldLog* outermost = nullptr;

// Calls on other threads will not end. Nobody waits any more.
void State::InChild() {
  idle = pthread_cond_t PTHREAD_COND_INITIALIZER;
  if (callback != nullptr)
    callback->num_running = callback.get() == in_callback;
}

void WriteToStderr(std::string text) {
  text += '\n';
  // One write, so that lines of several threads do not mix.
  std::fwrite(text.data(), 1, text.size(), stderr);
}

int EnvironmentLevel() {
  static const int level = [] {
    const char* s = std::getenv("MACE_CPP_MIN_VLOG_LEVEL");
    if (s == nullptr) return 0;
    char* end = nullptr;
    errno = 0;
    const long number = std::strtol(s, &end, 10);  // NOLINT
    if (end != s && *end == '\0' && errno == 0 && number >= INT_MIN &&
        number <= INT_MAX) {
      return static_cast<int>(number);
    }
    // Not to a callback, which may log and so ask for the level.
    WriteToStderr(StrCat("W logging.cc: MACE_CPP_MIN_VLOG_LEVEL='", s,
                         "' is not a whole number, and is taken as 0"));
    return 0;
  }();
  return level;
}

void CallBack(LogText line) {
  State& state = GetState();
  std::shared_ptr<Callback> callback;
  {
    std::lock_guard<Mutex> lock(state.mutex);
    callback = state.callback;
    if (callback != nullptr) ++callback->num_running;
  }
  // It may have been taken away since the line was written.
  if (callback == nullptr) return WriteToStderr(std::move(line.text));
  {
    const AllowFork in_app;
    in_callback = callback.get();
    callback->function(line.level, line.text.c_str() + line.prefix,
                       callback->user);
    in_callback = nullptr;
  }
  {
    std::lock_guard<Mutex> lock(state.mutex);
    --callback->num_running;
  }
  pthread_cond_broadcast(&state.idle);
}

}  // namespace

void SetLogCallback(MaceLogCallback function, void* user,
                    MaceLogLevel least_important) {
  std::shared_ptr<Callback> callback;
  if (function != nullptr) {
    callback = MakeShared<Callback>();
    callback->function = function;
    callback->user = user;
  }
  State& state = GetState();
  std::unique_lock<Mutex> lock(state.mutex);
  std::swap(state.callback, callback);
  callback_level = function != nullptr ? least_important : kNoCallback;
  // Two callbacks that waited here for each other's end would wait for ever.
  if (callback == nullptr || in_callback != nullptr) return;
  while (callback->num_running > 0) state.mutex.Wait(&state.idle);
}

LogLine::LogLine(MaceLogLevel level, const char* file, int line)
    : level_(level) {
  const char* base = std::strrchr(file, '/');
  stream_ << (level == MACE_LOG_ERROR     ? 'E'
              : level == MACE_LOG_WARNING ? 'W'
                                          : 'I')
          << ' ' << (base ? base + 1 : file) << ':' << line << ": ";
  prefix_ = stream_.str().size();
}

LogLine::~LogLine() {
  const int level = callback_level;
  if (level == kNoCallback || in_callback != nullptr) {
    WriteToStderr(stream_.str());
    return;
  }
  if (level_ > level) return;
  LogText line = {level_, stream_.str(), prefix_};
  if (outermost != nullptr) {
    outermost->Keep(std::move(line));
  } else {
    CallBack(std::move(line));
  }
}

int MaxVlogLevel() {
  const int level = callback_level.load(std::memory_order_relaxed);
  return level == kNoCallback || in_callback != nullptr ? EnvironmentLevel()
                                                        : level - MACE_LOG_INFO;
}

HoldLog::HoldLog(HoldLog* other)
    : other_(other), is_outermost_(outermost == nullptr) {
  if (is_outermost_) outermost = this;
}

HoldLog::~HoldLog() {
  if (!is_outermost_) return;
  outermost = nullptr;
  for (LogText& line : lines_) {
    if (other_ != nullptr) {
      other_->Keep(std::move(line));
    } else {
      CallBack(std::move(line));
    }
  }
}

HoldLog* HoldLog::OfThread() { return outermost; }

void HoldLog::Keep(LogText line) {
  std::lock_guard<std::mutex> lock(mutex_);
  lines_.push_back(std::move(line));
}

}  // namespace mace
