// CacheSizes: the caches of a core, which blocks are made to fit.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_COMMON_CACHE_SIZES_H_
#define MACE_CPU_COMMON_CACHE_SIZES_H_

#include <cstdint>
#include <optional>
#include <string>

namespace mace::cpu {

// Bytes of the data caches that one core sees. The defaults are those that the
// blocking rules of common/blocking.h were measured with.
struct CacheSizes {
  int64_t l1 = 32 << 10;
  int64_t l1_ways = 8;
  int64_t l2 = 1 << 20;
  int64_t l3 = 32 << 20;  // all that it may use; 0: there is none

  // Addresses this far apart compete for one set of the first level.
  int64_t way_bytes() const { return l1 / l1_ways; }

  bool operator==(const CacheSizes& other) const {
    return l1 == other.l1 && l1_ways == other.l1_ways && l2 == other.l2 &&
           l3 == other.l3;
  }
};

// As Linux describes them below `root`: of each level the smallest of all
// cores, so that blocks fit wherever a thread runs and results do not depend on
// where. What is missing or makes no sense comes from the C library, and else
// from the defaults for this kind of core.
CacheSizes ReadCacheSizes(const std::string& root);

// Of this machine, read once: what the environment variable MACE_CPU_CACHES
// says, for experiments, or else what the system says. Thread-safe.
const CacheSizes& DetectCacheSizes();

// From bytes of first level, its ways, and bytes of second and third level:
// "49152,12,1048576,33554432". None: that is no such list, or its first level
// cannot be cut in so many ways.
std::optional<CacheSizes> ParseCacheSizes(const std::string& text);

// The same list.
std::string ToList(const CacheSizes& caches);

}  // namespace mace::cpu

#endif  // MACE_CPU_COMMON_CACHE_SIZES_H_
