// AssignImages: which tensors share which image.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PLAN_ASSIGN_IMAGES_H_
#define MACE_PLAN_ASSIGN_IMAGES_H_

#include "mace/plan/plan.h"

namespace mace {

// Of the formats of images: four floats a pixel, or four fp16.
inline constexpr memory::ImageFormat kImageFormats[] = {{16, 1}, {8, 1}};

// Gives the values of Layout::kImage that plan.places does not yet place an
// image each, and every step its scratch images; values that do not live at the
// same time share, as the strategy of `options` chooses. Fills the places and
// all fields about images of `plan`.
// Errors: MACE_UNSUPPORTED of DeviceStorage::ImageExtentOf, or if the strategy
// plans no images and nothing of `plan` lies in the arena;
// MACE_OUT_OF_RESOURCES.
// REQUIRES: AssignMemory(plan, options).
Status AssignImages(Plan& plan, const PlanOptions& options = {});

}  // namespace mace

#endif  // MACE_PLAN_ASSIGN_IMAGES_H_
