// Looking things up in tokenizer files.
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "mace/text/tokenizer_data.h"

namespace mace::text {

Span<uint32_t> Mapping::Find(uint32_t c) const {
  const uint32_t* at = std::lower_bound(keys.begin(), keys.end(), c);
  if (at == keys.end() || *at != c) return {};
  const size_t i = static_cast<size_t>(at - keys.begin());
  // Not null where the sequence is empty, too.
  return {values.data + offsets[i], offsets[i + 1] - offsets[i]};
}

uint32_t TokenizerData::Find(std::string_view text, uint16_t which) const {
  uint32_t text_hash = kFirstHash;
  for (const char byte : text) text_hash = NextHash(text_hash, byte);
  return Find(text, text_hash, which);
}

uint32_t TokenizerData::Find(std::string_view text, uint32_t text_hash,
                             uint16_t which) const {
  if (index.empty()) return kNone;
  const size_t mask = index.size - 1;
  for (size_t at = text_hash & mask; index[at] != 0; at = (at + 1) & mask) {
    const uint32_t id = index[at] - 1;
    if ((flags[id] & which) != 0 && tokens[id] == text) return id;
  }
  return kNone;
}

const Merge* TokenizerData::FindMerge(uint32_t left, uint32_t right) const {
  if (merge_index.empty()) return nullptr;
  uint32_t pair_hash = (left * 0x9e3779b1u + right) * 0x85ebca6bu;
  pair_hash ^= pair_hash >> 15;
  const size_t mask = merge_index.size - 1;
  for (size_t at = pair_hash & mask; merge_index[at] != 0;
       at = (at + 1) & mask) {
    const Merge& merge = merges[merge_index[at] - 1];
    if (merge.left == left && merge.right == right) return &merge;
  }
  return nullptr;
}

uint8_t TokenizerData::ClassOf(uint32_t c) const {
  if (c >> 8 >= class_blocks.size) return kCn;
  return classes[size_t{class_blocks[c >> 8]} * 256 + (c & 255)];
}

uint8_t TokenizerData::CombiningClass(uint32_t c) const {
  const uint32_t* at =
      std::lower_bound(combining.begin(), combining.end(), c << 8);
  return at != combining.end() && *at >> 8 == c ? *at & 255 : 0;
}

std::string_view TokenizerData::Property(std::string_view name) const {
  for (size_t i = 0; i + 1 < properties.size(); i += 2) {
    if (properties[i] == name) return properties[i + 1];
  }
  return {};
}

}  // namespace mace::text
