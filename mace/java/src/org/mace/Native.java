// The functions of libmace_jni.so. Handles are addresses; texts are UTF-8.
// SPDX-License-Identifier: Apache-2.0
package org.mace;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

final class Native {
  private static final int KEY_BYTES = 32;

  static {
    try {
      System.loadLibrary("mace_jni");
    } catch (UnsatisfiedLinkError e) {
      throw new UnsatisfiedLinkError(
          "MACE needs libmace_jni.so and libmace.so for this machine ("
              + System.getProperty("os.arch")
              + "): on Android from the AAR, which must have this ABI; elsewhere in a folder of"
              + " -Djava.library.path: "
              + e.getMessage());
    }
  }

  private Native() {}

  static <T> T need(String what, T value) {
    if (value == null) {
      throw new IllegalArgumentException(what + " is null");
    }
    return value;
  }

  static byte[] utf8(String text) {
    if (need("a name or a path", text).indexOf('\0') >= 0) {
      throw new IllegalArgumentException("a name or a path holds a zero character");
    }
    return text.getBytes(StandardCharsets.UTF_8);
  }

  static byte[][] utf8(List<String> texts) {
    byte[][] bytes = new byte[texts.size()][];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = utf8(texts.get(i));
    }
    return bytes;
  }

  static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  static native long loadFiles(byte[] graph, byte[] data, boolean intoMemory);

  static native long loadBuffers(ByteBuffer graph, ByteBuffer data);

  static native long loadSealedFile(byte[] sealed, KeySource keys);

  static native long loadSealedBuffer(ByteBuffer sealed, KeySource keys);

  /** Called by libmace_jni.so, which overwrites the array. */
  static byte[] key(KeySource keys, byte[] name) {
    byte[] key = keys.key(text(name));
    if (key == null || key.length != KEY_BYTES) {
      throw new IllegalArgumentException(
          "the key '"
              + text(name)
              + "' of a sealed model: KeySource gave "
              + (key == null ? "null" : key.length + " bytes")
              + "; a key has "
              + KEY_BYTES);
    }
    return key;
  }

  static native void destroyModel(long model);

  static native long createEngine(
      long model,
      int device,
      byte[][] settings,
      byte[][] outputs,
      long shareWith,
      byte[][] gpuPaths,
      byte[][] opLibraries);

  static native void destroyEngine(long engine);

  static native byte[][] names(long engine, int kind);

  static native long[] properties(long engine, int kind, int index);

  static native void copyStates(
      long engine,
      boolean set,
      byte[][] names,
      int[] types,
      long[][] shapes,
      Buffer[] buffers,
      long[] imported);

  /** Imports a dma-buf, or a hardware buffer if there is one. */
  static native long importMemory(long engine, long[] shape, int file, Object hardwareBuffer);

  static native void destroyTensors(long tensors);

  static native void resetStates(long engine);

  static native Object[] run(
      long engine,
      byte[][] names,
      int[] types,
      long[][] shapes,
      Buffer[] buffers,
      long[] imported,
      byte[][] outNames,
      int[] outTypes,
      long[][] outShapes,
      Buffer[] outBuffers,
      long[] outImported,
      long cancellation,
      boolean profile);

  static native long loadTokenizer(byte[] file);

  static native void destroyTokenizer(long tokenizer);

  static native int[] encode(long tokenizer, byte[] text, boolean add, boolean parse);

  static native byte[] decode(long tokenizer, int[] tokens, boolean skip);

  static native byte[] tokenizerProperty(long tokenizer, byte[] name);

  static native int vocabSize(long tokenizer);

  static native long createGenerator(
      long model,
      long tokenizer,
      int device,
      byte[][] settings,
      byte[][] gpuPaths,
      byte[][] opLibraries);

  static native void destroyGenerator(long generator);

  static native Object[] generate(
      long generator,
      int kind,
      byte[][] texts,
      int[] tokens,
      float[] floats,
      int[] ints,
      long seed,
      byte[][] stop,
      long cancellation,
      TextListener listener);

  /** Called by libmace_jni.so. */
  static boolean onText(TextListener listener, byte[] part) {
    return listener.onText(text(part));
  }

  static native byte[] renderChat(long generator, byte[][] texts);

  static native double perplexity(long generator, byte[] text);

  static native float[] embed(long generator, byte[] text, byte[] tensor);

  static native void sequenceFile(long generator, int what, byte[] file);

  static native int[] sequence(long generator);

  static native long contextLength(long generator);

  static native Object[] memoryUsage(long engine);

  static native Object[] placement(long engine);

  static native byte[][] kernelTests();

  static native void setLog(MaceLog.Listener listener, int leastImportant);

  static native long createImageConverter(int[] whole, double[] real);

  static native void destroyImageConverter(long converter);

  static native long tensorBytes(long converter);

  static native void convert(
      long converter,
      int[] properties,
      Buffer[] planes,
      long[] strides,
      Buffer tensor,
      double[] matrices,
      int[] content);

  static native int turned(int degrees, boolean mirror);

  static native void releaseMemory(long engine);

  static native void expectRun(long engine);

  static native byte[] dump(long engine, byte[] stage);

  static native long createCancellation();

  static native void cancel(long cancellation);

  static native void setDeadline(long cancellation, long micros);

  static native boolean isCancelled(long cancellation);

  static native void destroyCancellation(long cancellation);

  static native String version();

  static native float capability(int device, float cpuTime);
}
