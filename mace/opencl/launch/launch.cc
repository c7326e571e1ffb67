// Binding arguments and starting kernels.
// SPDX-License-Identifier: Apache-2.0

#include "mace/opencl/launch/launch.h"

#include <algorithm>
#include <numeric>

#include "mace/base/str_cat.h"

namespace mace::opencl {

Status Launch::Failed(const Status& status) const {
  return {status.code(), StrCat("OpenCL kernel ", pass_.entry, " of ",
                                pass_.source, ".cl: ", status.information())};
}

Status Launch::SetArg(const ClApi& api, cl_uint index, size_t size,
                      const void* value) const {
  const cl_int code = api.clSetKernelArg(kernel_.get(), index, size, value);
  if (code == CL_SUCCESS) return Status();
  return Failed(ClStatus(code, StrCat("clSetKernelArg of argument ", index)));
}

Status Launch::Finish(const ClContext& context) {
  if (kernel_) return Status();
  const ClApi& api = context.api();
  cl_int code = CL_SUCCESS;
  kernel_ = {
      api.clCreateKernel(program_->handle.get(), pass_.entry.c_str(), &code),
      api.clReleaseKernel};
  if (code != CL_SUCCESS) return Failed(ClStatus(code, "clCreateKernel"));
  code = api.clGetKernelWorkGroupInfo(kernel_.get(), context.device(),
                                      CL_KERNEL_WORK_GROUP_SIZE,
                                      sizeof(max_items_), &max_items_, nullptr);
  if (code != CL_SUCCESS) {
    return Failed(ClStatus(code, "clGetKernelWorkGroupInfo"));
  }
  max_items_ = std::min(max_items_, context.info().max_group_size);
  for (const Pass::Arg& arg : pass_.args) {
    const auto* parts = std::get_if<Pass::TeamParts>(&arg);
    if (parts == nullptr) continue;
    max_items_ = std::min<size_t>(
        max_items_, context.info().local_bytes / parts->bytes_per_item);
  }
  if (max_items_ < pass_.team) {
    return Failed(RuntimeError("the driver allows groups of ", max_items_,
                               " items, but ", pass_.team,
                               " compute one position together"));
  }
  shape_ = LaunchShape::Whole(
      pass_.grid,
      ChooseLocalSize(pass_.grid, pass_.team, max_items_, context.info()));
  return BindConstants(api);
}

Status Launch::BindConstants(const ClApi& api) {
  cl_uint index = 0;
  if (violations_ != nullptr) {
    const cl_mem memory = violations_->get();
    MACE_RETURN_IF_ERROR(SetArg(api, index++, sizeof(memory), &memory));
  }
  for (const size_t extent : pass_.grid) {
    const auto value = static_cast<cl_int>(extent);
    MACE_RETURN_IF_ERROR(SetArg(api, index++, sizeof(value), &value));
  }
  first_arg_ = index;
  for (const Pass::Arg& arg : pass_.args) {
    if (const auto* i = std::get_if<cl_int>(&arg)) {
      MACE_RETURN_IF_ERROR(SetArg(api, index, sizeof(*i), i));
    } else if (const auto* f = std::get_if<cl_float>(&arg)) {
      MACE_RETURN_IF_ERROR(SetArg(api, index, sizeof(*f), f));
    } else if (const auto* memory = std::get_if<SharedMem>(&arg)) {
      const cl_mem object = (*memory)->get();
      MACE_RETURN_IF_ERROR(SetArg(api, index, sizeof(object), &object));
    }
    ++index;
  }
  return Status();
}

Status Launch::BindImages(const ClApi& api, const RunArgs& args) const {
  cl_uint index = first_arg_;
  for (const Pass::Arg& arg : pass_.args) {
    const void* handle = nullptr;
    if (const auto* parts = std::get_if<Pass::TeamParts>(&arg)) {
      const Grid& group = shape_.local;
      const size_t items = pass_.team * group[0] * group[1] * group[2];
      MACE_RETURN_IF_ERROR(
          SetArg(api, index++, items * parts->bytes_per_item, nullptr));
      continue;
    }
    if (const auto* input = std::get_if<Pass::Input>(&arg)) {
      handle = args.inputs[input->index].handle;
    } else if (const auto* output = std::get_if<Pass::Output>(&arg)) {
      handle = args.outputs[output->index].handle;
    } else if (const auto* scratch = std::get_if<Pass::Scratch>(&arg)) {
      handle = args.images[scratch->index].handle;
    } else {
      ++index;
      continue;
    }
    MACE_RETURN_IF_ERROR(SetArg(api, index++, sizeof(handle), &handle));
  }
  return Status();
}

Status Launch::Run(Queue& queue, const RunArgs& args) {
  MACE_RETURN_IF_ERROR(BindImages(queue.api(), args));
  events_.clear();
  queue.CountKernel();
  const Status status = EnqueuePieces(queue);
  if (!status.ok()) return Failed(status);
  return violations_ == nullptr ? Status() : CountViolations(queue);
}

Status Launch::EnqueuePieces(Queue& queue) {
  const Grid all = RoundUp(pass_.grid, shape_.local);
  Grid at;
  for (at[2] = 0; at[2] < all[2]; at[2] += shape_.piece[2]) {
    for (at[1] = 0; at[1] < all[1]; at[1] += shape_.piece[1]) {
      for (at[0] = 0; at[0] < all[0]; at[0] += shape_.piece[0]) {
        Grid size;
        for (int d = 0; d < 3; ++d) {
          size[d] = std::min(shape_.piece[d], all[d] - at[d]);
        }
        const auto items = [this](Grid positions) {
          positions[2] *= pass_.team;
          return positions;
        };
        cl_event event = nullptr;
        const Status status = queue.Enqueue(
            kernel_.get(), items(at), items(size), items(shape_.local),
            queue.profiling() ? &event : nullptr);
        if (event != nullptr) {
          events_.emplace_back(event, queue.api().clReleaseEvent);
        }
        MACE_RETURN_IF_ERROR(status);
      }
    }
  }
  return Status();
}

Status Launch::CountViolations(Queue& queue) const {
  cl_int count = 0;
  MACE_RETURN_IF_ERROR(queue.Read(violations_->get(), sizeof(count), &count));
  if (count == 0) return Status();
  const cl_int zero = 0;
  MACE_RETURN_IF_ERROR(queue.Write(&zero, sizeof(zero), violations_->get()));
  return Failed(InternalError(count, " accesses outside of the image"));
}

double Launch::MeasuredMicros(const ClApi& api) const {
  const std::vector<double> pieces = PieceMicros(api);
  return pieces.empty() ? -1
                        : std::accumulate(pieces.begin(), pieces.end(), 0.0);
}

std::vector<double> Launch::PieceMicros(const ClApi& api) const {
  std::vector<double> pieces;
  for (const ClEvent& event : events_) {
    const auto micros = EventMicros(api, event.get());
    if (!micros.ok()) return {};
    pieces.push_back(*micros);
  }
  return pieces;
}

}  // namespace mace::opencl
