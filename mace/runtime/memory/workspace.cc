// Growing an arena and a set of images, and freeing them.
// SPDX-License-Identifier: Apache-2.0

#include "mace/runtime/memory/workspace.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "mace/base/cancellation.h"
#include "mace/base/sort.h"
#include "mace/graph/tensor_type.h"

namespace mace {
namespace {

int64_t BytesOfWorkspace(const ImageType& type) {
  constexpr int64_t kComponents = 4;
  return type.extent.width * type.extent.height * kComponents *
         SizeOf(type.dtype);
}

Extent2D Union(const Extent2D& a, const Extent2D& b) {
  return {std::max(a.width, b.width), std::max(a.height, b.height)};
}

}  // namespace

Workspace::Lease::Lease(Workspace& workspace)
    : status_(LockUnlessCancelled(&workspace.mutex_)) {
  if (!status_.ok()) return;
  lock_ = std::unique_lock<Mutex>(workspace.mutex_, std::adopt_lock);
  if (workspace.stale_.exchange(false)) workspace.Release();
}

Result<void*> Workspace::Arena(size_t bytes) {
  if (arena_.data() == nullptr || arena_.size() < bytes) {
    arena_ = AlignedBuffer();
    arena_bytes_ = 0;
    MACE_ASSIGN_OR_RETURN(arena_, AlignedBuffer::Create(bytes, "the arena"));
    arena_bytes_ = static_cast<int64_t>(bytes);
  }
  return arena_.data();
}

Workspace::Image* Workspace::BestFor(const ImageType& type) {
  Image* best = nullptr;
  int64_t least = BytesOfWorkspace(type);  // that a new image takes
  for (Image& image : images_) {
    if (image.is_taken || image.type.dtype != type.dtype) continue;
    ImageType grown = type;
    grown.extent = Union(image.type.extent, type.extent);
    const int64_t bytes =
        BytesOfWorkspace(grown) - BytesOfWorkspace(image.type);
    const bool smaller =
        best != nullptr && bytes == least &&
        BytesOfWorkspace(image.type) < BytesOfWorkspace(best->type);
    if (bytes > least || (best != nullptr && bytes == least && !smaller)) {
      continue;
    }
    best = &image;
    least = bytes;
  }
  return best;
}

std::vector<size_t> Workspace::Assign(const std::vector<ImageType>& types) {
  for (Image& image : images_) image.is_taken = false;
  // The largest choose first.
  std::vector<size_t> order(types.size()), chosen(types.size());
  std::iota(order.begin(), order.end(), size_t{0});
  StableSort(&order, [&](size_t a, size_t b) {
    return BytesOfWorkspace(types[a]) > BytesOfWorkspace(types[b]);
  });
  for (size_t i : order) {
    Image* image = BestFor(types[i]);
    if (image == nullptr) {
      images_.push_back({types[i], nullptr});
      image = &images_.back();
    }
    const Extent2D extent = Union(image->type.extent, types[i].extent);
    if (extent.width != image->type.extent.width ||
        extent.height != image->type.extent.height) {
      if (image->memory != nullptr)
        image_bytes_ -= BytesOfWorkspace(image->type);
      image->memory = nullptr;
      image->type.extent = extent;
      ++generation_;
    }
    image->is_taken = true;
    chosen[i] = static_cast<size_t>(image - images_.data());
  }
  return chosen;
}

Status Workspace::AllocateTaken(DeviceStorage& storage) {
  for (Image& image : images_) {
    if (!image.is_taken || image.memory != nullptr) continue;
    MACE_ASSIGN_OR_RETURN(image.memory, storage.CreateImages({image.type}));
    image_bytes_ += BytesOfWorkspace(image.type);
  }
  return Status();
}

Result<std::vector<Buffer>> Workspace::Images(
    DeviceStorage& storage, const std::vector<ImageType>& types) {
  void* const context = storage.native_handles().context;
  if (context_ != context) DropImages();
  context_ = context;
  const bool is_first = images_.empty();
  std::vector<size_t> chosen = Assign(types);
  Status status = AllocateTaken(storage);
  if (!status.ok() && !is_first) {
    // Those of other plans may be what is too much.
    DropImages();
    chosen = Assign(types);
    status = AllocateTaken(storage);
  }
  if (!status.ok()) {
    DropImages();
    return status;
  }
  std::vector<Buffer> buffers;
  for (size_t i : chosen) buffers.push_back(images_[i].memory->at(0));
  return buffers;
}

void Workspace::DropImages() {
  images_.clear();
  image_bytes_ = 0;
  ++generation_;
}

void Workspace::Release() {
  arena_ = AlignedBuffer();
  arena_bytes_ = 0;
  DropImages();
}

void Workspace::ReleaseSoon() {
  const std::unique_lock<Mutex> lock(mutex_, std::try_to_lock);
  if (lock.owns_lock()) {
    Release();
  } else {
    stale_ = true;
  }
}

}  // namespace mace
