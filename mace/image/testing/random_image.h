// Random images in memory of just their size, and random inputs.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_IMAGE_TESTING_RANDOM_IMAGE_H_
#define MACE_IMAGE_TESTING_RANDOM_IMAGE_H_

#include <cstdint>
#include <memory>
#include <random>
#include <string>

#include "mace/public/mace_image.h"

namespace mace::image {

// Numbers that are the same on every platform for a seed, unlike those of the
// standard library's distributions.
class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  // From `low` to `high`, both included.
  int64_t operator()(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(engine_() %
                                      (static_cast<uint64_t>(high - low) + 1));
  }
  uint64_t word() { return engine_(); }

 private:
  std::mt19937_64 engine_;
};

// An image and its pixels. Each plane is an allocation of its own that ends
// with the plane's last pixel, so that sanitizers see who reads beyond; but
// the U and V of a YUV420 image may alternate in one.
struct RandomImage {
  MaceImage image;
  std::unique_ptr<uint8_t[]> memory[3];
};

// Returns an image that is valid. Sides are from 1 to `side`. The format,
// strides, crop, orientation and pixels are random too; extreme values of
// pixels are frequent, as only they are clipped.
RandomImage MakeRandomImage(int side, Random* random);

// Returns an input that is valid, for a tensor whose sides are at most `side`.
MaceImageInput MakeRandomInput(int side, Random* random);

// Both, for messages of tests.
std::string Describe(const MaceImage& image, const MaceImageInput& input);

}  // namespace mace::image

#endif  // MACE_IMAGE_TESTING_RANDOM_IMAGE_H_
