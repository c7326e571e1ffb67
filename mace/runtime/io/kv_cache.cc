// The memory of states that grow by rows.
// SPDX-License-Identifier: Apache-2.0

#include "mace/runtime/io/kv_cache.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "mace/base/aligned_buffer.h"
#include "mace/base/make_shared.h"
#include "mace/plan/passes/append_to_state.h"
#include "mace/runtime/model/mace_model.h"

namespace mace {
namespace {

// The largest shape is reserved when the engine is created if it takes at most
// this many bytes; else the cache grows.
constexpr int64_t kMaxReserved = int64_t{64} << 20;

// Returns the only open dimension of a state, or -1.
int OpenAxis(const OpenDims& open) {
  const auto first = std::find(open.dims.begin(), open.dims.end(), -1);
  if (std::count(open.dims.begin(), open.dims.end(), -1) != 1) return -1;
  return static_cast<int>(first - open.dims.begin());
}

}  // namespace

bool KvCache::AddTo(const StateVariable& ids, const OpenDims& open,
                    Graph* graph) {
  TensorType type = graph->values[ids.value].type;
  const int axis = OpenAxis(open);
  if (axis < 0 || type.is_quantized()) return false;
  int64_t most = 0;
  if (!open.most.empty()) {
    const auto bytes = CheckedBytes({type.dtype, open.most});
    if (bytes.ok() && *bytes <= kMaxReserved) most = open.most[axis];
  }
  type.shape[axis] = std::max(most, type.shape[axis]);
  const auto made = AppendToState(ids.value, ids.next, axis, type, graph);
  if (!made) return false;
  axis_ = axis;
  reserved_ = most;
  type_ = type;
  name_ = graph->values[made->cache].name;
  next_name_ = graph->values[made->next].name;
  count_name_ = graph->values[made->count].name;
  return true;
}

Status KvCache::Reserve(int64_t rows) {
  if (memory_ != nullptr && rows <= type_.shape[axis_]) return Status();
  TensorType type = type_;
  type.shape[axis_] = std::max(rows, reserved_);
  const auto bytes = std::max<size_t>(static_cast<size_t>(Bytes(type)), 1);
  MACE_ASSIGN_OR_RETURN(AlignedBuffer buffer,
                        AlignedBuffer::Create(bytes, "a state"));
  const auto owner = MakeShared<AlignedBuffer>(std::move(buffer));
  // What no row fills is read by checks of all elements.
  MakeZeros(owner->data(), bytes);
  memory_ = std::shared_ptr<void>(owner, owner->data());
  if (count_ == nullptr) count_ = MakeShared<int64_t>(0);
  type_ = type;
  return Status();
}

void KvCache::Copy(const Shape& shape, bool writes, void* value) const {
  const auto element = static_cast<int64_t>(SizeOf(type_.dtype));
  const Shape before(shape.begin(), shape.begin() + axis_);
  const Shape behind(shape.begin() + axis_ + 1, shape.end());
  const int64_t row = NumElements(behind) * element;
  const int64_t bytes = shape[axis_] * row;
  if (bytes == 0) return;
  for (int64_t block = 0; block < NumElements(before); ++block) {
    char* const in_cache =
        static_cast<char*>(memory_.get()) + block * type_.shape[axis_] * row;
    char* const in_value = static_cast<char*>(value) + block * bytes;
    std::memcpy(writes ? in_cache : in_value, writes ? in_value : in_cache,
                static_cast<size_t>(bytes));
  }
}

void KvCache::Write(const void* value, const Shape& shape) {
  Copy(shape, /*writes=*/true, const_cast<void*>(value));
}

void KvCache::Read(const Shape& shape, void* value) const {
  Copy(shape, /*writes=*/false, value);
}

MaceTensor KvCache::Value(const Shape& shape) const {
  return MaceTensor(shape, memory_, ToPublic(type_.dtype));
}

std::string KvCache::AddTensors(Tensors* inputs, Tensors* outputs) const {
  const MaceTensor cache = Value(type_.shape);
  const MaceTensor count({1}, count_, ToPublic(DataType::kI64));
  if (!inputs->emplace(name_, cache).second) return name_;
  if (!outputs->emplace(next_name_, cache).second) return next_name_;
  if (!outputs->emplace(count_name_, count).second) return count_name_;
  return "";
}

void KvCache::RemoveFrom(Tensors* outputs) const {
  outputs->erase(next_name_);
  outputs->erase(count_name_);
}

int64_t KvCache::Advance(const Tensors& outputs) {
  const MaceTensor& next = outputs.find(next_name_)->second;
  memory_ = next.raw_data();
  type_.shape = next.shape();
  return *count_;
}

}  // namespace mace
