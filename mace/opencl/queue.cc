// Sending commands to the device.
// SPDX-License-Identifier: Apache-2.0

#include "mace/opencl/queue.h"

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
  // The two queues know nothing of each other's order.
  const Status finished = Finish();
  if (!finished.ok()) LOG(WARNING) << finished.information();
  profiling_ = on;
}

Status Queue::Enqueue(cl_kernel kernel, const Grid& offset, const Grid& global,
                      const Grid& local, cl_event* event) {
  return ClStatus(api().clEnqueueNDRangeKernel(get(), kernel, 3, offset.data(),
                                               global.data(), local.data(), 0,
                                               nullptr, event),
                  "clEnqueueNDRangeKernel");
}

Status Queue::Read(cl_mem buffer, size_t bytes, void* to) {
  return ClStatus(api().clEnqueueReadBuffer(get(), buffer, CL_TRUE, 0, bytes,
                                            to, 0, nullptr, nullptr),
                  "clEnqueueReadBuffer");
}

Status Queue::Write(const void* from, size_t bytes, cl_mem buffer) {
  return ClStatus(api().clEnqueueWriteBuffer(get(), buffer, CL_TRUE, 0, bytes,
                                             from, 0, nullptr, nullptr),
                  "clEnqueueWriteBuffer");
}

Status Queue::Finish() { return ClStatus(api().clFinish(get()), "clFinish"); }

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
