// What read_bytes reads: a sample of each kind, and how an app uses it.
// SPDX-License-Identifier: Apache-2.0
#ifndef TEST_ROBUSTNESS_READ_BYTES_H_
#define TEST_ROBUSTNESS_READ_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include "mace/public/status.h"

namespace mace::robustness {

// A kind of bytes that an app gets from elsewhere. read_bytes_main.cc has the
// list, by `name`.
struct Kind {
  const char* name;
  // Returns a valid sample, to be mutated.
  std::string (*make)();
  // Returns why it was refused; "": it was not.
  std::string (*read)(const std::string& bytes);
};

// An encrypted model, and loading it with the right key.
std::string EncryptedModel();
std::string ReadEncrypted(const std::string& bytes);

// Of a generator: read as they are, and with the checksum of their bytes.
std::string SavedSequence();
std::string ReadSavedSequence(const std::string& bytes);

// Of an engine: types, shapes and contents. After them the engine must compute
// as before, once its states are reset.
std::string States();
std::string ReadStates(const std::string& bytes);

// The fields of MaceImage and MaceImageInput, and pixels.
std::string Image();
std::string ReadImage(const std::string& bytes);

// A graph, and messages to the executor of the DSP, which runs in this process.
std::string DspRequests();
std::string ReadDspRequests(const std::string& bytes);

// Takes numbers off the front of bytes; after their end, zeros. Refers to the
// bytes.
class Numbers {
 public:
  explicit Numbers(const std::string& bytes) : bytes_(bytes) {}
  template <typename T>
  T Next() {
    T number = T();
    if (left() >= sizeof(T)) {
      std::memcpy(&number, bytes_.data() + at_, sizeof(T));
    }
    at_ = left() >= sizeof(T) ? at_ + sizeof(T) : bytes_.size();
    return number;
  }
  // Memory of exactly this size, so that the sanitizers see what is beyond it;
  // as many bytes as are left, then zeros.
  std::shared_ptr<void> Take(size_t size) {
    std::shared_ptr<void> taken(std::calloc(1, size), std::free);
    const size_t n = size < left() ? size : left();
    if (taken != nullptr && n > 0) {
      std::memcpy(taken.get(), bytes_.data() + at_, n);
    }
    at_ += n;
    return taken;
  }
  size_t left() const { return bytes_.size() - at_; }

 private:
  const std::string& bytes_;
  size_t at_ = 0;
};

template <typename T>
void Append(T number, std::string* bytes) {
  bytes->append(reinterpret_cast<const char*>(&number), sizeof(number));
}

// "" for success. An internal error is told by name, as the campaign looks for
// it.
inline std::string Refusal(const MaceStatus& status) {
  if (status.ok()) return "";
  const bool is_internal = status.code() == MaceStatus::MACE_INTERNAL_ERROR;
  return (is_internal ? "internal error: " : "") + status.information();
}

}  // namespace mace::robustness

#endif  // TEST_ROBUSTNESS_READ_BYTES_H_
