// Sealed models by the functions of org.mace.Native.
// SPDX-License-Identifier: Apache-2.0

#include <string.h>

#include "mace/java/jni/jni_calls.h"

// A KeySource, and the thread's environment.
typedef struct {
  JNIEnv* env;
  jclass native;
  jobject keys;
} Keys;

// Takes a key from the app. What the app throws stays pending.
static int32_t GetKey(void* user, const char* key_name, uint8_t* key) {
  static const jbyte kZeros[32] = {0};
  const Keys* keys = user;
  JNIEnv* env = keys->env;
  jmethodID method = (*env)->GetStaticMethodID(env, keys->native, "key",
                                               "(Lorg/mace/KeySource;[B)[B");
  const jsize size = (jsize)strlen(key_name);
  jbyteArray name = method == NULL ? NULL : (*env)->NewByteArray(env, size);
  if (name == NULL) return -1;
  (*env)->SetByteArrayRegion(env, name, 0, size, (const jbyte*)key_name);
  jbyteArray bytes = (*env)->CallStaticObjectMethod(env, keys->native, method,
                                                    keys->keys, name);
  if ((*env)->ExceptionCheck(env)) return -1;
  (*env)->GetByteArrayRegion(env, bytes, 0, sizeof(kZeros), (jbyte*)key);
  (*env)->SetByteArrayRegion(env, bytes, 0, sizeof(kZeros), kZeros);
  return 0;
}

// The model, or an exception: the app's own where that is why there is none.
static jlong Sealed(JNIEnv* env, mace_status_t status, mace_model_t* model) {
  if (status != MACE_SUCCESS && !(*env)->ExceptionCheck(env)) Ok(env, status);
  return Handle(model);
}

NATIVE(jlong, loadSealedFile)
(JNIEnv* env, jclass type, jbyteArray sealed, jobject source) {
  Scratch scratch = {{NULL}, 0};
  mace_model_t* model = NULL;
  mace_status_t status = MACE_SUCCESS;
  Keys keys = {env, type, source};
  const char* file = Text(env, &scratch, sealed);
  if (!(*env)->ExceptionCheck(env)) {
    status = mace_model_load_sealed(file, GetKey, &keys, NULL, &model);
  }
  Free(&scratch);
  return Sealed(env, status, model);
}

NATIVE(jlong, loadSealedBuffer)
(JNIEnv* env, jclass type, jobject sealed, jobject source) {
  mace_model_t* model = NULL;
  Keys keys = {env, type, source};
  const mace_status_t status = mace_model_load_sealed_memory(
      (*env)->GetDirectBufferAddress(env, sealed),
      (size_t)(*env)->GetDirectBufferCapacity(env, sealed), GetKey, &keys, NULL,
      &model);
  return Sealed(env, status, model);
}
