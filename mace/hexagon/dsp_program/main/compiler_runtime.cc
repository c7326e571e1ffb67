// The functions that clang calls in code for Hexagon without a library.
// SPDX-License-Identifier: Apache-2.0
//
// Compiled with -fno-builtin: a loop of memset must not become a call to it.

#include <stddef.h>
#include <stdint.h>

namespace {

uint32_t Divide(uint32_t n, uint32_t d, uint32_t* rest) {
  if (d == 0) __builtin_trap();
  uint32_t q = 0, r = 0;
  for (int i = n != 0 ? 31 - __builtin_clz(n) : -1; i >= 0; --i) {
    r = (r << 1) | ((n >> i) & 1);
    if (r >= d) {
      r -= d;
      q |= uint32_t{1} << i;
    }
  }
  *rest = r;
  return q;
}

uint64_t Divide(uint64_t n, uint64_t d, uint64_t* rest) {
  if (d == 0) __builtin_trap();
  uint64_t q = 0, r = 0;
  for (int i = n != 0 ? 63 - __builtin_clzll(n) : -1; i >= 0; --i) {
    r = (r << 1) | ((n >> i) & 1);
    if (r >= d) {
      r -= d;
      q |= uint64_t{1} << i;
    }
  }
  *rest = r;
  return q;
}

uint32_t Magnitude(int32_t x) {
  return x < 0 ? 0u - static_cast<uint32_t>(x) : static_cast<uint32_t>(x);
}

}  // namespace

extern "C" {

void* memset(void* to, int value, size_t n) {
  auto* at = static_cast<uint8_t*>(to);
  while (n-- > 0) *at++ = static_cast<uint8_t>(value);
  return to;
}

void* memcpy(void* to, const void* from, size_t n) {
  auto* at = static_cast<uint8_t*>(to);
  const auto* source = static_cast<const uint8_t*>(from);
  while (n-- > 0) *at++ = *source++;
  return to;
}

void* __hexagon_memcpy_likely_aligned_min32bytes_mult8bytes(void* to,
                                                            const void* from,
                                                            size_t n) {
  return memcpy(to, from, n);
}

uint32_t __hexagon_udivsi3(uint32_t a, uint32_t b) {
  uint32_t rest;
  return Divide(a, b, &rest);
}

uint32_t __hexagon_umodsi3(uint32_t a, uint32_t b) {
  uint32_t rest;
  Divide(a, b, &rest);
  return rest;
}

int32_t __hexagon_divsi3(int32_t a, int32_t b) {
  uint32_t rest;
  const uint32_t q = Divide(Magnitude(a), Magnitude(b), &rest);
  return static_cast<int32_t>((a < 0) != (b < 0) ? 0u - q : q);
}

int32_t __hexagon_modsi3(int32_t a, int32_t b) {
  uint32_t rest;
  Divide(Magnitude(a), Magnitude(b), &rest);
  return static_cast<int32_t>(a < 0 ? 0u - rest : rest);
}

uint64_t __hexagon_udivdi3(uint64_t a, uint64_t b) {
  uint64_t rest;
  return Divide(a, b, &rest);
}

uint64_t __hexagon_umoddi3(uint64_t a, uint64_t b) {
  uint64_t rest;
  Divide(a, b, &rest);
  return rest;
}

}  // extern "C"
