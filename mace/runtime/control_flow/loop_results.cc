// Collecting the results of iterations in buffers that grow.
// SPDX-License-Identifier: Apache-2.0

#include "mace/runtime/control_flow/loop_results.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "mace/base/make_shared.h"
#include "mace/base/str_cat.h"

namespace mace {

Status LoopResults::Add(const Graph& body, const LiveValues& values,
                        size_t first) {
  for (size_t r = 0; r < results_.size(); ++r) {
    Stacked& stacked = results_[r];
    const int id = body.outputs[first + r];
    const auto live = values.find(id);
    const bool is_live = live != values.end();
    const TensorType& type = is_live ? live->second.type : body.values[id].type;
    const void* data = is_live ? live->second.data : body.values[id].data;
    if (stacked.count == 0) stacked.type = type;
    if (!(type == stacked.type)) {
      return InvalidModel(Label(g_.node), ": output ", r,
                          " of those that it "
                          "stacks is ",
                          ToString(type), " in iteration ", stacked.count,
                          ", and ", ToString(stacked.type),
                          " before; all must have one shape");
    }
    const int64_t bytes = Bytes(type);
    const int64_t end = (stacked.count + 1) * bytes;
    if (static_cast<int64_t>(stacked.bytes.size()) < end) {
      MACE_ASSIGN_OR_RETURN(
          AlignedBuffer larger,
          AlignedBuffer::Create(end * 2, "the results of a loop"));
      if (stacked.count > 0) {
        std::memcpy(larger.data(), stacked.bytes.data(), end - bytes);
      }
      stacked.bytes = std::move(larger);
    }
    if (bytes > 0) {
      std::memcpy(static_cast<char*>(stacked.bytes.data()) + end - bytes, data,
                  bytes);
    }
    ++stacked.count;
  }
  return Status();
}

Status LoopResults::AddNone(const Plan& plan, const Graph& body,
                            const LiveValues& inputs, size_t first) {
  for (size_t r = 0; r < results_.size(); ++r) {
    const int id = body.outputs[first + r];
    const auto input = inputs.find(id);
    results_[r].type =
        input != inputs.end() ? input->second.type : plan.graph.values[id].type;
    if (results_[r].type.dtype == DataType::kInvalid) {
      return InvalidModel(Label(g_.node),
                          ": makes no iteration, and the shape "
                          "of output ",
                          r,
                          " of those that it stacks is known "
                          "only after one; make at least one iteration");
    }
  }
  return Status();
}

Status LoopResults::Finish(size_t first, LiveValues& values) {
  for (size_t r = 0; r < results_.size(); ++r) {
    LiveValue live = {results_[r].type, nullptr, nullptr};
    live.type.shape.insert(live.type.shape.begin(), results_[r].count);
    if (live.type.shape.size() > 64 || !CheckedBytes(live.type).ok()) {
      return InvalidModel(Label(g_.node), ": output ", r,
                          " of those that it stacks would be ",
                          ToString(live.type), ", which is too large");
    }
    if (live.type.is_quantized() && live.type.quantization->is_per_axis()) {
      auto moved = MakeShared<Quantization>(*live.type.quantization);
      ++moved->axis;
      live.type.quantization = std::move(moved);
    }
    const auto owner = MakeShared<AlignedBuffer>(std::move(results_[r].bytes));
    live.data = owner->data();
    live.owner = owner;
    values[g_.outputs[first + r]] = std::move(live);
  }
  return Status();
}

}  // namespace mace
