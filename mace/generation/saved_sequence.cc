// The format of saved sequences.
// SPDX-License-Identifier: Apache-2.0
//
//   "MACESEQN"                          the numbers are little-endian
//   u64 version, model, tokenizer       their hashes
//   u64 tokens, bytes of states
//   i32 of each token
//   of each state: u32 length of the name, the name, u32 rank, i64 extents,
//     and its elements: of a cache only the rows that hold tokens
//   u64 XXH3 of all before it

#include "mace/generation/saved_sequence.h"

#include <cstring>
#include <utility>

#include "mace/base/aligned_buffer.h"
#include "mace/base/file.h"
#include "mace/base/hash.h"

namespace mace::generation {
namespace {

constexpr char kSavedMagic[] = "MACESEQN";
constexpr size_t kMagicBytes = 8;
constexpr uint64_t kSavedVersion = 1;
constexpr int64_t kMaxExtent = int64_t{1} << 24;  // of a state that grows

struct Head {
  uint64_t version, model, tokenizer, tokens, state_bytes;
};
constexpr size_t kHeadBytes = kMagicBytes + sizeof(Head);

// Counts bytes, and copies them where there is memory for them.
struct Sink {
  char* to = nullptr;
  size_t size = 0;
  void Add(const void* data, size_t bytes) {
    if (to != nullptr && bytes > 0) std::memcpy(to + size, data, bytes);
    size += bytes;
  }
  template <typename T>
  void AddNumber(T number) {
    Add(&number, sizeof(T));
  }
};

// Takes parts off the front of bytes.
class Taker {
 public:
  Taker(const uint8_t* data, size_t size)
      : data_(reinterpret_cast<const char*>(data)), left_(size) {}
  bool Take(size_t size, const char** part) {
    if (size > left_) return false;
    *part = data_;
    data_ += size;
    left_ -= size;
    return true;
  }
  template <typename T>
  bool Number(T* number) {
    const char* part = nullptr;
    if (!Take(sizeof(T), &part)) return false;
    std::memcpy(number, part, sizeof(T));
    return true;
  }
  size_t left() const { return left_; }

 private:
  const char* data_;
  size_t left_;
};

// The parts of a state that are in a file, at equal distances.
struct SavedParts {
  size_t count, bytes, stride;
};

SavedParts PartsOf(const MaceTensorInfo& info,
                   const std::vector<int64_t>& shape, int64_t rows) {
  const size_t size =
      BytesOf(info.data_type) * Elements(shape, 0, shape.size());
  if (rows < 0) return {1, size, size};
  const size_t row = BytesOf(info.data_type) * Elements(shape, 3, 4);
  return {Elements(shape, 0, 2), row * static_cast<size_t>(rows),
          row * static_cast<size_t>(shape[kCapacityAxis])};
}

void WriteStates(const DecoderModel& decoder,
                 const std::map<std::string, MaceTensor>& states, Sink* sink) {
  const auto tokens = static_cast<int64_t>(decoder.tokens().size());
  for (const MaceTensorInfo& info : decoder.engine().states()) {
    const MaceTensor& tensor = states.at(info.name);
    sink->AddNumber(static_cast<uint32_t>(info.name.size()));
    sink->Add(info.name.data(), info.name.size());
    sink->AddNumber(static_cast<uint32_t>(tensor.shape().size()));
    for (const int64_t extent : tensor.shape()) sink->AddNumber(extent);
    const SavedParts parts =
        PartsOf(info, tensor.shape(), decoder.RowsOf(info, tokens));
    const auto* data = static_cast<const char*>(tensor.raw_data().get());
    for (size_t i = 0; i < parts.count; ++i) {
      sink->Add(data + i * parts.stride, parts.bytes);
    }
  }
}

// Whether a tensor has at most `limit` elements.
bool FitsInto(const std::vector<int64_t>& shape, size_t limit) {
  size_t n = 1;
  for (const int64_t extent : shape) {
    if (extent == 0) return true;
    if (static_cast<size_t>(extent) > limit / n) return false;
    n *= static_cast<size_t>(extent);
  }
  return true;
}

// Takes the name and the shape of a state. Returns whether they are those of a
// state of this model.
bool TakeShape(const MaceTensorInfo& info, bool grows, Taker* taker,
               std::vector<int64_t>* shape) {
  uint32_t length = 0, rank = 0;
  const char* part = nullptr;
  if (!taker->Number(&length) || !taker->Take(length, &part) ||
      std::string(part, length) != info.name || !taker->Number(&rank) ||
      rank != info.shape.size()) {
    return false;
  }
  shape->resize(rank);
  for (size_t i = 0; i < rank; ++i) {
    int64_t& extent = (*shape)[i];
    if (!taker->Number(&extent)) return false;
    if (grows ? extent < 0 || extent > kMaxExtent : extent != info.shape[i]) {
      return false;
    }
  }
  // One that grows is in the file as a whole.
  return !grows || FitsInto(*shape, taker->left() / BytesOf(info.data_type));
}

// Takes all states. Errors: MACE_INVALID_MODEL.
Result<std::map<std::string, MaceTensor>> TakeStates(
    const DecoderModel& decoder, int64_t tokens, Taker* taker) {
  std::map<std::string, MaceTensor> states;
  for (const MaceTensorInfo& info : decoder.engine().states()) {
    const Status broken = InvalidModel("the saved state '", info.name,
                                       "' is not as this model needs it");
    std::vector<int64_t> shape;
    if (!TakeShape(info, !decoder.has_position(), taker, &shape)) return broken;
    MACE_ASSIGN_OR_RETURN(MaceTensor tensor, HostTensor(info, shape));
    char* data = static_cast<char*>(tensor.raw_data().get());
    const SavedParts parts = PartsOf(info, shape, decoder.RowsOf(info, tokens));
    std::memset(data, 0, parts.count * parts.stride);
    for (size_t i = 0; i < parts.count; ++i) {
      const char* part = nullptr;
      if (!taker->Take(parts.bytes, &part)) return broken;
      if (parts.bytes == 0) continue;
      std::memcpy(data + i * parts.stride, part, parts.bytes);
    }
    if (decoder.has_position() && info.name == kPosition &&
        *reinterpret_cast<const int64_t*>(data) != tokens) {
      return broken;
    }
    states[info.name] = std::move(tensor);
  }
  if (taker->left() > 0) {
    return InvalidModel("the saved states have more bytes than this model's");
  }
  return states;
}

// Checks the file as a whole and returns what its numbers are.
Result<Head> ReadHead(const MappedFile& mapped) {
  const uint8_t* data = mapped.data();
  const size_t size = mapped.size();
  if (size < kHeadBytes + sizeof(uint64_t) ||
      std::memcmp(data, kSavedMagic, kMagicBytes) != 0) {
    return InvalidModel("this is no saved sequence of MACE");
  }
  Head head;
  std::memcpy(&head, data + kMagicBytes, sizeof(head));
  if (head.version != kSavedVersion) {
    return InvalidModel("it has version ", head.version,
                        ", this library reads version ", kSavedVersion);
  }
  uint64_t hash = 0;
  const size_t hashed = size - sizeof(hash);
  std::memcpy(&hash, data + hashed, sizeof(hash));
  if (hash != Hash64(data, hashed)) {
    return InvalidModel("its checksum is wrong: it was changed or cut short");
  }
  const size_t rest = hashed - kHeadBytes;
  if (head.tokens > rest / sizeof(int32_t) ||
      head.state_bytes != rest - head.tokens * sizeof(int32_t)) {
    return InvalidModel("its sizes contradict each other");
  }
  return head;
}

Status CheckTokens(const std::vector<int32_t>& tokens,
                   const MaceTokenizer& tokenizer,
                   const DecoderModel& decoder) {
  for (const int32_t id : tokens) {
    if (id < 0 || id >= tokenizer.vocab_size()) {
      return InvalidModel("it has token ", id, "; the vocabulary has ",
                          tokenizer.vocab_size());
    }
  }
  if (decoder.capacity() >= 0 &&
      tokens.size() > static_cast<size_t>(decoder.capacity())) {
    return InvalidModel("it has ", tokens.size(),
                        " tokens; the model's KV cache holds ",
                        decoder.capacity());
  }
  return Status();
}

Status Restore(const MappedFile& mapped, const MaceTokenizer& tokenizer,
               DecoderModel* decoder) {
  MACE_ASSIGN_OR_RETURN(const Head head, ReadHead(mapped));
  if (head.tokenizer != tokenizer.hash() ||
      head.model != decoder->model().hash()) {
    return InvalidModel(
        "it was saved with another ",
        head.tokenizer != tokenizer.hash() ? "tokenizer" : "model",
        "; load the one that it was saved with, or begin a new sequence");
  }
  std::vector<int32_t> tokens(static_cast<size_t>(head.tokens));
  const size_t token_bytes = tokens.size() * sizeof(int32_t);
  const uint8_t* data = mapped.data() + kHeadBytes;
  if (token_bytes > 0) std::memcpy(tokens.data(), data, token_bytes);
  MACE_RETURN_IF_ERROR(CheckTokens(tokens, tokenizer, *decoder));
  Taker taker(data + token_bytes, static_cast<size_t>(head.state_bytes));
  MACE_ASSIGN_OR_RETURN(
      const auto states,
      TakeStates(*decoder, static_cast<int64_t>(tokens.size()), &taker));
  return decoder->SetStates(states, std::move(tokens));
}

}  // namespace

Status SaveSequence(const std::string& file, const MaceTokenizer& tokenizer,
                    const DecoderModel& decoder) {
  MACE_ASSIGN_OR_RETURN(const auto states, decoder.States());
  Sink counted;
  WriteStates(decoder, states, &counted);
  const std::vector<int32_t>& tokens = decoder.tokens();
  const Head head = {kSavedVersion, decoder.model().hash(), tokenizer.hash(),
                     tokens.size(), counted.size};
  const size_t bytes = kHeadBytes + tokens.size() * sizeof(int32_t) +
                       counted.size + sizeof(uint64_t);
  MACE_ASSIGN_OR_RETURN(const AlignedBuffer buffer,
                        AlignedBuffer::Create(bytes, "a saved sequence"));
  Sink sink;
  sink.to = static_cast<char*>(buffer.data());
  sink.Add(kSavedMagic, kMagicBytes);
  sink.AddNumber(head);
  sink.Add(tokens.data(), tokens.size() * sizeof(int32_t));
  WriteStates(decoder, states, &sink);
  sink.AddNumber(Hash64(buffer.data(), sink.size));
  return WriteFileAtomically(file, buffer.data(), sink.size);
}

Status RestoreSequence(const std::string& file, const MaceTokenizer& tokenizer,
                       DecoderModel* decoder) {
  MACE_ASSIGN_OR_RETURN(const MappedFile mapped, MappedFile::Open(file));
  const Status status = Restore(mapped, tokenizer, decoder);
  if (status.ok()) return status;
  return {status.code(),
          StrCat("saved sequence '", file, "': ", status.information())};
}

}  // namespace mace::generation
