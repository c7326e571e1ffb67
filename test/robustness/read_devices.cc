// Images, and requests to the executor of a DSP.
// SPDX-License-Identifier: Apache-2.0

#include <memory>

#include "mace/hexagon/dsp_program/main/server.h"
#include "mace/hexagon/testing/mutate.h"
#include "mace/public/mace_image.h"
#include "test/robustness/read_bytes.h"

namespace mace::robustness {
namespace {

constexpr size_t kMaxTensorBytes = 1 << 22;
constexpr uint32_t kMaxMappedBytes = 1 << 22;

MaceImageInput TakeInput(Numbers* numbers) {
  MaceImageInput input;
  input.width = numbers->Next<int>();
  input.height = numbers->Next<int>();
  input.fit = static_cast<MaceImageFit>(numbers->Next<uint8_t>());
  input.filter = static_cast<MaceImageFilter>(numbers->Next<uint8_t>());
  input.channels = static_cast<MaceImageChannels>(numbers->Next<uint8_t>());
  input.data_type = static_cast<IDataType>(numbers->Next<uint8_t>() % 16);
  input.data_format = static_cast<DataFormat>(numbers->Next<uint8_t>());
  input.num_threads = numbers->Next<int8_t>();
  input.zero_point = numbers->Next<int>();
  input.quantization_scale = numbers->Next<double>();
  for (double& mean : input.mean) mean = numbers->Next<double>();
  for (double& scale : input.scale) scale = numbers->Next<double>();
  return input;
}

// The planes have as much memory as they say; what they say of it is bounded by
// what there is.
MaceImage TakeImage(Numbers* numbers, std::shared_ptr<void>* pixels) {
  MaceImage image;
  image.format = static_cast<MaceImageFormat>(numbers->Next<uint8_t>());
  image.color = static_cast<MaceImageColor>(numbers->Next<uint8_t>());
  image.orientation =
      static_cast<MaceImageOrientation>(numbers->Next<uint8_t>());
  image.width = numbers->Next<int>();
  image.height = numbers->Next<int>();
  for (int* n :
       {&image.crop.x, &image.crop.y, &image.crop.width, &image.crop.height}) {
    *n = numbers->Next<int>();
  }
  int p = 0;
  for (MaceImagePlane& plane : image.planes) {
    plane.row_stride = numbers->Next<int64_t>();
    plane.pixel_stride = numbers->Next<int64_t>();
    const size_t bytes = numbers->Next<uint16_t>();
    pixels[p] = numbers->Take(bytes);
    plane.data = pixels[p++].get();
    plane.bytes = bytes;
  }
  return image;
}

// The host's memory, as the executor maps it: the bytes of a file, once.
Numbers* host_memory = nullptr;

uint8_t* Map(uint32_t, uint32_t, uint32_t bytes) {
  if (bytes > kMaxMappedBytes) return nullptr;
  void* at = std::aligned_alloc(128, (bytes + 127u) / 128 * 128);
  if (at == nullptr) return nullptr;
  std::memset(at, 0, bytes);
  std::memcpy(at, host_memory->Take(bytes).get(), bytes);
  return static_cast<uint8_t*>(at);
}
void Unmap(uint8_t* at, uint32_t) { std::free(at); }

}  // namespace

std::string Image() {
  std::string bytes;
  for (const int n : {6, 5}) Append(n, &bytes);
  for (const uint8_t n : {1, 1, 0, IDT_FLOAT + 0, 1, 1}) Append(n, &bytes);
  Append(0, &bytes);
  Append(1.0, &bytes);
  for (int i = 0; i < 3; ++i) Append(127.5, &bytes);
  for (int i = 0; i < 3; ++i) Append(1 / 127.5, &bytes);
  // 8 x 6 of NV21, turned.
  for (const uint8_t n : {6, 0, 6}) Append(n, &bytes);
  for (const int n : {8, 6, 2, 0, 6, 6}) Append(n, &bytes);
  for (const uint16_t n : {48, 24, 0}) {
    for (int i = 0; i < 2; ++i) Append(int64_t{0}, &bytes);
    Append(n, &bytes);
    for (int i = 0; i < n; ++i) Append(static_cast<uint8_t>(i * 5), &bytes);
  }
  return bytes;
}

std::string ReadImage(const std::string& bytes) {
  Numbers numbers(bytes);
  std::unique_ptr<MaceImageConverter> converter;
  const MaceStatus created =
      MaceImageConverter::Create(TakeInput(&numbers), &converter);
  if (!created.ok()) return Refusal(created);
  const size_t size = converter->tensor_bytes();
  if (size > kMaxTensorBytes) return "beyond the limit of this test";
  const std::shared_ptr<void> tensor(std::malloc(size), std::free);
  std::shared_ptr<void> pixels[3];
  const MaceImage image = TakeImage(&numbers, pixels);
  MaceImageTransform transform;
  MaceStatus status = converter->Convert(image, tensor.get(), size, &transform);
  if (status.ok()) {  // once more by the tables that are kept
    status = converter->Convert(image, tensor.get(), size);
  }
  return Refusal(status);
}

std::string DspRequests() {
  hexagon::testing::Random random(1);
  hexagon::GraphWriter writer = hexagon::testing::GraphOfAllOps(&random);
  if (!writer.Plan().ok()) return "";
  const uint32_t size = writer.buffer_bytes();
  constexpr uint32_t kSequence[][4] = {
      {hexagon::kHello},    {hexagon::kAttach, 1, 2}, {hexagon::kCreate},
      {hexagon::kRun},      {hexagon::kPerf},         {hexagon::kRun, 0, 1, 2},
      {hexagon::kTeardown}, {hexagon::kDetach},       {hexagon::kQuit}};
  std::string bytes;
  Append(static_cast<uint8_t>(std::size(kSequence)), &bytes);
  for (const auto& request : kSequence) {
    hexagon::Message message;
    message.command = request[0];
    for (int i = 0; i < 3; ++i) message.args[i] = request[i + 1];
    if (request[0] == hexagon::kAttach) message.args[2] = size;
    if (request[0] == hexagon::kCreate) message.args[2] = writer.text_bytes();
    Append(message, &bytes);
  }
  const std::unique_ptr<void, void (*)(void*)> memory(
      std::aligned_alloc(4096, (size + 4095) / 4096 * 4096), std::free);
  writer.WriteTo(static_cast<uint8_t*>(memory.get()));
  return bytes.append(static_cast<const char*>(memory.get()), size);
}

std::string ReadDspRequests(const std::string& bytes) {
  Numbers numbers(bytes);
  host_memory = &numbers;
  const auto server = std::make_unique<hexagon::Server>();
  server->mapper = {Map, Unmap};
  const std::shared_ptr<void> vtcm(
      std::aligned_alloc(4096, hexagon::kVtcmBytes), std::free);
  server->vtcm = {static_cast<uint8_t*>(vtcm.get()), hexagon::kVtcmBytes};
  std::string refused;
  std::string messages(numbers.Next<uint8_t>() * sizeof(hexagon::Message), 0);
  const auto taken = numbers.Take(messages.size());
  std::memcpy(messages.data(), taken.get(), messages.size());
  Numbers requests(messages);
  while (requests.left() > 0) {
    auto message = requests.Next<hexagon::Message>();
    const uint32_t command = message.command;
    server->Answer(&message);
    if (message.error >= hexagon::kNumDspErrors ||
        message.magic != hexagon::kMessageMagic ||
        message.version != hexagon::kProtocolVersion) {
      return "internal error: an answer of no protocol";
    }
    if (message.error != hexagon::kDspOk) {
      refused = "request " + std::to_string(command) + ": error " +
                std::to_string(message.error);
    }
  }
  for (const hexagon::PoolMemory& buffer : server->buffers) {
    std::free(buffer.base);
  }
  return refused;
}

}  // namespace mace::robustness
