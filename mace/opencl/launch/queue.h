// Queue: sends the commands of one engine to the device, in order.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPENCL_LAUNCH_QUEUE_H_
#define MACE_OPENCL_LAUNCH_QUEUE_H_

#include <cstdint>
#include <vector>

#include "mace/base/cancellation.h"
#include "mace/opencl/driver/cl_context.h"
#include "mace/opencl/launch/local_size.h"

namespace mace::opencl {

// What a queue has done so far.
struct QueueCounts {
  int64_t kernels = 0;
  int64_t enqueues = 0;  // commands; a split kernel has several
  int64_t bytes_from_host = 0;
  int64_t bytes_to_host = 0;
};

// Not thread-safe. Commands run in the order in which they are sent, so no
// command waits for an event. There are up to two OpenCL queues, because one
// measures either always or never; only one of them has commands at a time.
class Queue {
 public:
  // `context` must outlive the queue. Errors: those of the driver.
  static Result<Queue> Create(const ClContext& context);

  const ClContext& context() const { return *context_; }
  const ClApi& api() const { return context_->api(); }

  // The OpenCL queue that receives the next command.
  cl_command_queue get() const {
    return profiling_ ? measured_.get() : plain_.get();
  }

  // Turns the measuring of later commands on or off. It stays off if the driver
  // cannot measure, which is logged.
  void SetProfiling(bool on);
  bool profiling() const { return profiling_; }

  // Lets at most `size` commands of kernels wait or run at a time: Enqueue then
  // waits for the oldest one, so that other users of the GPU do not wait long.
  // 0: no limit.
  void SetWindow(int size);

  // Once `cancellation` is cancelled, Enqueue starts nothing. Until then at
  // most kCancellableWindow commands of kernels wait or run, unless SetWindow
  // has set a limit, because a driver cannot be asked to forget them. Null:
  // ends this. Not owned.
  static constexpr int kCancellableWindow = 16;
  void SetCancellation(const Cancellation* cancellation);

  const QueueCounts& counts() const { return counts_; }
  void CountKernel() { ++counts_.kernels; }

  // Starts `kernel`, whose arguments are set, over the items [offset, offset +
  // global), in groups of `local`, which divides `global`. If `event` is not
  // null, it receives the event that knows the command's time, which the caller
  // must release, also after an error if it is set. Errors: those of the
  // driver, also of earlier commands; MACE_CANCELLED.
  Status Enqueue(cl_kernel kernel, const Grid& offset, const Grid& global,
                 const Grid& local, cl_event* event);

  // Copies `bytes` bytes from, or to, the start of `buffer`, and waits until
  // they have arrived; all earlier commands have finished then. Errors: those
  // of the driver.
  Status Read(cl_mem buffer, size_t bytes, void* to);
  Status Write(const void* from, size_t bytes, cl_mem buffer);

  // Makes what the device wrote to `buffer`, which ClContext::WrapHost made,
  // visible to the host, and waits for that. Errors: those of the driver.
  Status ShowToHost(cl_mem buffer, size_t bytes);

  // Waits until all commands have finished. Errors: those of the driver.
  Status Finish();

 private:
  void ResizeWindow(int size);
  Status AwaitOldest();
  // Empties the window after a call that has waited; `code` is its result.
  Status Waited(cl_int code, const char* what);

  const ClContext* context_ = nullptr;
  ClQueueHandle plain_;
  ClQueueHandle measured_;  // made when first needed
  bool profiling_ = false;
  std::vector<ClEvent> window_;  // of the latest kernels; a ring buffer
  size_t oldest_ = 0;            // index in window_
  int window_size_ = 0;          // of SetWindow
  const Cancellation* cancellation_ = nullptr;
  QueueCounts counts_;
};

// Returns the microseconds from the start to the end of a finished command of a
// queue with profiling. Errors: those of the driver, if it has no times.
Result<double> EventMicros(const ClApi& api, cl_event event);

}  // namespace mace::opencl

#endif  // MACE_OPENCL_LAUNCH_QUEUE_H_
