// What is behind the opaque types of language models, and results of theirs.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CAPI_LANGUAGE_H_
#define MACE_CAPI_LANGUAGE_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "mace/capi/status.h"
#include "mace/public/mace_tokenizer.h"

// Generators that were made with the tokenizer share it, and do not need this
// object.
struct mace_tokenizer {
  std::shared_ptr<mace::MaceTokenizer> tokenizer;
};

namespace mace::capi {

// Stores a copy of bytes, with a 0 behind them, that mace_free frees: it is
// from malloc. `data` may be null if there are no bytes. Errors: as Made; then
// *stored is null.
mace_status_t StoreBytes(const void* data, size_t bytes, void** stored);
inline mace_status_t StoreText(const std::string& text, char** stored) {
  void* bytes = nullptr;
  const mace_status_t status = StoreBytes(text.data(), text.size(), &bytes);
  *stored = static_cast<char*>(bytes);
  return status;
}

// The same of elements, which the caller casts to char* for mace_free. If there
// are none, *stored and *count stay as they are. REQUIRES: they are null and 0.
// T is a number: its bytes are copied, and malloc aligns them for any.
template <typename T>
mace_status_t StoreArray(const std::vector<T>& elements, T** stored,
                         size_t* count) {
  if (elements.empty()) return MACE_SUCCESS;
  void* bytes = nullptr;
  const mace_status_t status =
      StoreBytes(elements.data(), elements.size() * sizeof(T), &bytes);
  *stored = static_cast<T*>(bytes);
  *count = bytes == nullptr ? 0 : elements.size();
  return status;
}

}  // namespace mace::capi

#endif  // MACE_CAPI_LANGUAGE_H_
