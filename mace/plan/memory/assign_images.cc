// Finds the lifetimes of images, and assigns shared images to them.
// SPDX-License-Identifier: Apache-2.0

#include "mace/plan/memory/assign_images.h"

#include <string>
#include <utility>
#include <vector>

#include "mace/base/logging.h"
#include "mace/base/str_cat.h"
#include "mace/memory/strategy.h"

namespace mace {
namespace {

constexpr int32_t kFp16Format = 1;  // index in kImageFormats; 0 is float

class Assigner {
 public:
  Assigner(Plan& plan, const memory::Strategy& strategy)
      : plan_(plan), records_(plan.image_records), strategy_(strategy) {
    record_of_.assign(plan.graph.values.size(), -1);
    scratch_of_.resize(plan.steps.size());
  }

  Status Assign() {
    for (size_t s = 0; s < plan_.steps.size(); ++s) {
      MACE_RETURN_IF_ERROR(AddStep(s));
    }
    if (strategy_.preserves_all()) {
      for (memory::ImageRecord& record : records_) {
        record.last = static_cast<int64_t>(plan_.steps.size());
      }
    }
    MACE_ASSIGN_OR_RETURN(const std::string planner, Planner());
    const Extent2D limit = plan_.image_device->storage()->max_image_extent();
    plan_.image_limits = {limit.width, limit.height};
    MACE_ASSIGN_OR_RETURN(
        plan_.image_plan,
        memory::PlanImages(records_,
                           {std::begin(kImageFormats), std::end(kImageFormats)},
                           plan_.image_limits, planner));
    const memory::ImagePlan& images = plan_.image_plan;
    for (const memory::Image& image : images.images) {
      plan_.images.push_back(
          {{image.width, image.height},
           image.format == kFp16Format ? DataType::kF16 : DataType::kF32});
    }
    plan_.image_bytes = images.certificate.total;
    for (size_t id = 0; id < record_of_.size(); ++id) {
      if (record_of_[id] < 0) continue;
      plan_.locations[id] = {Location::kImage, images.image_of[record_of_[id]],
                             0};
    }
    for (size_t s = 0; s < plan_.steps.size(); ++s) {
      for (int record : scratch_of_[s]) {
        plan_.steps[s].images.push_back(images.image_of[record]);
      }
    }
    return Status();
  }

 private:
  // Returns the planner of the images: that of the strategy, or AUTO if the
  // strategy can plan only an arena and there is one.
  Result<std::string> Planner() const {
    if (strategy_.images() != nullptr) {
      return std::string(strategy_.images()->name);
    }
    const std::string why = StrCat(
        "memory_strategy '", strategy_.name,
        strategy_.objects == nullptr
            ? "' gives tensors offsets in an arena, which images do not have"
            : "' shares objects of one size in bytes; images have a width and "
              "a height");
    const std::string choices =
        StrCat("; images take ", memory::ImageStrategyNames());
    if (records_.empty() || !plan_.memory_problem.records.empty()) {
      if (!records_.empty()) {
        LOG(INFO) << "model '" << plan_.graph.name << "': " << why
                  << ": it plans the arena, and AUTO the images" << choices;
      }
      return std::string("objects/AUTO");
    }
    return Unsupported("model '", plan_.graph.name, "': ", why,
                       ", and nothing of this model lies in an arena, as all "
                       "of it runs on the ",
                       plan_.image_device->name(), choices);
  }

  Status AddStep(size_t s) {
    const Step& step = plan_.steps[s];
    const GraphNode& g = plan_.graph.nodes[step.node];
    for (int id : g.inputs) {
      if (id >= 0) MACE_RETURN_IF_ERROR(Touch(id, s));
    }
    for (int id : g.outputs) MACE_RETURN_IF_ERROR(Touch(id, s));
    for (const Extent2D& extent : step.kernel->scratch_images()) {
      scratch_of_[s].push_back(Add(StrCat(g.node.name, " (scratch)"),
                                   {extent, step.kernel->image_dtype()}, s));
    }
    return Status();
  }

  Status Touch(int id, size_t step) {
    const Value& value = plan_.graph.values[id];
    if (value.type.layout != Layout::kImage) return Status();
    // A group of views shares the image of its root.
    int& record = record_of_[plan_.locations[id].index];
    if (record < 0) {
      MACE_ASSIGN_OR_RETURN(
          const Extent2D extent,
          plan_.image_device->storage()->ImageExtentOf(value.type));
      record = Add(value.name, {extent, value.type.dtype}, step);
    }
    record_of_[id] = record;
    records_[record].last = static_cast<int64_t>(step);
    return Status();
  }

  int Add(const std::string& name, const ImageType& type, size_t step) {
    memory::ImageRecord record;
    record.name = name;
    record.width = type.extent.width;
    record.height = type.extent.height;
    record.format = type.dtype == DataType::kF16 ? kFp16Format : 0;
    record.first = record.last = static_cast<int64_t>(step);
    records_.push_back(std::move(record));
    return static_cast<int>(records_.size()) - 1;
  }

  Plan& plan_;
  std::vector<memory::ImageRecord>& records_;
  const memory::Strategy& strategy_;
  std::vector<int> record_of_;                // by value
  std::vector<std::vector<int>> scratch_of_;  // by step
};

}  // namespace

Status AssignImages(Plan& plan, const PlanOptions& options) {
  if (plan.image_device == nullptr) return Status();
  MACE_ASSIGN_OR_RETURN(const memory::Strategy strategy,
                        memory::FindStrategy(options.memory_strategy));
  return Assigner(plan, strategy).Assign();
}

}  // namespace mace
