// Tensors by name, and what is known of inputs and outputs, in C.
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <iterator>
#include <limits>
#include <new>
#include <utility>

#include "mace/capi/objects.h"
#include "mace/capi/status.h"

namespace mace::capi {
namespace {

// Beyond it no op takes a tensor, nor is there memory for one.
constexpr size_t kMaxDimensions = 32;

struct ElementType {
  mace_data_type_t in_c;
  IDataType type;
  size_t bytes;
};

constexpr ElementType kTypes[] = {
    {MACE_FLOAT32, IDT_FLOAT, 4},     {MACE_UINT8, IDT_UINT8, 1},
    {MACE_INT32, IDT_INT32, 4},       {MACE_FLOAT16, IDT_FLOAT16, 2},
    {MACE_BFLOAT16, IDT_BFLOAT16, 2}, {MACE_INT16, IDT_INT16, 2},
    {MACE_INT8, IDT_INT8, 1},         {MACE_BOOL, IDT_BOOL, 1},
    {MACE_INT64, IDT_INT64, 8},
};

const ElementType* Find(const char* function, mace_data_type_t type) {
  for (const ElementType& known : kTypes) {
    if (known.in_c == type) return &known;
  }
  (void)Refuse(function, "there is no element type %d", static_cast<int>(type));
  return nullptr;
}

// The bytes of a tensor, or false for a shape that cannot be.
bool CountBytes(const int64_t* shape, size_t rank, size_t element_bytes,
                size_t* bytes) {
  constexpr uint64_t kMax = std::numeric_limits<ptrdiff_t>::max();
  uint64_t n = element_bytes;
  bool is_empty = false;
  for (size_t i = 0; i < rank; ++i) {
    if (shape[i] < 0) return false;
    const auto extent = static_cast<uint64_t>(shape[i]);
    is_empty = is_empty || extent == 0;
    if (extent > 0 && n > kMax / extent) return false;
    n *= std::max<uint64_t>(extent, 1);
  }
  *bytes = is_empty ? 0 : static_cast<size_t>(n);
  return true;
}

std::string Text(const int64_t* shape, size_t rank) {
  std::string text = "[";
  for (size_t i = 0; i < rank; ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  }
  return text + "]";
}

mace_status_t CheckShape(const char* function, const int64_t* shape,
                         size_t rank, size_t element_bytes, size_t* bytes) {
  if (rank > kMaxDimensions) {
    return Refuse(function, "rank is %zu, more than %zu", rank, kMaxDimensions);
  }
  if (rank > 0 && shape == nullptr) return RefuseNull(function, "shape");
  if (CountBytes(shape, rank, element_bytes, bytes)) return MACE_SUCCESS;
  return Refuse(function, "no tensor has the shape %s",
                Text(shape, rank).c_str());
}

const mace_tensor_t* InC(const MaceTensor* tensor) {
  return reinterpret_cast<const mace_tensor_t*>(tensor);
}

const MaceTensor* InCpp(const mace_tensor_t* tensor) {
  return reinterpret_cast<const MaceTensor*>(tensor);
}

// Memory that stays the caller's.
std::shared_ptr<void> Borrowed(void* memory) {
  return std::shared_ptr<void>(std::shared_ptr<void>(), memory);
}

mace_status_t Import(const char* function, const mace_engine_t* engine,
                     mace_tensors_t* tensors, const char* name,
                     const int64_t* shape, size_t rank,
                     const MaceExternalMemory& memory) {
  size_t bytes = 0;
  MACE_CAPI_RETURN_IF_ERROR(
      CheckShape(function, shape, rank, sizeof(float), &bytes));
  MaceTensor tensor;
  MACE_CAPI_RETURN_IF_ERROR(Report(engine->engine->ImportMemory(
      memory, std::vector<int64_t>(shape, shape + rank), &tensor)));
  tensors->tensors[name] = tensor;
  return MACE_SUCCESS;
}

const MaceTensorInfo* InfoAt(const char* function,
                             const mace_tensor_infos_t* infos, size_t index) {
  if (infos == nullptr) {
    (void)RefuseNull(function, "infos");
    return nullptr;
  }
  const auto& all = infos->infos;
  return CheckIndex(function, "index", index, all.size()) == MACE_SUCCESS
             ? &all[index]
             : nullptr;
}

const int64_t* ShapeOf(const std::vector<int64_t>& shape, size_t* rank) {
  *rank = shape.size();
  return shape.empty() ? nullptr : shape.data();
}

}  // namespace

mace_status_t StoreInfos(std::vector<MaceTensorInfo> infos,
                         mace_tensor_infos_t** stored) {
  *stored = new (std::nothrow) mace_tensor_infos{std::move(infos)};
  return Made(*stored);
}

}  // namespace mace::capi

namespace capi = mace::capi;
using mace::MaceTensor;
using mace::MemoryType;

extern "C" {

size_t mace_element_bytes(mace_data_type_t data_type) {
  const auto* type = capi::Find(__func__, data_type);
  return type == nullptr ? 0 : type->bytes;
}

mace_status_t mace_tensors_create(mace_tensors_t** tensors) {
  MACE_CAPI_NOT_NULL(tensors);
  *tensors = new (std::nothrow) mace_tensors;
  return capi::Made(*tensors);
}

void mace_tensors_destroy(mace_tensors_t* tensors) { delete tensors; }

mace_status_t mace_tensors_set(mace_tensors_t* tensors, const char* name,
                               mace_data_type_t data_type, const int64_t* shape,
                               size_t rank, void* data, size_t bytes) {
  MACE_CAPI_NOT_NULL(tensors);
  MACE_CAPI_NOT_NULL(name);
  const auto* type = capi::Find(__func__, data_type);
  if (type == nullptr) return MACE_INVALID_ARGS;
  size_t needed = 0;
  MACE_CAPI_RETURN_IF_ERROR(
      capi::CheckShape(__func__, shape, rank, type->bytes, &needed));
  if (data == nullptr && bytes > 0) MACE_CAPI_NOT_NULL(data);
  if (data != nullptr && bytes != needed) {
    return capi::Refuse(
        __func__, "'%s' of shape %s has %zu bytes, the memory given has %zu",
        name, capi::Text(shape, rank).c_str(), needed, bytes);
  }
  tensors->tensors[name] = MaceTensor(std::vector<int64_t>(shape, shape + rank),
                                      capi::Borrowed(data), type->type);
  return MACE_SUCCESS;
}

mace_status_t mace_tensors_set_gpu(mace_tensors_t* tensors, const char* name,
                                   mace_memory_t memory, const int64_t* shape,
                                   size_t rank, void* cl_mem) {
  MACE_CAPI_NOT_NULL(tensors);
  MACE_CAPI_NOT_NULL(name);
  MACE_CAPI_NOT_NULL(cl_mem);
  if (memory != MACE_GPU_BUFFER && memory != MACE_GPU_IMAGE) {
    return capi::Refuse(__func__,
                        "memory is %d, not MACE_GPU_BUFFER or MACE_GPU_IMAGE",
                        static_cast<int>(memory));
  }
  size_t bytes = 0;
  MACE_CAPI_RETURN_IF_ERROR(
      capi::CheckShape(__func__, shape, rank, sizeof(float), &bytes));
  tensors->tensors[name] =
      MaceTensor(std::vector<int64_t>(shape, shape + rank),
                 capi::Borrowed(cl_mem), static_cast<MemoryType>(memory));
  return MACE_SUCCESS;
}

mace_status_t mace_engine_import_dma_buf(const mace_engine_t* engine,
                                         mace_tensors_t* tensors,
                                         const char* name, const int64_t* shape,
                                         size_t rank, int32_t file) {
  MACE_CAPI_NOT_NULL(engine);
  MACE_CAPI_NOT_NULL(tensors);
  MACE_CAPI_NOT_NULL(name);
  mace::MaceExternalMemory memory;
  memory.dma_buf = file;
  return capi::Import(__func__, engine, tensors, name, shape, rank, memory);
}

mace_status_t mace_engine_import_hardware_buffer(
    const mace_engine_t* engine, mace_tensors_t* tensors, const char* name,
    const int64_t* shape, size_t rank, void* hardware_buffer) {
  MACE_CAPI_NOT_NULL(engine);
  MACE_CAPI_NOT_NULL(tensors);
  MACE_CAPI_NOT_NULL(name);
  MACE_CAPI_NOT_NULL(hardware_buffer);
  mace::MaceExternalMemory memory;
  memory.hardware_buffer = hardware_buffer;
  return capi::Import(__func__, engine, tensors, name, shape, rank, memory);
}

mace_status_t mace_tensors_remove(mace_tensors_t* tensors, const char* name) {
  MACE_CAPI_NOT_NULL(tensors);
  MACE_CAPI_NOT_NULL(name);
  if (tensors->tensors.erase(name) > 0) return MACE_SUCCESS;
  return capi::Refuse(__func__, "there is no tensor '%s'", name);
}

size_t mace_tensors_count(const mace_tensors_t* tensors) {
  MACE_CAPI_GETS(tensors, 0);
  return tensors->tensors.size();
}

const char* mace_tensors_name(const mace_tensors_t* tensors, size_t index) {
  MACE_CAPI_GETS(tensors, nullptr);
  if (capi::CheckIndex(__func__, "index", index, tensors->tensors.size()) !=
      MACE_SUCCESS) {
    return nullptr;
  }
  auto at = tensors->tensors.begin();
  std::advance(at, static_cast<ptrdiff_t>(index));
  return at->first.c_str();
}

const mace_tensor_t* mace_tensors_find(const mace_tensors_t* tensors,
                                       const char* name) {
  MACE_CAPI_GETS(tensors, nullptr);
  MACE_CAPI_GETS(name, nullptr);
  const auto at = tensors->tensors.find(name);
  if (at != tensors->tensors.end()) return capi::InC(&at->second);
  (void)capi::Refuse(__func__, "there is no tensor '%s'", name);
  return nullptr;
}

void* mace_tensor_data(const mace_tensor_t* tensor) {
  MACE_CAPI_GETS(tensor, nullptr);
  return capi::InCpp(tensor)->raw_data().get();
}

size_t mace_tensor_bytes(const mace_tensor_t* tensor) {
  MACE_CAPI_GETS(tensor, 0);
  const MaceTensor& t = *capi::InCpp(tensor);
  if (t.memory_type() != MemoryType::CPU_BUFFER) return 0;
  size_t bytes = 0;
  (void)capi::CountBytes(t.shape().data(), t.shape().size(),
                         mace_element_bytes(t.data_type()), &bytes);
  return bytes;
}

mace_data_type_t mace_tensor_data_type(const mace_tensor_t* tensor) {
  MACE_CAPI_GETS(tensor, MACE_INVALID_TYPE);
  return capi::InCpp(tensor)->data_type();
}

mace_memory_t mace_tensor_memory(const mace_tensor_t* tensor) {
  MACE_CAPI_GETS(tensor, MACE_HOST_MEMORY);
  return static_cast<mace_memory_t>(capi::InCpp(tensor)->memory_type());
}

const int64_t* mace_tensor_shape(const mace_tensor_t* tensor, size_t* rank) {
  MACE_CAPI_GETS(rank, nullptr);
  *rank = 0;
  MACE_CAPI_GETS(tensor, nullptr);
  return capi::ShapeOf(capi::InCpp(tensor)->shape(), rank);
}

void mace_tensor_infos_destroy(mace_tensor_infos_t* infos) { delete infos; }

size_t mace_tensor_infos_count(const mace_tensor_infos_t* infos) {
  MACE_CAPI_GETS(infos, 0);
  return infos->infos.size();
}

const char* mace_tensor_infos_name(const mace_tensor_infos_t* infos,
                                   size_t index) {
  const auto* info = capi::InfoAt(__func__, infos, index);
  return info == nullptr ? nullptr : info->name.c_str();
}

mace_data_type_t mace_tensor_infos_data_type(const mace_tensor_infos_t* infos,
                                             size_t index) {
  const auto* info = capi::InfoAt(__func__, infos, index);
  return info == nullptr ? mace_data_type_t{MACE_INVALID_TYPE}
                         : info->data_type;
}

mace_data_format_t mace_tensor_infos_data_format(
    const mace_tensor_infos_t* infos, size_t index) {
  const auto* info = capi::InfoAt(__func__, infos, index);
  return info == nullptr ? mace_data_format_t{MACE_FORMAT_NONE}
                         : static_cast<mace_data_format_t>(info->data_format);
}

const int64_t* mace_tensor_infos_shape(const mace_tensor_infos_t* infos,
                                       size_t index, size_t* rank) {
  MACE_CAPI_GETS(rank, nullptr);
  *rank = 0;
  const auto* info = capi::InfoAt(__func__, infos, index);
  return info == nullptr ? nullptr : capi::ShapeOf(info->shape, rank);
}

float mace_tensor_infos_scale(const mace_tensor_infos_t* infos, size_t index) {
  const auto* info = capi::InfoAt(__func__, infos, index);
  return info == nullptr ? 0 : info->scale;
}

int32_t mace_tensor_infos_zero_point(const mace_tensor_infos_t* infos,
                                     size_t index) {
  const auto* info = capi::InfoAt(__func__, infos, index);
  return info == nullptr ? 0 : info->zero_point;
}

}  // extern "C"
