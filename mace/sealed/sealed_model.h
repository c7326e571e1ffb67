// Encrypted ("sealed") models: a graph and its weights in one file.
// SPDX-License-Identifier: Apache-2.0
//
// Numbers are little-endian; n is the length of the key's name.
//
//   0       "MACESEAL"                              8 bytes
//   8       version of this format: 1               u32
//   12      n, at most 255                          u32
//   16, 24  bytes of the graph, of the weights      u64, u64
//   32, 44  nonce of the head, of the content       12 bytes each
//   56      name of the key, UTF-8                  n
//   56 + n  tag of the head                         16
//   72 + n  the content: the graph, zeros up to a multiple of 64, the weights
//   end     tag of the content                      16
//
// Both tags are of AES-256-GCM with the same key. The tag of the head is that
// of an empty message, with the bytes before the tag as additional data: it
// shows whether a key is the right one before anything is decrypted. The
// additional data of the content are all bytes before it.
// docs/sealed_models.md describes what this protects.
#ifndef MACE_SEALED_SEALED_MODEL_H_
#define MACE_SEALED_SEALED_MODEL_H_

#include <cstddef>
#include <cstdint>

#include "mace/base/aligned_buffer.h"
#include "mace/base/status.h"
#include "mace/public/mace_model.h"

namespace mace {

// The parts of a decrypted model, aligned as LoadModel needs them.
struct UnsealedModel {
  // graph_bytes bytes, then what was written there: zeros up to a multiple of
  // 64.
  AlignedBuffer graph;
  size_t graph_bytes = 0;
  // Empty, with null data, if the model has no weights.
  AlignedBuffer weights;
};

// Returns whether the bytes begin as a sealed model does, with "MACESEAL".
bool IsSealed(const uint8_t* bytes, size_t size);

// Decrypts an encrypted model into new memory; does not change `bytes`. Calls
// `get_key` once, in this thread, if the bytes are a whole encrypted model as
// far as can be told without a key, otherwise not at all, and wipes the key
// before it returns. Returns nothing of the content unless all of it is what
// was encrypted.
//
// Errors: MACE_INVALID_MODEL for bytes that are no encrypted model, cut short,
// of another version, above 64 GiB, whose key's name is too long or no text, or
// whose content was changed; MACE_INVALID_ARGS for no `get_key`, and for a
// wrong key or another change of the head, which cannot be told apart; the
// error of `get_key`; MACE_OUT_OF_RESOURCES; MACE_UNSUPPORTED in a library
// without the component `encryption`.
Result<UnsealedModel> Unseal(const uint8_t* bytes, size_t size,
                             const MaceKeyCallback& get_key);

}  // namespace mace

#endif  // MACE_SEALED_SEALED_MODEL_H_
