// The opaque types of language models in the C API, and storing results.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CAPI_LANGUAGE_H_
#define MACE_CAPI_LANGUAGE_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "mace/capi/status.h"
#include "mace/public/mace_tokenizer.h"

// Generators and streams that were made with the tokenizer share its ownership,
// and do not need this object.
struct mace_tokenizer {
  std::shared_ptr<mace::MaceTokenizer> tokenizer;
};

namespace mace::capi {

// Stores a copy of the `bytes` bytes at `data`, followed by a 0, in memory of
// malloc, which mace_free frees. `data` may be null if `bytes` is 0. Errors: as
// Made; then *stored is null.
mace_status_t StoreBytes(const void* data, size_t bytes, void** stored);
inline mace_status_t StoreText(const std::string& text, char** stored) {
  void* bytes = nullptr;
  const mace_status_t status = StoreBytes(text.data(), text.size(), &bytes);
  *stored = static_cast<char*>(bytes);
  return status;
}

// The same of elements: the app casts *stored to char* for mace_free. If there
// are no elements, *stored and *count stay as they are. REQUIRES: *stored is
// null and *count 0. T is a number: its bytes are copied, and malloc aligns
// them for any number.
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
