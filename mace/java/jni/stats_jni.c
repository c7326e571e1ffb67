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
  enum { kNumbers = 16 };
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

// The texts of all records, `texts` of each, and frees them. Null leaves an
// exception.
static jobjectArray RecordTexts(JNIEnv* env, mace_records_t* records,
                                jsize texts) {
  const jsize count = (jsize)mace_records_count(records);
  jobjectArray all = NewList(env, "[B", count * texts);
  bool ok = all != NULL;
  for (jsize i = 0; ok && i < count * texts; ++i) {
    ok = Put(
        env, all, i,
        Bytes(env, mace_records_text(records, (size_t)(i / texts), i % texts)));
  }
  return ok ? all : NULL;
}

// {texts, multiply-adds} of all nodes, as NodePlacement.java reads them.
NATIVE(jobjectArray, placement)(JNIEnv* env, jclass type, jlong engine) {
  (void)type;
  mace_records_t* records = NULL;
  if (!Ok(env, mace_engine_placement(Pointer(engine), &records))) return NULL;
  const jsize count = (jsize)mace_records_count(records);
  jobjectArray both = NewList(env, "java/lang/Object", 2);
  jlongArray macs = (*env)->NewLongArray(env, count);
  bool ok = both != NULL && macs != NULL;
  for (jsize i = 0; ok && i < count; ++i) {
    const jlong number = mace_records_macs(records, (size_t)i);
    (*env)->SetLongArrayRegion(env, macs, i, 1, &number);
  }
  ok =
      ok &&
      Put(env, both, 0, RecordTexts(env, records, MACE_PLACEMENT_REASON + 1)) &&
      Put(env, both, 1, macs);
  mace_records_destroy(records);
  return ok ? both : NULL;
}

NATIVE(jobjectArray, kernelTests)(JNIEnv* env, jclass type) {
  (void)type;
  mace_records_t* records = NULL;
  if (!Ok(env, mace_kernel_tests(&records))) return NULL;
  jobjectArray texts = RecordTexts(env, records, MACE_KERNEL_FALLBACK + 1);
  mace_records_destroy(records);
  return texts;
}
