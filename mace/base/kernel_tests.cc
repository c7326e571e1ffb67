// The results of the tests of micro-kernels.
// SPDX-License-Identifier: Apache-2.0

#include "mace/base/kernel_tests.h"

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <new>
#include <utility>

#include "mace/base/fork.h"
#include "mace/base/logging.h"
#include "mace/base/probe.h"
#include "mace/base/str_cat.h"

namespace mace {
namespace {

// Why a micro-kernel is switched off.
enum Fault : uint8_t { kRight, kIllegal, kWrong, kEndless, kCrash, kUntested };
constexpr const char* kReasons[] = {"", "illegal instruction", "wrong numbers",
                                    "it does not end", "it crashes"};

// Names are those of tables, which outlive all.
struct TestedKernel {
  const char* name;
  const char* fallback;
  TestedKernel* next;
  Fault fault;
};
struct TestedKernels {
  Mutex mutex;
  TestedKernel* first = nullptr;
  TestedKernel** end = &first;
  std::string remembered;  // of an earlier process
  const TestedKernel* without_other = nullptr;
  bool warned = false;
};
TestedKernels& Tested() {
  static auto* const tested = new TestedKernels;
  return *tested;
}

TestedKernel* FindTested(const TestedKernels& tested, const char* name) {
  TestedKernel* kernel = tested.first;
  while (kernel != nullptr && std::strcmp(kernel->name, name) != 0) {
    kernel = kernel->next;
  }
  return kernel;
}

// Where `text` goes on behind `prefix`; null: it does not begin so.
const char* Behind(const char* prefix, const char* text) {
  const size_t length = std::strlen(prefix);
  return std::strncmp(text, prefix, length) == 0 ? text + length : nullptr;
}

// What an earlier process found, in a line "name:reason".
Fault Remembered(const char* line, const char* name) {
  const char* at = nullptr;
  while ((at = Behind(name, line)) == nullptr || *at != ':') {
    line = std::strchr(line, '\n');
    if (line == nullptr) return kUntested;
    ++line;
  }
  for (uint8_t fault = kRight; fault < kCrash; ++fault) {
    const char* const end = Behind(kReasons[fault], at + 1);
    if (end != nullptr && *end == '\n') return static_cast<Fault>(fault);
  }
  return kCrash;
}

struct KernelCase {
  const void* arg;
  bool (*test)(const void* arg);
};

int IsWrong(const void* arg) {
  const KernelCase& c = *static_cast<const KernelCase*>(arg);
  return c.test(c.arg) ? 0 : 1;
}

Fault RunCase(const KernelCase& c, bool* warned) {
  using End = ProbeResult::End;
  const ProbeResult result = RunInProbe(IsWrong, &c);
  if (result.end == End::kReturned) return result.value == 0 ? kRight : kWrong;
  if (result.end == End::kNotRun) return kUntested;
  if (result.end == End::kFaulted) {
    return result.value == SIGILL    ? kIllegal
           : result.value == SIGPROF ? kEndless
                                     : kCrash;
  }
  if (!std::exchange(*warned, true)) {
    LOG(WARNING) << "micro-kernels are tested in this process, which must not "
                    "create another one: an instruction that this CPU lacks "
                    "is not caught";
  }
  return IsWrong(&c) == 0 ? kRight : kWrong;
}

}  // namespace

bool KernelPasses(const char* name, const void* arg,
                  bool (*test)(const void* arg)) {
  TestedKernels& tested = Tested();
  const HoldLog hold;
  const std::lock_guard<Mutex> lock(tested.mutex);
  const TestedKernel* kernel = FindTested(tested, name);
  if (kernel == nullptr) {
    Fault fault = Remembered(tested.remembered.c_str(), name);
    if (fault == kUntested) fault = RunCase({arg, test}, &tested.warned);
    if (fault == kUntested) return true;  // the next call tries again
    auto* const added =
        new (std::nothrow) TestedKernel{name, nullptr, nullptr, fault};
    if (added == nullptr) return fault == kRight;
    *tested.end = added;
    tested.end = &added->next;
    kernel = added;
  }
  return kernel->fault == kRight;
}

void ReplaceKernel(const char* failed, const char* instead) {
  TestedKernels& tested = Tested();
  const HoldLog hold;
  const std::lock_guard<Mutex> lock(tested.mutex);
  TestedKernel* const kernel = FindTested(tested, failed);
  if (kernel == nullptr) return;  // there was no memory to remember it
  if (instead == nullptr) tested.without_other = kernel;
  if (instead == nullptr || kernel->fallback != nullptr) return;
  kernel->fallback = instead;
  LOG(WARNING) << "micro-kernel '" << failed
               << "' is switched off on this CPU (" << kReasons[kernel->fault]
               << "); '" << instead << "' is used in its place";
}

Status CheckKernelsLeft() {
  TestedKernels& tested = Tested();
  const std::lock_guard<Mutex> lock(tested.mutex);
  const TestedKernel* const kernel = tested.without_other;
  if (kernel == nullptr) return Status();
  return RuntimeError("micro-kernel '", kernel->name,
                      "' fails its test on this CPU (", kReasons[kernel->fault],
                      "), and there is no other one for its work");
}

std::vector<KernelTest> KernelTests() {
  TestedKernels& tested = Tested();
  const std::lock_guard<Mutex> lock(tested.mutex);
  std::vector<KernelTest> tests;
  for (const TestedKernel* k = tested.first; k != nullptr; k = k->next) {
    tests.push_back({k->name, kReasons[k->fault],
                     k->fallback == nullptr ? "" : k->fallback});
  }
  return tests;
}

std::string WriteKernelTests() {
  std::string text;
  for (const KernelTest& test : KernelTests()) {
    text.append(test.kernel).append(":").append(test.reason).append("\n");
  }
  return text;
}

void RememberKernelTests(const std::string& text) {
  TestedKernels& tested = Tested();
  const std::lock_guard<Mutex> lock(tested.mutex);
  // The last line counts only if it is whole.
  tested.remembered = text;
  tested.remembered.resize(text.rfind('\n') + 1);
}

}  // namespace mace
