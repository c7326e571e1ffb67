// Pictures as inputs, for org.mace.Native.
// SPDX-License-Identifier: Apache-2.0

#include <stdint.h>

#include "mace/java/jni/jni_calls.h"

// As ImageConverter.Builder has them.
enum {
  kWidth,
  kHeight,
  kFit,
  kFilter,
  kChannels,
  kPadding,  // three
  kType = kPadding + 3,
  kZeroPoint,
  kLayout,
  kThreads,
  kWholes
};
enum { kMean, kScale = 3, kQuantization = 6, kFloats };

// As ImageConverter.convert has them.
enum {
  kFormat,
  kStoredWidth,
  kStoredHeight,
  kColor,
  kOrientation,
  kIsOneBuffer,
  kCrop,  // four
  kProperties = kCrop + 4
};
enum { kPlanes = 3, kMatrix = 6 };

static mace_status_t Set(mace_image_input_t* input, const jint* whole,
                         const jdouble* real) {
  const uint8_t padding[3] = {(uint8_t)whole[kPadding],
                              (uint8_t)whole[kPadding + 1],
                              (uint8_t)whole[kPadding + 2]};
  mace_status_t status =
      mace_image_input_set_resize(input, whole[kFit], whole[kFilter]);
  if (!status) {
    status = mace_image_input_set_channels(input, whole[kChannels],
                                           real + kMean, real + kScale);
  }
  if (!status) status = mace_image_input_set_padding(input, padding);
  if (!status) {
    status = mace_image_input_set_data_type(
        input, whole[kType], real[kQuantization], whole[kZeroPoint]);
  }
  if (!status) status = mace_image_input_set_data_format(input, whole[kLayout]);
  if (status) return status;
  return mace_image_input_set_num_threads(input, whole[kThreads]);
}

NATIVE(jlong, createImageConverter)
(JNIEnv* env, jclass type, jintArray whole, jdoubleArray real) {
  (void)type;
  jint wholes[kWholes];
  jdouble floats[kFloats];
  mace_image_input_t* input = NULL;
  mace_image_converter_t* converter = NULL;
  (*env)->GetIntArrayRegion(env, whole, 0, kWholes, wholes);
  (*env)->GetDoubleArrayRegion(env, real, 0, kFloats, floats);
  if (Ok(env,
         mace_image_input_create(wholes[kWidth], wholes[kHeight], &input)) &&
      Ok(env, Set(input, wholes, floats))) {
    Ok(env, mace_image_converter_create(input, &converter));
  }
  mace_image_input_destroy(input);
  return Handle(converter);
}

NATIVE(void, destroyImageConverter)
(JNIEnv* env, jclass type, jlong converter) {
  (void)env, (void)type;
  mace_image_converter_destroy(Pointer(converter));
}

NATIVE(jlong, tensorBytes)(JNIEnv* env, jclass type, jlong converter) {
  (void)env, (void)type;
  return (jlong)mace_image_converter_tensor_bytes(Pointer(converter));
}

// Where the pixels of the buffers are. Planes that the app did not set stay
// without memory, which mace_image_convert reports.
static mace_status_t SetPlanes(JNIEnv* env, mace_image_t* image,
                               jobjectArray planes, const jlong* strides,
                               bool is_one_buffer) {
  mace_status_t status = MACE_SUCCESS;
  for (jsize k = 0; !status && k < kPlanes; ++k) {
    jobject plane = (*env)->GetObjectArrayElement(env, planes, k);
    if (plane == NULL) continue;
    const void* data = (*env)->GetDirectBufferAddress(env, plane);
    const size_t bytes = (size_t)(*env)->GetDirectBufferCapacity(env, plane);
    status = is_one_buffer
                 ? mace_image_set_buffer(image, data, bytes, strides[k])
                 : mace_image_set_plane(image, (size_t)k, data, bytes,
                                        strides[k], strides[kPlanes + k]);
    (*env)->DeleteLocalRef(env, plane);
  }
  return status;
}

static mace_status_t Describe(JNIEnv* env, mace_image_t* image,
                              const jint* properties, jobjectArray planes,
                              const jlong* strides) {
  mace_status_t status = mace_image_set_color(image, properties[kColor]);
  if (!status) {
    status =
        mace_image_set_crop(image, properties[kCrop], properties[kCrop + 1],
                            properties[kCrop + 2], properties[kCrop + 3]);
  }
  if (!status)
    status = mace_image_set_orientation(image, properties[kOrientation]);
  if (status) return status;
  return SetPlanes(env, image, planes, strides, properties[kIsOneBuffer] != 0);
}

static mace_status_t Store(JNIEnv* env, const mace_image_transform_t* transform,
                           jdoubleArray matrices, jintArray content) {
  jdouble both[2 * kMatrix];
  int32_t part[4];
  mace_status_t status =
      mace_image_transform_matrices(transform, both, both + kMatrix);
  if (!status) {
    status = mace_image_transform_content(transform, part, part + 1, part + 2,
                                          part + 3);
  }
  if (status) return status;
  (*env)->SetDoubleArrayRegion(env, matrices, 0, 2 * kMatrix, both);
  (*env)->SetIntArrayRegion(env, content, 0, 4, (const jint*)part);
  return MACE_SUCCESS;
}

NATIVE(void, convert)
(JNIEnv* env, jclass type, jlong converter, jintArray properties,
 jobjectArray planes, jlongArray strides, jobject tensor, jdoubleArray matrices,
 jintArray content) {
  (void)type;
  jint known[kProperties];
  jlong steps[2 * kPlanes];
  mace_image_t* image = NULL;
  mace_image_transform_t* transform = NULL;
  const size_t bytes = mace_image_converter_tensor_bytes(Pointer(converter));
  (*env)->GetIntArrayRegion(env, properties, 0, kProperties, known);
  (*env)->GetLongArrayRegion(env, strides, 0, 2 * kPlanes, steps);
  if (Ok(env, mace_image_create(known[kFormat], known[kStoredWidth],
                                known[kStoredHeight], &image)) &&
      Ok(env, mace_image_transform_create(&transform)) &&
      Ok(env, Describe(env, image, known, planes, steps)) &&
      Ok(env, mace_image_convert(Pointer(converter), image,
                                 (*env)->GetDirectBufferAddress(env, tensor),
                                 bytes, transform))) {
    Ok(env, Store(env, transform, matrices, content));
  }
  mace_image_transform_destroy(transform);
  mace_image_destroy(image);
}

NATIVE(jint, turned)
(JNIEnv* env, jclass type, jint degrees, jboolean mirror) {
  (void)env, (void)type;
  return mace_image_turned(degrees, mirror);
}
