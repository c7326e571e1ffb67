// Images to tensors, in C.
// SPDX-License-Identifier: Apache-2.0

#include <math.h>
#include <string.h>

#include "mace/capi/testing/c_test.h"

static const double kMean[3] = {0, 0, 0};
static const double kScale[3] = {0.5, 0.25, 2};

// An RGB picture of two by two pixels, whose channels are 10 * pixel + channel.
static const uint8_t kPixels[12] = {0,  1,  2,  10, 11, 12,
                                    20, 21, 22, 30, 31, 32};

static void TestConversion(void) {
  mace_image_t* image = NULL;
  mace_image_input_t* input = NULL;
  mace_image_converter_t* converter = NULL;
  mace_image_transform_t* transform = NULL;
  float tensor[12];
  double x = 0, y = 0, to_picture[6], to_tensor[6];
  int32_t area[4];
  int i;
  EXPECT_OK(mace_image_create(MACE_IMAGE_RGB, 2, 2, &image));
  EXPECT_OK(mace_image_set_buffer(image, kPixels, sizeof(kPixels), 0));
  EXPECT_OK(mace_image_set_color(image, MACE_BT601_FULL));
  EXPECT_OK(mace_image_input_create(2, 2, &input));
  EXPECT_OK(mace_image_input_set_resize(input, MACE_STRETCH, MACE_NEAREST));
  EXPECT_OK(
      mace_image_input_set_channels(input, MACE_CHANNELS_RGB, kMean, kScale));
  EXPECT_OK(mace_image_input_set_num_threads(input, 1));
  EXPECT_OK(mace_image_converter_create(input, &converter));
  mace_image_input_destroy(input);
  EXPECT(mace_image_converter_tensor_bytes(converter) == sizeof(tensor));
  EXPECT_OK(mace_image_convert(converter, image, tensor, sizeof(tensor), NULL));
  for (i = 0; i < 12; ++i) {
    EXPECT(tensor[i] == (float)(kPixels[i] * kScale[i % 3]));
  }
  // Turned to the right: the first row becomes the last column.
  EXPECT_OK(mace_image_set_orientation(image, mace_image_turned(90, false)));
  EXPECT_OK(mace_image_transform_create(&transform));
  EXPECT_OK(
      mace_image_convert(converter, image, tensor, sizeof(tensor), transform));
  EXPECT(tensor[0] == 10 && tensor[3] == 0 && tensor[6] == 15);
  EXPECT_OK(mace_image_transform_to_picture(transform, 0.5, 0.5, &x, &y));
  EXPECT(fabs(x - 0.5) < 1e-12 && fabs(y - 1.5) < 1e-12);
  EXPECT_OK(mace_image_transform_to_tensor(transform, x, y, &x, &y));
  EXPECT(fabs(x - 0.5) < 1e-12 && fabs(y - 0.5) < 1e-12);
  EXPECT_OK(mace_image_transform_matrices(transform, to_picture, to_tensor));
  EXPECT(to_picture[1] == 1 && to_tensor[1] == -1 && to_tensor[2] == 2);
  EXPECT_OK(mace_image_transform_matrices(transform, NULL, NULL));
  EXPECT_OK(mace_image_transform_content(transform, &area[0], &area[1],
                                         &area[2], &area[3]));
  EXPECT(area[0] == 0 && area[1] == 0 && area[2] == 2 && area[3] == 2);
  mace_image_transform_destroy(transform);
  mace_image_transform_destroy(NULL);
  mace_image_converter_destroy(converter);
  mace_image_converter_destroy(NULL);
  mace_image_destroy(image);
}

// The lower right quarter of a grey picture into the middle of a wide tensor of
// bytes.
static void TestLetterbox(void) {
  static const uint8_t gray[4] = {1, 2, 3, 4}, color[3] = {7, 0, 0};
  static const double one[3] = {1, 1, 1};
  mace_image_t* image = NULL;
  mace_image_input_t* input = NULL;
  mace_image_converter_t* converter = NULL;
  uint8_t tensor[3];
  EXPECT_OK(mace_image_create(MACE_IMAGE_GRAY, 2, 2, &image));
  EXPECT_OK(mace_image_set_plane(image, 0, gray, sizeof(gray), 2, 1));
  EXPECT_OK(mace_image_set_crop(image, 1, 1, 1, 1));
  EXPECT_OK(mace_image_input_create(3, 1, &input));
  EXPECT_OK(mace_image_input_set_resize(input, MACE_LETTERBOX, MACE_AREA));
  EXPECT_OK(
      mace_image_input_set_channels(input, MACE_CHANNELS_GRAY, kMean, one));
  EXPECT_OK(mace_image_input_set_padding(input, color));
  EXPECT_OK(mace_image_input_set_data_type(input, MACE_UINT8, 1, 10));
  EXPECT_OK(mace_image_input_set_data_format(input, MACE_NCHW));
  EXPECT_OK(mace_image_converter_create(input, &converter));
  EXPECT(mace_image_converter_tensor_bytes(converter) == 3);
  EXPECT_OK(mace_image_convert(converter, image, tensor, 3, NULL));
  EXPECT(tensor[0] == 17 && tensor[1] == 14 && tensor[2] == 17);
  mace_image_converter_destroy(converter);
  mace_image_input_destroy(input);
  mace_image_input_destroy(NULL);
  mace_image_destroy(image);
  mace_image_destroy(NULL);
}

void TestImages(void) {
  TestConversion();
  TestLetterbox();
  EXPECT(mace_image_turned(180, false) == MACE_ROTATE_180);
  EXPECT(mace_image_turned(0, true) == MACE_MIRROR);
}

static void TestPictureErrors(const mace_image_converter_t* shared) {
  mace_image_converter_t* converter = (mace_image_converter_t*)shared;
  mace_image_t* image = NULL;
  float tensor[12];
  EXPECT_BAD(mace_image_create(MACE_IMAGE_RGB, 2, 2, NULL), "image is null");
  EXPECT_BAD(mace_image_set_plane(NULL, 0, kPixels, 1, 0, 0), "image is null");
  EXPECT_BAD(mace_image_set_buffer(NULL, kPixels, 1, 0), "image is null");
  EXPECT_BAD(mace_image_set_color(NULL, 0), "image is null");
  EXPECT_BAD(mace_image_set_crop(NULL, 0, 0, 1, 1), "image is null");
  EXPECT_BAD(mace_image_set_orientation(NULL, MACE_UPRIGHT), "image is null");

  EXPECT_OK(mace_image_create(MACE_IMAGE_RGB, 2, 2, &image));
  EXPECT_BAD(mace_image_set_plane(image, 0, NULL, 1, 0, 0), "data is null");
  EXPECT_BAD(mace_image_set_plane(image, 3, kPixels, 1, 0, 0),
             "plane is 3, but there are only 3");
  EXPECT_BAD(mace_image_set_buffer(image, NULL, 1, 0), "data is null");
  EXPECT_BAD(mace_image_convert(converter, image, tensor, sizeof(tensor), NULL),
             "the data is null");
  EXPECT_OK(mace_image_set_buffer(image, kPixels, 11, 0));
  EXPECT_BAD(mace_image_convert(converter, image, tensor, sizeof(tensor), NULL),
             "11");
  EXPECT_OK(mace_image_set_buffer(image, kPixels, sizeof(kPixels), 0));
  EXPECT_OK(mace_image_set_orientation(image, mace_image_turned(45, false)));
  EXPECT_BAD(mace_image_convert(converter, image, tensor, sizeof(tensor), NULL),
             "orientation");
  EXPECT_OK(mace_image_set_orientation(image, MACE_UPRIGHT));
  EXPECT_OK(mace_image_set_crop(image, 1, 1, 2, 2));
  EXPECT_BAD(mace_image_convert(converter, image, tensor, sizeof(tensor), NULL),
             "crop");
  EXPECT_OK(mace_image_set_crop(image, 0, 0, 0, 0));
  EXPECT_BAD(
      mace_image_convert(converter, image, tensor, sizeof(tensor) - 1, NULL),
      "47");
  EXPECT_BAD(mace_image_convert(NULL, image, tensor, sizeof(tensor), NULL),
             "converter is null");
  EXPECT_BAD(mace_image_convert(converter, NULL, tensor, sizeof(tensor), NULL),
             "image is null");
  EXPECT_BAD(mace_image_convert(converter, image, NULL, sizeof(tensor), NULL),
             "tensor is null");
  mace_image_destroy(image);
  EXPECT_OK(mace_image_create(77, 2, 2, &image));
  EXPECT_OK(mace_image_set_buffer(image, kPixels, sizeof(kPixels), 0));
  EXPECT_BAD(mace_image_convert(converter, image, tensor, sizeof(tensor), NULL),
             "77");
  mace_image_destroy(image);
}

static void TestTransformErrors(void) {
  mace_image_transform_t* t = NULL;
  double x = 0, y = 0;
  int32_t n = 0;
  EXPECT_BAD(mace_image_transform_create(NULL), "transform is null");
  EXPECT_OK(mace_image_transform_create(&t));
  EXPECT_BAD(mace_image_transform_to_picture(NULL, 0, 0, &x, &y),
             "transform is null");
  EXPECT_BAD(mace_image_transform_to_picture(t, 0, 0, NULL, &y),
             "picture_x is null");
  EXPECT_BAD(mace_image_transform_to_picture(t, 0, 0, &x, NULL),
             "picture_y is null");
  EXPECT_BAD(mace_image_transform_to_tensor(NULL, 0, 0, &x, &y),
             "transform is null");
  EXPECT_BAD(mace_image_transform_to_tensor(t, 0, 0, NULL, &y),
             "tensor_x is null");
  EXPECT_BAD(mace_image_transform_to_tensor(t, 0, 0, &x, NULL),
             "tensor_y is null");
  EXPECT_BAD(mace_image_transform_matrices(NULL, NULL, NULL),
             "transform is null");
  EXPECT_BAD(mace_image_transform_content(NULL, &n, &n, &n, &n),
             "transform is null");
  EXPECT_BAD(mace_image_transform_content(t, NULL, &n, &n, &n), "x is null");
  EXPECT_BAD(mace_image_transform_content(t, &n, NULL, &n, &n), "y is null");
  EXPECT_BAD(mace_image_transform_content(t, &n, &n, NULL, &n),
             "width is null");
  EXPECT_BAD(mace_image_transform_content(t, &n, &n, &n, NULL),
             "height is null");
  mace_image_transform_destroy(t);
}

void TestImageErrors(void) {
  mace_image_input_t* input = NULL;
  mace_image_converter_t* converter = NULL;
  static const uint8_t color[3] = {0, 0, 0};
  EXPECT_BAD(mace_image_input_create(2, 2, NULL), "input is null");
  EXPECT_BAD(mace_image_input_set_resize(NULL, 0, 0), "input is null");
  EXPECT_BAD(mace_image_input_set_channels(NULL, 0, kMean, kScale),
             "input is null");
  EXPECT_BAD(mace_image_input_set_padding(NULL, color), "input is null");
  EXPECT_BAD(mace_image_input_set_data_type(NULL, MACE_FLOAT32, 1, 0),
             "input is null");
  EXPECT_BAD(mace_image_input_set_data_format(NULL, MACE_NHWC),
             "input is null");
  EXPECT_BAD(mace_image_input_set_num_threads(NULL, 1), "input is null");

  EXPECT_OK(mace_image_input_create(2, 2, &input));
  EXPECT_BAD(mace_image_input_set_channels(input, 0, NULL, kScale),
             "mean is null");
  EXPECT_BAD(mace_image_input_set_channels(input, 0, kMean, NULL),
             "scale is null");
  EXPECT_BAD(mace_image_input_set_padding(input, NULL), "color is null");
  EXPECT_BAD(mace_image_input_set_data_type(input, 99, 1, 0),
             "data_type is 99");
  EXPECT_BAD(mace_image_converter_create(NULL, &converter), "input is null");
  EXPECT_BAD(mace_image_converter_create(input, NULL), "converter is null");
  EXPECT_OK(mace_image_converter_create(input, &converter));
  TestPictureErrors(converter);
  mace_image_converter_destroy(converter);
  EXPECT_OK(mace_image_input_set_resize(input, 9, MACE_BILINEAR));
  EXPECT_BAD(mace_image_converter_create(input, &converter), "9");
  EXPECT(converter == NULL);
  EXPECT_OK(mace_image_input_set_resize(input, MACE_CROP, 9));
  EXPECT_BAD(mace_image_converter_create(input, &converter), "9");
  EXPECT_NOTHING(mace_image_converter_tensor_bytes(NULL), 0,
                 "converter is null");
  mace_image_input_destroy(input);
  TestTransformErrors();
}
