// Tokenizers and generators by the functions of org.mace.Native.
// SPDX-License-Identifier: Apache-2.0

#include <string.h>

#include "mace/java/jni/jni_calls.h"
#include "mace/public/mace_c_generator.h"

enum { kPrompt = 0, kTokens = 1, kChat = 2, kNumStats = 8 };

// Tokens as an array of int; null and an exception without memory.
static jintArray Ints(JNIEnv* env, const int32_t* ids, size_t count) {
  jintArray made = (*env)->NewIntArray(env, (jsize)count);
  if (made != NULL && count > 0) {
    (*env)->SetIntArrayRegion(env, made, 0, (jsize)count, (const jint*)ids);
  }
  return made;
}

// A copy of an array of int; null and an exception without memory.
static int32_t* CopyOf(JNIEnv* env, Scratch* scratch, jintArray array,
                       size_t* count) {
  *count = (size_t)(*env)->GetArrayLength(env, array);
  int32_t* copy = Allocate(env, scratch, *count * sizeof(int32_t));
  if (copy != NULL) {
    (*env)->GetIntArrayRegion(env, array, 0, (jsize)*count, (jint*)copy);
  }
  return copy;
}

// A text of the library's, which is freed.
static jbyteArray Taken(JNIEnv* env, char* text) {
  jbyteArray bytes = text == NULL ? NULL : Bytes(env, text);
  mace_free(text);
  return bytes;
}

NATIVE(jlong, loadTokenizer)(JNIEnv* env, jclass type, jbyteArray file) {
  (void)type;
  Scratch scratch = {{NULL}, 0};
  mace_tokenizer_t* tokenizer = NULL;
  const char* path = Text(env, &scratch, file);
  if (path != NULL) Ok(env, mace_tokenizer_load(path, &tokenizer));
  Free(&scratch);
  return Handle(tokenizer);
}

NATIVE(void, destroyTokenizer)(JNIEnv* env, jclass type, jlong tokenizer) {
  (void)env, (void)type;
  mace_tokenizer_destroy(Pointer(tokenizer));
}

NATIVE(jintArray, encode)
(JNIEnv* env, jclass type, jlong tokenizer, jbyteArray text, jboolean add,
 jboolean parse) {
  (void)type;
  Scratch scratch = {{NULL}, 0};
  int32_t* ids = NULL;
  size_t count = 0;
  jintArray found = NULL;
  const char* bytes = Text(env, &scratch, text);
  if (bytes != NULL &&
      Ok(env, mace_tokenizer_encode(Pointer(tokenizer), bytes,
                                    (size_t)(*env)->GetArrayLength(env, text),
                                    add, parse, &ids, &count))) {
    found = Ints(env, ids, count);
  }
  mace_free((char*)ids);
  Free(&scratch);
  return found;
}

NATIVE(jbyteArray, decode)
(JNIEnv* env, jclass type, jlong tokenizer, jintArray tokens, jboolean skip) {
  (void)type;
  Scratch scratch = {{NULL}, 0};
  char* text = NULL;
  size_t count = 0;
  const int32_t* ids = CopyOf(env, &scratch, tokens, &count);
  if (ids != NULL) {
    Ok(env, mace_tokenizer_decode(Pointer(tokenizer), ids, count, skip, &text));
  }
  Free(&scratch);
  return Taken(env, text);
}

NATIVE(jbyteArray, tokenizerProperty)
(JNIEnv* env, jclass type, jlong tokenizer, jbyteArray name) {
  (void)type;
  Scratch scratch = {{NULL}, 0};
  char* value = NULL;
  const char* text = Text(env, &scratch, name);
  if (text != NULL) {
    Ok(env, mace_tokenizer_property(Pointer(tokenizer), text, &value));
  }
  Free(&scratch);
  return Taken(env, value);
}

NATIVE(jint, vocabSize)(JNIEnv* env, jclass type, jlong tokenizer) {
  (void)env, (void)type;
  return mace_tokenizer_vocab_size(Pointer(tokenizer));
}

NATIVE(jlong, createGenerator)
(JNIEnv* env, jclass type, jlong model, jlong tokenizer, jint device,
 jobjectArray settings, jobjectArray gpu_paths, jobjectArray op_libraries) {
  (void)type;
  Scratch scratch = {{NULL}, 0};
  mace_generator_t* generator = NULL;
  mace_config_t* config =
      Config(env, &scratch, device, settings, gpu_paths, op_libraries);
  if (config != NULL) {
    Ok(env, mace_generator_create(Pointer(model), Pointer(tokenizer), config,
                                  &generator));
  }
  mace_config_destroy(config);
  Free(&scratch);
  return Handle(generator);
}

NATIVE(void, destroyGenerator)(JNIEnv* env, jclass type, jlong generator) {
  (void)env, (void)type;
  mace_generator_destroy(Pointer(generator));
}

// A TextListener, and the thread's environment.
typedef struct {
  JNIEnv* env;
  jclass native;
  jobject listener;
} Listener;

// What the app throws ends the generation and stays pending.
static bool OnText(void* user, const char* part, size_t bytes) {
  (void)bytes;
  const Listener* l = user;
  JNIEnv* env = l->env;
  jmethodID method = (*env)->GetStaticMethodID(env, l->native, "onText",
                                               "(Lorg/mace/TextListener;[B)Z");
  jbyteArray text = method == NULL ? NULL : Bytes(env, part);
  if (text == NULL) return false;
  const jboolean goes_on = (*env)->CallStaticBooleanMethod(
      env, l->native, method, l->listener, text);
  if ((*env)->ExceptionCheck(env)) return false;
  (*env)->DeleteLocalRef(env, text);
  return goes_on;
}

// `floats`: temperature, top_p, min_p, repetition penalty, then a bias for each
// of the tokens that `ints` ends with. `ints`: top_k, penalty tokens, limit
// of new tokens, whether stop tokens are ignored, whether sampling is as
// recommended, how many stop tokens follow, these, and the biased ones.
static bool SetOptions(JNIEnv* env, Scratch* scratch, jfloatArray floats,
                       jintArray ints, jlong seed, jobjectArray stop,
                       jlong generator, mace_generation_options_t* o) {
  enum { kFloats = 4, kInts = 6 };
  size_t count = 0;
  const int32_t* w = CopyOf(env, scratch, ints, &count);
  const jsize num_floats = (*env)->GetArrayLength(env, floats);
  float* r = Allocate(env, scratch, sizeof(float) * (size_t)num_floats);
  const char** words = Texts(env, scratch, stop);
  if (w == NULL || r == NULL || words == NULL) return false;
  (*env)->GetFloatArrayRegion(env, floats, 0, num_floats, r);
  // Another thread may have changed the options between the two arrays.
  const size_t biased = kInts + (size_t)w[5];
  if (count < biased || count - biased != (size_t)num_floats - kFloats) {
    Raise(env, MACE_INVALID_ARGS, "the options changed during the call");
    return false;
  }
  bool ok =
      Ok(env, mace_generation_options_set_sampling(o, r[0], w[0], r[1], r[2],
                                                   (uint64_t)seed)) &&
      Ok(env, mace_generation_options_set_repetition_penalty(o, r[3], w[1])) &&
      Ok(env, mace_generation_options_set_max_new_tokens(o, w[2])) &&
      Ok(env, mace_generation_options_set_ignore_stop_tokens(o, w[3])) &&
      (!w[4] ||
       Ok(env, mace_generation_options_set_recommended(o, Pointer(generator))));
  for (size_t i = kInts; ok && i < count; ++i) {
    ok = Ok(env, i < biased ? mace_generation_options_add_stop_token(o, w[i])
                            : mace_generation_options_set_logit_bias(
                                  o, w[i], r[kFloats + i - biased]));
  }
  for (; ok && *words != NULL; ++words) {
    ok = Ok(env, mace_generation_options_add_stop(o, *words));
  }
  return ok;
}

// {text, tokens, [reason, statistics]}; null and an exception without memory.
static jobjectArray Results(JNIEnv* env, const mace_generation_t* made) {
  size_t count = 0;
  const int32_t* ids = mace_generation_tokens(made, &count);
  jdouble numbers[1 + kNumStats] = {mace_generation_finish_reason(made)};
  for (int i = 0; i < kNumStats; ++i) {
    numbers[1 + i] = mace_generation_stat(made, i);
  }
  jbyteArray text = Bytes(env, mace_generation_text(made));
  jintArray tokens = text == NULL ? NULL : Ints(env, ids, count);
  jdoubleArray stats =
      tokens == NULL ? NULL : (*env)->NewDoubleArray(env, 1 + kNumStats);
  if (stats == NULL) return NULL;
  (*env)->SetDoubleArrayRegion(env, stats, 0, 1 + kNumStats, numbers);
  jobjectArray results = (*env)->NewObjectArray(
      env, 3, (*env)->FindClass(env, "java/lang/Object"), NULL);
  if (results == NULL) return NULL;
  (*env)->SetObjectArrayElement(env, results, 0, text);
  (*env)->SetObjectArrayElement(env, results, 1, tokens);
  (*env)->SetObjectArrayElement(env, results, 2, stats);
  return results;
}

// `texts`: the prompt, or the roles and then the contents of a chat.
NATIVE(jobjectArray, generate)
(JNIEnv* env, jclass type, jlong generator, jint kind, jobjectArray texts,
 jintArray tokens, jfloatArray floats, jintArray ints, jlong seed,
 jobjectArray stop, jlong cancellation, jobject listener) {
  Scratch scratch = {{NULL}, 0};
  mace_generation_options_t* o = NULL;
  mace_generation_t* made = NULL;
  Listener l = {env, type, listener};
  size_t count = 0;
  const char** words = Texts(env, &scratch, texts);
  const int32_t* ids =
      words == NULL ? NULL : CopyOf(env, &scratch, tokens, &count);
  jobjectArray results = NULL;
  if (ids != NULL && Ok(env, mace_generation_options_create(&o)) &&
      SetOptions(env, &scratch, floats, ints, seed, stop, generator, o) &&
      Ok(env,
         mace_generation_options_set_cancellation(o, Pointer(cancellation))) &&
      Ok(env, mace_generation_options_set_on_text(
                  o, listener == NULL ? NULL : OnText, &l))) {
    mace_generator_t* g = Pointer(generator);
    const size_t num_texts = (size_t)(*env)->GetArrayLength(env, texts);
    const mace_status_t status =
        kind == kPrompt ? mace_generator_generate(g, words[0], o, &made)
        : kind == kTokens
            ? mace_generator_generate_from_tokens(g, ids, count, o, &made)
            : mace_generator_chat(g, words, words + num_texts / 2,
                                  num_texts / 2, o, &made);
    const bool has_thrown = (*env)->ExceptionCheck(env);
    if (!has_thrown && Ok(env, status)) results = Results(env, made);
  }
  mace_generation_destroy(made);
  mace_generation_options_destroy(o);
  Free(&scratch);
  return results;
}

NATIVE(jbyteArray, renderChat)
(JNIEnv* env, jclass type, jlong generator, jobjectArray texts) {
  (void)type;
  Scratch scratch = {{NULL}, 0};
  char* prompt = NULL;
  const char** words = Texts(env, &scratch, texts);
  const size_t count = (size_t)(*env)->GetArrayLength(env, texts) / 2;
  if (words != NULL) {
    Ok(env, mace_generator_render_chat(Pointer(generator), words, words + count,
                                       count, &prompt));
  }
  Free(&scratch);
  return Taken(env, prompt);
}

NATIVE(jdouble, perplexity)
(JNIEnv* env, jclass type, jlong generator, jbyteArray text) {
  (void)type;
  Scratch scratch = {{NULL}, 0};
  double found = 0;
  const char* bytes = Text(env, &scratch, text);
  if (bytes != NULL) {
    Ok(env, mace_generator_perplexity(Pointer(generator), bytes, &found));
  }
  Free(&scratch);
  return found;
}

NATIVE(jfloatArray, embed)
(JNIEnv* env, jclass type, jlong generator, jbyteArray text,
 jbyteArray tensor) {
  (void)type;
  Scratch scratch = {{NULL}, 0};
  float* found = NULL;
  size_t size = 0;
  jfloatArray made = NULL;
  const char* bytes = Text(env, &scratch, text);
  const char* name = bytes == NULL ? NULL : Text(env, &scratch, tensor);
  if (name != NULL && Ok(env, mace_generator_embed(Pointer(generator), bytes,
                                                   name, &found, &size))) {
    made = (*env)->NewFloatArray(env, (jsize)size);
  }
  if (made != NULL && size > 0) {
    (*env)->SetFloatArrayRegion(env, made, 0, (jsize)size, found);
  }
  mace_free((char*)found);
  Free(&scratch);
  return made;
}

// `what`: 0 saves, 1 restores, 2 forgets the sequence.
NATIVE(void, sequenceFile)
(JNIEnv* env, jclass type, jlong generator, jint what, jbyteArray file) {
  (void)type;
  Scratch scratch = {{NULL}, 0};
  mace_generator_t* g = Pointer(generator);
  const char* path = Text(env, &scratch, file);
  if (!(*env)->ExceptionCheck(env)) {
    Ok(env, what == 0   ? mace_generator_save(g, path)
            : what == 1 ? mace_generator_restore(g, path)
                        : mace_generator_reset(g));
  }
  Free(&scratch);
}

NATIVE(jintArray, sequence)(JNIEnv* env, jclass type, jlong generator) {
  (void)type;
  int32_t* ids = NULL;
  size_t count = 0;
  jintArray found = NULL;
  if (Ok(env, mace_generator_tokens(Pointer(generator), &ids, &count))) {
    found = Ints(env, ids, count);
  }
  mace_free((char*)ids);
  return found;
}

NATIVE(jlong, contextLength)(JNIEnv* env, jclass type, jlong generator) {
  (void)env, (void)type;
  return mace_generator_context_length(Pointer(generator));
}
