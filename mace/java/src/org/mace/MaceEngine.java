// An engine: a model that is prepared to run.
// SPDX-License-Identifier: Apache-2.0
package org.mace;

import java.io.File;
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
  private final TensorNames inputs;
  private final TensorNames outputs;
  private final TensorNames states;
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
    this(ModelFiles.load(graph, data, options), options, null);
  }

  /**
   * A model in direct buffers, such as files that are mapped. The graph is read at once; the weights
   * (null: the model has none) are used in place if they begin at a 64-byte boundary, and must not
   * change as long as the engine is open.
   */
  public MaceEngine(ByteBuffer graph, ByteBuffer data, Options options) {
    this(ModelFiles.load(graph, data), options, data);
  }

  /** An engine for a model that {@code converter.py seal} encrypted. */
  public static MaceEngine openSealed(File sealed, KeySource keys, Options options) {
    return new MaceEngine(ModelFiles.load(sealed, keys), options, null);
  }

  /** The same for a direct buffer, which is not read any more afterwards. */
  public static MaceEngine openSealed(ByteBuffer sealed, KeySource keys, Options options) {
    return new MaceEngine(ModelFiles.load(sealed, keys), options, null);
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
      inputs = TensorNames.inputs(handle);
      outputs = TensorNames.outputs(handle);
      states = TensorNames.states(handle);
      shapes = new int[inputs.count()][];
      for (int i = 0; i < shapes.length; i++) {
        shapes[i] = inputs.info(handle, i).shape();
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
      Object[] given,
      Map<Integer, Object> results,
      MaceCancellation cancellation,
      boolean profile) {
    if (given == null || results == null) {
      throw new IllegalArgumentException("null was given for the inputs or the outputs");
    }
    if (given.length != inputs.count()) {
      throw new IllegalArgumentException(
          given.length + " inputs were given; the model has " + inputs);
    }
    long handle = acquire();
    long ends = 0;
    try {
      ends = cancellation == null ? 0 : cancellation.acquire();
      return run(handle, given, results, ends, profile);
    } finally {
      if (ends != 0) {
        cancellation.release();
      }
      release();
    }
  }

  private Object[] run(
      long handle, Object[] given, Map<Integer, Object> results, long ends, boolean profile) {
    try (TensorValues in = new TensorValues(given.length);
        TensorValues out = new TensorValues(results.size())) {
      for (int i = 0; i < given.length; i++) {
        in.add(inputs.get(i), Elements.of(inputs.info(handle, i), shapeOf(i), given[i], false));
      }
      in.read();
      for (Map.Entry<Integer, Object> entry : results.entrySet()) {
        int i = outputs.check(entry.getKey());
        out.add(outputs.get(i), Elements.of(outputs.info(handle, i), null, entry.getValue(), true));
      }
      Object[] stats =
          Native.run(
              handle,
              in.names,
              in.types,
              in.shapes,
              in.buffers,
              in.imported,
              out.names,
              out.types,
              out.shapes,
              out.buffers,
              out.imported,
              ends,
              profile);
      out.write();
      return stats;
    }
  }

  /** The place of an input in the model's order. */
  public int getInputIndex(String name) {
    return inputs.find(name);
  }

  public int getOutputIndex(String name) {
    return outputs.find(name);
  }

  public int getInputTensorCount() {
    return inputs.count();
  }

  public int getOutputTensorCount() {
    return outputs.count();
  }

  /** The name, type and scale of an input, and the shape that a buffer for it has. */
  public TensorInfo getInputTensor(int index) {
    inputs.check(index);
    long handle = acquire();
    try {
      return inputs.info(handle, index).withShape(shapeOf(index));
    } finally {
      release();
    }
  }

  /** The same of an output; the shape is that of the latest run. */
  public TensorInfo getOutputTensor(int index) {
    outputs.check(index);
    long handle = acquire();
    try {
      return outputs.info(handle, index);
    } finally {
      release();
    }
  }

  /** Sets the shape that buffers for an input have from now on. The next run plans for it. */
  public void resizeInput(int index, int[] shape) {
    inputs.check(index);
    Native.need("shape", shape);
    long handle = acquire();
    try {
      TensorInfo info = inputs.info(handle, index);
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
      List<TensorInfo> infos = new ArrayList<>();
      for (int i = 0; i < states.count(); i++) {
        infos.add(states.info(handle, i));
      }
      return infos;
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

  private void copyStates(Map<String, Object> values, boolean set) {
    Native.need("states", values);
    long handle = acquire();
    try (TensorValues all = new TensorValues(values.size())) {
      for (Map.Entry<String, Object> entry : values.entrySet()) {
        int i = states.find(entry.getKey());
        TensorInfo info = states.info(handle, i);
        all.add(states.get(i), Elements.of(info, info.shape(), entry.getValue(), !set));
      }
      if (set) {
        all.read();
      }
      if (!values.isEmpty()) {
        Native.copyStates(
            handle, set, all.names, all.types, all.shapes, all.buffers, all.imported);
      }
      if (!set) {
        all.write();
      }
    } finally {
      release();
    }
  }

  /**
   * A tensor in a dma-buf, such as a frame of a camera. A GPU that can import it uses it without a
   * copy; otherwise it is mapped, and the log says what the GPU lacks. The memory must outlive the
   * tensor.
   *
   * @param file a descriptor that is open for reading and writing, as {@code
   *     ParcelFileDescriptor.getFd} gives it
   */
  public ImportedMemory importDmaBuf(int file, int[] shape) {
    return imported(shape, file, null);
  }

  /**
   * A tensor in an {@code android.hardware.HardwareBuffer} of the format BLOB, on a GPU that can
   * import it; elsewhere a {@link MaceException} with UNSUPPORTED. Needs Android 8 (API 26).
   */
  public ImportedMemory importHardwareBuffer(Object hardwareBuffer, int[] shape) {
    return imported(shape, -1, Native.need("hardwareBuffer", hardwareBuffer));
  }

  private ImportedMemory imported(int[] shape, int file, Object hardwareBuffer) {
    long[] dims = Elements.widen(Native.need("shape", shape));
    long handle = acquire();
    try {
      return new ImportedMemory(Native.importMemory(handle, dims, file, hardwareBuffer), shape);
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
}
