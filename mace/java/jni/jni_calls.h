// What the files of libmace_jni.so share: errors, handles, texts and arrays.
// SPDX-License-Identifier: Apache-2.0
//
// Handles are pointers in a jlong. A function that fails leaves a Java
// exception, which MaceException.raise chooses by the status. Texts are UTF-8
// in byte arrays, because JNI's own texts have another encoding.
#ifndef MACE_JAVA_JNI_JNI_CALLS_H_
#define MACE_JAVA_JNI_JNI_CALLS_H_

#include <jni.h>
#include <stdbool.h>
#include <stddef.h>

#include "mace/public/mace_c.h"

#define NATIVE(type, name) JNIEXPORT type JNICALL Java_org_mace_Native_##name

// Leaves the Java exception for `status` with `message`, which is copied.
void Raise(JNIEnv* env, mace_status_t status, const char* message);
// Returns whether a call succeeded; otherwise leaves an exception with the
// message of mace_last_error.
bool Ok(JNIEnv* env, mace_status_t status);

// Convert a handle to the object that it stands for, and back. 0 is null.
void* Pointer(jlong handle);
jlong Handle(const void* pointer);

// Texts and arrays of one call, freed together. All zeros at first; on the
// stack of a function of JNI.
typedef struct {
  void* pieces[64];
  size_t count;
} Scratch;

// Returns memory that Free frees. Returns null and leaves an exception if there
// is no memory, or the call has 64 pieces already.
void* Allocate(JNIEnv* env, Scratch* scratch, size_t bytes);
// Frees all pieces of `scratch`.
void Free(Scratch* scratch);
// Returns a copy of `bytes` that ends with 0; null for null. Errors: as
// Allocate.
char* Text(JNIEnv* env, Scratch* scratch, jbyteArray bytes);
// Returns one block: a table of pointers to the texts, which a null pointer
// ends, and the texts behind it. A null list is an empty one. Errors: as
// Allocate. REQUIRES: no item is null.
//
//   | text 0 | text 1 | null | 'c' 'a' 't' 0 | 'd' 'o' 'g' 0 |
const char** Texts(JNIEnv* env, Scratch* scratch, jobjectArray list);
// Returns the text as an array of bytes, or null with an exception if there is
// no memory.
jbyteArray Bytes(JNIEnv* env, const char* text);

// Returns the settings of an engine, which the caller destroys, or null with an
// exception. `settings` has names and values in turn. `gpu_paths`, which may be
// null, has the folder of compiled programs and the file of tuning results ("":
// none), then files of precompiled programs. `op_libraries` has the libraries
// of custom ops, which stay loaded.
mace_config_t* Config(JNIEnv* env, Scratch* scratch, jint device,
                      jobjectArray settings, jobjectArray gpu_paths,
                      jobjectArray op_libraries);

// Returns {texts, numbers} of the ops of a run, 5 of each for each op, in the
// order of mace_stat_text_t and mace_stat_number_t; null with an exception if
// there is no memory.
jobjectArray Ops(JNIEnv* env, const mace_run_metadata_t* metadata);

// The name of the only tensor in the mace_tensors_t of an ImportedMemory.
extern const char kImported[];

// Adds one tensor for each of `names`: in the imported memory with the handle
// imported[i], or, if that is 0, in the direct buffer buffers[i], whose size
// Elements.java has compared with the shape. Returns whether all were added;
// otherwise leaves an exception.
bool Fill(JNIEnv* env, mace_tensors_t* tensors, jobjectArray names,
          jintArray types, jobjectArray shapes, jobjectArray buffers,
          jlongArray imported);

#endif  // MACE_JAVA_JNI_JNI_CALLS_H_
