// An engine: a model that is prepared to run.
// SPDX-License-Identifier: Apache-2.0
package org.mace;

import java.io.File;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/**
 * Runs a model. Any thread may call any method at any time; runs of one engine take turns. It holds
 * memory that Java does not see, and so must be closed.
 *
 * <pre>{@code
 * try (MaceEngine engine = new MaceEngine(new File("net.pb"))) {
 *   engine.run(input, output);
 * }
 * }</pre>
 *
 * <p>Inputs and outputs are arrays of float, int, long or byte with any number of dimensions, or
 * direct buffers in the native byte order, which are used without a copy, from their position to
 * their limit; those of outputs are not read-only. A buffer has the shape of its tensor, as {@link #resizeInput} set it; an array has a
 * shape of its own. Mistakes are {@link IllegalArgumentException}s with the engine's message, calls
 * after {@link #close} {@link IllegalStateException}s, and what is not the caller's fault {@link
 * MaceException}s.
 */
public final class MaceEngine extends NativeHandle {
  private static final int INPUTS = 0;
  private static final int OUTPUTS = 1;
  private static final int STATES = 2;

  private final byte[][] inputNames;
  private final byte[][] outputNames;
  private final byte[][] stateNames;
  private final int[][] shapes; // of buffers for inputs: the model's, until they are resized
  private Object kept; // buffers that the library reads

  /** The model in {@code graph}, NAME.pb, with its weights in NAME.data if there is such a file. */
  public MaceEngine(File graph) {
    this(graph, null, new Options());
  }

  public MaceEngine(File graph, Options options) {
    this(graph, null, options);
  }

  /**
   * @param data the file of the weights; null as above
   */
  public MaceEngine(File graph, File data, Options options) {
    this(load(graph, data, options), options, null);
  }

  /** A model, which the caller destroys. */
  static long load(File graph, File data, Options options) {
    return Native.loadFiles(
        path("graph", graph),
        path(data == null ? beside(graph) : data),
        options != null && options.intoMemory);
  }

  /**
   * A model in direct buffers, such as files that are mapped. The graph is read at once; the weights
   * (null: the model has none) are used in place if they begin at a 64-byte boundary, and must not
   * change as long as the engine is open.
   */
  public MaceEngine(ByteBuffer graph, ByteBuffer data, Options options) {
    this(Native.loadBuffers(direct("graph", graph), direct("data", data)), options, data);
  }

  /** An engine for a model that {@code converter.py seal} encrypted. */
  public static MaceEngine openSealed(File sealed, KeySource keys, Options options) {
    return new MaceEngine(
        Native.loadSealedFile(path("sealed", sealed), present(keys)), options, null);
  }

  /** The same for a direct buffer, which is not read any more afterwards. */
  public static MaceEngine openSealed(ByteBuffer sealed, KeySource keys, Options options) {
    return new MaceEngine(
        Native.loadSealedBuffer(direct("sealed", sealed), present(keys)), options, null);
  }

  private MaceEngine(long model, Options given, Object kept) {
    super("engine");
    Options options = given == null ? new Options() : given;
    MaceEngine other = options.shareWith;
    long share = 0;
    try {
      share = other == null ? 0 : other.acquire();
      own(
          Native.createEngine(
              model,
              options.device.code,
              options.words(),
              Native.utf8(options.outputs),
              share,
              options.gpuPaths(),
              Native.utf8(options.opLibraries)));
    } finally {
      if (share != 0) {
        other.release();
      }
      Native.destroyModel(model);
    }
    this.kept = kept;
    long handle = acquire();
    try {
      inputNames = Native.names(handle, INPUTS);
      outputNames = Native.names(handle, OUTPUTS);
      stateNames = Native.names(handle, STATES);
      shapes = new int[inputNames.length][];
      for (int i = 0; i < shapes.length; i++) {
        shapes[i] = info(handle, INPUTS, i).shape();
      }
    } finally {
      release();
    }
  }

  /** The version of the library. */
  public static String version() {
    return Native.version();
  }

  /** Runs a model with one input; {@code output} gets the first output. */
  public void run(Object input, Object output) {
    runForMultipleInputsOutputs(new Object[] {input}, Collections.singletonMap(0, output), null);
  }

  /** Runs once: inputs in the model's order, and outputs by their indices. */
  public void runForMultipleInputsOutputs(Object[] inputs, Map<Integer, Object> outputs) {
    runForMultipleInputsOutputs(inputs, outputs, null);
  }

  /**
   * The same, until it ends or {@code cancellation} is used; then it throws {@link
   * java.util.concurrent.CancellationException}, and the outputs hold no result. Null: not ended.
   */
  public void runForMultipleInputsOutputs(
      Object[] inputs, Map<Integer, Object> outputs, MaceCancellation cancellation) {
    runOnce(inputs, outputs, cancellation, false);
  }

  /** Runs once, and says what each op did, in the order in which they ran. */
  public List<OpStats> profile(Object[] inputs, Map<Integer, Object> outputs) {
    Object[] found = runOnce(inputs, outputs, null, true);
    byte[][] texts = (byte[][]) found[0];
    List<OpStats> ops = new ArrayList<>();
    for (int i = 0; i < texts.length / OpStats.TEXTS; i++) {
      ops.add(new OpStats(texts, (long[]) found[1], i));
    }
    return ops;
  }

  private Object[] runOnce(
      Object[] inputs,
      Map<Integer, Object> outputs,
      MaceCancellation cancellation,
      boolean profile) {
    if (inputs == null || outputs == null) {
      throw new IllegalArgumentException("null was given for the inputs or the outputs");
    }
    if (inputs.length != inputNames.length) {
      throw new IllegalArgumentException(
          inputs.length + " inputs were given; the model has " + list(inputNames));
    }
    long handle = acquire();
    long ends = 0;
    try {
      ends = cancellation == null ? 0 : cancellation.acquire();
      return run(handle, inputs, outputs, ends, profile);
    } finally {
      if (ends != 0) {
        cancellation.release();
      }
      release();
    }
  }

  private Object[] run(
      long handle, Object[] inputs, Map<Integer, Object> outputs, long ends, boolean profile) {
    List<Elements> in = new ArrayList<>();
    for (int i = 0; i < inputs.length; i++) {
      Elements elements = Elements.of(info(handle, INPUTS, i), shapeOf(i), inputs[i], false);
      elements.read();
      in.add(elements);
    }
    List<Elements> out = new ArrayList<>();
    byte[][] names = new byte[outputs.size()][];
    for (Map.Entry<Integer, Object> entry : outputs.entrySet()) {
      int index = check(entry.getKey(), outputNames, "output");
      names[out.size()] = outputNames[index];
      out.add(Elements.of(info(handle, OUTPUTS, index), null, entry.getValue(), true));
    }
    Object[] stats =
        Native.run(
            handle,
            inputNames,
            types(in),
            shapesOf(in),
            buffers(in),
            names,
            types(out),
            shapesOf(out),
            buffers(out),
            ends,
            profile);
    for (Elements elements : out) {
      elements.write();
    }
    return stats;
  }

  /** The place of an input in the model's order. */
  public int getInputIndex(String name) {
    return index(name, inputNames, "input");
  }

  public int getOutputIndex(String name) {
    return index(name, outputNames, "output");
  }

  public int getInputTensorCount() {
    return inputNames.length;
  }

  public int getOutputTensorCount() {
    return outputNames.length;
  }

  /** The name, type and scale of an input, and the shape that a buffer for it has. */
  public TensorInfo getInputTensor(int index) {
    check(index, inputNames, "input");
    long handle = acquire();
    try {
      long[] properties = Native.properties(handle, INPUTS, index);
      return new TensorInfo(name(inputNames[index]), withShape(properties, shapeOf(index)));
    } finally {
      release();
    }
  }

  /** The same of an output; the shape is that of the latest run. */
  public TensorInfo getOutputTensor(int index) {
    check(index, outputNames, "output");
    long handle = acquire();
    try {
      return info(handle, OUTPUTS, index);
    } finally {
      release();
    }
  }

  /** Sets the shape that buffers for an input have from now on. The next run plans for it. */
  public void resizeInput(int index, int[] shape) {
    check(index, inputNames, "input");
    Native.need("shape", shape);
    long handle = acquire();
    try {
      TensorInfo info = info(handle, INPUTS, index);
      Elements.bytesOf("'" + info.name() + "': ", info.dataType(), Elements.widen(shape));
    } finally {
      release();
    }
    synchronized (shapes) {
      shapes[index] = shape.clone();
    }
  }

  /** The tensors that the model keeps from one run to the next, such as those of a stream. */
  public List<TensorInfo> getStates() {
    long handle = acquire();
    try {
      List<TensorInfo> states = new ArrayList<>();
      for (int i = 0; i < stateNames.length; i++) {
        states.add(info(handle, STATES, i));
      }
      return states;
    } finally {
      release();
    }
  }

  /** Gives all states their first values again, for a new stream. */
  public void resetState() {
    long handle = acquire();
    try {
      Native.resetStates(handle);
    } finally {
      release();
    }
  }

  /**
   * Copies states to arrays or direct buffers, by name.
   *
   * @param states values as for outputs
   */
  public void getState(Map<String, Object> states) {
    copyStates(states, false);
  }

  /**
   * Replaces the values of states, by name; the others stay. If one is refused, none has changed.
   *
   * @param states values as for inputs; arrays have the shapes of {@link #getStates}
   */
  public void setState(Map<String, Object> states) {
    copyStates(states, true);
  }

  private void copyStates(Map<String, Object> states, boolean set) {
    Native.need("states", states);
    long handle = acquire();
    try {
      List<Elements> all = new ArrayList<>();
      byte[][] names = new byte[states.size()][];
      for (Map.Entry<String, Object> entry : states.entrySet()) {
        int i = index(entry.getKey(), stateNames, "state");
        TensorInfo info = info(handle, STATES, i);
        Elements elements = Elements.of(info, info.shape(), entry.getValue(), !set);
        if (set) {
          elements.read();
        }
        names[all.size()] = stateNames[i];
        all.add(elements);
      }
      if (all.isEmpty()) {
        return;
      }
      Native.copyStates(handle, set, names, types(all), shapesOf(all), buffers(all));
      for (Elements elements : all) {
        if (!set) {
          elements.write();
        }
      }
    } finally {
      release();
    }
  }

  /** Frees the memory that only runs need; the next run allocates it again. */
  public void releaseMemory() {
    long handle = acquire();
    try {
      Native.releaseMemory(handle);
    } finally {
      release();
    }
  }

  /**
   * Says that a run begins within 3 ms, for example when a frame arrives that is converted first:
   * until then worker threads are awake. Returns at once, also during a run.
   */
  public void expectRun() {
    long handle = acquire();
    try {
      Native.expectRun(handle);
    } finally {
      release();
    }
  }

  /** The memory that the engine holds now. */
  public MemoryUsage getMemoryUsage() {
    long handle = acquire();
    try {
      Object[] found = Native.memoryUsage(handle);
      return new MemoryUsage(
          (double[]) found[0], (byte[]) found[1], (byte[][]) found[2], (long[]) found[3]);
    } finally {
      release();
    }
  }

  /** Where each node of the latest plan runs, and why not elsewhere. */
  public List<NodePlacement> getPlacement() {
    long handle = acquire();
    try {
      Object[] found = Native.placement(handle);
      return NodePlacement.all((byte[][]) found[0], (long[]) found[1]);
    } finally {
      release();
    }
  }

  /**
   * One stage of preparing the model, for people: "graph", "plan", "memory" or "tuning"; or
   * "trace", the latest spans as a Chrome trace, of an engine with the setting {@code tracing}.
   */
  public String dump(String stage) {
    long handle = acquire();
    try {
      return Native.text(Native.dump(handle, Native.utf8(stage)));
    } finally {
      release();
    }
  }

  @Override
  void destroy(long handle) {
    Native.destroyEngine(handle);
    kept = null;
  }

  private int[] shapeOf(int index) {
    synchronized (shapes) {
      return shapes[index];
    }
  }

  private TensorInfo info(long handle, int kind, int index) {
    byte[][] names = kind == INPUTS ? inputNames : kind == OUTPUTS ? outputNames : stateNames;
    return new TensorInfo(name(names[index]), Native.properties(handle, kind, index));
  }

  private static long[] withShape(long[] properties, int[] shape) {
    int head = 4;
    long[] changed = new long[head + shape.length];
    System.arraycopy(properties, 0, changed, 0, head);
    for (int i = 0; i < shape.length; i++) {
      changed[head + i] = shape[i];
    }
    return changed;
  }

  private static int[] types(List<Elements> elements) {
    int[] types = new int[elements.size()];
    for (int i = 0; i < types.length; i++) {
      types[i] = elements.get(i).type.code;
    }
    return types;
  }

  private static long[][] shapesOf(List<Elements> elements) {
    long[][] found = new long[elements.size()][];
    for (int i = 0; i < found.length; i++) {
      found[i] = elements.get(i).shape;
    }
    return found;
  }

  private static Buffer[] buffers(List<Elements> elements) {
    Buffer[] buffers = new Buffer[elements.size()];
    for (int i = 0; i < buffers.length; i++) {
      buffers[i] = elements.get(i).direct;
    }
    return buffers;
  }

  private static int index(String name, byte[][] names, String kind) {
    for (int i = 0; i < names.length; i++) {
      if (name(names[i]).equals(name)) {
        return i;
      }
    }
    throw new IllegalArgumentException(
        "there is no " + kind + " named '" + name + "'; there is " + list(names));
  }

  private static int check(Integer index, byte[][] names, String kind) {
    if (index == null || index < 0 || index >= names.length) {
      throw new IllegalArgumentException(
          "there is no " + kind + " " + index + "; there is " + list(names));
    }
    return index;
  }

  private static String list(byte[][] names) {
    if (names.length == 0) {
      return "none";
    }
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < names.length; i++) {
      text.append(i == 0 ? "" : ", ").append(i).append(" '").append(name(names[i])).append("'");
    }
    return text.toString();
  }

  private static String name(byte[] bytes) {
    return Native.text(bytes);
  }

  private static byte[] path(String what, File file) {
    return path(Native.need(what, file));
  }

  private static byte[] path(File file) {
    return file == null ? null : Native.utf8(file.getPath());
  }

  private static KeySource present(KeySource keys) {
    if (keys == null) {
      throw new IllegalArgumentException("keys is null; a sealed model needs its key");
    }
    return keys;
  }

  private static File beside(File graph) {
    String path = graph.getPath();
    int dot = path.lastIndexOf('.');
    File data = new File((dot > path.lastIndexOf('/') ? path.substring(0, dot) : path) + ".data");
    return data.isFile() ? data : null;
  }

  private static ByteBuffer direct(String what, ByteBuffer buffer) {
    if (buffer == null && what.equals("data")) {
      return null;
    }
    if (!Native.need(what, buffer).isDirect()) {
      throw new IllegalArgumentException(
          what + " is no direct buffer: map the file, or copy it to ByteBuffer.allocateDirect");
    }
    return buffer.slice();
  }
}
