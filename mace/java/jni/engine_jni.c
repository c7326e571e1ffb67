// Models, engines and runs by the functions of org.mace.Native.
// SPDX-License-Identifier: Apache-2.0

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mace/java/jni/jni_calls.h"

NATIVE(jlong, loadFiles)
(JNIEnv* env, jclass type, jbyteArray graph, jbyteArray data,
 jboolean into_memory) {
  (void)type;
  Scratch scratch = {{NULL}, 0};
  mace_model_t* model = NULL;
  const char* graph_file = Text(env, &scratch, graph);
  const char* data_file = Text(env, &scratch, data);
  mace_model_options_t* options = NULL;
  if (!(*env)->ExceptionCheck(env) &&
      Ok(env, mace_model_options_create(&options)) &&
      Ok(env, mace_model_options_set_into_memory(options, into_memory))) {
    Ok(env, mace_model_load(graph_file, data_file, options, &model));
  }
  mace_model_options_destroy(options);
  Free(&scratch);
  return Handle(model);
}

NATIVE(jlong, loadBuffers)
(JNIEnv* env, jclass type, jobject graph, jobject data) {
  (void)type;
  mace_model_t* model = NULL;
  const void* weights =
      data == NULL ? NULL : (*env)->GetDirectBufferAddress(env, data);
  const jlong bytes =
      data == NULL ? 0 : (*env)->GetDirectBufferCapacity(env, data);
  Ok(env,
     mace_model_load_memory((*env)->GetDirectBufferAddress(env, graph),
                            (size_t)(*env)->GetDirectBufferCapacity(env, graph),
                            weights, (size_t)bytes, NULL, NULL, NULL, &model));
  return Handle(model);
}

NATIVE(void, destroyModel)(JNIEnv* env, jclass type, jlong model) {
  (void)env, (void)type;
  mace_model_destroy(Pointer(model));
}

// `paths`: the folder for programs, the file of tuning results (empty: none),
// and files of precompiled programs. Null without settings.
static bool MakeContext(JNIEnv* env, Scratch* scratch, jobjectArray paths,
                        mace_gpu_context_t** context) {
  const char** texts = Texts(env, scratch, paths);
  if (texts == NULL) return false;
  const size_t count = (size_t)(*env)->GetArrayLength(env, paths);
  mace_gpu_context_builder_t* builder = NULL;
  mace_status_t status = mace_gpu_context_builder_create(&builder);
  if (!status && texts[0][0]) {
    status = mace_gpu_context_builder_set_storage_path(builder, texts[0]);
  }
  if (!status && texts[1][0]) {
    status =
        mace_gpu_context_builder_set_opencl_parameter_path(builder, texts[1]);
  }
  if (!status && count > 2) {
    status = mace_gpu_context_builder_set_opencl_binary_paths(
        builder, texts + 2, count - 2);
  }
  if (!status) status = mace_gpu_context_builder_build(builder, context);
  const bool ok = Ok(env, status);
  mace_gpu_context_builder_destroy(builder);
  return ok;
}

// What the libraries of an app export, which register their ops.
typedef mace_status_t (*RegisterOps)(mace_op_resolver_t* resolver);
static const char kRegisterOps[] = "mace_register_ops";

// Calls the function of a library, which stays loaded.
static bool Register(JNIEnv* env, const char* file,
                     mace_op_resolver_t* resolver) {
  char message[1024];
  void* library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    const char* why = dlerror();
    snprintf(message, sizeof(message), "custom ops: %s",
             why == NULL ? file : why);
    Raise(env, MACE_INVALID_ARGS, message);
    return false;
  }
  RegisterOps register_ops = NULL;
  void* symbol = dlsym(library, kRegisterOps);
  memcpy(&register_ops, &symbol, sizeof(symbol));
  if (register_ops == NULL) {
    snprintf(message, sizeof(message),
             "custom ops: '%s' does not export mace_status_t "
             "%s(mace_op_resolver_t*)",
             file, kRegisterOps);
    Raise(env, MACE_INVALID_ARGS, message);
    return false;
  }
  return Ok(env, register_ops(resolver));
}

// The engine runs the ops of these libraries besides MACE's.
static bool SetOps(JNIEnv* env, Scratch* scratch, jobjectArray libraries,
                   mace_config_t* config) {
  const char** files = Texts(env, scratch, libraries);
  if (files == NULL || files[0] == NULL) return files != NULL;
  mace_op_resolver_t* resolver = NULL;
  bool ok = Ok(env, mace_op_resolver_create(&resolver));
  for (size_t i = 0; ok && files[i] != NULL; ++i) {
    ok = Register(env, files[i], resolver);
  }
  ok = ok && Ok(env, mace_config_set_op_resolver(config, resolver));
  mace_op_resolver_destroy(resolver);
  return ok;
}

mace_config_t* Config(JNIEnv* env, Scratch* scratch, jint device,
                      jobjectArray settings, jobjectArray gpu_paths,
                      jobjectArray op_libraries) {
  mace_config_t* config = NULL;
  mace_gpu_context_t* context = NULL;
  const char** words = Texts(env, scratch, settings);
  bool ok = words != NULL &&
            Ok(env, mace_config_create(device, MACE_VERSION_NUMBER, &config));
  for (size_t i = 0; ok && words[i] != NULL; i += 2) {
    ok = Ok(env, mace_config_set(config, words[i], words[i + 1]));
  }
  if (ok && gpu_paths != NULL) {
    ok = MakeContext(env, scratch, gpu_paths, &context) &&
         Ok(env, mace_config_set_gpu_context(config, context));
  }
  ok = ok && SetOps(env, scratch, op_libraries, config);
  mace_gpu_context_destroy(context);
  if (ok) return config;
  mace_config_destroy(config);
  return NULL;
}

NATIVE(jlong, createEngine)
(JNIEnv* env, jclass type, jlong model, jint device, jobjectArray settings,
 jobjectArray outputs, jlong share_with, jobjectArray gpu_paths,
 jobjectArray op_libraries) {
  (void)type;
  Scratch scratch = {{NULL}, 0};
  mace_engine_t* engine = NULL;
  const char** names = Texts(env, &scratch, outputs);
  mace_config_t* config =
      names == NULL
          ? NULL
          : Config(env, &scratch, device, settings, gpu_paths, op_libraries);
  if (config != NULL &&
      (share_with == 0 ||
       Ok(env, mace_config_share_memory_with(config, Pointer(share_with))))) {
    const size_t count =
        outputs == NULL ? 0 : (size_t)(*env)->GetArrayLength(env, outputs);
    Ok(env, mace_engine_create(Pointer(model), config, NULL, 0,
                               count == 0 ? NULL : names, count, &engine));
  }
  mace_config_destroy(config);
  Free(&scratch);
  return Handle(engine);
}

NATIVE(void, destroyEngine)(JNIEnv* env, jclass type, jlong engine) {
  (void)env, (void)type;
  mace_engine_destroy(Pointer(engine));
}

// `kind`: 0 for the inputs, 1 for the outputs, 2 for the states.
static mace_tensor_infos_t* Infos(JNIEnv* env, jlong engine, jint kind) {
  mace_tensor_infos_t* infos = NULL;
  Ok(env, kind == 0   ? mace_engine_inputs(Pointer(engine), &infos)
          : kind == 1 ? mace_engine_outputs(Pointer(engine), &infos)
                      : mace_engine_states(Pointer(engine), &infos));
  return infos;
}

NATIVE(jobjectArray, names)
(JNIEnv* env, jclass type, jlong engine, jint kind) {
  (void)type;
  mace_tensor_infos_t* infos = Infos(env, engine, kind);
  if (infos == NULL) return NULL;
  const jsize count = (jsize)mace_tensor_infos_count(infos);
  jobjectArray names =
      (*env)->NewObjectArray(env, count, (*env)->FindClass(env, "[B"), NULL);
  for (jsize i = 0; names != NULL && i < count; ++i) {
    const char* name = mace_tensor_infos_name(infos, (size_t)i);
    const jsize size = (jsize)strlen(name);
    jbyteArray bytes = (*env)->NewByteArray(env, size);
    if (bytes == NULL) break;
    (*env)->SetByteArrayRegion(env, bytes, 0, size, (const jbyte*)name);
    (*env)->SetObjectArrayElement(env, names, i, bytes);
    (*env)->DeleteLocalRef(env, bytes);
  }
  mace_tensor_infos_destroy(infos);
  return names;
}

// Type, format, the bits of the scale, zero point, dimensions.
NATIVE(jlongArray, properties)
(JNIEnv* env, jclass type, jlong engine, jint kind, jint index) {
  (void)type;
  mace_tensor_infos_t* infos = Infos(env, engine, kind);
  if (infos == NULL) return NULL;
  const size_t i = (size_t)index;
  size_t rank = 0;
  const int64_t* shape = mace_tensor_infos_shape(infos, i, &rank);
  const float scale = mace_tensor_infos_scale(infos, i);
  int32_t bits;
  memcpy(&bits, &scale, sizeof(bits));
  const jlong head[4] = {mace_tensor_infos_data_type(infos, i),
                         mace_tensor_infos_data_format(infos, i), bits,
                         mace_tensor_infos_zero_point(infos, i)};
  jlongArray properties = (*env)->NewLongArray(env, (jsize)rank + 4);
  if (properties != NULL) {
    (*env)->SetLongArrayRegion(env, properties, 0, 4, head);
    if (rank > 0) {
      (*env)->SetLongArrayRegion(env, properties, 4, (jsize)rank,
                                 (const jlong*)shape);
    }
  }
  mace_tensor_infos_destroy(infos);
  return properties;
}

// Returns what the ops did, or null without `profile`.
NATIVE(jobjectArray, run)
(JNIEnv* env, jclass type, jlong engine, jobjectArray names, jintArray types,
 jobjectArray shapes, jobjectArray buffers, jlongArray imported,
 jobjectArray out_names, jintArray out_types, jobjectArray out_shapes,
 jobjectArray out_buffers, jlongArray out_imported, jlong cancellation,
 jboolean profile) {
  (void)type;
  mace_tensors_t* inputs = NULL;
  mace_tensors_t* outputs = NULL;
  mace_run_metadata_t* metadata = NULL;
  jobjectArray ops = NULL;
  if (Ok(env, mace_tensors_create(&inputs)) &&
      Ok(env, mace_tensors_create(&outputs)) &&
      (!profile || Ok(env, mace_run_metadata_create(&metadata))) &&
      Fill(env, inputs, names, types, shapes, buffers, imported) &&
      Fill(env, outputs, out_names, out_types, out_shapes, out_buffers,
           out_imported) &&
      Ok(env, cancellation == 0
                  ? mace_engine_run(Pointer(engine), inputs, outputs, metadata)
                  : mace_engine_run_until(Pointer(engine), inputs, outputs,
                                          Pointer(cancellation), metadata)) &&
      profile) {
    ops = Ops(env, metadata);
  }
  mace_run_metadata_destroy(metadata);
  mace_tensors_destroy(outputs);
  mace_tensors_destroy(inputs);
  return ops;
}

// Copies states to the buffers, or the buffers to the states.
NATIVE(void, copyStates)
(JNIEnv* env, jclass type, jlong engine, jboolean set, jobjectArray names,
 jintArray types, jobjectArray shapes, jobjectArray buffers,
 jlongArray imported) {
  (void)type;
  mace_tensors_t* states = NULL;
  if (Ok(env, mace_tensors_create(&states)) &&
      Fill(env, states, names, types, shapes, buffers, imported)) {
    Ok(env, set ? mace_engine_set_state(Pointer(engine), states)
                : mace_engine_get_state(Pointer(engine), states));
  }
  mace_tensors_destroy(states);
}

// Android's function that gives the AHardwareBuffer of a Java object.
typedef void* (*FromHardwareBuffer)(JNIEnv* env, jobject hardware_buffer);

// Null and an exception if there is none.
static void* HardwareBuffer(JNIEnv* env, jobject object) {
  jclass type = (*env)->FindClass(env, "android/hardware/HardwareBuffer");
  if (type == NULL) (*env)->ExceptionClear(env);
  if (type == NULL || !(*env)->IsInstanceOf(env, object, type)) {
    Raise(env, MACE_INVALID_ARGS,
          "hardwareBuffer is no android.hardware.HardwareBuffer");
    return NULL;
  }
  void* library = dlopen("libandroid.so", RTLD_NOW | RTLD_LOCAL);
  void* symbol = library == NULL
                     ? NULL
                     : dlsym(library, "AHardwareBuffer_fromHardwareBuffer");
  if (symbol == NULL) {
    Raise(env, MACE_UNSUPPORTED,
          "hardware buffers need Android 8 (API 26) or newer");
    return NULL;
  }
  FromHardwareBuffer from = NULL;
  memcpy(&from, &symbol, sizeof(symbol));
  void* buffer = from(env, object);
  if (buffer == NULL) {
    Raise(env, MACE_INVALID_ARGS, "the hardware buffer is closed");
  }
  return buffer;
}

// A mace_tensors_t with one tensor, kImported.
NATIVE(jlong, importMemory)
(JNIEnv* env, jclass type, jlong engine, jlongArray shape, jint file,
 jobject hardware_buffer) {
  (void)type;
  void* buffer =
      hardware_buffer == NULL ? NULL : HardwareBuffer(env, hardware_buffer);
  if ((*env)->ExceptionCheck(env)) return 0;
  Scratch scratch = {{NULL}, 0};
  mace_tensors_t* tensors = NULL;
  const jsize rank = (*env)->GetArrayLength(env, shape);
  int64_t* dims = Allocate(env, &scratch, sizeof(int64_t) * (size_t)rank);
  bool ok = dims != NULL && Ok(env, mace_tensors_create(&tensors));
  if (ok) {
    (*env)->GetLongArrayRegion(env, shape, 0, rank, (jlong*)dims);
    ok = Ok(env, buffer != NULL ? mace_engine_import_hardware_buffer(
                                      Pointer(engine), tensors, kImported, dims,
                                      (size_t)rank, buffer)
                                : mace_engine_import_dma_buf(
                                      Pointer(engine), tensors, kImported, dims,
                                      (size_t)rank, file));
  }
  Free(&scratch);
  if (ok) return Handle(tensors);
  mace_tensors_destroy(tensors);
  return 0;
}

NATIVE(void, destroyTensors)(JNIEnv* env, jclass type, jlong tensors) {
  (void)env, (void)type;
  mace_tensors_destroy(Pointer(tensors));
}

NATIVE(void, resetStates)(JNIEnv* env, jclass type, jlong engine) {
  (void)type;
  Ok(env, mace_engine_reset_state(Pointer(engine)));
}

NATIVE(void, releaseMemory)(JNIEnv* env, jclass type, jlong engine) {
  (void)type;
  Ok(env, mace_engine_release_intermediate_buffer(Pointer(engine)));
}

NATIVE(void, expectRun)(JNIEnv* env, jclass type, jlong engine) {
  (void)type;
  Ok(env, mace_engine_expect_run(Pointer(engine)));
}

NATIVE(jbyteArray, dump)
(JNIEnv* env, jclass type, jlong engine, jbyteArray stage) {
  (void)type;
  Scratch scratch = {{NULL}, 0};
  jbyteArray bytes = NULL;
  char* text = NULL;
  const char* name = Text(env, &scratch, stage);
  if (name != NULL && Ok(env, mace_engine_dump(Pointer(engine), name, &text))) {
    bytes = Bytes(env, text);
  }
  mace_free(text);
  Free(&scratch);
  return bytes;
}

NATIVE(jlong, createCancellation)(JNIEnv* env, jclass type) {
  (void)type;
  mace_cancellation_t* cancellation = NULL;
  Ok(env, mace_cancellation_create(&cancellation));
  return Handle(cancellation);
}

NATIVE(void, cancel)(JNIEnv* env, jclass type, jlong cancellation) {
  (void)type;
  Ok(env, mace_cancellation_cancel(Pointer(cancellation)));
}

NATIVE(void, setDeadline)
(JNIEnv* env, jclass type, jlong cancellation, jlong micros) {
  (void)type;
  Ok(env, mace_cancellation_set_deadline(Pointer(cancellation), micros));
}

NATIVE(jboolean, isCancelled)(JNIEnv* env, jclass type, jlong cancellation) {
  (void)env, (void)type;
  return mace_cancellation_is_cancelled(Pointer(cancellation));
}

NATIVE(void, destroyCancellation)
(JNIEnv* env, jclass type, jlong cancellation) {
  (void)env, (void)type;
  mace_cancellation_destroy(Pointer(cancellation));
}

NATIVE(jstring, version)(JNIEnv* env, jclass type) {
  (void)type;
  return (*env)->NewStringUTF(env, mace_version());
}

// Milliseconds of a small network divided by `cpu_time`; infinity if the device
// does not run it.
NATIVE(jfloat, capability)
(JNIEnv* env, jclass type, jint device, jfloat cpu_time) {
  (void)type;
  float time = 0;
  Ok(env, mace_get_capability(device, cpu_time, NULL, &time, NULL));
  return time;
}
