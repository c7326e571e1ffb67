// Reads the sizes of caches.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/common/cache_sizes.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "mace/base/file.h"
#include "mace/base/logging.h"
#include "mace/base/str_cat.h"

namespace mace::cpu {
namespace {

// Sizes beyond these limits are taken for errors of the system.
constexpr int64_t kMinL1 = 4 << 10, kMaxL1 = 1 << 20;
constexpr int64_t kMaxWays = 64;
constexpr int64_t kMinL2 = 32 << 10, kMaxL2 = 64 << 20;

bool IsInRange(int64_t value, int64_t least, int64_t most) {
  return value >= least && value <= most;
}

bool IsSane(const CacheSizes& caches) {
  return IsInRange(caches.l1, kMinL1, kMaxL1) &&
         IsInRange(caches.l1_ways, 1, kMaxWays) &&
         caches.l1 % caches.l1_ways == 0 &&
         IsInRange(caches.l2, kMinL2, kMaxL2) && caches.l3 >= 0;
}

// Returns what stands before the first space or line's end.
std::string ReadWord(const std::string& path) {
  std::string text = ReadShortFile(path);
  text.resize(std::min(text.find_first_of(" \t\n"), text.size()));
  return text;
}

// Reads a size such as "48K" in bytes. Returns 0 if there is no such file or it
// contains something else.
int64_t ReadBytes(const std::string& path) {
  const std::string word = ReadWord(path);
  char* unit = nullptr;
  const int64_t value = std::strtoll(word.c_str(), &unit, 10);
  if (value < 0 || value > (int64_t{1} << 40)) return 0;
  const int scale = *unit == 'K' ? 10 : *unit == 'M' ? 20 : 0;
  return unit[scale > 0 ? 1 : 0] == '\0' ? value << scale : 0;
}

// Lowers `least` to `value`. 0 means unknown.
void Lower(int64_t value, int64_t* least) {
  if (value > 0 && (*least == 0 || value < *least)) *least = value;
}

// Reads one core's folder. Returns false if there is none.
bool ReadCore(const std::string& folder, CacheSizes* found) {
  bool any = false;
  for (int i = 0; i < 8; ++i) {
    const std::string index = StrCat(folder, "/cache/index", i);
    const std::string type = ReadWord(StrCat(index, "/type"));
    if (type.empty()) break;
    any = true;
    if (type == "Instruction") continue;
    const int64_t bytes = ReadBytes(StrCat(index, "/size"));
    const std::string level = ReadWord(StrCat(index, "/level"));
    if (level == "1") {
      Lower(bytes, &found->l1);
      Lower(ReadBytes(StrCat(index, "/ways_of_associativity")),
            &found->l1_ways);
    }
    if (level == "2") Lower(bytes, &found->l2);
    if (level == "3") Lower(bytes, &found->l3);
  }
  return any;
}

// Returns 0 if the C library does not know.
int64_t Sysconf(int name) {
  return std::max<int64_t>(name < 0 ? 0 : sysconf(name), 0);
}
CacheSizes SysconfSizes() {
#if defined(_SC_LEVEL1_DCACHE_SIZE) && defined(_SC_LEVEL3_CACHE_SIZE)
  return {Sysconf(_SC_LEVEL1_DCACHE_SIZE), Sysconf(_SC_LEVEL1_DCACHE_ASSOC),
          Sysconf(_SC_LEVEL2_CACHE_SIZE), Sysconf(_SC_LEVEL3_CACHE_SIZE)};
#else
  return {0, 0, 0, 0};
#endif
}

}  // namespace

CacheSizes DefaultCacheSizes() {
  CacheSizes caches;
#if defined(__aarch64__)  // the big cores of a phone: Cortex-A76 and later
  caches.l1 = 64 << 10;
  caches.l1_ways = 4;
  caches.l2 = 512 << 10;
  caches.l3 = 2 << 20;
#elif defined(__arm__)  // Cortex-A53 and its like
  caches.l1_ways = 4;
  caches.l2 = 512 << 10;
  caches.l3 = 0;
#endif
  return caches;
}

CacheSizes ReadCacheSizes(const std::string& root) {
  constexpr int kMaxCores = 4096;
  CacheSizes found = {0, 0, 0, 0};
  bool any = false;
  for (int i = 0; i < kMaxCores; ++i) {
    const std::string folder = StrCat(root, "/cpu", i);
    if (!ReadCore(folder, &found) && i > 0) break;
    any = any || found.l1 > 0;
  }
  if (!any) found = SysconfSizes();
  const CacheSizes defaults = DefaultCacheSizes();
  CacheSizes caches = found;
  if (found.l1 == 0 || found.l1_ways == 0) {
    caches.l1 = found.l1 > 0 ? found.l1 : defaults.l1;
    caches.l1_ways = defaults.l1_ways;
  }
  if (found.l2 == 0) caches.l2 = defaults.l2;
  if (!any && found.l3 == 0) caches.l3 = defaults.l3;
  return IsSane(caches) ? caches : defaults;
}

const CacheSizes& DetectCacheSizes() {
  const HoldLog hold_log;
  static const CacheSizes* caches = [] {
    const char* text = std::getenv("MACE_CPU_CACHES");
    if (text == nullptr) {
      return new CacheSizes(ReadCacheSizes("/sys/devices/system/cpu"));
    }
    const auto given = ParseCacheSizes(text);
    if (given) return new CacheSizes(*given);
    LOG(WARNING) << "MACE_CPU_CACHES is '" << text
                 << "'; it should be four numbers, bytes of L1, its ways, "
                    "bytes of L2 and of L3, as in 32768,8,1048576,33554432; "
                    "the system is asked instead";
    return new CacheSizes(ReadCacheSizes("/sys/devices/system/cpu"));
  }();
  return *caches;
}

std::optional<CacheSizes> ParseCacheSizes(const std::string& text) {
  CacheSizes caches;
  const char* at = text.c_str();
  for (int64_t* size : {&caches.l1, &caches.l1_ways, &caches.l2, &caches.l3}) {
    char* end = nullptr;
    *size = std::strtoll(at, &end, 10);
    if (end == at || *end != (size == &caches.l3 ? '\0' : ',')) return {};
    at = end + 1;
  }
  if (!IsSane(caches)) return {};
  return caches;
}

std::string ToList(const CacheSizes& caches) {
  std::string text;
  for (const int64_t n : {caches.l1, caches.l1_ways, caches.l2, caches.l3}) {
    text += StrCat(text.empty() ? "" : ",", n);
  }
  return text;
}

}  // namespace mace::cpu
