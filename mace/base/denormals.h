// How this thread computes with floats while an object lives: rounding, traps
// and denormal numbers.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_BASE_DENORMALS_H_
#define MACE_BASE_DENORMALS_H_

#include <cstdint>

namespace mace {

// The control word of floats, which belongs to a thread. A bit of kTraps masks
// an exception on x86-64, and enables one on Arm. Flushing is FTZ and DAZ on
// x86-64, and FZ on Arm. On other CPUs nothing changes.
struct FloatControl {
#if defined(__x86_64__)
  using Word = uint32_t;                     // MXCSR
  static constexpr Word kFlush = 0x8040;     // to zero, and zeros as input
  static constexpr Word kRounding = 0x6000;  // 0: to nearest
  static constexpr Word kTraps = 0x1f80;
  static constexpr Word kNoTraps = kTraps;
  static Word Read() { return __builtin_ia32_stmxcsr(); }
  static void Write(Word word) { __builtin_ia32_ldmxcsr(word); }
#elif defined(__aarch64__)
  using Word = uint64_t;  // FPCR
  static constexpr Word kFlush = 1u << 24;
  static constexpr Word kRounding = 3u << 22;
  static constexpr Word kTraps = 0x9f00;
  static constexpr Word kNoTraps = 0;
  static Word Read() {
    Word word;
    __asm__ volatile("mrs %0, fpcr" : "=r"(word));
    return word;
  }
  static void Write(Word word) { __asm__ volatile("msr fpcr, %0" ::"r"(word)); }
#elif defined(__arm__) && defined(__ARM_FP)
  using Word = uint32_t;  // FPSCR
  static constexpr Word kFlush = 1u << 24;
  static constexpr Word kRounding = 3u << 22;
  static constexpr Word kTraps = 0x9f00;
  static constexpr Word kNoTraps = 0;
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
  static constexpr Word kFlush = 0, kRounding = 0, kTraps = 0, kNoTraps = 0;
  static Word Read() { return 0; }
  static void Write(Word) {}
#endif
};

// Sets the bits of `mask` to those of `bits`. The destructor restores the word
// of before, including its exception flags (on AArch64 the word has none, and
// flags raised meanwhile stay). If the bits have these values already, both
// write nothing, which is cheap, and flags raised meanwhile stay. Objects must
// be destroyed on their thread, in reverse order.
template <FloatControl::Word mask, FloatControl::Word bits>
class ScopedFloatControl {
 public:
  ScopedFloatControl() : saved_(FloatControl::Read()) {
    if ((saved_ & mask) != bits) FloatControl::Write((saved_ & ~mask) | bits);
  }
  ~ScopedFloatControl() {
    if ((saved_ & mask) != bits) FloatControl::Write(saved_);
  }
  ScopedFloatControl(const ScopedFloatControl&) = delete;
  ScopedFloatControl& operator=(const ScopedFloatControl&) = delete;

 private:
  const FloatControl::Word saved_;
};

// Rounds to nearest, without traps: results must not depend on how the app
// rounds, and a division by zero must not raise the signal that the app enabled
// for its own code.
using RoundToNearest =
    ScopedFloatControl<FloatControl::kRounding | FloatControl::kTraps,
                       FloatControl::kNoTraps>;

// As RoundToNearest, and flushes denormal numbers, which are slow and too small
// to matter, to zero. The loops of a ThreadPool always run with it.
using DenormalsOff =
    ScopedFloatControl<FloatControl::kFlush | FloatControl::kRounding |
                           FloatControl::kTraps,
                       FloatControl::kFlush | FloatControl::kNoTraps>;

}  // namespace mace

#endif  // MACE_BASE_DENORMALS_H_
