// Compiling programs and loading them from binaries.
// SPDX-License-Identifier: Apache-2.0

#include "mace/opencl/driver/program_pool.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <vector>

#include "mace/base/cancellation.h"
#include "mace/base/logging.h"
#include "mace/base/str_cat.h"
#include "mace/opencl/driver/kernel_source.h"

namespace mace::opencl {
namespace {

constexpr size_t kMaxLog = 2000;  // bytes of the compiler's log in a message

std::string OptionsOf(const Defines& defines) {
  // No -cl-fast-relaxed-math, so that signed zeros and NaN keep their meaning.
  std::string options = "-cl-std=CL1.2 -cl-mad-enable";
  for (const auto& [name, value] : defines) {
    options += StrCat(" -D", name, "=", value);
  }
  return options;
}

std::string BuildLog(const ClApi& api, cl_program program,
                     cl_device_id device) {
  size_t size = 0;
  if (api.clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0,
                                nullptr, &size) != CL_SUCCESS ||
      size == 0) {
    return "the driver gives no log";
  }
  std::string log(size, '\0');
  if (api.clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size,
                                log.data(), nullptr) != CL_SUCCESS) {
    return "the driver gives no log";
  }
  return log.substr(0, kMaxLog);
}

template <typename F>
void* CallInThread(void* f) {
  (*static_cast<const F*>(f))();
  return nullptr;
}

}  // namespace

Result<std::shared_ptr<Program>> ProgramPool::Get(const std::string& source,
                                                  const Defines& defines) {
  MACE_ENSURE(FindKernelSource(source.c_str()) != nullptr);
  auto program = std::make_shared<Program>();
  program->source = source;
  program->options = OptionsOf(defines);
  std::lock_guard<Mutex> lock(mutex_);
  return programs_.emplace(program->key(), program).first->second;
}

Status ProgramPool::Build(const BuildOptions& options) {
  const HoldLog hold_log;
  std::lock_guard<Mutex> build_lock(build_mutex_);
  std::vector<std::shared_ptr<Program>> wanted;
  {
    std::lock_guard<Mutex> lock(mutex_);
    for (auto it = programs_.begin(); it != programs_.end();) {
      const bool unwanted = it->second.use_count() == 1 && !it->second->handle;
      if (!it->second->handle && !unwanted) wanted.push_back(it->second);
      it = unwanted ? programs_.erase(it) : std::next(it);
    }
  }
  std::atomic<size_t> next{0};
  std::mutex done_mutex;
  int done = 0;
  Status status;
  HoldLog* const log = HoldLog::OfThread();
  const Cancellation* const run = Cancellation::Current();
  const auto work = [&] {
    const HoldLog log_of_thread(log);
    for (size_t i = next++; i < wanted.size(); i = next++) {
      Status built = run == nullptr ? Status() : run->Check();
      if (built.ok()) built = BuildOne(*wanted[i], options.store);
      std::lock_guard<std::mutex> lock(done_mutex);
      if (status.ok()) status = built;
      ++done;
      if (options.progress) {
        options.progress(done, static_cast<int>(wanted.size()));
      }
    }
  };
  const size_t num_threads =
      std::min<size_t>(std::max(options.num_threads, 1), wanted.size());
  {
    const AllowFork allow_fork;  // the threads take Mutexes and call the app
    std::vector<pthread_t> threads;
    for (size_t t = 1; t < num_threads; ++t) {
      pthread_t thread;
      // std::thread would end the process where there is no further thread.
      if (pthread_create(&thread, nullptr, &CallInThread<decltype(work)>,
                         const_cast<void*>(static_cast<const void*>(&work))) !=
          0) {
        break;  // this one does all the work
      }
      threads.push_back(thread);
    }
    work();
    for (const pthread_t thread : threads) pthread_join(thread, nullptr);
  }
  if (options.store != nullptr && !wanted.empty()) options.store->Flush();
  return status;
}

Status ProgramPool::BuildOne(Program& program, BinaryStore* store) {
  if (store != nullptr && LoadBinary(program, store)) {
    std::lock_guard<Mutex> lock(mutex_);
    ++num_loaded_;
    return Status();
  }
  MACE_RETURN_IF_ERROR(Compile(program));
  if (store != nullptr) Keep(program, store);
  std::lock_guard<Mutex> lock(mutex_);
  ++num_compiled_;
  return Status();
}

bool ProgramPool::LoadBinary(Program& program, BinaryStore* store) {
  std::vector<unsigned char> binary;
  {
    std::lock_guard<Mutex> lock(store_mutex_);
    binary = store->Find(program.key());
  }
  if (binary.empty()) return false;
  const ClApi& api = context_.api();
  const cl_device_id device = context_.device();
  const size_t size = binary.size();
  const unsigned char* data = binary.data();
  cl_int loaded = CL_SUCCESS, code = CL_SUCCESS;
  ClProgramHandle handle(
      api.clCreateProgramWithBinary(context_.get(), 1, &device, &size, &data,
                                    &loaded, &code),
      api.clReleaseProgram);
  if (code == CL_SUCCESS && loaded == CL_SUCCESS) {
    code = api.clBuildProgram(handle.get(), 1, &device, program.options.c_str(),
                              nullptr, nullptr);
    if (code == CL_SUCCESS) {
      program.handle = std::move(handle);
      return true;
    }
  }
  LOG(INFO) << "a stored program is compiled again, as the driver refuses it: "
            << ClErrorName(code);
  return false;
}

Status ProgramPool::Compile(Program& program) {
  const ClApi& api = context_.api();
  const char* texts[] = {FindKernelSource("prelude"),
                         FindKernelSource(program.source.c_str())};
  cl_int code = CL_SUCCESS;
  ClProgramHandle handle(
      api.clCreateProgramWithSource(context_.get(), 2, texts, nullptr, &code),
      api.clReleaseProgram);
  MACE_RETURN_IF_ERROR(ClStatus(code, "clCreateProgramWithSource"));
  const cl_device_id device = context_.device();
  code = api.clBuildProgram(handle.get(), 1, &device, program.options.c_str(),
                            nullptr, nullptr);
  if (code == CL_BUILD_PROGRAM_FAILURE) {
    return RuntimeError("the OpenCL compiler refuses ", program.key(), ": ",
                        BuildLog(api, handle.get(), device));
  }
  MACE_RETURN_IF_ERROR(ClStatus(code, "clBuildProgram of " + program.key()));
  program.handle = std::move(handle);
  return Status();
}

void ProgramPool::Keep(const Program& program, BinaryStore* store) {
  const ClApi& api = context_.api();
  size_t size = 0;
  if (api.clGetProgramInfo(program.handle.get(), CL_PROGRAM_BINARY_SIZES,
                           sizeof(size), &size, nullptr) != CL_SUCCESS ||
      size == 0) {
    return;
  }
  std::vector<unsigned char> binary(size);
  unsigned char* data = binary.data();
  if (api.clGetProgramInfo(program.handle.get(), CL_PROGRAM_BINARIES,
                           sizeof(data), &data, nullptr) != CL_SUCCESS) {
    return;
  }
  std::lock_guard<Mutex> lock(store_mutex_);
  store->Insert(program.key(), binary);
}

int ProgramPool::num_compiled() const {
  std::lock_guard<Mutex> lock(mutex_);
  return num_compiled_;
}

int ProgramPool::num_loaded() const {
  std::lock_guard<Mutex> lock(mutex_);
  return num_loaded_;
}

}  // namespace mace::opencl
