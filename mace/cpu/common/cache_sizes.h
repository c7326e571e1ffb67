// CacheSizes: the sizes of a core's caches, from which block sizes follow.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_COMMON_CACHE_SIZES_H_
#define MACE_CPU_COMMON_CACHE_SIZES_H_

#include <cstdint>
#include <optional>
#include <string>

namespace mace::cpu {

// The bytes of the data caches that one core can use. The defaults are those of
// the CPU on which the rules of common/blocks.h were measured.
struct CacheSizes {
  int64_t l1 = 32 << 10;
  int64_t l1_ways = 8;
  int64_t l2 = 1 << 20;
  int64_t l3 = 32 << 20;  // all that a core may use; 0: there is none

  // Returns the distance of addresses that compete for the same set of the
  // first-level cache.
  int64_t way_bytes() const { return l1 / l1_ways; }

  bool operator==(const CacheSizes& other) const {
    return l1 == other.l1 && l1_ways == other.l1_ways && l2 == other.l2 &&
           l3 == other.l3;
  }
};

// Returns the sizes to assume of the kind of core that this build is for.
CacheSizes DefaultCacheSizes();

// Reads the sizes that Linux describes in the folder `root`. Takes the smallest
// size of each level over all cores, so that blocks fit, and results are the
// same, wherever a thread runs. If Linux describes no first-level cache, asks
// the C library instead. A size that is still unknown is the default for this
// kind of core; but if Linux describes a first-level cache and no third level,
// there is none. If the result is implausible, returns the defaults.
CacheSizes ReadCacheSizes(const std::string& root);

// Returns the sizes of this machine, which are read once: from the environment
// variable MACE_CPU_CACHES, for experiments, or, if it is not set or
// ParseCacheSizes refuses it (with a warning), from the system. Thread-safe.
const CacheSizes& DetectCacheSizes();

// Parses the bytes of the first level, its ways, and the bytes of the second
// and third level: "49152,12,1048576,33554432". Returns none if the text is not
// such a list or a value is implausible.
std::optional<CacheSizes> ParseCacheSizes(const std::string& text);

// Returns the sizes as such a list.
std::string ToList(const CacheSizes& caches);

}  // namespace mace::cpu

#endif  // MACE_CPU_COMMON_CACHE_SIZES_H_
