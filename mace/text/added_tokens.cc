// Finding added tokens: the leftmost, and of those the longest.
// SPDX-License-Identifier: Apache-2.0

#include "mace/text/added_tokens.h"

#include <algorithm>
#include <utility>

#include "mace/text/normalize.h"
#include "mace/text/utf8_text.h"

namespace mace::text {
namespace {

// The character that ends before `at`.
uint32_t CharacterBefore(std::string_view text, size_t at) {
  size_t start = at - 1;
  while (start > 0 && (text[start] & 0xc0) == 0x80) --start;
  return NextCharacter(text, &start);
}

// Whether the token at [begin, end) is next to a letter or a digit.
bool IsWithinWord(const TokenizerData& d, std::string_view text, size_t begin,
                  size_t end) {
  if (begin > 0 && (d.ClassOf(CharacterBefore(text, begin)) & kWordBit) != 0) {
    return true;
  }
  return end < text.size() &&
         (d.ClassOf(NextCharacter(text, &end)) & kWordBit) != 0;
}

void TakeSpaces(const TokenizerData& d, std::string_view text, uint16_t flags,
                size_t first, Stretch* token) {
  while ((flags & kStripLeft) != 0 && token->begin > first) {
    size_t start = token->begin - 1;
    while (start > first && (text[start] & 0xc0) == 0x80) --start;
    size_t at = start;
    if ((d.ClassOf(NextCharacter(text, &at)) & kSpaceBit) == 0) break;
    token->begin = start;
  }
  while ((flags & kStripRight) != 0 && token->end < text.size()) {
    size_t at = token->end;
    if ((d.ClassOf(NextCharacter(text, &at)) & kSpaceBit) == 0) break;
    token->end = at;
  }
}

}  // namespace

Result<AddedTokens> AddedTokens::Create(const TokenizerData& data) {
  AddedTokens tokens;
  size_t growth = MostGrowth(data.tokens.offsets[data.tokens.size()]);
  for (uint32_t id = 0; id < data.settings.vocab_size; ++id) {
    const uint16_t flags = data.flags[id];
    if ((flags & kAdded) == 0) continue;
    const bool normalized = (flags & kNormalized) != 0;
    std::string content(data.tokens[id]);
    if (normalized && (flags & kSymbol) == 0 &&
        !Normalize(data, &growth, &content)) {
      return InvalidModel(
          "tokenizer file: section 'steps' makes token ", id,
          " too long; make the file again with `converter.py tokenizer`");
    }
    if (content.empty()) continue;
    Table& table = normalized ? tokens.normalized_ : tokens.raw_;
    table.empty = false;
    table.by_first[static_cast<uint8_t>(content[0])].push_back(
        {std::move(content), id});
  }
  for (Table* table : {&tokens.raw_, &tokens.normalized_}) {
    for (std::vector<Entry>& entries : table->by_first) {
      std::stable_sort(
          entries.begin(), entries.end(),
          [](const Entry& a, const Entry& b) { return a.content < b.content; });
    }
  }
  return tokens;
}

const AddedTokens::Entry* AddedTokens::Longest(const TokenizerData& data,
                                               const Table& table,
                                               std::string_view text,
                                               bool special) const {
  const std::vector<Entry>& entries =
      table.by_first[static_cast<uint8_t>(text[0])];
  const auto longest = LongestBeginning(
      entries.begin(), entries.end(), text,
      [](const Entry& e) { return std::string_view(e.content); },
      [&](const Entry& e) {
        return special || (data.flags[e.id] & kSpecial) == 0;
      });
  return longest == entries.end() ? nullptr : &*longest;
}

std::vector<Stretch> AddedTokens::Split(const TokenizerData& data,
                                        std::string_view text, bool normalized,
                                        bool special) const {
  const Table& table = normalized ? normalized_ : raw_;
  std::vector<Stretch> stretches;
  size_t done = 0;
  for (size_t at = 0; !table.empty && at < text.size();) {
    const Entry* entry = Longest(data, table, text.substr(at), special);
    if (entry == nullptr) {
      ++at;
      continue;
    }
    Stretch token{at, at + entry->content.size(), entry->id};
    at = token.end;
    const uint16_t flags = data.flags[entry->id];
    if ((flags & kSingleWord) != 0 &&
        IsWithinWord(data, text, token.begin, token.end)) {
      continue;
    }
    TakeSpaces(data, text, flags, done, &token);
    if (token.begin > done) stretches.push_back({done, token.begin});
    stretches.push_back(token);
    done = at = token.end;
  }
  if (done < text.size()) stretches.push_back({done, text.size()});
  return stretches;
}

}  // namespace mace::text
