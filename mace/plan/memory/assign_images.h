// AssignImages: decides which tensors share which image.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PLAN_MEMORY_ASSIGN_IMAGES_H_
#define MACE_PLAN_MEMORY_ASSIGN_IMAGES_H_

#include "mace/plan/types/plan.h"
#include "mace/plan/types/plan_options.h"

namespace mace {

// The formats of images: four floats or four fp16 per pixel.
inline constexpr memory::ImageFormat kImageFormats[] = {{16, 1}, {8, 1}};

// Assigns an image to each group of values of Layout::kImage, whose locations
// have the root of the group as their index so far, and to each scratch image
// of a step. Values that do not live at the same time share images, as the
// strategy of `options` chooses. Fills in the locations and all fields of
// `plan` about images; does nothing without an image device. Errors:
// MACE_UNSUPPORTED from DeviceStorage::ImageExtentOf, or if the strategy cannot
// plan images and nothing of `plan` lies in the arena; those of
// memory::PlanImages. REQUIRES: AssignMemory(plan, options) has returned OK.
Status AssignImages(Plan& plan, const PlanOptions& options = {});

}  // namespace mace

#endif  // MACE_PLAN_MEMORY_ASSIGN_IMAGES_H_
