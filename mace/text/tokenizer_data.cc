// Reading and checking tokenizer files.
// SPDX-License-Identifier: Apache-2.0

#include "mace/text/tokenizer_data.h"

#include <algorithm>
#include <cstring>

#include "mace/base/hash.h"
#include "mace/base/utf8.h"

namespace mace::text {
namespace {

constexpr char kMagic[] = "MACETOKN";
constexpr uint32_t kVersion = 1;
constexpr size_t kHeaderBytes = 32;
constexpr size_t kEntryBytes = 24;
constexpr uint32_t kMaxTokens = 1u << 24;
// What bounds the time that a text takes. Pieces of SentencePiece have at most
// 512 characters; a search in an index that is half full looks at 1.5 used
// slots on average, and at more if many tokens have no text.
constexpr uint32_t kMaxTokenBytes = 2048;
constexpr size_t kMaxSteps = 64;
constexpr uint64_t kMaxProbes = 64;
constexpr uint32_t kCodePoints = 0x110000;

// Numbers of sections, part of the format.
enum Section : uint32_t {
  kSettingsSection = 1,
  kStepsSection,
  kStringsSection,
  kTokensSection,
  kFlagsSection,
  kIndexSection,
  kScoresSection,
  kMergesSection,
  kMergeIndexSection,
  kBytesSection,
  kClassBlocksSection,
  kClassesSection,
  kCombiningSection,
  kCompositionsSection,
  kCharsmapSection,
  kPrefixSection,
  kSuffixSection,
  kStopsSection,
  kPropertiesSection,
  kFirstMapping = 32,
  kLastMapping = kFirstMapping + kNumMappings - 1,
};

const char* NameOf(uint32_t section) {
  static const char* const kNames[] = {
      "header",   "settings",     "steps",   "strings",   "tokens",
      "flags",    "index",        "scores",  "merges",    "merge index",
      "bytes",    "class blocks", "classes", "combining", "compositions",
      "charsmap", "prefix",       "suffix",  "stops",     "properties"};
  return section < std::size(kNames) ? kNames[section] : "mappings";
}

Status Broken(uint32_t section, const char* what) {
  return InvalidModel("tokenizer file: section '", NameOf(section), "' ", what,
                      "; make the file again with `converter.py tokenizer`");
}

template <typename T>
T ReadNumber(const uint8_t* at) {
  T number;
  std::memcpy(&number, at, sizeof(T));
  return number;
}

struct Bytes {
  const uint8_t* data = nullptr;
  size_t size = 0;
};

// The sections of a file by number.
struct Sections {
  Bytes all[kLastMapping + 1];

  template <typename T>
  Result<Span<T>> Array(uint32_t section) const {
    const Bytes& bytes = all[section];
    if (bytes.size % sizeof(T) != 0) {
      return Broken(section, "is no whole number of elements");
    }
    return Span<T>{reinterpret_cast<const T*>(bytes.data),
                   bytes.size / sizeof(T)};
  }
};

Result<Sections> ReadSections(const uint8_t* bytes, size_t size) {
  if (size < kHeaderBytes || std::memcmp(bytes, kMagic, 8) != 0) {
    return InvalidModel(
        "this is no tokenizer file of MACE; `converter.py tokenizer` makes one "
        "of tokenizer.json, GGUF or a model of SentencePiece");
  }
  const uint32_t version = ReadNumber<uint32_t>(bytes + 8);
  const uint32_t count = ReadNumber<uint32_t>(bytes + 12);
  if (version != kVersion) {
    return InvalidModel("the tokenizer file has version ", version,
                        ", this library reads version ", kVersion,
                        "; make the file again with the converter of this "
                        "library's version");
  }
  if (ReadNumber<uint64_t>(bytes + 16) != size) {
    return InvalidModel("the tokenizer file should have ",
                        ReadNumber<uint64_t>(bytes + 16), " bytes, but has ",
                        size, ": it was cut short or changed");
  }
  if (Hash64(bytes + kHeaderBytes, size - kHeaderBytes) !=
      ReadNumber<uint64_t>(bytes + 24)) {
    return InvalidModel(
        "the checksum of the tokenizer file is wrong: it was changed");
  }
  if (count > (size - kHeaderBytes) / kEntryBytes) {
    return Broken(0, "lists more sections than the file has");
  }
  Sections sections;
  for (uint32_t i = 0; i < count; ++i) {
    const uint8_t* entry = bytes + kHeaderBytes + i * kEntryBytes;
    const uint32_t kind = ReadNumber<uint32_t>(entry);
    const uint64_t offset = ReadNumber<uint64_t>(entry + 8);
    const uint64_t length = ReadNumber<uint64_t>(entry + 16);
    if (kind == 0 || kind > kLastMapping) {
      return Broken(0, "lists a section that this version does not have");
    }
    if (offset % 8 != 0 || offset > size || length > size - offset) {
      return Broken(kind, "is outside of the file");
    }
    if (sections.all[kind].data != nullptr)
      return Broken(kind, "is there twice");
    sections.all[kind] = {bytes + offset, static_cast<size_t>(length)};
  }
  return sections;
}

bool Rises(Span<uint32_t> offsets, size_t end) {
  if (offsets.empty() || offsets[0] != 0) return false;
  for (size_t i = 1; i < offsets.size; ++i) {
    if (offsets[i] < offsets[i - 1]) return false;
  }
  return offsets[offsets.size - 1] == end;
}

// A section of strings: their number, their offsets and their bytes.
Result<Strings> ReadStrings(const Sections& sections, uint32_t section) {
  const Bytes& bytes = sections.all[section];
  Strings strings;
  if (bytes.size == 0) return strings;
  if (bytes.size < 8) return Broken(section, "is cut short");
  const uint32_t count = ReadNumber<uint32_t>(bytes.data);
  if (count > kMaxTokens || (size_t{count} + 2) * 4 > bytes.size) {
    return Broken(section, "has more strings than bytes");
  }
  strings.offsets = {reinterpret_cast<const uint32_t*>(bytes.data + 4),
                     size_t{count} + 1};
  const size_t start = (size_t{count} + 2) * 4;
  strings.bytes = reinterpret_cast<const char*>(bytes.data + start);
  const uint32_t end = strings.offsets[count];
  if (!Rises(strings.offsets, end) || end > bytes.size - start) {
    return Broken(section, "has strings outside of it");
  }
  return strings;
}

Status ReadMapping(const Sections& sections, uint32_t section, Mapping* to) {
  const Bytes& bytes = sections.all[section];
  if (bytes.size == 0) return Status();
  if (bytes.size < 4) return Broken(section, "is cut short");
  const uint32_t count = ReadNumber<uint32_t>(bytes.data);
  if (count > kCodePoints || bytes.size % 4 != 0 ||
      (size_t{count} * 2 + 2) * 4 > bytes.size) {
    return Broken(section, "has more keys than bytes");
  }
  const uint32_t* words = reinterpret_cast<const uint32_t*>(bytes.data);
  to->keys = {words + 1, count};
  to->offsets = {words + 1 + count, size_t{count} + 1};
  to->values = {words + 2 + 2 * size_t{count},
                bytes.size / 4 - 2 - 2 * size_t{count}};
  if (!Rises(to->offsets, to->values.size)) {
    return Broken(section, "has values outside of it");
  }
  for (const uint32_t value : to->values) {
    if (value >= kCodePoints) return Broken(section, "has no code points");
  }
  return Status();
}

// An index is at most three quarters full, and the used slots from a random one
// to the next free one are few, so that searches end soon.
Status CheckIndex(Span<uint32_t> index, size_t entries, uint32_t section) {
  if (index.empty() && entries == 0) return Status();
  if (index.empty() || (index.size & (index.size - 1)) != 0) {
    return Broken(section, "has no power of two as its size");
  }
  uint64_t used = 0, run = 0, probes = 0;
  for (const uint32_t slot : index) {
    if (slot > entries)
      return Broken(section, "names an entry that is not there");
    used += slot != 0;
    run = slot != 0 ? run + 1 : 0;
    probes += run;
  }
  if (used * 4 > index.size * 3 || probes > kMaxProbes * index.size) {
    return Broken(section, "is too full, or full in one place");
  }
  return Status();
}

Status CheckTokens(Span<uint32_t> ids, size_t count, uint32_t section) {
  for (const uint32_t id : ids) {
    if (id != kNone && id >= count) {
      return Broken(section, "names a token outside of the vocabulary");
    }
  }
  return Status();
}

Status CheckSettings(const TokenizerData& d) {
  const Settings& s = d.settings;
  const uint32_t ids[] = {s.unknown, s.bos, s.eos, s.pad};
  if (s.model > ModelKind::kWordPiece) {
    return Broken(kSettingsSection, "has a model that this version lacks");
  }
  if (s.vocab_size == 0 || s.vocab_size > d.tokens.size() ||
      d.flags.size != d.tokens.size()) {
    return Broken(kFlagsSection, "has another size than the vocabulary");
  }
  MACE_RETURN_IF_ERROR(
      CheckTokens({ids, std::size(ids)}, s.vocab_size, kSettingsSection));
  if (s.max_token_bytes > kMaxTokenBytes) {
    return Broken(kSettingsSection, "has tokens of more than 2048 bytes");
  }
  for (size_t i = 0; i < d.strings.size(); ++i) {
    if (d.strings[i].size() > kMaxTokenBytes) {
      return Broken(kStringsSection, "has a string of more than 2048 bytes");
    }
  }
  for (const uint32_t string : {s.continuing, s.word_end}) {
    if (string != kNone && string >= d.strings.size()) {
      return Broken(kSettingsSection, "names a string that is not there");
    }
  }
  if (s.model == ModelKind::kUnigram && d.scores.size != d.tokens.size()) {
    return Broken(kScoresSection, "has another size than the vocabulary");
  }
  const bool needs_bytes = (s.flags & (kByteLevel | kByteFallback)) != 0;
  if (d.bytes.size != (needs_bytes ? 256 : 0)) {
    return Broken(kBytesSection, "does not have 256 tokens");
  }
  for (size_t i = 0; i < d.tokens.size(); ++i) {
    if (d.tokens[i].size() > s.max_token_bytes) {
      return Broken(kTokensSection, "has a token longer than the longest");
    }
    const bool hidden = (d.flags[i] & kHidden) != 0;
    if (hidden != (i >= s.vocab_size)) {
      return Broken(kFlagsSection, "hides other tokens than those behind");
    }
    if (hidden && d.flags[i] != kHidden) {
      return Broken(kFlagsSection, "has a hidden token that a text may become");
    }
    if ((d.flags[i] & kByte) != 0 && d.tokens[i].size() != 1) {
      return Broken(kFlagsSection, "has a byte of another length");
    }
  }
  return Status();
}

Status CheckStep(const TokenizerData& d, const Step& step) {
  size_t a = kNone, b = kNone, c = kNone;  // below these
  switch (step.kind) {
    case StepKind::kMap:
    case StepKind::kDecompose:
      a = kNumMappings;
      break;
    case StepKind::kReplace:
      a = b = d.strings.size();
      break;
    case StepKind::kPrepend:
    case StepKind::kCollapse:
    case StepKind::kMetaspace:
      a = d.strings.size();
      break;
    case StepKind::kSplitText:
      a = d.strings.size();
      b = static_cast<size_t>(Behavior::kContiguous) + 1;
      break;
    case StepKind::kPunctuation:
      b = static_cast<size_t>(Behavior::kContiguous) + 1;
      break;
    case StepKind::kCompose:
    case StepKind::kRemoveCategories:
    case StepKind::kStrip:
    case StepKind::kSingleSpaces:
    case StepKind::kCleanText:
    case StepKind::kSpaceIdeographs:
    case StepKind::kCharsmap:
    case StepKind::kGpt2:
    case StepKind::kLlama3:
    case StepKind::kGpt4o:
    case StepKind::kDigits:
    case StepKind::kWords:
    case StepKind::kWhitespace:
    case StepKind::kBert:
    case StepKind::kPrefixSpace:
      break;
    default:
      return Broken(kStepsSection, "has a step that this version lacks");
  }
  if (step.a >= a || step.b >= b || step.c >= c) {
    return Broken(kStepsSection, "has a step with a value out of range");
  }
  const bool by_text = step.kind == StepKind::kReplace ||
                       step.kind == StepKind::kSplitText ||
                       step.kind == StepKind::kMetaspace;
  if (by_text && d.strings[step.a].empty()) {
    return Broken(kStepsSection, "looks for an empty text");
  }
  return Status();
}

Status CheckSteps(TokenizerData* d) {
  if (d->steps.size > kMaxSteps) {
    return Broken(kStepsSection, "has more than 64 steps");
  }
  bool splits = false;
  for (const Step& step : d->steps) {
    MACE_RETURN_IF_ERROR(CheckStep(*d, step));
    if (step.kind >= StepKind::kFirstSplit) {
      splits = true;
    } else if (splits) {
      return Broken(kStepsSection, "normalizes after a split");
    } else {
      ++d->num_normalizers;
    }
  }
  return Status();
}

Status CheckUnicode(const TokenizerData& d) {
  if (!d.class_blocks.empty() && d.class_blocks.size != kCodePoints >> 8) {
    return Broken(kClassBlocksSection, "has another size than Unicode");
  }
  for (const uint16_t block : d.class_blocks) {
    if ((size_t{block} + 1) * 256 > d.classes.size) {
      return Broken(kClassBlocksSection, "names a block that is not there");
    }
  }
  for (const Composition& c : d.compositions) {
    if (c.result >= kCodePoints) {
      return Broken(kCompositionsSection, "has no code points");
    }
  }
  const Span<uint8_t>& map = d.charsmap;
  if (map.empty()) return Status();
  if (map.size < 4) return Broken(kCharsmapSection, "is cut short");
  const uint32_t trie = ReadNumber<uint32_t>(map.data);
  if (trie % 4 != 0 || trie == 0 || trie > map.size - 4 ||
      map.size - 4 == trie || map[map.size - 1] != 0) {
    return Broken(kCharsmapSection, "is not as its first number says");
  }
  return Status();
}

Status CheckMerges(const TokenizerData& d) {
  for (const Merge& merge : d.merges) {
    const uint32_t ids[] = {merge.left, merge.right, merge.result};
    for (const uint32_t id : ids) {
      if (id >= d.tokens.size()) {
        return Broken(kMergesSection,
                      "names a token outside of the vocabulary");
      }
    }
  }
  return CheckIndex(d.merge_index, d.merges.size, kMergeIndexSection);
}

Status CheckIds(const TokenizerData& d) {
  const size_t vocab = d.settings.vocab_size;
  MACE_RETURN_IF_ERROR(CheckTokens(d.bytes, vocab, kBytesSection));
  for (const auto& [ids, section] : {std::pair{d.prefix, kPrefixSection},
                                     {d.suffix, kSuffixSection},
                                     {d.stops, kStopsSection}}) {
    for (const uint32_t id : ids) {
      if (id >= vocab) {
        return Broken(section, "names a token outside of the vocabulary");
      }
    }
  }
  return Status();
}

Status ReadArrays(const Sections& sections, TokenizerData* d) {
  MACE_ASSIGN_OR_RETURN(d->steps, sections.Array<Step>(kStepsSection));
  MACE_ASSIGN_OR_RETURN(d->flags, sections.Array<uint16_t>(kFlagsSection));
  MACE_ASSIGN_OR_RETURN(d->index, sections.Array<uint32_t>(kIndexSection));
  MACE_ASSIGN_OR_RETURN(d->scores, sections.Array<double>(kScoresSection));
  MACE_ASSIGN_OR_RETURN(d->merges, sections.Array<Merge>(kMergesSection));
  MACE_ASSIGN_OR_RETURN(d->merge_index,
                        sections.Array<uint32_t>(kMergeIndexSection));
  MACE_ASSIGN_OR_RETURN(d->bytes, sections.Array<uint32_t>(kBytesSection));
  MACE_ASSIGN_OR_RETURN(d->class_blocks,
                        sections.Array<uint16_t>(kClassBlocksSection));
  MACE_ASSIGN_OR_RETURN(d->classes, sections.Array<uint8_t>(kClassesSection));
  MACE_ASSIGN_OR_RETURN(d->combining,
                        sections.Array<uint32_t>(kCombiningSection));
  MACE_ASSIGN_OR_RETURN(d->compositions,
                        sections.Array<Composition>(kCompositionsSection));
  MACE_ASSIGN_OR_RETURN(d->charsmap, sections.Array<uint8_t>(kCharsmapSection));
  MACE_ASSIGN_OR_RETURN(d->prefix, sections.Array<uint32_t>(kPrefixSection));
  MACE_ASSIGN_OR_RETURN(d->suffix, sections.Array<uint32_t>(kSuffixSection));
  MACE_ASSIGN_OR_RETURN(d->stops, sections.Array<uint32_t>(kStopsSection));
  for (size_t i = 0; i < kNumMappings; ++i) {
    MACE_RETURN_IF_ERROR(
        ReadMapping(sections, kFirstMapping + i, &d->mappings[i]));
  }
  return Status();
}

void FindSymbols(TokenizerData* d) {
  for (size_t i = 0; i < d->flags.size; ++i) {
    if ((d->flags[i] & kSymbol) != 0 && !d->tokens[i].empty()) {
      d->symbols.push_back(d->tokens[i]);
    }
  }
  std::sort(d->symbols.begin(), d->symbols.end());
}

// Unknown characters cost 10 more than the least likely token.
void FindUnknownScore(TokenizerData* d) {
  double lowest = 0;
  bool any = false;
  for (size_t i = 0; i < d->scores.size; ++i) {
    if ((d->flags[i] & kInModel) == 0) continue;
    lowest = any ? std::min(lowest, d->scores[i]) : d->scores[i];
    any = true;
  }
  d->unknown_score = lowest - 10;
}

}  // namespace

Result<TokenizerData> ParseTokenizer(const uint8_t* bytes, size_t size) {
  MACE_ASSIGN_OR_RETURN(const Sections sections, ReadSections(bytes, size));
  TokenizerData d;
  const Bytes& settings = sections.all[kSettingsSection];
  if (settings.size != sizeof(Settings)) {
    return Broken(kSettingsSection, "has another size than in this version");
  }
  std::memcpy(&d.settings, settings.data, sizeof(Settings));
  MACE_ASSIGN_OR_RETURN(d.strings, ReadStrings(sections, kStringsSection));
  MACE_ASSIGN_OR_RETURN(d.tokens, ReadStrings(sections, kTokensSection));
  MACE_ASSIGN_OR_RETURN(d.properties,
                        ReadStrings(sections, kPropertiesSection));
  MACE_RETURN_IF_ERROR(ReadArrays(sections, &d));
  MACE_RETURN_IF_ERROR(CheckSettings(d));
  MACE_RETURN_IF_ERROR(CheckIndex(d.index, d.tokens.size(), kIndexSection));
  MACE_RETURN_IF_ERROR(CheckMerges(d));
  MACE_RETURN_IF_ERROR(CheckIds(d));
  MACE_RETURN_IF_ERROR(CheckUnicode(d));
  MACE_RETURN_IF_ERROR(CheckSteps(&d));
  FindSymbols(&d);
  FindUnknownScore(&d);
  d.hash = ReadNumber<uint64_t>(bytes + 24);
  return d;
}

}  // namespace mace::text
