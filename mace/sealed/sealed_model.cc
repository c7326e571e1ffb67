// Reading sealed models.
// SPDX-License-Identifier: Apache-2.0

#include "mace/sealed/sealed_model.h"

#include <string>
#include <utility>

#include "mace/base/utf8.h"
#include "mace/sealed/aes_gcm.h"
#include "mace/sealed/key.h"

namespace mace {
namespace {

constexpr uint32_t kVersion = 1;
constexpr size_t kFixedBytes = 56;  // of the head, before the key's name
constexpr size_t kMaxNameBytes = 255;

// Where the parts of a sealed model are.
struct Head {
  const uint8_t* head_nonce;
  const uint8_t* content_nonce;
  std::string key_name;
  size_t covered_bytes;  // what the head's tag covers
  const uint8_t* graph;
  size_t graph_bytes, padded_bytes;  // with the zeros behind it
  size_t weights_bytes;
  const uint8_t* tag;
};

uint64_t Number(const uint8_t* bytes, int count) {
  uint64_t number = 0;
  for (int i = count; i-- > 0;) number = number << 8 | bytes[i];
  return number;
}

Status CutShort(size_t size, const char* need, uint64_t bytes) {
  return InvalidModel("the sealed model has ", size, " bytes; ", need, " ",
                      bytes,
                      ": it is cut short or changed; copy the file again");
}

// Errors: MACE_INVALID_MODEL.
Result<Head> ReadHead(const uint8_t* bytes, size_t size) {
  if (!IsSealed(bytes, size)) {
    return InvalidModel(
        "not a sealed model: it does not begin with MACESEAL; `converter.py "
        "seal` makes one, and MaceModel::Load loads models that are not "
        "sealed");
  }
  if (size < kFixedBytes) return CutShort(size, "its head has", kFixedBytes);
  const uint64_t version = Number(bytes + 8, 4);
  if (version != kVersion) {
    return InvalidModel("the sealed model has version ", version,
                        " of the format, this library reads ", kVersion,
                        "; update the library, or seal the model with its "
                        "converter");
  }
  const uint64_t name_bytes = Number(bytes + 12, 4);
  const uint64_t graph_bytes = Number(bytes + 16, 8);
  const uint64_t weights_bytes = Number(bytes + 24, 8);
  if (name_bytes > kMaxNameBytes) {
    return InvalidModel("the sealed model is changed: the name of its key has ",
                        name_bytes, " bytes, more than ", kMaxNameBytes);
  }
  const uint64_t before = kFixedBytes + name_bytes + kMaceTagBytes;
  const uint64_t around = before + kMaceTagBytes;
  if (size < around)
    return CutShort(size, "without its content it has", around);
  const uint64_t content = size - around;
  // Both sums stay below 2^64: size is the size of something in memory.
  if (graph_bytes > content || weights_bytes > content - graph_bytes ||
      content != uint64_t(AlignUp(graph_bytes, kAlignment)) + weights_bytes) {
    return InvalidModel("the sealed model has ", size,
                        " bytes, which is not what its head says (a graph of ",
                        graph_bytes, ", weights of ", weights_bytes,
                        "): it is cut short or changed; copy the file again");
  }
  Head head;
  head.head_nonce = bytes + 32;
  head.content_nonce = bytes + 44;
  head.key_name.assign(reinterpret_cast<const char*>(bytes) + kFixedBytes,
                       static_cast<size_t>(name_bytes));
  if (!IsUtf8(head.key_name) || head.key_name.find('\0') != std::string::npos) {
    return InvalidModel(
        "the sealed model is changed: the name of its key is not text");
  }
  head.covered_bytes = static_cast<size_t>(kFixedBytes + name_bytes);
  head.graph = bytes + before;
  head.graph_bytes = static_cast<size_t>(graph_bytes);
  head.weights_bytes = static_cast<size_t>(weights_bytes);
  head.padded_bytes = static_cast<size_t>(content - weights_bytes);
  head.tag = bytes + size - kMaceTagBytes;
  return head;
}

// What messages call the key.
std::string KeyOf(const Head& head) {
  return head.key_name.empty() ? "the key"
                               : StrCat("the key '", head.key_name, "'");
}

Status GetKey(const Head& head, const MaceKeyCallback& get_key, Key* key) {
  const Status status = get_key(head.key_name, key->bytes);
  if (status.ok()) return Status();
  return Status(status.code(),
                StrCat("the app did not give ", KeyOf(head),
                       " of the sealed model: ", status.information()));
}

Status CheckKey(const uint8_t* bytes, const Head& head, const Key& key) {
  const auto result =
      mace_gcm_decrypt(key.bytes, head.head_nonce, bytes, head.covered_bytes,
                       nullptr, 0, bytes + head.covered_bytes);
  if (result == kMaceGcmDone) return Status();
  if (result == kMaceGcmNoMemory) {
    return OutOfResources("no memory to decrypt a sealed model");
  }
  return InvalidArgument("the app gave another key than ", KeyOf(head),
                         " with which the model was sealed, or the first ",
                         head.covered_bytes + kMaceTagBytes,
                         " bytes of the sealed model changed");
}

Result<AlignedBuffer> Allocate(size_t bytes) {
  if (bytes == 0) return AlignedBuffer();
  return AlignedBuffer::Create(bytes, "a sealed model");
}

}  // namespace

Result<UnsealedModel> Unseal(const uint8_t* bytes, size_t size,
                             const MaceKeyCallback& get_key) {
  if (!get_key) {
    return InvalidArgument("a sealed model needs a callback for its key");
  }
  MACE_ASSIGN_OR_RETURN(const Head head, ReadHead(bytes, size));
  Key key;
  MACE_RETURN_IF_ERROR(GetKey(head, get_key, &key));
  MACE_RETURN_IF_ERROR(CheckKey(bytes, head, key));
  UnsealedModel model;
  model.graph_bytes = head.graph_bytes;
  MACE_ASSIGN_OR_RETURN(model.graph, Allocate(head.padded_bytes));
  MACE_ASSIGN_OR_RETURN(model.weights, Allocate(head.weights_bytes));
  const mace_gcm_piece pieces[] = {
      {head.graph, static_cast<uint8_t*>(model.graph.data()),
       head.padded_bytes},
      {head.graph + head.padded_bytes,
       static_cast<uint8_t*>(model.weights.data()), head.weights_bytes}};
  switch (mace_gcm_decrypt(key.bytes, head.content_nonce, bytes,
                           head.covered_bytes + kMaceTagBytes, pieces, 2,
                           head.tag)) {
    case kMaceGcmDone:
      return model;
    case kMaceGcmNoMemory:
      return OutOfResources("no memory to decrypt a sealed model");
    case kMaceGcmTooLong:
      return InvalidModel("the sealed model has more than 64 GiB");
    case kMaceGcmOtherTag:
      break;
  }
  return InvalidModel(
      "the content of the sealed model is not what was sealed: it is damaged, "
      "or somebody changed it; copy the file again");
}

}  // namespace mace
