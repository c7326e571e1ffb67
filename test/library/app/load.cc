// Loads a model in one of the ways that an app has, runs it once, and prints
// how long each step took and how much memory the process then had.
// SPDX-License-Identifier: Apache-2.0
//
// Usage: load files|memory|stream GRAPH.pb WEIGHTS.data < INPUT
// With -DFROM_CODE the model is compiled in: load code MODEL < INPUT
// The first input gets the bytes of stdin, and zeros where these end. Prints
// seven numbers, microseconds and KiB:
//   load create run  rss_loaded anonymous_loaded  rss_run anonymous_run
// and then the first four elements of the first output, which is float32.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>

#ifdef FROM_CODE
#include "mace/public/mace_engine_factory.h"
#endif
#include "mace/public/mace.h"

namespace {

typedef std::chrono::steady_clock Clock;

long long Microseconds(Clock::time_point begin) {
  return std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() -
                                                               begin)
      .count();
}

// Pages in memory, and those of them that no file holds, wherever files lie:
// all pages of one in /dev/shm count as dirty.
struct Memory {
  long rss_kib = 0;
  long anonymous_kib = 0;
};

Memory MemoryNow() {
  Memory now;
  std::FILE* file = std::fopen("/proc/self/smaps_rollup", "r");
  if (file == nullptr) return now;
  char line[256];
  while (std::fgets(line, sizeof(line), file) != nullptr) {
    std::sscanf(line, "Rss: %ld", &now.rss_kib);
    std::sscanf(line, "Anonymous: %ld", &now.anonymous_kib);
  }
  std::fclose(file);
  return now;
}

#ifdef FROM_CODE
mace::MaceStatus Load(char** argv, std::shared_ptr<mace::MaceModel>* model) {
  return mace::LoadMaceModelFromCode(argv[2], "", model);
}
#else
size_t SizeOf(const char* path) {
  std::FILE* file = std::fopen(path, "rb");
  if (file == nullptr) return 0;
  std::fseek(file, 0, SEEK_END);
  const long size = std::ftell(file);
  std::fclose(file);
  return size < 0 ? 0 : static_cast<size_t>(size);
}

// A file's bytes at a 64-byte boundary.
std::shared_ptr<unsigned char> Bytes(const char* path, size_t size) {
  void* memory = nullptr;
  if (posix_memalign(&memory, 64, size + 64) != 0) return nullptr;
  std::shared_ptr<unsigned char> bytes(static_cast<unsigned char*>(memory),
                                       std::free);
  std::FILE* file = std::fopen(path, "rb");
  if (file == nullptr) return nullptr;
  const bool whole = std::fread(bytes.get(), 1, size, file) == size;
  std::fclose(file);
  return whole ? bytes : nullptr;
}

class FileStream : public mace::MaceStream {
 public:
  explicit FileStream(const char* path)
      : size_(SizeOf(path)), file_(std::fopen(path, "rb")) {}
  ~FileStream() override {
    if (file_ != nullptr) std::fclose(file_);
  }
  size_t size() const override { return size_; }
  int64_t Read(void* buffer, size_t bytes) override {
    if (file_ == nullptr) return -1;
    return static_cast<int64_t>(std::fread(buffer, 1, bytes, file_));
  }

 private:
  size_t size_;
  std::FILE* file_;
};

mace::MaceStatus Load(char** argv, std::shared_ptr<mace::MaceModel>* model) {
  const std::string way = argv[1];
  if (way == "files") return mace::MaceModel::Load(argv[2], argv[3], model);
  if (way == "stream") {
    FileStream graph(argv[2]), data(argv[3]);
    return mace::MaceModel::Load(&graph, &data, model);
  }
  const size_t graph_size = SizeOf(argv[2]), data_size = SizeOf(argv[3]);
  const std::shared_ptr<unsigned char> graph = Bytes(argv[2], graph_size);
  return mace::MaceModel::Load(graph.get(), graph_size,
                               Bytes(argv[3], data_size), data_size, model);
}
#endif

size_t ElementBytes(mace::IDataType type) {
  switch (type) {
    case mace::IDT_INT64:
      return 8;
    case mace::IDT_UINT8:
    case mace::IDT_INT8:
    case mace::IDT_BOOL:
      return 1;
    case mace::IDT_FLOAT16:
    case mace::IDT_BFLOAT16:
    case mace::IDT_INT16:
      return 2;
    default:
      return 4;
  }
}

mace::MaceTensor Filled(const mace::MaceTensorInfo& info) {
  size_t bytes = ElementBytes(info.data_type);
  for (int64_t extent : info.shape) bytes *= static_cast<size_t>(extent);
  std::shared_ptr<void> data(std::calloc(1, bytes + 1), std::free);
  const size_t given = std::fread(data.get(), 1, bytes, stdin);
  (void)given;  // the rest is zeros
  return mace::MaceTensor(info.shape, data, info.data_type);
}

int Fail(const mace::MaceStatus& status) {
  std::fprintf(stderr, "ERROR: %s\n", status.information().c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
#ifdef FROM_CODE
  const int wanted = 3;
#else
  const int wanted = 4;
#endif
  if (argc != wanted) return 2;
  const Clock::time_point begin = Clock::now();
  std::shared_ptr<mace::MaceModel> model;
  mace::MaceStatus status = Load(argv, &model);
  if (!status.ok()) return Fail(status);
  const long long load_us = Microseconds(begin);
  const Memory loaded = MemoryNow();

  const Clock::time_point loaded_at = Clock::now();
  std::shared_ptr<mace::MaceEngine> engine;
  status = mace::MaceEngine::Create(model, {}, {}, mace::MaceEngineConfig(),
                                    &engine);
  if (!status.ok()) return Fail(status);
  const long long create_us = Microseconds(loaded_at);

  std::map<std::string, mace::MaceTensor> inputs, outputs;
  for (const mace::MaceTensorInfo& info : model->inputs()) {
    inputs[info.name] = Filled(info);
  }
  const Clock::time_point created_at = Clock::now();
  status = engine->Run(inputs, &outputs);
  if (!status.ok()) return Fail(status);
  const long long run_us = Microseconds(created_at);
  const Memory run = MemoryNow();

  std::printf("%lld %lld %lld %ld %ld %ld %ld", load_us, create_us, run_us,
              loaded.rss_kib, loaded.anonymous_kib, run.rss_kib,
              run.anonymous_kib);
  const float* result = outputs[model->outputs()[0].name].data().get();
  for (int k = 0; result != nullptr && k < 4; ++k) {
    std::printf(" %a", static_cast<double>(result[k]));
  }
  std::printf("\n");
  return 0;
}
