// The steps of normalizing.
// SPDX-License-Identifier: Apache-2.0

#include "mace/text/normalize.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "mace/text/utf8_text.h"

namespace mace::text {
namespace {

// No key of a charsmap is longer; a damaged one may have a cycle.
constexpr size_t kMaxKeyBytes = 256;

constexpr uint32_t kHangulBase = 0xac00, kLBase = 0x1100, kVBase = 0x1161,
                   kTBase = 0x11a7, kLCount = 19, kVCount = 21, kTCount = 28,
                   kHangulCount = kLCount * kVCount * kTCount;

// Calls `f` with each character of the text.
template <typename F>
void ForEachCharacter(std::string_view text, const F& f) {
  for (size_t at = 0; at < text.size();) f(NextCharacter(text, &at));
}

// Steps that may make a text much longer stop behind `most` bytes: what they
// return then is longer than that.
std::string MapCharacters(const Mapping& mapping, std::string_view text,
                          size_t most) {
  std::string mapped;
  mapped.reserve(text.size());
  ForEachCharacter(text, [&](uint32_t c) {
    if (mapped.size() > most) return;
    const Span<uint32_t> values = mapping.Find(c);
    if (values.data == nullptr) return AppendCharacter(c, &mapped);
    for (const uint32_t value : values) AppendCharacter(value, &mapped);
  });
  return mapped;
}

// Unicode Standard, chapter 3.11 and 3.12.
std::string Decompose(const TokenizerData& d, const Mapping& mapping,
                      std::string_view text, size_t most) {
  std::string decomposed;
  decomposed.reserve(text.size());
  std::vector<std::pair<uint8_t, uint32_t>> marks;  // not yet in order
  const auto flush = [&] {
    std::stable_sort(
        marks.begin(), marks.end(),
        [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& mark : marks) AppendCharacter(mark.second, &decomposed);
    marks.clear();
  };
  const auto add = [&](uint32_t c) {
    const uint8_t combining = c < 0x300 ? 0 : d.CombiningClass(c);
    if (combining != 0) return marks.push_back({combining, c});
    flush();
    AppendCharacter(c, &decomposed);
  };
  ForEachCharacter(text, [&](uint32_t c) {
    if (decomposed.size() + marks.size() > most) return;
    if (c - kHangulBase < kHangulCount) {
      const uint32_t s = c - kHangulBase;
      add(kLBase + s / (kVCount * kTCount));
      add(kVBase + s % (kVCount * kTCount) / kTCount);
      if (s % kTCount != 0) add(kTBase + s % kTCount);
      return;
    }
    const Span<uint32_t> values = c < 0x80 ? Span<uint32_t>() : mapping.Find(c);
    if (values.data == nullptr) return add(c);
    for (const uint32_t value : values) add(value);
  });
  flush();
  return decomposed;
}

// The character that two make together, or 0.
uint32_t Composed(const TokenizerData& d, uint32_t first, uint32_t second) {
  if (first - kLBase < kLCount && second - kVBase < kVCount) {
    return kHangulBase +
           ((first - kLBase) * kVCount + (second - kVBase)) * kTCount;
  }
  if (first - kHangulBase < kHangulCount &&
      (first - kHangulBase) % kTCount == 0 && second - kTBase < kTCount &&
      second != kTBase) {
    return first + (second - kTBase);
  }
  const auto* at = std::lower_bound(
      d.compositions.begin(), d.compositions.end(), std::pair{first, second},
      [](const Composition& c, const std::pair<uint32_t, uint32_t>& pair) {
        return std::pair{c.first, c.second} < pair;
      });
  return at != d.compositions.end() && at->first == first &&
                 at->second == second
             ? at->result
             : 0;
}

std::string Compose(const TokenizerData& d, std::string_view text) {
  std::vector<uint32_t> composed;
  composed.reserve(text.size());
  size_t starter = 0;
  bool has_starter = false;
  uint8_t last = 0;  // the class of the character before, 0 after the starter
  ForEachCharacter(text, [&](uint32_t c) {
    const uint8_t combining = c < 0x300 ? 0 : d.CombiningClass(c);
    const bool next = has_starter && composed.size() == starter + 1;
    if (has_starter && (next || (last != 0 && last < combining))) {
      const uint32_t both = Composed(d, composed[starter], c);
      if (both != 0) {
        composed[starter] = both;
        return;
      }
    }
    if (combining == 0) {
      starter = composed.size();
      has_starter = true;
    }
    last = combining;
    composed.push_back(c);
  });
  std::string result;
  result.reserve(text.size());
  for (const uint32_t c : composed) AppendCharacter(c, &result);
  return result;
}

std::string Replace(std::string_view text, std::string_view from,
                    std::string_view to, size_t most) {
  std::string replaced;
  replaced.reserve(text.size());
  size_t at = 0;
  for (size_t found;
       replaced.size() <= most && (found = text.find(from, at)) != text.npos;) {
    replaced.append(text.substr(at, found - at)).append(to);
    at = found + from.size();
  }
  return replaced.append(text.substr(at));
}

std::string Strip(const TokenizerData& d, std::string_view text,
                  uint32_t sides) {
  const Characters characters(text);
  size_t begin = 0, end = characters.size();
  const auto is_space = [&](size_t i) {
    return (d.ClassOf(characters.code_points[i]) & kSpaceBit) != 0;
  };
  while ((sides & 1) != 0 && begin < end && is_space(begin)) ++begin;
  while ((sides & 2) != 0 && begin < end && is_space(end - 1)) --end;
  return std::string(
      text.substr(characters.offsets[begin],
                  characters.offsets[end] - characters.offsets[begin]));
}

std::string Collapse(std::string_view text, std::string_view to, size_t most) {
  std::string collapsed;
  for (size_t at = 0; at < text.size() && collapsed.size() <= most;) {
    const size_t end = std::min(text.find_first_not_of(' ', at), text.size());
    if (end > at + 1) {
      collapsed.append(to);
    } else if (end == at + 1) {
      collapsed.push_back(' ');
    } else {
      collapsed.push_back(text[at++]);
      continue;
    }
    at = end;
  }
  return collapsed;
}

std::string SingleSpaces(std::string_view text) {
  std::string single;
  single.reserve(text.size());
  for (const char c : text) {
    if (c != ' ' || (!single.empty() && single.back() != ' ')) {
      single.push_back(c);
    }
  }
  if (!single.empty() && single.back() == ' ') single.pop_back();
  return single;
}

bool IsIdeograph(uint32_t c) {
  return (c >= 0x4e00 && c <= 0x9fff) || (c >= 0x3400 && c <= 0x4dbf) ||
         (c >= 0x20000 && c <= 0x2a6df) || (c >= 0x2a700 && c <= 0x2b73f) ||
         (c >= 0x2b740 && c <= 0x2b81f) || (c >= 0x2b920 && c <= 0x2ceaf) ||
         (c >= 0xf900 && c <= 0xfaff) || (c >= 0x2f800 && c <= 0x2fa1f);
}

std::string CleanText(const TokenizerData& d, std::string_view text) {
  std::string clean;
  ForEachCharacter(text, [&](uint32_t c) {
    const uint8_t bits = d.ClassOf(c);
    const uint32_t category = bits & kCategoryBits;
    const bool blank = c == '\t' || c == '\n' || c == '\r';
    // Controls, and what has no meaning by itself; unassigned ones stay.
    const bool goes = category >= kCc && category < kCn && !blank;
    if (c == 0 || c == kReplacement || goes) return;
    if (blank || (bits & kSpaceBit) != 0) {
      clean.push_back(' ');
    } else {
      AppendCharacter(c, &clean);
    }
  });
  return clean;
}

std::string SpaceIdeographs(std::string_view text) {
  std::string spaced;
  ForEachCharacter(text, [&](uint32_t c) {
    const bool alone = IsIdeograph(c);
    if (alone) spaced.push_back(' ');
    AppendCharacter(c, &spaced);
    if (alone) spaced.push_back(' ');
  });
  return spaced;
}

// A double array of SentencePiece: a number of bytes, units, then strings that
// end with 0. ParseTokenizer checked the number.
class Charsmap {
 public:
  explicit Charsmap(Span<uint8_t> bytes) : bytes_(bytes) {
    uint32_t size = 0;
    std::memcpy(&size, bytes.data, 4);
    units_ = size / 4;
    strings_ = 4 + size;
  }

  // The length of the longest key that `text` begins with, and what replaces
  // it; 0 if there is none.
  size_t Longest(std::string_view text, std::string_view* to) const {
    size_t best = 0, best_string = 0;
    uint32_t at = 0;
    at ^= Offset(Unit(0));
    for (size_t i = 0; i < std::min(text.size(), kMaxKeyBytes); ++i) {
      const uint8_t byte = static_cast<uint8_t>(text[i]);
      at ^= byte;
      const uint32_t unit = Unit(at);
      if ((unit & 0x800000ff) != byte) break;
      at ^= Offset(unit);
      if ((unit >> 8 & 1) == 0) continue;
      const size_t string = strings_ + size_t{Unit(at) & 0x7fffffff};
      if (string >= bytes_.size) break;
      best = i + 1;
      best_string = string;
    }
    if (best == 0) return 0;
    const char* found =
        reinterpret_cast<const char*>(bytes_.data) + best_string;
    *to = {found, strnlen(found, bytes_.size - best_string)};
    return best;
  }

 private:
  uint32_t Unit(uint32_t at) const {
    // A unit that is not there ends the walk: no byte of a text fits to it.
    uint32_t unit = 0xffffffff;
    if (at < units_) std::memcpy(&unit, bytes_.data + 4 + size_t{at} * 4, 4);
    return unit;
  }
  static uint32_t Offset(uint32_t unit) {
    return (unit >> 10) << ((unit & 512) >> 6);
  }

  Span<uint8_t> bytes_;
  uint32_t units_ = 0;
  size_t strings_ = 0;
};

// The bytes of the longest user-defined symbol at the start of `text`, which
// stays as it is.
size_t SymbolAt(const TokenizerData& d, std::string_view text) {
  const auto longest = LongestBeginning(
      d.symbols.begin(), d.symbols.end(), text,
      [](std::string_view symbol) { return symbol; },
      [](std::string_view) { return true; });
  return longest == d.symbols.end() ? 0 : longest->size();
}

std::string MapByCharsmap(const TokenizerData& d, std::string_view text,
                          size_t most) {
  if (d.charsmap.empty()) return std::string(text);
  const Charsmap map(d.charsmap);
  std::string raw;
  while (!text.empty() && raw.size() <= most) {
    std::string_view to;
    size_t length = SymbolAt(d, text);
    if (length == 0 && (length = map.Longest(text, &to)) != 0) {
      raw.append(to);
    } else if (length != 0) {
      raw.append(text.substr(0, length));
    } else {
      bool complete = false;
      length = FirstCharacter(text, &complete);
      if (!complete) length = 1;
      AppendWellFormed(text.substr(0, length), &raw);
    }
    text.remove_prefix(length);
  }
  // Strings of a file that no training made may be no UTF-8.
  std::string mapped;
  AppendWellFormed(raw, &mapped);
  return mapped;
}

std::string Apply(const TokenizerData& d, const Step& step,
                  std::string_view text, size_t most) {
  switch (step.kind) {
    case StepKind::kMap:
      return MapCharacters(d.mappings[step.a], text, most);
    case StepKind::kDecompose:
      return Decompose(d, d.mappings[step.a], text, most);
    case StepKind::kCompose:
      return Compose(d, text);
    case StepKind::kReplace:
      return Replace(text, d.strings[step.a], d.strings[step.b], most);
    case StepKind::kPrepend:
      if (text.empty()) return std::string();
      return std::string(d.strings[step.a]).append(text);
    case StepKind::kStrip:
      return Strip(d, text, step.a);
    case StepKind::kCollapse:
      return Collapse(text, d.strings[step.a], most);
    case StepKind::kSingleSpaces:
      return SingleSpaces(text);
    case StepKind::kCleanText:
      return CleanText(d, text);
    case StepKind::kSpaceIdeographs:
      return SpaceIdeographs(text);
    case StepKind::kCharsmap:
      return MapByCharsmap(d, text, most);
    default: {  // kRemoveCategories
      std::string without;
      ForEachCharacter(text, [&](uint32_t c) {
        if ((step.a >> d.CategoryOf(c) & 1) == 0) AppendCharacter(c, &without);
      });
      return without;
    }
  }
}

}  // namespace

bool TakeGrowth(size_t from, size_t to, size_t* growth) {
  const size_t added = to > from ? to - from : 0;
  if (added > *growth) return false;
  *growth -= added;
  return true;
}

bool Normalize(const TokenizerData& data, size_t* growth, std::string* text) {
  for (size_t i = 0; i < data.num_normalizers; ++i) {
    const size_t size = text->size();
    *text = Apply(data, data.steps[i], *text, size + *growth);
    if (!TakeGrowth(size, text->size(), growth)) return false;
  }
  return true;
}

}  // namespace mace::text
