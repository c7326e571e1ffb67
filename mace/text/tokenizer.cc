// MaceTokenizer and MaceTokenStream.
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "mace/base/aligned_buffer.h"
#include "mace/base/file.h"
#include "mace/public/mace_tokenizer.h"
#include "mace/text/added_tokens.h"
#include "mace/text/decoder.h"
#include "mace/text/models.h"
#include "mace/text/normalize.h"
#include "mace/text/split.h"
#include "mace/text/tokenizer_data.h"
#include "mace/text/utf8_text.h"

namespace mace {

using text::kNone;
using text::Stretch;

namespace {

constexpr size_t kMaxTextBytes = size_t{4} << 20;

int32_t OrMinusOne(uint32_t id) {
  return id == kNone ? -1 : static_cast<int32_t>(id);
}

}  // namespace

class MaceTokenizer::Impl {
 public:
  Impl(MappedFile file, AlignedBuffer copy, text::TokenizerData parsed,
       text::AddedTokens added)
      : file_(std::move(file)),
        copy_(std::move(copy)),
        data(std::move(parsed)),
        added_(std::move(added)) {}

  // `bytes`: those of the file or of the copy.
  static Result<std::unique_ptr<Impl>> Create(MappedFile file,
                                              AlignedBuffer copy,
                                              const uint8_t* bytes,
                                              size_t size) {
    MACE_ASSIGN_OR_RETURN(text::TokenizerData data,
                          text::ParseTokenizer(bytes, size));
    MACE_ASSIGN_OR_RETURN(text::AddedTokens added,
                          text::AddedTokens::Create(data));
    return std::make_unique<Impl>(std::move(file), std::move(copy),
                                  std::move(data), std::move(added));
  }

  // Returns false if the steps make the text too long.
  bool Encode(std::string_view given, bool special,
              std::vector<int32_t>* ids) const {
    size_t growth = text::MostGrowth(given.size());
    std::string raw;
    // A charsmap replaces what is no UTF-8 itself, by what it does not map.
    if (data.num_normalizers > 0 &&
        data.steps[0].kind == text::StepKind::kCharsmap) {
      raw = given;
    } else {
      text::AppendWellFormed(given, &raw);
    }
    const auto outer = added_.Split(data, raw, /*normalized=*/false, special);
    for (const Stretch& part : outer) {
      if (part.id != kNone) {
        ids->push_back(static_cast<int32_t>(part.id));
        continue;
      }
      std::string normalized = raw.substr(part.begin, part.end - part.begin);
      if (!text::Normalize(data, &growth, &normalized) ||
          !EncodeNormalized(normalized, part.begin == 0, special, &growth,
                            ids)) {
        return false;
      }
    }
    return true;
  }

 private:
  bool EncodeNormalized(const std::string& normalized, bool first, bool special,
                        size_t* growth, std::vector<int32_t>* ids) const {
    const auto inner =
        added_.Split(data, normalized, /*normalized=*/true, special);
    for (const Stretch& part : inner) {
      if (part.id != kNone) {
        ids->push_back(static_cast<int32_t>(part.id));
        continue;
      }
      text::Pieces pieces;
      if (!text::SplitText(data,
                           normalized.substr(part.begin, part.end - part.begin),
                           first && part.begin == 0, growth, &pieces)) {
        return false;
      }
      uint32_t begin = 0;
      for (const uint32_t end : pieces.ends) {
        EncodePiece(std::string_view(pieces.text).substr(begin, end - begin),
                    ids);
        begin = end;
      }
    }
    return true;
  }

  void EncodePiece(std::string_view piece, std::vector<int32_t>* ids) const {
    switch (data.settings.model) {
      case text::ModelKind::kBpe:
        return text::EncodeBpe(data, piece, ids);
      case text::ModelKind::kUnigram:
        return text::EncodeUnigram(data, piece, ids);
      case text::ModelKind::kWordPiece:
        return text::EncodeWordPiece(data, piece, ids);
    }
  }

  const MappedFile file_;
  const AlignedBuffer copy_;

 public:
  const text::TokenizerData data;  // in one of them

 private:
  const text::AddedTokens added_;
};

MaceTokenizer::MaceTokenizer(std::unique_ptr<Impl> impl)
    : impl_(std::move(impl)) {}
MaceTokenizer::~MaceTokenizer() = default;

MaceStatus MaceTokenizer::Load(const std::string& path,
                               std::shared_ptr<MaceTokenizer>* tokenizer) {
  if (tokenizer == nullptr) return InvalidArgument("tokenizer is null");
  MACE_ASSIGN_OR_RETURN(MappedFile file, MappedFile::Open(path));
  const uint8_t* bytes = file.data();
  const size_t size = file.size();
  Result<std::unique_ptr<Impl>> impl =
      Impl::Create(std::move(file), AlignedBuffer(), bytes, size);
  if (!impl.ok()) {
    return MaceStatus(impl.status().code(),
                      StrCat(path, ": ", impl.status().information()));
  }
  tokenizer->reset(new MaceTokenizer(std::move(*impl)));
  return MaceStatus();
}

MaceStatus MaceTokenizer::Load(const unsigned char* bytes, size_t size,
                               std::shared_ptr<MaceTokenizer>* tokenizer) {
  if (tokenizer == nullptr) return InvalidArgument("tokenizer is null");
  if (bytes == nullptr) return InvalidArgument("data is null");
  MACE_ASSIGN_OR_RETURN(
      AlignedBuffer copy,
      AlignedBuffer::Create(std::max<size_t>(size, 1), "a tokenizer"));
  std::memcpy(copy.data(), bytes, size);
  const uint8_t* copied = static_cast<const uint8_t*>(copy.data());
  MACE_ASSIGN_OR_RETURN(
      std::unique_ptr<Impl> impl,
      Impl::Create(MappedFile(), std::move(copy), copied, size));
  tokenizer->reset(new MaceTokenizer(std::move(impl)));
  return MaceStatus();
}

MaceStatus MaceTokenizer::Encode(const std::string& text,
                                 std::vector<int32_t>* ids,
                                 const MaceEncodeOptions& options) const {
  if (ids == nullptr) return InvalidArgument("ids is null");
  if (text.size() > kMaxTextBytes) {
    return InvalidArgument("the text has ", text.size(),
                           " bytes; a tokenizer takes at most ", kMaxTextBytes,
                           " at once: encode it in parts");
  }
  const text::TokenizerData& d = impl_->data;
  ids->clear();
  if (options.add_special_tokens) {
    ids->assign(d.prefix.begin(), d.prefix.end());
  }
  if (!impl_->Encode(text, options.parse_special_tokens, ids)) {
    ids->clear();
    return InvalidArgument(
        "the steps of the tokenizer add more than ",
        text::MostGrowth(text.size()), " bytes to the text of ", text.size(),
        ": make its file again with `converter.py tokenizer`");
  }
  if (options.add_special_tokens) {
    ids->insert(ids->end(), d.suffix.begin(), d.suffix.end());
  }
  return MaceStatus();
}

MaceStatus MaceTokenizer::Decode(const std::vector<int32_t>& ids,
                                 std::string* text,
                                 bool skip_special_tokens) const {
  if (text == nullptr) return InvalidArgument("text is null");
  text->clear();
  text::Decoder decoder(impl_->data, skip_special_tokens);
  for (const int32_t id : ids) {
    if (id < 0 || id >= vocab_size()) {
      return InvalidArgument(id, " is no token; the vocabulary has ",
                             vocab_size());
    }
    decoder.Add(static_cast<uint32_t>(id), text);
  }
  decoder.Finish(text);
  return MaceStatus();
}

int32_t MaceTokenizer::vocab_size() const {
  return static_cast<int32_t>(impl_->data.settings.vocab_size);
}

int32_t MaceTokenizer::FindToken(const std::string& text) const {
  const text::TokenizerData& d = impl_->data;
  uint32_t id = d.Find(text, text::kAdded);
  if (id == kNone) id = d.Find(text, static_cast<uint16_t>(~text::kHidden));
  return id == kNone || id >= d.settings.vocab_size ? -1
                                                    : static_cast<int32_t>(id);
}

std::string MaceTokenizer::TokenText(int32_t id) const {
  if (id < 0 || id >= vocab_size()) return std::string();
  return std::string(impl_->data.tokens[static_cast<size_t>(id)]);
}

bool MaceTokenizer::IsSpecial(int32_t id) const {
  return id >= 0 && id < vocab_size() &&
         (impl_->data.flags[static_cast<size_t>(id)] & text::kSpecial) != 0;
}

int32_t MaceTokenizer::bos() const {
  return OrMinusOne(impl_->data.settings.bos);
}
int32_t MaceTokenizer::eos() const {
  return OrMinusOne(impl_->data.settings.eos);
}
int32_t MaceTokenizer::pad() const {
  return OrMinusOne(impl_->data.settings.pad);
}
int32_t MaceTokenizer::unknown() const {
  return OrMinusOne(impl_->data.settings.unknown);
}

std::vector<int32_t> MaceTokenizer::stop_tokens() const {
  return std::vector<int32_t>(impl_->data.stops.begin(),
                              impl_->data.stops.end());
}

std::string MaceTokenizer::property(const std::string& name) const {
  return std::string(impl_->data.Property(name));
}

uint64_t MaceTokenizer::hash() const { return impl_->data.hash; }

class MaceTokenStream::Impl {
 public:
  Impl(std::shared_ptr<MaceTokenizer> of, bool skip_special)
      : tokenizer(std::move(of)),
        decoder(tokenizer->impl()->data, skip_special) {}

  const std::shared_ptr<MaceTokenizer> tokenizer;
  text::Decoder decoder;
};

MaceTokenStream::MaceTokenStream(std::shared_ptr<MaceTokenizer> tokenizer,
                                 bool skip_special_tokens)
    : impl_(tokenizer == nullptr
                ? nullptr
                : std::make_unique<Impl>(std::move(tokenizer),
                                         skip_special_tokens)) {}
MaceTokenStream::~MaceTokenStream() = default;

MaceStatus MaceTokenStream::Add(int32_t id, std::string* text) {
  if (impl_ == nullptr) return InvalidArgument("tokenizer is null");
  if (text == nullptr) return InvalidArgument("text is null");
  const int32_t size = impl_->tokenizer->vocab_size();
  if (id < 0 || id >= size) {
    return InvalidArgument(id, " is no token; the vocabulary has ", size);
  }
  impl_->decoder.Add(static_cast<uint32_t>(id), text);
  return MaceStatus();
}

MaceStatus MaceTokenStream::Finish(std::string* text) {
  if (impl_ == nullptr) return InvalidArgument("tokenizer is null");
  if (text == nullptr) return InvalidArgument("text is null");
  impl_->decoder.Finish(text);
  return MaceStatus();
}

}  // namespace mace
