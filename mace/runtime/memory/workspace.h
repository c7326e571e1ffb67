// Workspace: the memory in which engines run, which may share it by leases.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_RUNTIME_MEMORY_WORKSPACE_H_
#define MACE_RUNTIME_MEMORY_WORKSPACE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "mace/base/aligned_buffer.h"
#include "mace/base/fork.h"
#include "mace/base/logging.h"
#include "mace/base/status.h"
#include "mace/device/device_storage.h"

namespace mace {

// An arena and images of a device. They grow to what the largest engine needs;
// what grows counts for the budget that is current then. Contents do not
// outlast a lease.
class Workspace {
 public:
  // The right to use the memory. The constructor waits until no other Lease
  // lives.
  class Lease {
   public:
    explicit Lease(Workspace& workspace);

    // MACE_CANCELLED if the run of this thread was cancelled while the
    // constructor waited; then the memory must not be used.
    const Status& status() const { return status_; }

   private:
    const HoldLog hold_log_;
    const Status status_;
    std::unique_lock<Mutex> lock_;
  };

  // These functions REQUIRE: the caller holds a Lease.

  // Returns the arena, of at least `bytes` bytes at a 64-byte boundary. A new
  // one replaces a smaller one. Errors: MACE_OUT_OF_RESOURCES, after which
  // there is no arena.
  Result<void*> Arena(size_t bytes);

  // Returns an image of one device for each of `types`, of the same element
  // type and at least as large. Images that were handed out before may be
  // freed: then the generation changes.
  // Errors: as DeviceStorage::CreateImages; then there are no images.
  Result<std::vector<Buffer>> Images(DeviceStorage& storage,
                                     const std::vector<ImageType>& types);
  // Changes when images are freed. Executors compare it with the generation of
  // their bound images.
  uint64_t generation() const { return generation_; }

  // Frees all memory.
  void Release();

  // These may be called at any time.

  // Frees the memory now, or before the next lease if it is in use.
  void ReleaseSoon();
  int64_t arena_bytes() const { return arena_bytes_; }
  int64_t image_bytes() const { return image_bytes_; }

 private:
  struct Image {
    ImageType type;
    std::unique_ptr<DeviceImages> memory;
    bool is_taken = false;  // by the caller of Images
  };

  // The image of the same element type, not taken, that costs least to use for
  // `type`: the bytes that it must grow by. Null: a new one costs less.
  Image* BestFor(const ImageType& type);
  // Takes an image for each type, of which those that are new or have grown
  // have no memory. Returns their indices.
  std::vector<size_t> Assign(const std::vector<ImageType>& types);
  // Makes the images that are taken and have no memory yet. Errors: as
  // DeviceStorage::CreateImages.
  Status AllocateTaken(DeviceStorage& storage);
  // Frees all images. The generation changes.
  void DropImages();

  Mutex mutex_;                     // held by a Lease
  std::atomic<bool> stale_{false};  // to be released before the next lease
  AlignedBuffer arena_;
  std::atomic<int64_t> arena_bytes_{0};
  void* context_ = nullptr;  // of the images: NativeHandles::context
  std::vector<Image> images_;
  std::atomic<int64_t> image_bytes_{0};
  uint64_t generation_ = 0;
};

}  // namespace mace

#endif  // MACE_RUNTIME_MEMORY_WORKSPACE_H_
