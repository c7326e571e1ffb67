// The steps that split.
// SPDX-License-Identifier: Apache-2.0

#include "mace/text/split.h"

#include <algorithm>
#include <utility>

#include "mace/text/normalize.h"
#include "mace/text/patterns.h"

namespace mace::text {
namespace {

// Makes pieces of others; stops behind `most` bytes.
class Splitter {
 public:
  Splitter(const TokenizerData& data, bool first) : d_(data), first_(first) {}

  Pieces Apply(const Step& step, const Pieces& pieces, size_t most) {
    most_ = most;
    out_ = Pieces();
    out_.text.reserve(pieces.text.size());
    uint32_t begin = 0;
    for (const uint32_t end : pieces.ends) {
      if (out_.text.size() > most) break;
      const std::string_view piece =
          std::string_view(pieces.text).substr(begin, end - begin);
      ApplyTo(step, piece, first_ && begin == 0);
      begin = end;
    }
    return std::move(out_);
  }

 private:
  void ApplyTo(const Step& step, std::string_view piece, bool at_start) {
    switch (step.kind) {
      case StepKind::kGpt2:
      case StepKind::kLlama3:
      case StepKind::kGpt4o:
        return Scan(step, piece);
      case StepKind::kMetaspace:
        return Metaspace(step, piece, at_start);
      case StepKind::kSplitText:
        return AtText(d_.strings[step.a], static_cast<Behavior>(step.b), piece);
      case StepKind::kPrefixSpace:
        if (piece[0] != ' ') out_.text.push_back(' ');
        return Add(piece);
      default:
        return ByClass(step, piece);
    }
  }

  // Ends a piece with `text`, which may be empty if a piece has begun.
  void Add(std::string_view text) {
    out_.text.append(text);
    const uint32_t end = static_cast<uint32_t>(out_.text.size());
    if (end > (out_.ends.empty() ? 0 : out_.ends.back())) {
      out_.ends.push_back(end);
    }
  }

  void Scan(const Step& step, std::string_view piece) {
    const ClassifiedText text(d_, piece);
    const std::vector<uint32_t>& offsets = text.characters.offsets;
    // Every character is in a match: the expressions have an alternative for
    // each class.
    for (size_t at = 0; at < text.size();) {
      const size_t end = std::max(MatchEnd(text, step, at), at + 1);
      Add(piece.substr(offsets[at], offsets[end] - offsets[at]));
      at = end;
    }
  }

  void Metaspace(const Step& step, std::string_view piece, bool at_start) {
    const std::string_view mark = d_.strings[step.a];
    std::string text;
    if (step.b == 2 || (step.b == 1 && at_start)) {
      const bool marked =
          piece[0] == ' ' || piece.substr(0, mark.size()) == mark;
      if (!marked) text.append(mark);
    }
    for (const char c : piece) {
      if (text.size() > most_) break;
      if (c == ' ') {
        text.append(mark);
      } else {
        text.push_back(c);
      }
    }
    if (step.c == 0) return Add(text);
    AtText(mark, Behavior::kWithNext, text);
  }

  // Parts of a piece: delimiters, and what lies between them.
  struct Part {
    size_t begin, end;
    bool delimiter;
  };

  void AddParts(std::string_view piece, const std::vector<Part>& parts,
                Behavior behavior) {
    const auto text = [&](const Part& part) {
      return piece.substr(part.begin, part.end - part.begin);
    };
    for (size_t i = 0; i < parts.size(); ++i) {
      const bool delimiter = parts[i].delimiter;
      const bool next_is_same =
          i + 1 < parts.size() && parts[i + 1].delimiter == delimiter;
      switch (behavior) {
        case Behavior::kRemoved:
          if (!delimiter) Add(text(parts[i]));
          break;
        case Behavior::kIsolated:
          Add(text(parts[i]));
          break;
        case Behavior::kContiguous:
          out_.text.append(text(parts[i]));
          if (!next_is_same) Add({});
          break;
        case Behavior::kWithPrevious:
          out_.text.append(text(parts[i]));
          if (delimiter || i + 1 == parts.size() || !parts[i + 1].delimiter) {
            Add({});
          }
          break;
        case Behavior::kWithNext:
          out_.text.append(text(parts[i]));
          if (!delimiter || i + 1 == parts.size() || parts[i + 1].delimiter) {
            Add({});
          }
          break;
      }
    }
  }

  void AtText(std::string_view delimiter, Behavior behavior,
              std::string_view piece) {
    std::vector<Part> parts;
    size_t at = 0;
    for (size_t found; (found = piece.find(delimiter, at)) != piece.npos;) {
      if (found > at) parts.push_back({at, found, false});
      at = found + delimiter.size();
      parts.push_back({found, at, true});
    }
    if (at < piece.size()) parts.push_back({at, piece.size(), false});
    AddParts(piece, parts, behavior);
  }

  static bool IsPunctuation(uint32_t c, uint32_t category) {
    const bool ascii = (c > 32 && c < '0') || (c > '9' && c < 'A') ||
                       (c > 'Z' && c < 'a') || (c > 'z' && c < 127);
    return ascii || (category >= kPc && category <= kPo);
  }

  // Splits at characters of a class.
  void ByClass(const Step& step, std::string_view piece) {
    const ClassifiedText text(d_, piece);
    const std::vector<uint32_t>& offsets = text.characters.offsets;
    std::vector<Part> parts;
    Behavior behavior = Behavior::kRemoved;
    // 0: white space that goes, 1: parts of words, 2: alone.
    const auto class_of = [&](size_t i) {
      const uint8_t bits = text.classes[i];
      const uint32_t c = text.characters.code_points[i];
      const uint32_t category = bits & kCategoryBits;
      switch (step.kind) {
        case StepKind::kDigits:
          if (category < kNd || category > kNo) return 1;
          return step.a != 0 ? 2 : 3;
        case StepKind::kWords:
          return (bits & kSpaceBit) != 0 ? 0 : (bits & kWordBit) != 0 ? 1 : 3;
        case StepKind::kPunctuation:
          return IsPunctuation(c, category) ? 2 : 1;
        case StepKind::kBert:
          if ((bits & kSpaceBit) != 0) return 0;
          return IsPunctuation(c, category) ? 2 : 1;
        default:  // kWhitespace
          return (bits & kSpaceBit) != 0 ? 0 : 1;
      }
    };
    if (step.kind == StepKind::kDigits) behavior = Behavior::kIsolated;
    if (step.kind == StepKind::kPunctuation) {
      behavior = static_cast<Behavior>(step.b);
    }
    const bool spaces_go =
        behavior == Behavior::kRemoved && step.kind != StepKind::kPunctuation;
    for (size_t i = 0; i < text.size();) {
      const int kind = class_of(i);
      size_t end = i + 1;
      while (kind != 2 && end < text.size() && class_of(end) == kind) ++end;
      const bool delimiter = spaces_go ? kind == 0 : kind >= 2;
      parts.push_back({offsets[i], offsets[end], delimiter});
      i = end;
    }
    AddParts(piece, parts, behavior);
  }

  const TokenizerData& d_;
  const bool first_;
  size_t most_ = 0;
  Pieces out_;
};

}  // namespace

bool SplitText(const TokenizerData& data, std::string text, bool first,
               size_t* growth, Pieces* pieces) {
  *pieces = Pieces();
  pieces->text = std::move(text);
  if (!pieces->text.empty()) {
    pieces->ends.push_back(static_cast<uint32_t>(pieces->text.size()));
  }
  Splitter splitter(data, first);
  for (size_t i = data.num_normalizers; i < data.steps.size; ++i) {
    const size_t size = pieces->text.size();
    *pieces = splitter.Apply(data.steps[i], *pieces, size + *growth);
    if (!TakeGrowth(size, pieces->text.size(), growth)) return false;
  }
  return true;
}

}  // namespace mace::text
