// Mapping dma-bufs, and importing them and Android's hardware buffers.
// SPDX-License-Identifier: Apache-2.0

#include "mace/runtime/io/external_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "mace/base/logging.h"
#include "mace/base/make_shared.h"
#include "mace/graph/tensor_type.h"

namespace mace {
namespace {

Result<std::shared_ptr<void>> MapDmaBuf(int file, size_t bytes) {
  const off_t end = lseek(file, 0, SEEK_END);
  if (end < 0) {
    return InvalidArgument("the dma-buf ", file,
                           " has no size: ", strerror(errno));
  }
  if (static_cast<uint64_t>(end) < bytes) {
    return InvalidArgument("the dma-buf has ", end, " bytes, the tensor ",
                           bytes);
  }
  void* const data =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (data == MAP_FAILED) {
    return InvalidArgument("the dma-buf cannot be mapped: ", strerror(errno),
                           "; open it for reading and writing");
  }
  return std::shared_ptr<void>(data, [bytes](void* p) { munmap(p, bytes); });
}

Result<std::shared_ptr<void>> ImportToGpu(DeviceStorage* storage,
                                          const ExternalMemory& memory) {
  if (storage == nullptr) {
    return Unsupported("nothing of this engine runs on the GPU");
  }
  return storage->ImportMemory(memory);
}

}  // namespace

Result<MaceTensor> ImportTensor(DeviceStorage* storage,
                                const MaceExternalMemory& memory,
                                const std::vector<int64_t>& shape) {
  const auto elements = CheckedNumElements(shape);
  if (!elements.ok() || *elements == 0) {
    return InvalidArgument("ImportMemory: a tensor of shape ", ToString(shape),
                           " cannot be in imported memory");
  }
  const bool is_dma_buf = memory.hardware_buffer == nullptr;
  if (is_dma_buf == (memory.dma_buf < 0)) {
    return InvalidArgument(
        "ImportMemory: set either dma_buf or hardware_buffer");
  }
  ExternalMemory wanted = {memory.dma_buf, memory.hardware_buffer, nullptr,
                           static_cast<size_t>(*elements) * sizeof(float)};
  std::shared_ptr<void> mapped;
  if (is_dma_buf) {
    MACE_ASSIGN_OR_RETURN(mapped, MapDmaBuf(memory.dma_buf, wanted.bytes));
    wanted.mapped = mapped.get();
  }
  auto imported = ImportToGpu(storage, wanted);
  if (imported.ok()) {
    // The mapping lives as long as the buffer, which may be made of it.
    void* const handle = imported->get();
    auto both = MakeShared<std::vector<std::shared_ptr<void>>>(
        std::vector<std::shared_ptr<void>>{mapped, *imported});
    return MaceTensor(shape, std::shared_ptr<void>(both, handle),
                      MemoryType::GPU_BUFFER);
  }
  if (!is_dma_buf) {
    return Unsupported("ImportMemory: the AHardwareBuffer cannot be imported: ",
                       imported.status().information(),
                       "; give the memory of AHardwareBuffer_lock instead, "
                       "which is copied");
  }
  LOG(INFO) << "the dma-buf is mapped into the process, and copied by each "
               "run: "
            << imported.status().information();
  return MaceTensor(shape, mapped, IDT_FLOAT);
}

}  // namespace mace
