// What runs did and the memory of engines, for org.mace.Native.
// SPDX-License-Identifier: Apache-2.0

#include <stdint.h>

#include "mace/java/jni/jni_calls.h"

// Puts a new object into an array of objects. False leaves an exception.
static bool Put(JNIEnv* env, jobjectArray list, jsize index, jobject item) {
  if (item == NULL) return false;
  (*env)->SetObjectArrayElement(env, list, index, item);
  (*env)->DeleteLocalRef(env, item);
  return true;
}

static jobjectArray NewList(JNIEnv* env, const char* type, jsize count) {
  jclass found = (*env)->FindClass(env, type);
  return found == NULL ? NULL : (*env)->NewObjectArray(env, count, found, NULL);
}

// {texts, numbers} of all ops, as OpStats.java reads them.
jobjectArray Ops(JNIEnv* env, const mace_run_metadata_t* metadata) {
  enum { kTexts = 5, kNumbers = 5 };
  const jsize count = (jsize)mace_run_metadata_count(metadata);
  jobjectArray texts = NewList(env, "[B", count * kTexts);
  jlongArray numbers = (*env)->NewLongArray(env, count * kNumbers);
  if (texts == NULL || numbers == NULL) return NULL;
  for (jsize op = 0; op < count; ++op) {
    const size_t i = (size_t)op;
    jlong values[kNumbers];
    for (jsize k = 0; k < kTexts; ++k) {
      const char* text = mace_run_metadata_text(metadata, i, k);
      if (!Put(env, texts, op * kTexts + k, Bytes(env, text))) return NULL;
    }
    for (jsize k = 0; k < kNumbers; ++k) {
      values[k] = (jlong)mace_run_metadata_number(metadata, i, k);
    }
    (*env)->SetLongArrayRegion(env, numbers, op * kNumbers, kNumbers, values);
  }
  jobjectArray both = NewList(env, "java/lang/Object", 2);
  if (both == NULL || !Put(env, both, 0, texts)) return NULL;
  return Put(env, both, 1, numbers) ? both : NULL;
}

// {numbers, peak node, names of the categories, their bytes}.
NATIVE(jobjectArray, memoryUsage)(JNIEnv* env, jclass type, jlong engine) {
  (void)type;
  enum { kNumbers = 11 };
  mace_memory_usage_t* usage = NULL;
  if (!Ok(env, mace_engine_memory_usage(Pointer(engine), &usage))) return NULL;
  const jsize count =
      (jsize)mace_memory_usage_count(usage, MACE_MEMORY_CATEGORIES);
  jobjectArray all = NewList(env, "java/lang/Object", 4);
  jdoubleArray numbers = (*env)->NewDoubleArray(env, kNumbers);
  jobjectArray names = NewList(env, "[B", count);
  jlongArray used = (*env)->NewLongArray(env, count);
  bool ok = all != NULL && numbers != NULL && names != NULL && used != NULL;
  for (jsize i = 0; ok && i < kNumbers; ++i) {
    const jdouble number = mace_memory_usage_number(usage, i);
    (*env)->SetDoubleArrayRegion(env, numbers, i, 1, &number);
  }
  for (jsize i = 0; ok && i < count; ++i) {
    int64_t bytes = 0;
    const char* name = mace_memory_usage_entry(usage, MACE_MEMORY_CATEGORIES,
                                               (size_t)i, &bytes, NULL, NULL);
    const jlong number = bytes;
    ok = Put(env, names, i, Bytes(env, name));
    (*env)->SetLongArrayRegion(env, used, i, 1, &number);
  }
  ok = ok && Put(env, all, 0, numbers) &&
       Put(env, all, 1, Bytes(env, mace_memory_usage_peak_node(usage))) &&
       Put(env, all, 2, names) && Put(env, all, 3, used);
  mace_memory_usage_destroy(usage);
  return ok ? all : NULL;
}
