// Orientation, fit and the transform that leads back to the picture.
// SPDX-License-Identifier: Apache-2.0

#include "mace/image/geometry.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "mace/image/converter.h"
#include "mace/image/testing/random_image.h"

namespace mace::image {
namespace {

using O = MaceImageOrientation;

MaceImage Blank(int width, int height) {
  MaceImage image;
  image.width = width;
  image.height = height;
  image.crop = {0, 0, width, height};
  return image;
}

MaceImageInput Wanted(int width, int height,
                      MaceImageFit fit = MaceImageFit::STRETCH) {
  MaceImageInput input;
  input.width = width;
  input.height = height;
  input.fit = fit;
  return input;
}

void ExpectRect(const MaceImageRect& r, int x, int y, int width, int height) {
  EXPECT_EQ(r.x, x);
  EXPECT_EQ(r.y, y);
  EXPECT_EQ(r.width, width);
  EXPECT_EQ(r.height, height);
}

// 2x3 pixels, numbered row by row, as each orientation shows them.
TEST(Orientation, IsThatOfExif) {
  const std::vector<uint8_t> pixels = {1, 2, 3, 4, 5, 6};
  const std::vector<std::vector<uint8_t>> upright = {
      {1, 2, 3, 4, 5, 6}, {2, 1, 4, 3, 6, 5}, {6, 5, 4, 3, 2, 1},
      {5, 6, 3, 4, 1, 2}, {1, 3, 5, 2, 4, 6}, {5, 3, 1, 6, 4, 2},
      {6, 4, 2, 5, 3, 1}, {2, 4, 6, 1, 3, 5}};
  for (int o = 1; o <= 8; ++o) {
    MaceImage image =
        MaceImageInBuffer(MaceImageFormat::GRAY, pixels.data(), 6, 2, 3);
    image.orientation = static_cast<O>(o);
    MaceImageInput input = o < 5 ? Wanted(2, 3) : Wanted(3, 2);
    input.channels = MaceImageChannels::GRAY;
    input.data_type = IDT_UINT8;
    std::unique_ptr<MaceImageConverter> converter;
    ASSERT_TRUE(MaceImageConverter::Create(input, &converter).ok());
    std::vector<uint8_t> tensor(6);
    ASSERT_TRUE(converter->Convert(image, tensor.data(), 6).ok());
    EXPECT_EQ(tensor, upright[static_cast<size_t>(o - 1)]) << o;
  }
}

TEST(Orientation, OfACameraThatCountsDegrees) {
  EXPECT_EQ(MaceImageTurned(0, false), O::UPRIGHT);
  EXPECT_EQ(MaceImageTurned(90, false), O::ROTATE_90);
  EXPECT_EQ(MaceImageTurned(180, false), O::ROTATE_180);
  EXPECT_EQ(MaceImageTurned(270, false), O::ROTATE_270);
  EXPECT_EQ(MaceImageTurned(-90, false), O::ROTATE_270);
  EXPECT_EQ(MaceImageTurned(450, false), O::ROTATE_90);
  EXPECT_EQ(static_cast<int>(MaceImageTurned(45, false)), 0);
}

// Turning and then mirroring is what the orientation with its name does.
TEST(Orientation, MirroredAfterItIsTurned) {
  for (const int degrees : {0, 90, 180, 270}) {
    MaceImage turned = Blank(5, 3), both = Blank(5, 3);
    turned.orientation = MaceImageTurned(degrees, false);
    both.orientation = MaceImageTurned(degrees, true);
    const int width = degrees % 180 == 0 ? 5 : 3, height = 8 - width;
    const auto a = TransformOf(GeometryOf(turned, Wanted(width, height)));
    const auto b = TransformOf(GeometryOf(both, Wanted(width, height)));
    double ax, ay, bx, by;
    MaceImageMapPoint(a.to_picture, 0.5, 1.5, &ax, &ay);
    MaceImageMapPoint(b.to_picture, width - 0.5, 1.5, &bx, &by);
    EXPECT_EQ(ax, bx) << degrees;
    EXPECT_EQ(ay, by) << degrees;
  }
}

TEST(Fit, LetterboxShowsAllInTheMiddle) {
  const auto fit = MaceImageFit::LETTERBOX;
  ExpectRect(GeometryOf(Blank(1920, 1080), Wanted(300, 300, fit)).content, 0,
             65, 300, 169);
  ExpectRect(GeometryOf(Blank(1080, 1920), Wanted(300, 300, fit)).content, 65,
             0, 169, 300);
  ExpectRect(GeometryOf(Blank(10, 10), Wanted(300, 200, fit)).content, 50, 0,
             200, 200);
  ExpectRect(GeometryOf(Blank(60000, 1), Wanted(30, 31, fit)).content, 0, 15,
             30, 1);
}

TEST(Fit, CropKeepsTheMiddle) {
  const auto fit = MaceImageFit::CROP;
  const Geometry g = GeometryOf(Blank(1920, 1080), Wanted(300, 300, fit));
  ExpectRect(g.content, 0, 0, 300, 300);
  ExpectRect(g.crop, 420, 0, 1080, 1080);
  MaceImage turned = Blank(1921, 1080);
  turned.orientation = O::ROTATE_90;  // 1080 wide and 1921 high
  const Geometry t = GeometryOf(turned, Wanted(300, 300, fit));
  // Half of 841 rows is 420 above the middle, which is the left when stored.
  ExpectRect(t.crop, 420, 0, 1080, 1080);
  turned.orientation = O::ROTATE_270;  // and here the right
  ExpectRect(GeometryOf(turned, Wanted(300, 300, fit)).crop, 421, 0, 1080,
             1080);
}

TEST(Transform, OfALetterbox) {
  const auto t = TransformOf(
      GeometryOf(Blank(1920, 1080), Wanted(320, 320, MaceImageFit::LETTERBOX)));
  ExpectRect(t.content, 0, 70, 320, 180);
  double x, y;
  MaceImageMapPoint(t.to_picture, 160, 160, &x, &y);
  EXPECT_EQ(x, 960);
  EXPECT_EQ(y, 540);
  MaceImageMapPoint(t.to_picture, 0, 70, &x, &y);
  EXPECT_EQ(x, 0);
  EXPECT_EQ(y, 0);
  MaceImageMapPoint(t.to_tensor, 1920, 1080, &x, &y);
  EXPECT_EQ(x, 320);
  EXPECT_EQ(y, 250);
}

// A picture with one bright pixel: where the tensor is bright, the transform
// leads to that pixel, whatever the crop, the orientation and the fit.
TEST(Transform, LeadsBackToThePixel) {
  int seen = 0;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    Random random(seed);
    MaceImage image = MakeRandomImage(20, &random).image;
    std::vector<uint8_t> pixels(400);
    const auto bright_x = static_cast<size_t>(random(0, image.width - 1));
    const auto bright_y = static_cast<size_t>(random(0, image.height - 1));
    const auto width = static_cast<size_t>(image.width);
    pixels[bright_y * width + bright_x] = 255;
    image.format = MaceImageFormat::GRAY;
    image.planes[0] = {pixels.data(), pixels.size(), 0, 0};
    MaceImageInput input = MakeRandomInput(60, &random);
    input.filter = MaceImageFilter::NEAREST;
    input.channels = MaceImageChannels::GRAY;
    input.data_type = IDT_UINT8;
    input.mean[0] = input.padding[0] = 0;
    input.scale[0] = input.quantization_scale = 1;
    input.zero_point = 0;
    std::unique_ptr<MaceImageConverter> converter;
    ASSERT_TRUE(MaceImageConverter::Create(input, &converter).ok());
    std::vector<uint8_t> tensor(converter->tensor_bytes());
    MaceImageTransform t;
    ASSERT_TRUE(
        converter->Convert(image, tensor.data(), tensor.size(), &t).ok());
    for (size_t i = 0; i < tensor.size(); ++i) {
      const double x = static_cast<double>(i % size_t(input.width)) + 0.5;
      const double y = static_cast<double>(i / size_t(input.width)) + 0.5;
      double px, py, tx, ty;
      MaceImageMapPoint(t.to_picture, x, y, &px, &py);
      MaceImageMapPoint(t.to_tensor, px, py, &tx, &ty);
      ASSERT_NEAR(tx, x, 1e-9);
      ASSERT_NEAR(ty, y, 1e-9);
      if (tensor[i] == 0) continue;
      // A centre between two pixels may belong to either.
      ASSERT_NEAR(px, static_cast<double>(bright_x) + 0.5, 0.5 + 1e-9) << seed;
      ASSERT_NEAR(py, static_cast<double>(bright_y) + 0.5, 0.5 + 1e-9) << seed;
      ++seen;
    }
  }
  EXPECT_GT(seen, 1000);
}

}  // namespace
}  // namespace mace::image
