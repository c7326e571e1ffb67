// PackedWeights: weights rearranged for a kernel, shared by every engine of a
// model.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_DEVICE_PACKED_WEIGHTS_H_
#define MACE_DEVICE_PACKED_WEIGHTS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "mace/base/aligned_buffer.h"
#include "mace/base/fork.h"
#include "mace/base/status.h"

namespace mace {

// The version of the arrangements. Raise it when a kernel packs otherwise under
// a name that it had before.
constexpr uint32_t kPackingVersion = 1;

// Thread-safe, but for AddPacked and the setters. A packed buffer lives as long
// as anyone holds it.
class PackedWeights {
 public:
  // Sets a function that is called under this object's lock, after each few MiB
  // that were packed. The plain bytes of the weights packed so far have then
  // been read, and their memory may be given back.
  void SetRelease(std::function<void()> release) {
    release_ = std::move(release);
  }

  // For plans that never run: nothing is packed from now on, and what GetOrPack
  // returns must not be read.
  void SetUnread() { unread_ = true; }

  // Returns the bytes, 64-byte aligned, that `fill` makes of weight `weight_id`
  // in the arrangement named `how`; made once and kept while this object lives.
  // A weight_id of -1 (contents computed by a plan) is packed again each time
  // and not kept. Errors: MACE_OUT_OF_RESOURCES; those of `fill` and of
  // SetVerify's function; MACE_INVALID_MODEL if the weight was packed ahead
  // with another number of bytes. REQUIRES: calls with the same weight and name
  // want the same bytes; what is kept is returned without a check of its size.
  Result<std::shared_ptr<const void>> GetOrPack(
      int64_t weight_id, const std::string& how, size_t bytes,
      const std::function<Status(void*)>& fill);

  // Adds a weight that was packed ahead, in kPackingVersion: GetOrPack returns
  // these bytes where a kernel asks for that arrangement and this number of
  // bytes. REQUIRES: `data` is 64-byte aligned. `name` is for messages.
  void AddPacked(int64_t weight_id, const std::string& how,
                 const std::string& name, std::shared_ptr<const void> data,
                 size_t bytes);

  // Sets a function that is called before each packing of a weight that has
  // been packed ahead in other arrangements only: its plain bytes have not been
  // verified yet. An error of the function is one of GetOrPack.
  void SetVerify(std::function<Status()> verify);

  // Calls f(weight_id, how, data, bytes) for all that is kept, ordered by
  // weight_id and `how`.
  void ForEach(const std::function<void(int64_t, const std::string&,
                                        const void*, size_t)>& f) const;

  // Whether a buffer of that weight is kept that was not packed ahead.
  bool Has(int64_t weight_id) const;

  // Bytes of all that is kept and was not packed ahead.
  int64_t total_bytes() const;
  // Number of all that is kept, packed ahead or not.
  int64_t count() const;

 private:
  struct Kept {
    std::shared_ptr<const void> data;
    size_t bytes;
    bool ahead = false;  // in the model's file
  };
  using Key = std::pair<int64_t, std::string>;
  struct Ahead;

  // Returns `bytes` bytes, which it reserves in the current MemoryBudget.
  // REQUIRES: the mutex is held.
  Result<std::shared_ptr<void>> Allocate(size_t bytes);
  // Returns the bytes that were packed ahead for `key`; null: none were.
  // Errors: those of GetOrPack for weights packed ahead.
  Result<std::shared_ptr<const void>> FindAhead(const Key& key, size_t bytes);
  Ahead& ahead();

  mutable Mutex mutex_;
  std::map<Key, Kept> kept_;
  std::shared_ptr<Ahead> ahead_;  // what was packed ahead; null: nothing
  // Where the next small piece comes from.
  std::shared_ptr<AlignedBuffer> chunk_;
  size_t chunk_used_ = 0;
  bool unread_ = false;
  std::function<void()> release_;
  size_t unreleased_ = 0;  // bytes packed since the last release
};

}  // namespace mace

#endif  // MACE_DEVICE_PACKED_WEIGHTS_H_
