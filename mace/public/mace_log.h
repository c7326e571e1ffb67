// SetLogCallback: where the messages of the library go.
// SPDX-License-Identifier: Apache-2.0
//
//   void ToLogcat(MaceLogLevel level, const char* message, void*) {
//     __android_log_write(level <= MACE_LOG_WARNING ? ANDROID_LOG_WARN
//                                                   : ANDROID_LOG_INFO,
//                         "MACE", message);
//   }
//   SetLogCallback(ToLogcat, nullptr);
#ifndef MACE_PUBLIC_MACE_LOG_H_
#define MACE_PUBLIC_MACE_LOG_H_

#include "mace/public/mace_api.h"

namespace mace {

// The kinds of messages, from the most important to the least. All of them only
// add to what functions return: every error is a MaceStatus.
enum MaceLogLevel : int {
  MACE_LOG_ERROR = 0,
  MACE_LOG_WARNING = 1,    // not as asked, such as a fallback to the CPU
  MACE_LOG_INFO = 2,       // a stored result or plan is not used, and why
  MACE_LOG_VERBOSE_1 = 3,  // each engine, plan and run, with its latency
  MACE_LOG_VERBOSE_2 = 4,  // each op of each run, which takes a little longer
  MACE_LOG_VERBOSE_3 = 5,  // what plans decided, the kernel of each op
  MACE_LOG_VERBOSE_4 = 6,  // the offsets of the tensors of each op
};

// `message` is a text without a line end behind it, valid until the callback
// returns. It is one line, unless a name in it (of a node or a file) has line
// ends. The callback must not throw.
typedef void (*MaceLogCallback)(MaceLogLevel level, const char* message,
                                void* user);

// Passes the messages from MACE_LOG_ERROR to `least_important` to `callback`,
// instead of writing them to stderr, and drops the others. A null `callback`
// restores stderr, for errors, warnings and information, and for the verbose
// levels up to the number in the environment variable MACE_CPP_MIN_VLOG_LEVEL.
//
// Threads: may be called from any thread at any time. Several threads may call
// `callback` at once. When SetLogCallback returns, the callback set before has
// returned on all other threads and is not called any more, so that what its
// `user` points to may be freed. SetLogCallback does not wait for them when a
// callback calls it.
//
// A callback may call any function of the library, because no lock is held
// while it runs: messages of a call that holds one, such as MaceEngine::Run,
// arrive at the end of that call, on its thread. What the library writes on a
// thread on which a callback is running goes to stderr.
MACE_API void SetLogCallback(MaceLogCallback callback, void* user,
                             MaceLogLevel least_important = MACE_LOG_INFO);

}  // namespace mace

#endif  // MACE_PUBLIC_MACE_LOG_H_
