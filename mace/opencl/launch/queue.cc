// Sending commands to the device.
// SPDX-License-Identifier: Apache-2.0

#include "mace/opencl/launch/queue.h"

#include <utility>

#include "mace/base/logging.h"

namespace mace::opencl {

Result<Queue> Queue::Create(const ClContext& context) {
  Queue queue;
  queue.context_ = &context;
  MACE_ASSIGN_OR_RETURN(queue.plain_, context.CreateQueue(false));
  return queue;
}

void Queue::SetProfiling(bool on) {
  if (on && !measured_) {
    auto created = context_->CreateQueue(true);
    if (!created.ok()) {
      LOG(INFO) << "no times of kernels: " << created.status().information();
      return;
    }
    measured_ = std::move(*created);
  }
  if (on == profiling_) return;
  // OpenCL does not order the commands of two queues.
  const Status finished = Finish();
  if (!finished.ok()) LOG(WARNING) << finished.information();
  profiling_ = on;
}

void Queue::SetWindow(int size) {
  window_size_ = size;
  ResizeWindow(size);
}

void Queue::ResizeWindow(int size) {
  window_.clear();
  window_.resize(static_cast<size_t>(size));
  oldest_ = 0;
}

void Queue::SetCancellation(const Cancellation* cancellation) {
  if (cancellation == cancellation_) return;
  cancellation_ = cancellation;
  if (window_size_ == 0) {
    ResizeWindow(cancellation != nullptr ? kCancellableWindow : 0);
  }
}

Status Queue::AwaitOldest() {
  ClEvent& oldest = window_[oldest_];
  if (!oldest) return Status();
  const ClEvent event = std::move(oldest);
  MACE_RETURN_IF_ERROR(ClStatus(api().clFlush(get()), "clFlush"));
  const cl_event waited = event.get();
  return ClStatus(api().clWaitForEvents(1, &waited), "clWaitForEvents");
}

Status Queue::Enqueue(cl_kernel kernel, const Grid& offset, const Grid& global,
                      const Grid& local, cl_event* event) {
  if (cancellation_ != nullptr && cancellation_->is_cancelled()) {
    return Cancelled("the GPU starts no further kernels");
  }
  const bool bounded = !window_.empty();
  if (bounded) MACE_RETURN_IF_ERROR(AwaitOldest());
  cl_event made = nullptr;
  const bool wanted = bounded || event != nullptr;
  MACE_RETURN_IF_ERROR(
      ClStatus(api().clEnqueueNDRangeKernel(get(), kernel, 3, offset.data(),
                                            global.data(), local.data(), 0,
                                            nullptr, wanted ? &made : nullptr),
               "clEnqueueNDRangeKernel"));
  ++counts_.enqueues;
  if (event != nullptr) *event = made;
  if (!bounded) return Status();
  // The caller and the window both own the event.
  if (event != nullptr) {
    MACE_RETURN_IF_ERROR(ClStatus(api().clRetainEvent(made), "clRetainEvent"));
  }
  window_[oldest_] = {made, api().clReleaseEvent};
  oldest_ = (oldest_ + 1) % window_.size();
  return Status();
}

Status Queue::Read(cl_mem buffer, size_t bytes, void* to) {
  counts_.bytes_to_host += static_cast<int64_t>(bytes);
  return Waited(api().clEnqueueReadBuffer(get(), buffer, CL_TRUE, 0, bytes, to,
                                          0, nullptr, nullptr),
                "clEnqueueReadBuffer");
}

Status Queue::Write(const void* from, size_t bytes, cl_mem buffer) {
  counts_.bytes_from_host += static_cast<int64_t>(bytes);
  return Waited(api().clEnqueueWriteBuffer(get(), buffer, CL_TRUE, 0, bytes,
                                           from, 0, nullptr, nullptr),
                "clEnqueueWriteBuffer");
}

Status Queue::ShowToHost(cl_mem buffer, size_t bytes) {
  cl_int code = CL_SUCCESS;
  void* const mapped =
      api().clEnqueueMapBuffer(get(), buffer, CL_TRUE, CL_MAP_READ, 0, bytes, 0,
                               nullptr, nullptr, &code);
  MACE_RETURN_IF_ERROR(Waited(code, "clEnqueueMapBuffer"));
  MACE_RETURN_IF_ERROR(ClStatus(
      api().clEnqueueUnmapMemObject(get(), buffer, mapped, 0, nullptr, nullptr),
      "clEnqueueUnmapMemObject"));
  return Finish();
}

Status Queue::Finish() { return Waited(api().clFinish(get()), "clFinish"); }

Status Queue::Waited(cl_int code, const char* what) {
  // An in-order queue has finished all earlier commands, too.
  for (ClEvent& event : window_) event = ClEvent();
  return ClStatus(code, what);
}

Result<double> EventMicros(const ClApi& api, cl_event event) {
  cl_ulong begin = 0, end = 0;
  MACE_RETURN_IF_ERROR(
      ClStatus(api.clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START,
                                           sizeof(begin), &begin, nullptr),
               "clGetEventProfilingInfo"));
  MACE_RETURN_IF_ERROR(
      ClStatus(api.clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END,
                                           sizeof(end), &end, nullptr),
               "clGetEventProfilingInfo"));
  return static_cast<double>(end - begin) / 1000;
}

}  // namespace mace::opencl
