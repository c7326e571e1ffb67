// Queue: the commands of one engine, in order.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPENCL_LAUNCH_QUEUE_H_
#define MACE_OPENCL_LAUNCH_QUEUE_H_

#include <cstdint>
#include <vector>

#include "mace/opencl/driver/cl_context.h"
#include "mace/opencl/launch/local_size.h"

namespace mace::opencl {

// What went through a queue so far.
struct QueueCounts {
  int64_t kernels = 0;
  int64_t enqueues = 0;  // commands that run a kernel or a part of it
  int64_t bytes_from_host = 0;
  int64_t bytes_to_host = 0;
};

// Not thread-safe.
class Queue {
 public:
  // `context` must outlive it. Errors: of the driver.
  static Result<Queue> Create(const ClContext& context);

  const ClContext& context() const { return *context_; }
  const ClApi& api() const { return context_->api(); }

  // The queue that commands go to.
  cl_command_queue get() const {
    return profiling_ ? measured_.get() : plain_.get();
  }

  // Whether commands from now on measure their time.
  void SetProfiling(bool on);
  bool profiling() const { return profiling_; }

  // At most so many kernels wait or run at a time; 0: any number.
  void SetWindow(int size);

  const QueueCounts& counts() const { return counts_; }
  void CountKernel() { ++counts_.kernels; }

  // Starts `kernel` over the items [offset, offset + global), in groups of
  // `local`. `event`, if not null, is for its time.
  Status Enqueue(cl_kernel kernel, const Grid& offset, const Grid& global,
                 const Grid& local, cl_event* event);

  // Copies and waits until that is done.
  Status Read(cl_mem buffer, size_t bytes, void* to);
  Status Write(const void* from, size_t bytes, cl_mem buffer);

  // Waits until the host sees, in the memory that `buffer` was made of, what
  // the device wrote.
  Status ShowToHost(cl_mem buffer, size_t bytes);

  Status Finish();

 private:
  Status MakeRoom();
  Status Waited(cl_int code, const char* what);

  const ClContext* context_ = nullptr;
  ClQueueHandle plain_;
  ClQueueHandle measured_;  // made when first needed
  bool profiling_ = false;
  std::vector<ClEvent> window_;  // of the latest kernels; a ring
  size_t oldest_ = 0;            // in window_
  QueueCounts counts_;
};

// Time from the start to the end of a command, which must be done.
Result<double> EventMicros(const ClApi& api, cl_event event);

}  // namespace mace::opencl

#endif  // MACE_OPENCL_LAUNCH_QUEUE_H_
