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

struct mace_tokenizer {
  std::shared_ptr<mace::MaceTokenizer> tokenizer;
};

namespace mace::capi {

// Stores a copy of bytes, with a 0 behind them, that mace_free frees.
mace_status_t StoreBytes(const void* data, size_t bytes, void** stored);
inline mace_status_t StoreText(const std::string& text, char** stored) {
  void* bytes = nullptr;
  const mace_status_t status = StoreBytes(text.data(), text.size(), &bytes);
  *stored = static_cast<char*>(bytes);
  return status;
}

// The same of elements, which the caller casts to char* for mace_free: null if
// there are none.
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
