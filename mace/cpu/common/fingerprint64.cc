// Fingerprint64: one mixing function for each range of lengths.
// SPDX-License-Identifier: Apache-2.0
//
// All arithmetic is modulo 2^64. Words are read in little-endian order, as
// every platform of the engine stores them.

#include "mace/cpu/common/fingerprint64.h"

#include <cstring>
#include <utility>

namespace mace::cpu {
namespace {

// Primes between 2^63 and 2^64.
constexpr uint64_t k0 = 0xc3a5c85c97cb3127, k1 = 0xb492b66fbe98f273,
                   k2 = 0x9ae16a3b2f90404f;

template <typename Word>
Word Read(const uint8_t* s) {
  Word word;
  std::memcpy(&word, s, sizeof(word));
  return word;
}

uint64_t Word64(const uint8_t* s) { return Read<uint64_t>(s); }

uint64_t Rotated(uint64_t v, int bits) { return v >> bits | v << (64 - bits); }

uint64_t Shifted(uint64_t v) { return v ^ (v >> 47); }

// Mixes two words to one.
uint64_t Mixed(uint64_t u, uint64_t v, uint64_t factor) {
  const uint64_t a = Shifted((u ^ v) * factor);
  return Shifted((v ^ a) * factor) * factor;
}

uint64_t FactorOf(size_t size) { return k2 + 2 * size; }

uint64_t UpTo16(const uint8_t* s, size_t size) {
  const uint64_t factor = FactorOf(size);
  if (size >= 8) {
    const uint64_t a = Word64(s) + k2, b = Word64(s + size - 8);
    return Mixed(Rotated(b, 37) * factor + a, (Rotated(a, 25) + b) * factor,
                 factor);
  }
  if (size >= 4) {
    const uint64_t a = Read<uint32_t>(s), b = Read<uint32_t>(s + size - 4);
    return Mixed(size + (a << 3), b, factor);
  }
  if (size == 0) return k2;
  const uint64_t y = s[0] + (uint64_t{s[size >> 1]} << 8);
  const uint64_t z = size + (uint64_t{s[size - 1]} << 2);
  return Shifted(y * k2 ^ z * k0) * k2;
}

uint64_t From17To32(const uint8_t* s, size_t size) {
  const uint64_t factor = FactorOf(size);
  const uint64_t a = Word64(s) * k1, b = Word64(s + 8);
  const uint64_t c = Word64(s + size - 8) * factor;
  const uint64_t d = Word64(s + size - 16) * k2;
  return Mixed(Rotated(a + b, 43) + Rotated(c, 30) + d,
               a + Rotated(b + k2, 18) + c, factor);
}

uint64_t From33To64(const uint8_t* s, size_t size) {
  const uint64_t factor = FactorOf(size);
  const uint64_t a = Word64(s) * k2, b = Word64(s + 8);
  const uint64_t c = Word64(s + size - 8) * factor;
  const uint64_t d = Word64(s + size - 16) * k2;
  const uint64_t y = Rotated(a + b, 43) + Rotated(c, 30) + d;
  const uint64_t z = Mixed(y, a + Rotated(b + k2, 18) + c, factor);
  const uint64_t e = Word64(s + 16) * factor, f = Word64(s + 24);
  const uint64_t g = (y + Word64(s + size - 32)) * factor;
  const uint64_t h = (z + Word64(s + size - 24)) * factor;
  return Mixed(Rotated(e + f, 43) + Rotated(g, 30) + h,
               e + Rotated(f + a, 18) + g, factor);
}

struct Pair {
  uint64_t first = 0, second = 0;
};

// Hashes 32 bytes, from two seeds.
Pair Hashed32(const uint8_t* s, uint64_t a, uint64_t b) {
  const uint64_t last = Word64(s + 24);
  a += Word64(s);
  b = Rotated(b + a + last, 21);
  const uint64_t c = a;
  a += Word64(s + 8) + Word64(s + 16);
  b += Rotated(a, 44);
  return {a + last, b + c};
}

// The state of a hash of more than 64 bytes.
struct State {
  uint64_t x, y, z;
  Pair v, w;

  // Takes in 64 bytes. `extra` multiplies two of the summands; 1 but for the
  // last bytes.
  void Add(const uint8_t* s, uint64_t factor, uint64_t extra) {
    x = Rotated(x + y + v.first + Word64(s + 8), 37) * factor;
    y = Rotated(y + v.second + Word64(s + 48), 42) * factor;
    x ^= w.second * extra;
    y += v.first * extra + Word64(s + 40);
    z = Rotated(z + w.first, 33) * factor;
    v = Hashed32(s, v.second * factor, x + w.first);
    w = Hashed32(s + 32, z + w.second, y + Word64(s + 16));
    std::swap(z, x);
  }
};

uint64_t From65(const uint8_t* s, size_t size) {
  constexpr uint64_t kSeed = 81;
  State state = {};
  state.x = kSeed * k2 + Word64(s);
  state.y = kSeed * k1 + 113;
  state.z = Shifted(state.y * k2 + 113) * k2;
  // The last 64 bytes are taken in apart, and so may overlap those before.
  const uint8_t* const last = s + size - 64;
  for (; s < last; s += 64) state.Add(s, k1, 1);
  const uint64_t factor = k1 + ((state.z & 0xff) << 1);
  state.w.first += (size - 1) & 63;
  state.v.first += state.w.first;
  state.w.first += state.v.first;
  state.Add(last, factor, 9);
  const Pair &v = state.v, &w = state.w;
  return Mixed(
      Mixed(v.first, w.first, factor) + Shifted(state.y) * k0 + state.z,
      Mixed(v.second, w.second, factor) + state.x, factor);
}

}  // namespace

uint64_t Fingerprint64(const void* data, size_t size) {
  const auto* s = static_cast<const uint8_t*>(data);
  if (size <= 16) return UpTo16(s, size);
  if (size <= 32) return From17To32(s, size);
  if (size <= 64) return From33To64(s, size);
  return From65(s, size);
}

}  // namespace mace::cpu
