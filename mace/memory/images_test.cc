// Images of different formats are separate, grow within limits, and never take
// more bytes than in order of execution.
// SPDX-License-Identifier: Apache-2.0

#include "mace/memory/images.h"

#include <algorithm>
#include <random>

#include "gtest/gtest.h"

namespace mace::memory {
namespace {

ImageRecord Img(int64_t width, int64_t height, int64_t first, int64_t last,
                int32_t format = 0) {
  ImageRecord r;
  r.width = width;
  r.height = height;
  r.first = first;
  r.last = last;
  r.format = format;
  return r;
}

const std::vector<ImageFormat> kFloatAndFp16 = {{16, 1}, {8, 1}};

TEST(ImagesTest, OneImageServesBothThatNeverMeet) {
  const auto plan = PlanImages({Img(8, 4, 0, 1), Img(6, 5, 2, 3)},
                               kFloatAndFp16, ImageLimits());
  ASSERT_TRUE(plan.ok()) << plan.status().information();
  ASSERT_EQ(plan->images.size(), 1u);
  EXPECT_EQ(plan->images[0].width, 8);
  EXPECT_EQ(plan->images[0].height, 5);
  EXPECT_EQ(plan->certificate.total, 8 * 5 * 16);
  EXPECT_EQ(plan->certificate.status, Certificate::kOptimal);
}

TEST(ImagesTest, NoImageGrowsBeyondTheDevice) {
  const std::vector<ImageRecord> records = {Img(8, 4, 0, 1), Img(6, 5, 2, 3)};
  const auto plan = PlanImages(records, kFloatAndFp16, {8, 5});
  EXPECT_EQ(plan->images.size(), 1u);
  // 8 x 5 would need rows of eight pixels.
  const auto wide =
      PlanImages({Img(8, 1, 0, 1), Img(6, 5, 2, 3)}, kFloatAndFp16, {8, 5});
  EXPECT_EQ(wide->images.size(), 2u) << "a cover that wastes is no gain";
  const auto narrow = PlanImages(records, kFloatAndFp16, {7, 5});
  EXPECT_EQ(narrow.status().code(), Status::MACE_INVALID_ARGS);
  EXPECT_NE(narrow.status().information().find("record 0: width 8"),
            std::string::npos)
      << narrow.status().information();
  const auto low = PlanImages(records, kFloatAndFp16, {8, 4});
  EXPECT_NE(low.status().information().find("record 1: height 5"),
            std::string::npos)
      << low.status().information();
}

TEST(ImagesTest, FormatsNeverShare) {
  const auto plan = PlanImages({Img(8, 4, 0, 1, 0), Img(8, 4, 2, 3, 1)},
                               kFloatAndFp16, ImageLimits());
  ASSERT_EQ(plan->images.size(), 2u);
  EXPECT_EQ(plan->certificate.total, 8 * 4 * (16 + 8));
  EXPECT_EQ(plan->images[plan->image_of[0]].format, 0);
  EXPECT_EQ(plan->images[plan->image_of[1]].format, 1);
}

TEST(ImagesTest, RowsCountWithTheirPitch) {
  const auto plan =
      PlanImages({Img(9, 3, 0, 0)}, {{8, 4}}, ImageLimits(), "objects/NAIVE");
  EXPECT_EQ(plan->certificate.total, 12 * 3 * 8);
}

TEST(ImagesTest, EmptyImagesHaveNone) {
  const auto plan = PlanImages({Img(0, 4, 0, 1), Img(8, 4, 0, 1)},
                               kFloatAndFp16, ImageLimits());
  EXPECT_EQ(plan->image_of[0], kNone);
  EXPECT_EQ(plan->image_of[1], 0);
}

TEST(ImagesTest, BadRecordsAreNamed) {
  const auto message = [](std::vector<ImageRecord> records,
                          const std::string& strategy = "objects/AUTO") {
    return PlanImages(records, kFloatAndFp16, ImageLimits(), strategy)
        .status()
        .information();
  };
  const ImageRecord good = Img(1, 1, 0, 0);
  EXPECT_NE(message({good, Img(1, 1, 0, 0, 2)}).find("record 1: format 2"),
            std::string::npos);
  EXPECT_NE(
      message({good, Img(1, 1, 3, 2)}).find("record 1: reversed interval"),
      std::string::npos);
  EXPECT_NE(message({good, Img(-1, 1, 0, 0)}).find("record 1: negative size"),
            std::string::npos);
  EXPECT_NE(message({good}, "offsets/NAIVE").find("offsets/NAIVE"),
            std::string::npos);
}

TEST(ImagesTest, AutoIsNeverWorseThanTheOthers) {
  std::mt19937 rng(7);
  const auto pick = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(rng);
  };
  for (int round = 0; round < 200; ++round) {
    std::vector<ImageRecord> records;
    for (int64_t i = pick(0, 25); i > 0; --i) {
      const int64_t first = pick(0, 20);
      records.push_back(Img(pick(1, 99), pick(1, 99), first, first + pick(0, 4),
                            static_cast<int32_t>(pick(0, 1))));
    }
    const ImageLimits limits = {99 + pick(0, 9), 99};
    Options options;
    options.max_nodes = 2000;
    const auto best =
        PlanImages(records, kFloatAndFp16, limits, "objects/AUTO", options);
    ASSERT_TRUE(best.ok()) << best.status().information();
    for (size_t i = 0; i < records.size(); ++i) {
      const Image& image = best->images[best->image_of[i]];
      EXPECT_GE(image.width, records[i].width);
      EXPECT_GE(image.height, records[i].height);
      EXPECT_EQ(image.format, records[i].format);
      for (size_t j = 0; j < i; ++j) {
        EXPECT_FALSE(best->image_of[i] == best->image_of[j] &&
                     records[i].first <= records[j].last &&
                     records[j].first <= records[i].last);
      }
    }
    for (const char* other :
         {"objects/NAIVE", "objects/EQUALITY", "objects/GREEDY_IN_ORDER",
          "objects/GROW_IN_ORDER"}) {
      EXPECT_LE(
          best->certificate.total,
          PlanImages(records, kFloatAndFp16, limits, other)->certificate.total)
          << other << " round " << round;
    }
  }
}

TEST(ImagesTest, AnythingThatIsNotSaidIsEmptyAndPlain) {
  const ImageRecord record;
  EXPECT_EQ(record.width, 0);
  EXPECT_EQ(record.height, 0);
  EXPECT_EQ(record.format, 0);
  EXPECT_EQ(record.first, 0);
  EXPECT_EQ(record.last, 0);
  // Four floats per pixel, and the usual limits of OpenCL devices.
  EXPECT_EQ(ImageFormat().pixel_bytes, 16);
  EXPECT_EQ(ImageFormat().pitch_pixels, 1);
  const auto fits = [](int64_t width, int64_t height) {
    return PlanImages({Img(width, height, 0, 0)}, {{}}, ImageLimits()).ok();
  };
  EXPECT_TRUE(fits(16384, 1));
  EXPECT_FALSE(fits(16385, 1));
  EXPECT_TRUE(fits(1, 16384));
  EXPECT_FALSE(fits(1, 16385));
}

TEST(ImagesTest, CertificatesOfFormatsAddUp) {
  Options options;
  options.max_nodes = 2000;
  const auto plan =
      PlanImages({Img(4, 4, 0, 1, 0), Img(2, 2, 0, 1, 1), Img(3, 3, 2, 3, 1)},
                 kFloatAndFp16, ImageLimits(), "objects/OPTIMAL", options);
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->certificate.total, 4 * 4 * 16 + 3 * 3 * 8);
  EXPECT_EQ(plan->certificate.lower_bound, plan->certificate.total);
  EXPECT_EQ(plan->certificate.status, Certificate::kOptimal);
  EXPECT_EQ(plan->certificate.strategy, "objects/OPTIMAL");
  EXPECT_EQ(plan->image_of, (std::vector<int32_t>{0, 1, 1}));
  EXPECT_EQ(plan->images[1].width, 3);
  EXPECT_EQ(plan->images[1].height, 3);
  const auto none = PlanImages({}, {}, ImageLimits());
  EXPECT_TRUE(none->images.empty());
  EXPECT_EQ(none->certificate.status, Certificate::kOptimal);
}

TEST(ImagesTest, RecordsKeepTheirNamesInMessages) {
  ImageRecord record = Img(1, 1, 0, 0, -1);
  record.name = "conv";
  const auto message = [&] {
    return PlanImages({record}, kFloatAndFp16, {8, 8}).status().information();
  };
  EXPECT_EQ(message(), "record 0 'conv': format -1 is out of range [0, 2)");
  record.format = 1;
  record.height = 9;
  EXPECT_EQ(message(), "record 0 'conv': height 9 exceeds the limit of 8");
}

}  // namespace
}  // namespace mace::memory
