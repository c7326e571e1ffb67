// The library's messages for org.mace.MaceLog.
// SPDX-License-Identifier: Apache-2.0

#include <pthread.h>
#include <stdlib.h>

#include "mace/java/jni/jni_calls.h"

// A listener, and what is needed to call it from any thread.
typedef struct {
  JavaVM* vm;
  jclass log;
  jmethodID method;
  jobject listener;
} Listener;

// The listener that the library has, and who may change it.
static Listener* current = NULL;
static pthread_mutex_t setting = PTHREAD_MUTEX_INITIALIZER;
// Whether this thread is in a call of a listener.
static __thread bool in_listener = false;

static void Call(JNIEnv* env, const Listener* to, mace_log_level_t level,
                 const char* message) {
  // A native method that writes a message may have an exception pending.
  jthrowable pending = (*env)->ExceptionOccurred(env);
  (*env)->ExceptionClear(env);
  jbyteArray bytes = Bytes(env, message);
  if (bytes != NULL) {
    (*env)->CallStaticVoidMethod(env, to->log, to->method, to->listener,
                                 (jint)level, bytes);
    (*env)->DeleteLocalRef(env, bytes);
  }
  if ((*env)->ExceptionCheck(env)) {
    (*env)->ExceptionDescribe(env);
    (*env)->ExceptionClear(env);
  }
  if (pending != NULL) {
    (*env)->Throw(env, pending);
    (*env)->DeleteLocalRef(env, pending);
  }
}

static void Log(void* user, mace_log_level_t level, const char* message) {
  const Listener* to = user;
  JavaVM* vm = to->vm;
  JNIEnv* env = NULL;
  const bool is_of_java =
      (*vm)->GetEnv(vm, (void**)&env, JNI_VERSION_1_6) == JNI_OK;
  // Android and the JDK disagree about the type of the argument.
  void* place = &env;
  if (!is_of_java &&
      (*vm)->AttachCurrentThreadAsDaemon(vm, place, NULL) != JNI_OK) {
    return;
  }
  const bool was_in_listener = in_listener;
  in_listener = true;
  Call(env, to, level, message);
  in_listener = was_in_listener;
  if (!is_of_java) (*vm)->DetachCurrentThread(vm);
}

static void Destroy(JNIEnv* env, Listener* listener) {
  if (listener == NULL) return;
  if (listener->listener != NULL) {
    (*env)->DeleteGlobalRef(env, listener->listener);
  }
  if (listener->log != NULL) (*env)->DeleteGlobalRef(env, listener->log);
  free(listener);
}

// Null and an exception if there is no memory.
static Listener* Create(JNIEnv* env, jobject listener) {
  Listener* made = calloc(1, sizeof(Listener));
  jclass log = (*env)->FindClass(env, "org/mace/MaceLog");
  if (made != NULL && log != NULL) {
    made->method = (*env)->GetStaticMethodID(
        env, log, "log", "(Lorg/mace/MaceLog$Listener;I[B)V");
    made->log = (*env)->NewGlobalRef(env, log);
    made->listener = (*env)->NewGlobalRef(env, listener);
  }
  if (made != NULL && made->method != NULL && made->log != NULL &&
      made->listener != NULL && (*env)->GetJavaVM(env, &made->vm) == JNI_OK) {
    return made;
  }
  Destroy(env, made);
  if (!(*env)->ExceptionCheck(env)) {
    Raise(env, MACE_OUT_OF_RESOURCES, "no memory for a listener of messages");
  }
  return NULL;
}

NATIVE(void, setLog)
(JNIEnv* env, jclass type, jobject listener, jint least_important) {
  (void)type;
  // mace_set_log waits for the listeners that other threads are in, so that
  // these must not wait for it.
  if (in_listener) {
    Raise(env, MACE_INVALID_ARGS, "a listener of messages cannot set another");
    return;
  }
  Listener* made = listener == NULL ? NULL : Create(env, listener);
  if (listener != NULL && made == NULL) return;
  pthread_mutex_lock(&setting);
  const mace_status_t status =
      mace_set_log(made == NULL ? NULL : Log, made, least_important);
  Listener* unused = status == MACE_SUCCESS ? current : made;
  if (status == MACE_SUCCESS) current = made;
  pthread_mutex_unlock(&setting);
  Ok(env, status);
  if (unused != NULL) Destroy(env, unused);
}
