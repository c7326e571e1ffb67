// Unigram: the most likely way to write a text as tokens.
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "mace/text/models.h"
#include "mace/text/utf8_text.h"

namespace mace::text {
namespace {

// The best way to the end of a token.
struct Node {
  double sum = 0;
  size_t begin = 0;
  uint32_t id = kNone;
  bool reached = false;
};

double Add(const TokenizerData& d, double a, double b) {
  return d.has(kFloat32Sums) ? static_cast<double>(static_cast<float>(a) +
                                                   static_cast<float>(b))
                             : a + b;
}

}  // namespace

void EncodeUnigram(const TokenizerData& data, std::string_view piece,
                   std::vector<int32_t>* ids) {
  std::vector<Node> nodes(piece.size() + 1);
  nodes[0].reached = true;
  const auto offer = [&](size_t begin, size_t end, uint32_t id, double score) {
    const double sum = Add(data, nodes[begin].sum, score);
    Node& node = nodes[end];
    if (!node.reached || sum > node.sum) node = {sum, begin, id, true};
  };
  for (size_t begin = 0; begin < piece.size();) {
    size_t next = begin;
    NextCharacter(piece, &next);
    const size_t most = begin + std::min<size_t>(piece.size() - begin,
                                                 data.settings.max_token_bytes);
    uint32_t text_hash = kFirstHash;
    bool single = false;
    for (size_t end = begin; end < most;) {
      const size_t start = end;
      NextCharacter(piece, &end);
      for (size_t i = start; i < end; ++i) {
        text_hash = NextHash(text_hash, piece[i]);
      }
      const std::string_view text = piece.substr(begin, end - begin);
      const uint32_t id = data.Find(text, text_hash, kInModel);
      if (id == kNone) continue;
      offer(begin, end, id, data.scores[id]);
      single |= end == next;
    }
    if (!single) offer(begin, next, kNone, data.unknown_score);
    begin = next;
  }
  std::vector<size_t> path;
  for (size_t end = piece.size(); end > 0; end = nodes[end].begin) {
    path.push_back(end);
  }
  // Unknown characters together are one unknown token, or bytes.
  for (size_t i = path.size(); i-- > 0;) {
    const Node& node = nodes[path[i]];
    if (node.id != kNone) {
      ids->push_back(static_cast<int32_t>(node.id));
      continue;
    }
    size_t last = i;
    while (last > 0 && nodes[path[last - 1]].id == kNone) --last;
    bool fuse = false;
    AddUnknown(data, piece.substr(node.begin, path[last] - node.begin), &fuse,
               ids);
    i = last;
  }
}

}  // namespace mace::text
