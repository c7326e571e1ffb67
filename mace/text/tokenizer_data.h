// TokenizerData: the sections of a tokenizer file, checked once when loaded.
// SPDX-License-Identifier: Apache-2.0
//
// The converter writes the file (tools/mace_tools/convert/tokenizers): it reads
// tokenizer.json, GGUF or a model of SentencePiece, and stores what their
// parsers, regular expressions and Unicode tables would have to work out here.
// docs/tokenizers.md describes the format.
#ifndef MACE_TEXT_TOKENIZER_DATA_H_
#define MACE_TEXT_TOKENIZER_DATA_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "mace/base/status.h"

namespace mace::text {

// An array in the file.
template <typename T>
struct Span {
  const T* data = nullptr;
  size_t size = 0;

  const T& operator[](size_t i) const { return data[i]; }
  const T* begin() const { return data; }
  const T* end() const { return data + size; }
  bool empty() const { return size == 0; }
};

// Strings one after the other: string i is [offsets[i], offsets[i + 1]).
struct Strings {
  Span<uint32_t> offsets;  // one more than strings
  const char* bytes = nullptr;

  size_t size() const { return offsets.empty() ? 0 : offsets.size - 1; }
  std::string_view operator[](size_t i) const {
    return {bytes + offsets[i], offsets[i + 1] - offsets[i]};
  }
};

// Maps code points to sequences of code points. Keys rise; the sequence of key
// i is [offsets[i], offsets[i + 1]) of `values`.
struct Mapping {
  Span<uint32_t> keys, offsets, values;

  // Returns the sequence for `c`; its data is null if there is none.
  Span<uint32_t> Find(uint32_t c) const;
};

enum class ModelKind : uint32_t { kBpe = 0, kUnigram = 1, kWordPiece = 2 };

// Bits of Settings::flags.
enum : uint32_t {
  kByteLevel = 1,        // texts of tokens are bytes, from which BPE starts
  kByteFallback = 2,     // characters without a token become tokens of bytes
  kFuseUnknown = 4,      // BPE: unknown characters in a row are one token
  kIgnoreMerges = 8,     // a piece that is a token is not merged
  kMetaspaces = 16,      // decoding writes U+2581 as a space
  kDropFirstSpace = 32,  // decoding drops a space at the start of the text
  kWordPieces = 64,      // decoding joins words by spaces
  kCleanUp = 128,        // with kWordPieces: no spaces before punctuation
  kFloat32Sums = 256,    // scores are summed in float32
  kDropFirstMetaspaces = 512,  // decoding drops all U+2581 of the first token
};

struct Settings {
  ModelKind model;
  uint32_t flags;
  uint32_t vocab_size;      // ids are below it
  uint32_t unknown;         // a token, or kNone
  uint32_t max_characters;  // of a word, for WordPiece
  uint32_t bos, eos, pad;   // tokens, or kNone
  uint32_t continuing;  // a string: what begins tokens within a word, or kNone
  uint32_t word_end;    // a string: what ends a word's last token, or kNone
  // At least the bytes of the longest token.
  uint32_t max_token_bytes;
};
constexpr uint32_t kNone = 0xffffffff;

// Bits of the flags of a token.
enum : uint16_t {
  kInModel = 1,      // the model may choose it
  kAdded = 2,        // found in texts before the model sees them
  kSpecial = 4,      // no part of the text
  kStripLeft = 8,    // takes the white space before it along
  kStripRight = 16,  // and that after it
  kSingleWord = 32,  // not within a word
  kNormalized = 64,  // found in normalized text
  kByte = 128,       // its text is one byte of a character
  kUnused = 256,     // BPE merges it, and splits it again
  kHidden = 512,     // only a step of merging: no token
  kSymbol = 1024,    // user-defined, as SentencePiece: never normalized
};

// What happens to a text, in order, before the model sees it. Numbers are part
// of the format.
enum class StepKind : uint32_t {
  kMap = 1,        // a: mapping; each character for itself
  kDecompose = 2,  // a: mapping; canonical order
  kCompose = 3,
  kRemoveCategories = 4,  // a: a bit for each Category
  kReplace = 5,           // a, b: strings
  kPrepend = 6,           // a: string; not to an empty text
  kStrip = 7,             // a: bits, 1 left, 2 right
  kCollapse = 8,      // a: string that takes the place of two spaces or more
  kSingleSpaces = 9,  // as SentencePiece: none at the ends, no two together
  kCleanText = 10,    // as BERT
  kSpaceIdeographs = 11,
  kCharsmap = 12,  // of SentencePiece
  // From here on, pieces.
  kFirstSplit = 20,
  kGpt2 = 20,
  kLlama3 = 21,  // a: digits together, 0: any number; b: 1: with marks
  kGpt4o = 22,   // a: digits together; b: 1: with 's, 't...
  kDigits = 24,  // a: 1: each alone
  kWords = 25,   // \w+|[^\w\s]+
  kWhitespace = 26,
  kPunctuation = 27,  // b: Behavior
  kBert = 28,
  kMetaspace = 29,    // a: string; b: 0 never, 1 first, 2 always; c: 1 splits
  kSplitText = 30,    // a: string; b: Behavior
  kPrefixSpace = 31,  // a space before a piece that begins with none
};

enum class Behavior : uint32_t {
  kIsolated = 0,
  kRemoved = 1,
  kWithPrevious = 2,
  kWithNext = 3,
  kContiguous = 4,
};

struct Step {
  StepKind kind;
  uint32_t a, b, c;
};

struct Merge {
  uint32_t left, right, rank, result;
};

struct Composition {
  uint32_t first, second, result;
};

// Classes of a code point: its category in five bits, and two bits.
enum Category : uint8_t {
  kLu,
  kLl,
  kLt,
  kLm,
  kLo,
  kMn,
  kMc,
  kMe,
  kNd,
  kNl,
  kNo,
  kPc,
  kPd,
  kPs,
  kPe,
  kPi,
  kPf,
  kPo,
  kSm,
  kSc,
  kSk,
  kSo,
  kZs,
  kZl,
  kZp,
  kCc,
  kCf,
  kCs,
  kCo,
  kCn,
  kCategories
};
constexpr uint8_t kCategoryBits = 31, kSpaceBit = 32, kWordBit = 64;

constexpr size_t kNumMappings = 4;

struct TokenizerData {
  Settings settings = {};
  Span<Step> steps;
  size_t num_normalizers = 0;  // the steps before the first split
  Strings strings;             // that steps and settings name
  Strings tokens;              // with hidden ones, whose ids follow
  Span<uint16_t> flags;
  Span<uint32_t> index;  // of tokens by their text: id + 1, or 0
  Span<double> scores;   // of Unigram
  double unknown_score = 0;
  Span<Merge> merges;
  Span<uint32_t> merge_index;   // of merges by their pair: number + 1, or 0
  Span<uint32_t> bytes;         // tokens of the 256 bytes, or kNone; or empty
  Span<uint16_t> class_blocks;  // by the upper bits of a code point
  Span<uint8_t> classes;
  Mapping mappings[kNumMappings];
  Span<uint32_t> combining;  // code point * 256 + class, rising
  Span<Composition> compositions;
  Span<uint8_t> charsmap;
  Span<uint32_t> prefix, suffix;          // special tokens around a text
  Span<uint32_t> stops;                   // tokens that end a generation
  Strings properties;                     // names and values in turn
  std::vector<std::string_view> symbols;  // tokens with kSymbol, sorted
  uint64_t hash = 0;                      // of the file

  bool has(uint32_t flag) const { return (settings.flags & flag) != 0; }

  // Returns the token with this text and one of the flags `which`; kNone if
  // there is none. Constant time on average, by the index.
  uint32_t Find(std::string_view text, uint16_t which) const;
  // The same for a text whose hash is known.
  uint32_t Find(std::string_view text, uint32_t text_hash,
                uint16_t which) const;
  // Returns the merge of two neighbouring tokens; null if there is none.
  const Merge* FindMerge(uint32_t left, uint32_t right) const;

  // Returns the class of a code point: a Category, kSpaceBit and kWordBit; kCn
  // beyond the table.
  uint8_t ClassOf(uint32_t c) const;
  uint32_t CategoryOf(uint32_t c) const { return ClassOf(c) & kCategoryBits; }
  // The canonical combining class of Unicode; 0 for most code points.
  uint8_t CombiningClass(uint32_t c) const;

  // Returns the value of a property, or an empty view whose data is null.
  std::string_view Property(std::string_view name) const;
};

// The hash of texts in the index (FNV-1a): of the empty text, and of a text
// with one byte more.
constexpr uint32_t kFirstHash = 2166136261u;
inline uint32_t NextHash(uint32_t hash, char byte) {
  return (hash ^ static_cast<uint8_t>(byte)) * 16777619u;
}

// Checks a tokenizer file and returns its sections, which point into `bytes`.
// `bytes` must be aligned to 8 bytes and live as long as the data is used.
// Errors: MACE_INVALID_MODEL, naming the section if one is wrong. Nothing that
// ParseTokenizer accepts makes the functions of this folder read outside of the
// file or loop without end. It does not check the order of sorted arrays, nor
// that the indices list all tokens and merges: searches may miss.
Result<TokenizerData> ParseTokenizer(const uint8_t* bytes, size_t size);

}  // namespace mace::text

#endif  // MACE_TEXT_TOKENIZER_DATA_H_
