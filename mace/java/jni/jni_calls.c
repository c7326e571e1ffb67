// Errors, handles, texts and arrays of libmace_jni.so.
// SPDX-License-Identifier: Apache-2.0

#include "mace/java/jni/jni_calls.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void Raise(JNIEnv* env, mace_status_t status, const char* message) {
  jclass type = (*env)->FindClass(env, "org/mace/MaceException");
  if (type == NULL) return;  // an exception is pending
  jmethodID raise = (*env)->GetStaticMethodID(env, type, "raise", "(I[B)V");
  if (raise == NULL) return;
  const jsize size = (jsize)strlen(message);
  jbyteArray bytes = (*env)->NewByteArray(env, size);
  if (bytes == NULL) return;
  (*env)->SetByteArrayRegion(env, bytes, 0, size, (const jbyte*)message);
  (*env)->CallStaticVoidMethod(env, type, raise, (jint)status, bytes);
}

bool Ok(JNIEnv* env, mace_status_t status) {
  if (status == MACE_SUCCESS) return true;
  Raise(env, status, mace_last_error());
  return false;
}

void* Pointer(jlong handle) { return (void*)(intptr_t)handle; }
jlong Handle(const void* pointer) { return (jlong)(intptr_t)pointer; }

void* Allocate(JNIEnv* env, Scratch* scratch, size_t bytes) {
  const size_t most = sizeof(scratch->pieces) / sizeof(scratch->pieces[0]);
  void* piece = scratch->count < most ? malloc(bytes ? bytes : 1) : NULL;
  if (piece == NULL) {
    Raise(env, MACE_OUT_OF_RESOURCES, "no memory for the arguments of a call");
    return NULL;
  }
  scratch->pieces[scratch->count++] = piece;
  return piece;
}

void Free(Scratch* scratch) {
  while (scratch->count > 0) free(scratch->pieces[--scratch->count]);
}

char* Text(JNIEnv* env, Scratch* scratch, jbyteArray bytes) {
  if (bytes == NULL) return NULL;
  const jsize size = (*env)->GetArrayLength(env, bytes);
  char* text = Allocate(env, scratch, (size_t)size + 1);
  if (text == NULL) return NULL;
  (*env)->GetByteArrayRegion(env, bytes, 0, size, (jbyte*)text);
  text[size] = 0;
  return text;
}

const char** Texts(JNIEnv* env, Scratch* scratch, jobjectArray list) {
  const jsize count = list == NULL ? 0 : (*env)->GetArrayLength(env, list);
  size_t bytes = sizeof(char*) * (size_t)(count + 1);
  for (jsize i = 0; i < count; ++i) {
    jbyteArray item = (*env)->GetObjectArrayElement(env, list, i);
    bytes += (size_t)(*env)->GetArrayLength(env, item) + 1;
    (*env)->DeleteLocalRef(env, item);
  }
  const char** table = Allocate(env, scratch, bytes);
  if (table == NULL) return NULL;
  char* place = (char*)(table + count + 1);
  for (jsize i = 0; i < count; ++i) {
    jbyteArray item = (*env)->GetObjectArrayElement(env, list, i);
    const jsize size = (*env)->GetArrayLength(env, item);
    (*env)->GetByteArrayRegion(env, item, 0, size, (jbyte*)place);
    (*env)->DeleteLocalRef(env, item);
    table[i] = place;
    place += size;
    *place++ = 0;
  }
  table[count] = NULL;
  return table;
}

jbyteArray Bytes(JNIEnv* env, const char* text) {
  const jsize size = (jsize)strlen(text);
  jbyteArray bytes = (*env)->NewByteArray(env, size);
  if (bytes != NULL) {
    (*env)->SetByteArrayRegion(env, bytes, 0, size, (const jbyte*)text);
  }
  return bytes;
}

const char kImported[] = "x";

// The same memory under another name.
static bool SetImported(JNIEnv* env, mace_tensors_t* tensors, const char* name,
                        const mace_tensors_t* imported) {
  const mace_tensor_t* tensor = mace_tensors_find(imported, kImported);
  size_t rank = 0;
  const int64_t* shape = mace_tensor_shape(tensor, &rank);
  void* data = mace_tensor_data(tensor);
  const size_t bytes = mace_tensor_bytes(tensor);
  return Ok(env,
            bytes > 0
                ? mace_tensors_set(tensors, name, mace_tensor_data_type(tensor),
                                   shape, rank, data, bytes)
                : mace_tensors_set_gpu(tensors, name, MACE_GPU_BUFFER, shape,
                                       rank, data));
}

static bool SetBuffer(JNIEnv* env, Scratch* scratch, mace_tensors_t* tensors,
                      const char* name, jint type, jlongArray shape,
                      jobject buffer) {
  const size_t rank = (size_t)(*env)->GetArrayLength(env, shape);
  int64_t* dims = Allocate(env, scratch, sizeof(int64_t) * rank);
  if (dims == NULL) return false;
  (*env)->GetLongArrayRegion(env, shape, 0, (jsize)rank, (jlong*)dims);
  size_t bytes = mace_element_bytes(type);
  for (size_t k = 0; k < rank; ++k) bytes *= (size_t)dims[k];
  return Ok(env, mace_tensors_set(tensors, name, type, dims, rank,
                                  (*env)->GetDirectBufferAddress(env, buffer),
                                  bytes));
}

bool Fill(JNIEnv* env, mace_tensors_t* tensors, jobjectArray names,
          jintArray types, jobjectArray shapes, jobjectArray buffers,
          jlongArray imported) {
  const jsize count = (*env)->GetArrayLength(env, names);
  for (jsize i = 0; i < count; ++i) {
    Scratch scratch = {{NULL}, 0};
    jint type = 0;
    jlong memory = 0;
    jbyteArray name = (*env)->GetObjectArrayElement(env, names, i);
    jlongArray shape = (*env)->GetObjectArrayElement(env, shapes, i);
    jobject buffer = (*env)->GetObjectArrayElement(env, buffers, i);
    (*env)->GetIntArrayRegion(env, types, i, 1, &type);
    (*env)->GetLongArrayRegion(env, imported, i, 1, &memory);
    const char* text = Text(env, &scratch, name);
    const bool ok =
        text != NULL &&
        (memory != 0
             ? SetImported(env, tensors, text, Pointer(memory))
             : SetBuffer(env, &scratch, tensors, text, type, shape, buffer));
    Free(&scratch);
    (*env)->DeleteLocalRef(env, name);
    (*env)->DeleteLocalRef(env, shape);
    (*env)->DeleteLocalRef(env, buffer);
    if (!ok) return false;
  }
  return true;
}
