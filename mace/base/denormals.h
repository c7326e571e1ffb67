// DenormalsOff: flushes denormal numbers to zero on this thread while it lives.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_BASE_DENORMALS_H_
#define MACE_BASE_DENORMALS_H_

#include <cstdint>

namespace mace {

// The threads of a ThreadPool always flush denormals, which are slow and too
// small to matter. Cheap if they are already flushed.
class DenormalsOff {
 public:
  DenormalsOff() : saved_(Read()) {
    if ((saved_ & kOff) != kOff) Write(saved_ | kOff);
  }
  ~DenormalsOff() {
    if ((saved_ & kOff) != kOff) Write(saved_);
  }
  DenormalsOff(const DenormalsOff&) = delete;
  DenormalsOff& operator=(const DenormalsOff&) = delete;

 private:
#if defined(__x86_64__)
  using Word = uint32_t;
  static constexpr Word kOff = 0x8040;  // MXCSR: flush to zero, zeros as input
  static Word Read() { return __builtin_ia32_stmxcsr(); }
  static void Write(Word word) { __builtin_ia32_ldmxcsr(word); }
#elif defined(__aarch64__)
  using Word = uint64_t;
  static constexpr Word kOff = 1u << 24;  // FPCR.FZ
  static Word Read() {
    Word word;
    __asm__ volatile("mrs %0, fpcr" : "=r"(word));
    return word;
  }
  static void Write(Word word) { __asm__ volatile("msr fpcr, %0" ::"r"(word)); }
#elif defined(__arm__) && defined(__ARM_FP)
  using Word = uint32_t;
  static constexpr Word kOff = 1u << 24;  // FPSCR.FZ
  static Word Read() {
    Word word;
    __asm__ volatile("vmrs %0, fpscr" : "=r"(word));
    return word;
  }
  static void Write(Word word) {
    __asm__ volatile("vmsr fpscr, %0" ::"r"(word));
  }
#else
  using Word = uint32_t;
  static constexpr Word kOff = 0;
  static Word Read() { return 0; }
  static void Write(Word) {}
#endif

  Word saved_;
};

}  // namespace mace

#endif  // MACE_BASE_DENORMALS_H_
