// Keeping spans as events of a Chrome trace, and passing them on to Android.
// SPDX-License-Identifier: Apache-2.0

#include "mace/runtime/executor/trace.h"

#include <dlfcn.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "mace/base/clock.h"
#include "mace/base/fork.h"
#include "mace/base/str_cat.h"
#include "mace/plan/dump/json_text.h"

namespace mace {
namespace {

// https://developer.android.com/ndk/reference/group/tracing, since API 23.
struct Atrace {
  bool (*is_enabled)() = nullptr;
  void (*begin_section)(const char* name) = nullptr;
  void (*end_section)() = nullptr;
};

// Android limits the names of sections to 127 characters, and uses these in
// the lines of its trace.
constexpr size_t kMaxSectionName = 127;
bool IsOfAtrace(char c) { return c == '|' || c == '\n'; }

// The GPU's lane: no thread of a process has this id.
constexpr int kGpuLane = 0;

template <typename Function>
bool Find(void* library, const char* name, Function** function) {
  *function = reinterpret_cast<Function*>(dlsym(library, name));
  return *function != nullptr;
}

// Nothing if this system has no such library, or an older one.
Atrace OpenAtrace() {
  void* const library = dlopen("libandroid.so", RTLD_NOW | RTLD_LOCAL);
  Atrace atrace;
  if (library == nullptr) return atrace;
  if (!Find(library, "ATrace_isEnabled", &atrace.is_enabled) ||
      !Find(library, "ATrace_beginSection", &atrace.begin_section) ||
      !Find(library, "ATrace_endSection", &atrace.end_section)) {
    return Atrace();
  }
  return atrace;
}

std::string ShapesText(const std::vector<std::vector<int64_t>>& shapes) {
  std::string text;
  for (const std::vector<int64_t>& shape : shapes) {
    StrAppend(&text, text.empty() ? "[" : ", [");
    for (size_t i = 0; i < shape.size(); ++i) {
      StrAppend(&text, i == 0 ? "" : ", ", shape[i]);
    }
    text += ']';
  }
  return text;
}

class ChromeTrace final : public Trace {
 public:
  bool BeginSection(const std::string& name) const override {
    if (atrace_.is_enabled == nullptr || !atrace_.is_enabled()) return false;
    std::string cut = name.substr(0, kMaxSectionName);
    std::replace_if(cut.begin(), cut.end(), IsOfAtrace, ' ');
    atrace_.begin_section(cut.c_str());
    return true;
  }
  void EndSection() const override { atrace_.end_section(); }

  int64_t NowMicros() const override { return mace::NowMicros(); }

  void Add(const char* name, int64_t begin_micros,
           const std::string& error) override {
    const CallStats span = {begin_micros, NowMicros()};
    const std::lock_guard<Mutex> lock(mutex_);
    Keep(name, "engine", span, ThisThread(),
         error.empty() ? "" : StrCat("\"error\": ", Json(error)));
  }

  void AddOps(const RunMetadata& metadata) override;
  std::string ToJson() const override;

 private:
  // Each REQUIRES: mutex_ is held. `lane`: a thread, or kGpuLane.
  void Keep(const std::string& name, const char* category,
            const CallStats& span, int lane, const std::string& args);
  int ThisThread();

  const Atrace atrace_ = OpenAtrace();
  mutable Mutex mutex_;             // guards what follows
  std::deque<std::string> events_;  // as JSON
  int64_t num_dropped_ = 0;
  std::map<int, std::string> lanes_;  // their names
  int64_t gpu_end_micros_ = 0;
};

void ChromeTrace::Keep(const std::string& name, const char* category,
                       const CallStats& span, int lane,
                       const std::string& args) {
  if (events_.size() == kMaxSpans) {
    events_.pop_front();
    ++num_dropped_;
  }
  events_.push_back(StrCat("{\"name\": ", Json(name), ", \"cat\": \"", category,
                           "\", \"ph\": \"X\", \"ts\": ", span.start_micros,
                           ", \"dur\": ", span.end_micros - span.start_micros,
                           ", \"pid\": ", static_cast<int>(getpid()),
                           ", \"tid\": ", lane, ", \"args\": {", args, "}}"));
}

int ChromeTrace::ThisThread() {
  const auto thread = static_cast<int>(syscall(SYS_gettid));
  std::string& name = lanes_[thread];
  if (name.empty()) {
    char text[16] = {};
    prctl(PR_GET_NAME, text);
    name = text;
  }
  return thread;
}

// A queue runs kernels in order, and so none before the end of the one before
// it, while what is known of its start is when it was submitted.
void ChromeTrace::AddOps(const RunMetadata& metadata) {
  const std::lock_guard<Mutex> lock(mutex_);
  for (const OperatorStats& op : metadata.op_stats) {
    CallStats span = op.stats;
    const bool is_gpu = op.device == "GPU";
    if (is_gpu) {
      lanes_[kGpuLane] = "GPU queue";
      const int64_t later =
          std::max<int64_t>(gpu_end_micros_ - span.start_micros, 0);
      span.start_micros += later;
      span.end_micros += later;
      gpu_end_micros_ = span.end_micros;
    }
    Keep(StrCat(op.type, ' ', op.operator_name), "op", span,
         is_gpu ? kGpuLane : ThisThread(),
         StrCat("\"device\": ", Json(op.device),
                ", \"kernel\": ", Json(op.variant), ", \"macs\": ", op.macs,
                ", \"bytes\": ", op.bytes,
                ", \"output_shape\": ", Json(ShapesText(op.output_shape))));
  }
}

std::string ChromeTrace::ToJson() const {
  const std::lock_guard<Mutex> lock(mutex_);
  std::string text = StrCat(
      "{\"displayTimeUnit\": \"ms\", \"otherData\": {\"dropped_spans\": ",
      num_dropped_, "}, \"traceEvents\": [\n");
  for (const auto& [lane, name] : lanes_) {
    StrAppend(&text, "{\"name\": \"thread_name\", \"ph\": \"M\", \"pid\": ",
              static_cast<int>(getpid()), ", \"tid\": ", lane,
              ", \"args\": {\"name\": ", Json(name), "}},\n");
  }
  for (size_t i = 0; i < events_.size(); ++i) {
    StrAppend(&text, events_[i], i + 1 < events_.size() ? ",\n" : "\n");
  }
  text += "]}\n";
  return text;
}

}  // namespace

Result<std::unique_ptr<Trace>> Trace::Create() {
  return std::unique_ptr<Trace>(std::make_unique<ChromeTrace>());
}

}  // namespace mace
