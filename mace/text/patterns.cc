// The scanners. Each comment has the expression that the function matches.
// SPDX-License-Identifier: Apache-2.0

#include "mace/text/patterns.h"

namespace mace::text {
namespace {

constexpr uint32_t Bit(Category c) { return 1u << c; }
constexpr uint32_t kLetter =
    Bit(kLu) | Bit(kLl) | Bit(kLt) | Bit(kLm) | Bit(kLo);
constexpr uint32_t kMark = Bit(kMn) | Bit(kMc) | Bit(kMe);
constexpr uint32_t kNumber = Bit(kNd) | Bit(kNl) | Bit(kNo);

// Questions about the characters of a text; those behind its end are nothing.
class Scan {
 public:
  explicit Scan(const ClassifiedText& text) : text_(text) {}

  size_t size() const { return text_.size(); }
  uint32_t code(size_t i) const {
    return i < size() ? text_.characters.code_points[i] : 0;
  }
  bool Is(size_t i, uint32_t categories) const {
    return i < size() &&
           (categories >> (text_.classes[i] & kCategoryBits) & 1) != 0;
  }
  bool IsSpace(size_t i) const {
    return i < size() && (text_.classes[i] & kSpaceBit) != 0;
  }
  bool IsNewline(size_t i) const { return code(i) == '\r' || code(i) == '\n'; }
  // [^\s\p{L}\p{N}], and \p{M} if it is not among `words`.
  bool IsOther(size_t i, uint32_t words) const {
    return i < size() && !IsSpace(i) && !Is(i, words);
  }

  // The end of the run from `i` on, of at most `most` characters.
  template <typename F>
  size_t Run(size_t i, const F& f, size_t most = ~size_t{0}) const {
    const size_t first = i;
    while (i < size() && i - first < most && f(i)) ++i;
    return i;
  }
  size_t Run(size_t i, uint32_t categories, size_t most = ~size_t{0}) const {
    return Run(i, [&](size_t k) { return Is(k, categories); }, most);
  }
  size_t Spaces(size_t i) const {
    return Run(i, [&](size_t k) { return IsSpace(k); });
  }

 private:
  const ClassifiedText& text_;
};

uint32_t Lower(uint32_t c, bool any_case) {
  if (any_case && c >= 'A' && c <= 'Z') return c + 32;
  return any_case && c == 0x17f ? 's' : c;  // long s, as Unicode folds it
}

// 's|'t|'re|'ve|'m|'ll|'d
size_t Contraction(const Scan& s, size_t at, bool any_case) {
  if (s.code(at) != '\'') return at;
  const uint32_t a = Lower(s.code(at + 1), any_case);
  const uint32_t b = Lower(s.code(at + 2), any_case);
  if (a == 's' || a == 't' || a == 'm' || a == 'd') return at + 2;
  const bool two = (a == 'r' && b == 'e') || (a == 'v' && b == 'e') ||
                   (a == 'l' && b == 'l');
  return two ? at + 3 : at;
}

// \s+(?!\S)|\s+
size_t SpaceMatch(const Scan& s, size_t at) {
  const size_t end = s.Spaces(at);
  return end < s.size() && end > at + 1 ? end - 1 : end;
}

// \s*[\r\n]+|\s+(?!\S)|\s+
size_t LineOrSpaceMatch(const Scan& s, size_t at) {
  const size_t end = s.Spaces(at);
  for (size_t i = end; i > at; --i) {
    if (s.IsNewline(i - 1)) return i;
  }
  return SpaceMatch(s, at);
}

// 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
size_t Gpt2Match(const Scan& s, size_t at) {
  size_t end = Contraction(s, at, /*any_case=*/false);
  if (end > at) return end;
  const size_t start = s.code(at) == ' ' ? at + 1 : at;
  if ((end = s.Run(start, kLetter)) > start) return end;
  if ((end = s.Run(start, kNumber)) > start) return end;
  end = s.Run(start, [&](size_t i) { return s.IsOther(i, kLetter | kNumber); });
  return end > start ? end : SpaceMatch(s, at);
}

// ` ?[^\s\p{L}\p{N}]+[\r\n]*`, then lines and spaces. `slash`: [\r\n/]*.
size_t OtherMatch(const Scan& s, size_t at, uint32_t words, bool slash) {
  const size_t start = s.code(at) == ' ' ? at + 1 : at;
  const size_t end =
      s.Run(start, [&](size_t i) { return s.IsOther(i, words); });
  if (end == start) return LineOrSpaceMatch(s, at);
  return s.Run(end, [&](size_t i) {
    return s.IsNewline(i) || (slash && s.code(i) == '/');
  });
}

size_t MostDigits(uint32_t digits) { return digits == 0 ? ~size_t{0} : digits; }

// (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|
// ` ?[^\s\p{L}\p{N}]+[\r\n]*`|\s*[\r\n]+|\s+(?!\S)|\s+
// `marks`: [\p{L}\p{M}] in place of \p{L}, but not after the first `?`.
size_t Llama3Match(const Scan& s, size_t at, uint32_t digits, bool marks) {
  size_t end = Contraction(s, at, /*any_case=*/true);
  if (end > at) return end;
  const uint32_t word = kLetter | (marks ? kMark : 0);
  if (!s.IsNewline(at) && !s.Is(at, kLetter | kNumber) &&
      (end = s.Run(at + 1, word)) > at + 1) {
    return end;
  }
  if ((end = s.Run(at, word)) > at) return end;
  if ((end = s.Run(at, kNumber, MostDigits(digits))) > at) return end;
  return OtherMatch(s, at, word | kNumber, /*slash=*/false);
}

// [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+, or
// [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]* if `upper`.
size_t CasedWord(const Scan& s, size_t at, bool upper) {
  constexpr uint32_t kBoth = Bit(kLm) | Bit(kLo) | kMark;
  constexpr uint32_t kUppers = kBoth | Bit(kLu) | Bit(kLt);
  constexpr uint32_t kLowers = kBoth | Bit(kLl);
  const size_t uppers = s.Run(at, kUppers);
  const size_t end = s.Run(uppers, kLowers);
  if (upper) return uppers > at ? end : at;
  if (end > uppers) return end;
  // The first part gives back what the second one needs.
  for (size_t i = uppers; i > at; --i) {
    if (s.Is(i - 1, kLowers)) return i;
  }
  return at;
}

// [^\r\n\p{L}\p{N}]? and one of the above, with (?i:'s|'t|...)? behind it if
// `contractions`; \p{N}{1,3}; ` ?[^\s\p{L}\p{N}]+[\r\n/]*`; lines and spaces.
size_t Gpt4oMatch(const Scan& s, size_t at, uint32_t digits,
                  bool contractions) {
  const bool prefix = !s.IsNewline(at) && !s.Is(at, kLetter | kNumber);
  for (const bool upper : {false, true}) {
    size_t end = at;
    if (prefix) {
      end = CasedWord(s, at + 1, upper);
      if (end == at + 1) end = at;
    }
    if (end == at) end = CasedWord(s, at, upper);
    if (end == at) continue;
    return contractions ? Contraction(s, end, /*any_case=*/true) : end;
  }
  const size_t end = s.Run(at, kNumber, MostDigits(digits));
  return end > at ? end : OtherMatch(s, at, kLetter | kNumber, /*slash=*/true);
}

}  // namespace

ClassifiedText::ClassifiedText(const TokenizerData& data, std::string_view text)
    : characters(text) {
  classes.reserve(characters.size());
  for (const uint32_t c : characters.code_points)
    classes.push_back(data.ClassOf(c));
}

size_t MatchEnd(const ClassifiedText& text, const Step& step, size_t at) {
  const Scan s(text);
  if (step.kind == StepKind::kGpt2) return Gpt2Match(s, at);
  if (step.kind == StepKind::kLlama3) {
    return Llama3Match(s, at, step.a, step.b != 0);
  }
  return Gpt4oMatch(s, at, step.a, step.b != 0);
}

}  // namespace mace::text
