// A library without the component `memory_tools`: it has few planners, and no
// sections of arenas, so that all buffers come from the system.
// SPDX-License-Identifier: Apache-2.0

#include <utility>

#include "mace/base/fork.h"
#include "mace/memory/arena_sections.h"
#include "mace/memory/objects/objects.h"
#include "mace/memory/offsets/greedy.h"
#include "mace/memory/offsets/optimal.h"
#include "mace/memory/planners.h"

namespace mace::memory {
namespace {

// Of strategies for images, which a library without GPU does not need either.
#ifdef MACE_WITHOUT_GPU
constexpr bool kHasImages = false;
#else
constexpr bool kHasImages = true;
#endif

PlanFn* OfImages(PlanFn* plan) { return kHasImages ? plan : nullptr; }

}  // namespace

bool HasObjects() { return kHasImages; }

const std::vector<Planner>& Planners() {
  const HoldFork hold_fork;
  static const auto* planners = new std::vector<Planner>{
      {"offsets/NAIVE", OffsetsNaive, 1, true},
      {"offsets/LINEAR", OffsetsNaive, 1, true},
      {"offsets/GREEDY_BY_SIZE", OffsetsGreedyBySize, 1, true},
      {"offsets/TFLM_GREEDY", nullptr, 1, true},
      {"offsets/ARENA", nullptr, 1, false},
      {"offsets/ARENA_SEQUENTIAL", nullptr, 1, false},
      {"offsets/SKYLINE", nullptr, 1, true},
      {"offsets/AUTO", OffsetsAuto, 1, true},
      {"offsets/OPTIMAL", nullptr, 1, true},
      {"objects/NAIVE", OfImages(ObjectsNaive), 4, false},
      {"objects/EQUALITY", nullptr, 4, false},
      {"objects/GREEDY_IN_ORDER", nullptr, 3, false},
      {"objects/GREEDY_BY_BREADTH", nullptr, 1, false},
      {"objects/GREEDY_BY_SIZE", nullptr, 1, false},
      {"objects/GREEDY_BEST", nullptr, 1, false},
      {"objects/GROW_IN_ORDER", OfImages(ObjectsGrowInOrder), 3, false},
      {"objects/MINCOSTFLOW", nullptr, 1, false},
      {"objects/AUTO", OfImages(ObjectsAuto), 4, false},
      {"objects/OPTIMAL", nullptr, 4, false},
  };
  return *planners;
}

ArenaSections::ArenaSections(const ArenaSections&, Counting)
    : ArenaSections() {}

bool ArenaSections::failed() const { return false; }

Status ArenaSections::GrowHead(size_t) { return Status(); }

size_t ArenaSections::needed_bytes() const { return 0; }

const std::shared_ptr<ArenaSections>& ArenaSections::Current() {
  static const auto* none = new std::shared_ptr<ArenaSections>;
  return *none;
}

ScopedArenaSections::ScopedArenaSections(std::shared_ptr<ArenaSections>)
    : outer_(nullptr) {}

ScopedArenaSections::~ScopedArenaSections() = default;

Result<SectionBuffer> SectionBuffer::Persistent(size_t bytes,
                                                const char* what) {
  SectionBuffer buffer;
  MACE_ASSIGN_OR_RETURN(buffer.system_, AlignedBuffer::Create(bytes, what));
  return buffer;
}

Result<SectionBuffer> SectionBuffer::Temporary(size_t bytes, const char* what) {
  return Persistent(bytes, what);
}

SectionBuffer& SectionBuffer::operator=(SectionBuffer&& other) noexcept {
  std::swap(system_, other.system_);
  return *this;
}

SectionBuffer::~SectionBuffer() = default;

}  // namespace mace::memory
