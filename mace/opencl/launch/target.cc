// Describing constants, and naming them so that engines can share them.
// SPDX-License-Identifier: Apache-2.0

#include "mace/opencl/launch/target.h"

#include <algorithm>
#include <utility>

#include "mace/base/str_cat.h"

namespace mace::opencl {
namespace {

// Returns a name for what is computed from `from` as `how` says, arranged as
// `constant` is. Empty if one of them is not a constant of the model but was
// computed by the plan.
std::string NameOf(const std::vector<const Operand*>& from,
                   const std::string& how, const ConstantData& constant) {
  std::string name = StrCat(how, " of");
  for (const Operand* operand : from) {
    if (operand->weight_id < 0) return "";
    name += StrCat(" ", operand->weight_id);
  }
  name += StrCat(" in layout ", static_cast<int>(constant.layout));
  for (const int64_t extent : constant.extents) {
    name += StrCat(" ", extent);
  }
  return StrCat(name, " in pixels ", static_cast<int>(constant.pixels));
}

// A compute unit of a GPU runs some hundreds (Adreno, Mali) to 2048 (NVIDIA)
// items at a time; while some wait for memory, others compute.
constexpr int64_t kItemsPerUnit = 1024;
constexpr size_t kMaxInTeam = 32;
constexpr size_t kMaxSums = 8;  // of a position
// A member with fewer terms gains less than the team's barrier costs.
constexpr int64_t kMinTerms = 4;

}  // namespace

int64_t Target::WantedItems() const {
  if (wanted_items_ >= 0) return wanted_items_;
  const auto units = static_cast<int64_t>(info_.compute_units);
  return info_.is_gpu ? kItemsPerUnit * units : 0;
}

bool Target::FillsDevice(const Grid& grid, size_t team) const {
  int64_t items = static_cast<int64_t>(team);
  for (const size_t extent : grid) {
    items = SaturatedProduct({items, static_cast<int64_t>(extent)});
  }
  return items >= WantedItems();
}

size_t Target::TeamOf(const Grid& grid, int64_t steps, int64_t terms) const {
  const size_t most = std::min(
      {kMaxInTeam, info_.max_group_size, info_.max_group_sizes[2],
       static_cast<size_t>(info_.local_bytes / (kMaxSums * kTeamSumBytes))});
  const int64_t all_terms = SaturatedProduct({steps, terms});
  size_t team = 1;
  while (!FillsDevice(grid, team) && 2 * team <= most &&
         2 * static_cast<int64_t>(team) <= steps &&
         2 * static_cast<int64_t>(team) * kMinTerms <= all_terms) {
    team *= 2;
  }
  return team;
}

Status Target::CheckExtent(const Extent2D& extent,
                           const std::string& what) const {
  const auto width = static_cast<int64_t>(info_.max_image_width);
  const auto height = static_cast<int64_t>(info_.max_image_height);
  if (extent.width <= width && extent.height <= height) return Status();
  return Unsupported(what, " needs an image of ", extent.width, "x",
                     extent.height, " pixels, but those of ", info_.name,
                     " have at most ", width, "x", height,
                     "; run it on the CPU or split the tensor");
}

Result<std::shared_ptr<ConstantData>> Target::DescribeImage(
    ImageLayout layout, const Extents4& extents,
    const std::vector<const Operand*>& from, const std::string& how,
    PixelType pixels) const {
  MACE_RETURN_IF_ERROR(CheckExtent(ImageExtent(layout, extents), "a weight"));
  auto constant = std::make_shared<ConstantData>();
  constant->layout = layout;
  constant->extents = extents;
  constant->pixels = pixels;
  constant->name = NameOf(from, how, *constant);
  return constant;
}

Result<ConstantPtr> Target::RearrangedImage(
    ImageLayout layout, const Extents4& extents, const Operand& operand,
    const std::string& how, Rearrangement rearrange, PixelType pixels) const {
  MACE_ASSIGN_OR_RETURN(
      auto constant, DescribeImage(layout, extents, {&operand}, how, pixels));
  constant->source = operand;
  constant->rearrange = std::move(rearrange);
  return ConstantPtr(std::move(constant));
}

Result<ConstantPtr> Target::ComputedImage(
    ImageLayout layout, const Extents4& extents,
    const std::vector<const Operand*>& from, const std::string& how,
    std::function<void(float*)> fill, PixelType pixels) const {
  MACE_ASSIGN_OR_RETURN(auto constant,
                        DescribeImage(layout, extents, from, how, pixels));
  constant->fill = std::move(fill);
  return ConstantPtr(std::move(constant));
}

ConstantPtr Target::TableOf(std::vector<uint8_t> bytes) {
  auto constant = std::make_shared<ConstantData>();
  constant->name = StrCat("table ", std::string(bytes.begin(), bytes.end()));
  constant->bytes = std::move(bytes);
  return constant;
}

}  // namespace mace::opencl
