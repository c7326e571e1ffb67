// Trace: when an engine is created, plans, waits and runs, and each op of a
// run.
// SPDX-License-Identifier: Apache-2.0
//
// The latest spans are kept for Dump("trace"). While Android records a trace
// of the system, they are also its sections.
#ifndef MACE_RUNTIME_EXECUTOR_TRACE_H_
#define MACE_RUNTIME_EXECUTOR_TRACE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "mace/base/status.h"
#include "mace/public/mace.h"

namespace mace {

// Thread-safe.
class Trace {
 public:
  // Older spans are dropped.
  static constexpr size_t kMaxSpans = 32768;

  // Errors: MACE_UNSUPPORTED if this library does not trace.
  static Result<std::unique_ptr<Trace>> Create();
  virtual ~Trace() = default;

  // Begins a section of the system's trace on this thread, and returns whether
  // it did: EndSection, on the same thread, must follow if so.
  virtual bool BeginSection(const std::string& name) const = 0;
  virtual void EndSection() const = 0;

  // Microseconds of a steady clock, as `begin_micros` below.
  virtual int64_t NowMicros() const = 0;
  // Keeps a span of this thread that ends now. `error`: that of what it spans.
  virtual void Add(const char* name, int64_t begin_micros,
                   const std::string& error) = 0;
  // Keeps the ops of a run that this thread has made. Those of a GPU get a lane
  // of their own, one after the other.
  virtual void AddOps(const RunMetadata& metadata) = 0;

  // Returns the spans in the Trace Event Format of chrome://tracing.
  virtual std::string ToJson() const = 0;
};

// A span from its construction to its destruction, which must be on the same
// thread. `trace` may be null, and must outlive it, as must `name`.
class TraceSpan {
 public:
  TraceSpan(Trace* trace, const char* name) : trace_(trace), name_(name) {
    if (trace_ == nullptr) return;
    has_section_ = trace_->BeginSection(name_);
    begin_micros_ = trace_->NowMicros();
  }
  ~TraceSpan() {
    if (trace_ == nullptr) return;
    trace_->Add(name_, begin_micros_, error_);
    if (has_section_) trace_->EndSection();
  }
  TraceSpan(const TraceSpan&) = delete;
  TraceSpan& operator=(const TraceSpan&) = delete;

  // Returns `status`, and keeps its message with the span.
  Status Ended(Status status) {
    if (trace_ != nullptr && !status.ok()) error_ = status.information();
    return status;
  }

 private:
  Trace* const trace_;
  const char* const name_;
  bool has_section_ = false;
  int64_t begin_micros_ = 0;
  std::string error_;
};

}  // namespace mace

#endif  // MACE_RUNTIME_EXECUTOR_TRACE_H_
