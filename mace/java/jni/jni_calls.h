// What the files of libmace_jni.so share: errors, handles, texts and arrays.
// SPDX-License-Identifier: Apache-2.0
//
// Handles are pointers in a jlong. A function that fails leaves a Java
// exception: MaceException.raise, which knows which one. Texts are UTF-8 in
// byte arrays, because JNI's own texts are another encoding.
#ifndef MACE_JAVA_JNI_JNI_CALLS_H_
#define MACE_JAVA_JNI_JNI_CALLS_H_

#include <jni.h>
#include <stdbool.h>
#include <stddef.h>

#include "mace/public/mace_c.h"

#define NATIVE(type, name) JNIEXPORT type JNICALL Java_org_mace_Native_##name

void Raise(JNIEnv* env, mace_status_t status, const char* message);
// Whether a call succeeded; leaves an exception otherwise.
bool Ok(JNIEnv* env, mace_status_t status);

// Convert a handle to the object that it stands for, and back.
void* Pointer(jlong handle);
jlong Handle(const void* pointer);

// Texts and arrays of one call, freed together. Begins as {0}; on the stack of
// a function of JNI.
typedef struct {
  void* pieces[64];
  size_t count;
} Scratch;

// Returns memory that Free frees. Null and an exception without memory, or if
// the call has 64 pieces already.
void* Allocate(JNIEnv* env, Scratch* scratch, size_t bytes);
void Free(Scratch* scratch);
// A copy that ends with 0; null for null.
char* Text(JNIEnv* env, Scratch* scratch, jbyteArray bytes);
// One block with all texts behind the table of pointers to them, which a null
// pointer ends. A null list is an empty one. REQUIRES: no item is null.
//
//   | text 0 | text 1 | null | 'c' 'a' 't' 0 | 'd' 'o' 'g' 0 |
const char** Texts(JNIEnv* env, Scratch* scratch, jobjectArray list);
// The text as an array of bytes; null and an exception without memory.
jbyteArray Bytes(JNIEnv* env, const char* text);

// What Options say of engines; null and an exception on an error.
mace_config_t* Config(JNIEnv* env, Scratch* scratch, jint device,
                      jobjectArray settings, jobjectArray gpu_paths,
                      jobjectArray op_libraries);

// {texts, numbers} of what the ops of a run did; null and an exception without
// memory.
jobjectArray Ops(JNIEnv* env, const mace_run_metadata_t* metadata);

// The name of the tensor in what ImportedMemory.java holds.
extern const char kImported[];

// Adds tensors in direct buffers, which Elements.java has compared with their
// shapes, or in imported memory. Leaves an exception if it returns false.
bool Fill(JNIEnv* env, mace_tensors_t* tensors, jobjectArray names,
          jintArray types, jobjectArray shapes, jobjectArray buffers,
          jlongArray imported);

#endif  // MACE_JAVA_JNI_JNI_CALLS_H_
