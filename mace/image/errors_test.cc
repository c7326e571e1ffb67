// Messages about pictures and inputs that cannot be, and random ones of them.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "mace/image/testing/random_image.h"
#include "mace/public/mace_image.h"

namespace mace::image {
namespace {

using Format = MaceImageFormat;

struct Case {
  std::function<void(MaceImage*)> spoil;
  std::string wanted;
};

class PictureErrors : public testing::Test {
 protected:
  void SetUp() override {
    input_.width = input_.height = 8;
    ASSERT_TRUE(MaceImageConverter::Create(input_, &converter_).ok());
  }

  std::string MessageOf(const MaceImage& image, size_t less = 0) {
    std::vector<float> tensor(8 * 8 * 3, 7.f);
    const MaceStatus status =
        converter_->Convert(image, tensor.data(), tensor.size() * 4 - less);
    EXPECT_EQ(status.code(), MaceStatus::MACE_INVALID_ARGS);
    EXPECT_EQ(tensor, std::vector<float>(8 * 8 * 3, 7.f));  // untouched
    return status.information();
  }

  void Expect(Format format, const std::vector<Case>& cases) {
    for (const Case& c : cases) {
      MaceImage image =
          MaceImageInBuffer(format, pixels_.data(), pixels_.size(), 10, 6);
      std::vector<float> tensor(8 * 8 * 3);
      ASSERT_TRUE(
          converter_->Convert(image, tensor.data(), tensor.size() * 4).ok());
      c.spoil(&image);
      const std::string message = MessageOf(image);
      EXPECT_NE(message.find(c.wanted), std::string::npos)
          << "message: " << message << "\nwanted: " << c.wanted;
    }
  }

  MaceImageInput input_;
  std::unique_ptr<MaceImageConverter> converter_;
  std::vector<uint8_t> pixels_ = std::vector<uint8_t>(4 * 10 * 6);
};

TEST_F(PictureErrors, OfPlanes) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  Expect(
      Format::RGBA,
      {{[](auto* i) { i->planes[0].data = nullptr; },
        "RGBA picture of 10x6, plane 0 (RGBA, 10x6): the data is null"},
       {[](auto* i) { i->planes[0].row_stride = 39; },
        "plane 0 (RGBA, 10x6): the row stride 39 is less than the 40 bytes of "
        "a row (10 pixels, 4 byte(s) apart); give it in bytes"},
       {[](auto* i) { i->planes[0].row_stride = -40; },
        "the row stride -40 is negative; for a picture stored from the bottom"},
       {[](auto* i) { i->planes[0].pixel_stride = 3; },
        "the pixel stride 3 is less than the 4 byte(s) of a pixel"},
       {[](auto* i) { i->planes[0].row_stride = 48; },
        "6 rows, 48 bytes apart, need 280 bytes; there are 240"},
       {[](auto* i) { i->planes[0].bytes = 239; },
        "6 rows, 40 bytes apart, need 240 bytes; there are 239"},
       {[=](auto* i) { i->planes[0].row_stride = kMax / 4; },
        "need more bytes than there can be; there are 240"},
       {[=](auto* i) { i->planes[0].row_stride = kMax; },
        "need more bytes than there can be"},
       {[=](auto* i) { i->planes[0].pixel_stride = kMax / 2; },
        "the pixel stride 4611686018427387903 is beyond any memory"},
       {[=](auto* i) { i->planes[0].pixel_stride = kMax / 19; },
        "need more bytes than there can be"}});
}

TEST_F(PictureErrors, OfYuv) {
  Expect(Format::NV21,
         {{[](auto* i) { i->planes[1].data = nullptr; },
           "NV21 picture of 10x6, plane 1 (VU, 5x3): the data is null"},
          {[](auto* i) { i->planes[1].row_stride = 9; },
           "plane 1 (VU, 5x3): the row stride 9 is less than the 10 bytes"},
          {[](auto* i) { i->planes[1].bytes = 29; },
           "plane 1 (VU, 5x3): 3 rows, 10 bytes apart, need 30 bytes; there "
           "are 29"},
          // An odd size has one more column and row of chroma than half of it.
          {[](auto* i) { i->planes[1].bytes = 30, i->height = 7; },
           "plane 1 (VU, 5x4): 4 rows, 10 bytes apart, need 40 bytes"}});
  Expect(Format::YUV420,
         {{[](auto* i) { i->planes[2].data = nullptr; },
           "YUV420 picture of 10x6, plane 2 (V, 5x3): the data is null"},
          {[](auto* i) { i->planes[2].bytes = 14; },
           "plane 2 (V, 5x3): 3 rows, 5 bytes apart, need 15 bytes; there are "
           "14"}});
}

TEST_F(PictureErrors, OfThePicture) {
  Expect(Format::GRAY,
         {{[](auto* i) { i->width = 0; },
           "the picture has 0x6 pixels; each side can be 1 to 65536"},
          {[](auto* i) { i->height = -1; }, "the picture has 10x-1 pixels"},
          {[](auto* i) { i->width = 65537; }, "the picture has 65537x6 pixels"},
          {[](auto* i) { i->format = static_cast<Format>(8); },
           "the picture's format is 8; the values go from 0 to 7"},
          {[](auto* i) { i->format = static_cast<Format>(-1); }, "is -1"},
          {[](auto* i) { i->color = static_cast<MaceImageColor>(4); },
           "the picture's color is 4"},
          {[](auto* i) { i->orientation = MaceImageTurned(45, false); },
           "the picture's orientation is 0; the values go from 1 to 8"}});
}

TEST_F(PictureErrors, OfTheCrop) {
  const std::vector<MaceImageRect> wrong = {
      {0, 0, 11, 6},
      {1, 0, 10, 6},
      {0, 1, 10, 6},
      {-1, 0, 3, 3},
      {0, 0, 0, 3},
      {0, 0, 3, 0},
      {3, 3, 0, 0},
      {0, 0, -1, -1},
      {0, 6, 1, 1},
      {10, 0, 1, 1},
      {1, 1, 1, std::numeric_limits<int>::max()},
      {std::numeric_limits<int>::max(), 0, 1, 1}};
  for (const MaceImageRect& rect : wrong) {
    Expect(Format::GRAY, {{[&](auto* i) { i->crop = rect; },
                           "the crop, " + std::to_string(rect.width)}});
  }
}

TEST_F(PictureErrors, OfTheTensor) {
  const MaceImage image =
      MaceImageInBuffer(Format::GRAY, pixels_.data(), pixels_.size(), 10, 6);
  EXPECT_EQ(MessageOf(image, 1),
            "the tensor has 767 bytes; 8x8 pixels with 3 channel(s) need 768");
  EXPECT_EQ(converter_->Convert(image, nullptr, 768).information(),
            "the tensor is null");
  std::vector<float> tensor(200);
  EXPECT_NE(
      converter_
          ->Convert(image, reinterpret_cast<char*>(tensor.data()) + 1, 768)
          .information()
          .find("multiple of 4 bytes"),
      std::string::npos);
}

TEST(InputErrors, NameTheField) {
  const double nan = std::nan(""), infinite = INFINITY;
  const std::vector<
      std::pair<std::function<void(MaceImageInput*)>, std::string>>
      cases = {
          {[](auto* i) { i->width = 0; }, "have 0x8 pixels; each side can be"},
          {[](auto* i) { i->height = -8; }, "have 8x-8 pixels"},
          {[](auto* i) { i->width = 65537; }, "have 65537x8 pixels"},
          {[=](auto* i) { i->mean[1] = nan; }, "mean[1] is nan"},
          {[=](auto* i) { i->mean[2] = infinite; }, "mean[2] is inf"},
          {[](auto* i) { i->scale[0] = 0; }, "scale[0] is 0, which makes all"},
          {[=](auto* i) { i->scale[2] = nan; }, "scale[2] is nan"},
          {[](auto* i) { i->scale[2] = 1e300; },
           "channel 2: the mean 0 and the scale 1e+300 make 2.55e+302 of a "
           "pixel, which float32 does not hold"},
          {[](auto* i) { i->num_threads = 0; }, "num_threads is 0; give 1 to"},
          {[](auto* i) { i->num_threads = 1025; }, "num_threads is 1025"},
          {[](auto* i) { i->data_type = IDT_INT32; }, "data_type is 4; give"},
          {[](auto* i) { i->data_format = DataFormat::NONE; },
           "data_format is 0; give NHWC or NCHW"},
          {[](auto* i) { i->zero_point = 1; }, "data_type is IDT_FLOAT"},
          {[](auto* i) { i->quantization_scale = 0; },
           "quantization_scale is 0; give a positive number"},
          {[](auto* i) { i->data_type = IDT_UINT8, i->zero_point = -1; },
           "zero_point is -1; the data type holds 0 to 255"},
          {[](auto* i) { i->data_type = IDT_INT8, i->zero_point = 128; },
           "zero_point is 128; the data type holds -128 to 127"},
          {[](auto* i) { i->fit = static_cast<MaceImageFit>(3); }, "fit is 3"},
          {[](auto* i) { i->filter = static_cast<MaceImageFilter>(5); },
           "filter is 5; the values go from 0 to 4"},
          {[](auto* i) { i->channels = static_cast<MaceImageChannels>(-1); },
           "channels is -1"}};
  for (const auto& [spoil, wanted] : cases) {
    MaceImageInput input;
    input.width = input.height = 8;
    std::unique_ptr<MaceImageConverter> converter;
    ASSERT_TRUE(MaceImageConverter::Create(input, &converter).ok());
    spoil(&input);
    converter.reset();
    const MaceStatus status = MaceImageConverter::Create(input, &converter);
    EXPECT_EQ(status.code(), MaceStatus::MACE_INVALID_ARGS) << wanted;
    EXPECT_EQ(converter, nullptr);
    EXPECT_NE(status.information().find(wanted), std::string::npos)
        << "message: " << status.information() << "\nwanted: " << wanted;
  }
  MaceImageInput input;
  EXPECT_FALSE(MaceImageConverter::Create(input, nullptr).ok());
}

TEST(Buffers, PlanesFollowEachOther) {
  const std::vector<uint8_t> bytes(200);
  const char* begin = reinterpret_cast<const char*>(bytes.data());
  const MaceImage nv = MaceImageInBuffer(Format::NV12, begin, 200, 7, 5, 10);
  EXPECT_EQ(nv.planes[1].data, begin + 50);
  EXPECT_EQ(nv.planes[1].bytes, 150u);
  EXPECT_EQ(nv.planes[1].row_stride, 10);
  const MaceImage yuv = MaceImageInBuffer(Format::YUV420, begin, 200, 7, 5);
  EXPECT_EQ(yuv.planes[1].data, begin + 35);
  EXPECT_EQ(yuv.planes[2].data, begin + 35 + 12);
  const MaceImage wide =
      MaceImageInBuffer(Format::YUV420, begin, 200, 7, 5, 16);
  EXPECT_EQ(wide.planes[1].row_stride, 8);
  EXPECT_EQ(wide.planes[2].data, begin + 80 + 24);
  const int most = std::numeric_limits<int>::max();
  EXPECT_EQ(
      MaceImageInBuffer(Format::NV12, begin, 200, most, most).planes[0].data,
      nullptr);
  // A buffer that ends early has planes without bytes.
  EXPECT_EQ(
      MaceImageInBuffer(Format::NV12, begin, 40, 7, 5, 10).planes[1].bytes, 0u);
}

// A number that somebody may have got wrong.
int64_t Wild(Random* random) {
  switch ((*random)(0, 5)) {
    case 0:
      return 0;
    case 1:
      return (*random)(-3, 70);
    case 2:
      return int64_t{1} << (*random)(0, 62);
    case 3:
      return -(int64_t{1} << (*random)(0, 62));
    case 4:
      return std::numeric_limits<int64_t>::max() - (*random)(0, 3);
    default:
      return static_cast<int64_t>(random->word());
  }
}

void Spoil(MaceImage* image, Random* random) {
  const int64_t x = Wild(random);
  const auto n = static_cast<int>(x);
  MaceImagePlane& plane = image->planes[(*random)(0, 2)];
  switch ((*random)(0, 9)) {
    case 0:
      image->width = n;
      break;
    case 1:
      image->height = n;
      break;
    case 2:
      image->crop.x = n;
      break;
    case 3:
      image->crop.width = n;
      break;
    case 4:
      image->crop.height = n;
      break;
    case 5:
      plane.row_stride = x;
      break;
    case 6:
      plane.pixel_stride = x;
      break;
    case 7:
      plane.bytes = std::min(plane.bytes, static_cast<size_t>(x));
      break;
    case 8:
      plane.data = nullptr;
      break;
    default:
      image->orientation = static_cast<MaceImageOrientation>(n);
  }
}

void Spoil(MaceImageInput* input, Random* random) {
  const int64_t x = Wild(random);
  const auto n = static_cast<int>(x);
  switch ((*random)(0, 7)) {
    case 0:
      input->width = static_cast<int>(x % 300);
      break;
    case 1:
      input->height = static_cast<int>(x % 300);
      break;
    case 2:
      input->mean[(*random)(0, 2)] = std::ldexp(1.0, n % 2000);
      break;
    case 3:
      input->scale[(*random)(0, 2)] = std::ldexp(-1.0, n % 2000);
      break;
    case 4:
      input->zero_point = n;
      break;
    case 5:
      input->quantization_scale = std::ldexp(1.0, n % 2000);
      break;
    case 6:
      input->filter = static_cast<MaceImageFilter>(n % 7);
      break;
    default:
      input->num_threads = n % 4;
  }
}

// Under the sanitizers no spoiled description may read or write beyond.
TEST(RandomErrors, AreAnsweredWithAMessage) {
  int converted = 0, refused = 0;
  for (uint64_t seed = 0; seed < 10'000; ++seed) {
    Random random(seed);
    RandomImage r = MakeRandomImage(20, &random);
    MaceImageInput input = MakeRandomInput(20, &random);
    const int64_t of_picture = random(0, 2), of_input = random(0, 1);
    for (int64_t i = 0; i < of_picture; ++i) Spoil(&r.image, &random);
    for (int64_t i = 0; i < of_input; ++i) Spoil(&input, &random);
    std::unique_ptr<MaceImageConverter> converter;
    MaceStatus status = MaceImageConverter::Create(input, &converter);
    if (status.ok()) {
      const size_t bytes = converter->tensor_bytes();
      const std::unique_ptr<float[]> tensor(new float[bytes / 4 + 1]);
      status = converter->Convert(r.image, tensor.get(), bytes);
    }
    ASSERT_EQ(status.ok(), status.information().empty()) << seed;
    ++(status.ok() ? converted : refused);
  }
  EXPECT_GT(converted, 1000);
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace mace::image
