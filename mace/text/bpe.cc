// Byte pair encoding.
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <queue>
#include <string>

#include "mace/text/models.h"
#include "mace/text/utf8_text.h"

namespace mace::text {
namespace {

// A part of the piece; a list in order of the text.
struct Symbol {
  uint32_t id;  // kNone: characters without a token, which merge with nothing
  uint32_t begin, end;
  int32_t previous, next;  // -1: none
  // How an unused token was made, of which symbols in the list of the parts.
  int32_t part = -1;
};

struct Candidate {
  uint32_t rank;
  int32_t left, right;
  uint32_t left_id, right_id;
  uint32_t result;

  // The lowest rank is on top; of equals the leftmost.
  bool operator<(const Candidate& other) const {
    return rank != other.rank ? rank > other.rank : left > other.left;
  }
};

// The two symbols of which an unused one was made.
struct Parts {
  Symbol left, right;
};

class Bpe {
 public:
  Bpe(const TokenizerData& data, std::string_view piece)
      : d_(data), piece_(piece) {}

  void Encode(std::vector<int32_t>* ids) {
    Start();
    for (size_t i = 0; i + 1 < symbols_.size(); ++i) {
      Propose(static_cast<int32_t>(i));
    }
    while (!candidates_.empty()) {
      const Candidate candidate = candidates_.top();
      candidates_.pop();
      Merge(candidate);
    }
    bool fuse = false;
    for (int32_t i = symbols_.empty() ? -1 : 0; i >= 0; i = symbols_[i].next) {
      Emit(symbols_[i], &fuse, ids);
    }
  }

 private:
  void Start() {
    for (size_t at = 0; at < piece_.size();) {
      Symbol s{kNone, static_cast<uint32_t>(at), 0, -1, -1};
      if (d_.has(kByteLevel)) {
        s.id = d_.bytes[static_cast<uint8_t>(piece_[at++])];
      } else {
        NextCharacter(piece_, &at);
        s.id = FindCharacter(s.begin, at);
      }
      s.end = static_cast<uint32_t>(at);
      const int32_t i = static_cast<int32_t>(symbols_.size());
      s.previous = i - 1;
      if (i > 0) symbols_[i - 1].next = i;
      symbols_.push_back(s);
    }
  }

  uint32_t FindCharacter(size_t begin, size_t end) const {
    const std::string_view text = piece_.substr(begin, end - begin);
    const Settings& settings = d_.settings;
    if (settings.continuing == kNone && settings.word_end == kNone) {
      return d_.Find(text, kInModel | kHidden | kUnused);
    }
    std::string affixed;
    if (begin > 0 && settings.continuing != kNone) {
      affixed = d_.strings[settings.continuing];
    }
    affixed.append(text);
    if (end == piece_.size() && settings.word_end != kNone) {
      affixed.append(d_.strings[settings.word_end]);
    }
    return d_.Find(affixed, kInModel | kHidden | kUnused);
  }

  // Puts the merge of symbol `i` and its successor on the heap, if there is
  // one.
  void Propose(int32_t i) {
    const Symbol& left = symbols_[i];
    if (left.next < 0 || left.id == kNone) return;
    const Symbol& right = symbols_[left.next];
    if (right.id == kNone) return;
    const mace::text::Merge* merge = d_.FindMerge(left.id, right.id);
    if (merge == nullptr) return;
    candidates_.push(
        {merge->rank, i, left.next, left.id, right.id, merge->result});
  }

  void Merge(const Candidate& c) {
    Symbol& left = symbols_[c.left];
    // Either may have been merged with another one since.
    if (left.id != c.left_id || left.next != c.right) return;
    Symbol& right = symbols_[c.right];
    if (right.id != c.right_id) return;
    if ((d_.flags[c.result] & kUnused) != 0) {
      parts_.push_back({left, right});
      left.part = static_cast<int32_t>(parts_.size()) - 1;
    } else {
      left.part = -1;
    }
    left.id = c.result;
    left.end = right.end;
    left.next = right.next;
    right.id = kNone;
    right.previous = -1;
    if (left.next >= 0) symbols_[left.next].previous = c.left;
    if (left.previous >= 0) Propose(left.previous);
    Propose(c.left);
  }

  void Emit(const Symbol& symbol, bool* fuse, std::vector<int32_t>* ids) const {
    std::vector<Symbol> open = {symbol};
    while (!open.empty()) {
      const Symbol s = open.back();
      open.pop_back();
      if (s.part >= 0) {
        open.push_back(parts_[s.part].right);
        open.push_back(parts_[s.part].left);
      } else if (s.id == kNone || (d_.flags[s.id] & kHidden) != 0) {
        AddUnknown(d_, piece_.substr(s.begin, s.end - s.begin), fuse, ids);
      } else {
        ids->push_back(static_cast<int32_t>(s.id));
        *fuse = false;
      }
    }
  }

  const TokenizerData& d_;
  const std::string_view piece_;
  std::vector<Symbol> symbols_;
  std::vector<Parts> parts_;
  std::priority_queue<Candidate> candidates_;
};

}  // namespace

void AddUnknown(const TokenizerData& data, std::string_view characters,
                bool* fuse, std::vector<int32_t>* ids) {
  if (data.has(kByteFallback)) {
    const bool all =
        std::all_of(characters.begin(), characters.end(), [&](char byte) {
          return data.bytes[static_cast<uint8_t>(byte)] != kNone;
        });
    if (all) {
      for (const char byte : characters) {
        ids->push_back(
            static_cast<int32_t>(data.bytes[static_cast<uint8_t>(byte)]));
      }
      *fuse = false;
      return;
    }
  }
  if (data.settings.unknown == kNone) return;
  const bool fused = *fuse && data.has(kFuseUnknown);
  if (!fused) ids->push_back(static_cast<int32_t>(data.settings.unknown));
  *fuse = true;
}

void EncodeBpe(const TokenizerData& data, std::string_view piece,
               std::vector<int32_t>* ids) {
  if (data.has(kIgnoreMerges)) {
    const uint32_t id = data.Find(piece, kInModel);
    if (id != kNone) {
      ids->push_back(static_cast<int32_t>(id));
      return;
    }
  }
  Bpe(data, piece).Encode(ids);
}

}  // namespace mace::text
