// AssignImages: which tensors share which image.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PLAN_ASSIGN_IMAGES_H_
#define MACE_PLAN_ASSIGN_IMAGES_H_

#include "mace/plan/plan.h"

namespace mace {

// Gives the values of Layout::kImage that plan.places does not yet place an
// image each, and every step its scratch images; values that do not live at the
// same time share. Fills the places, plan.images and plan.image_bytes.
// Errors: MACE_UNSUPPORTED of DeviceStorage::ImageExtentOf,
// MACE_OUT_OF_RESOURCES.
Status AssignImages(Plan& plan);

}  // namespace mace

#endif  // MACE_PLAN_ASSIGN_IMAGES_H_
