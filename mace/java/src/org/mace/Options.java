// How an engine runs.
// SPDX-License-Identifier: Apache-2.0
package org.mace;

import java.io.File;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * The settings of engines to come. What is not set is as the model's deployment file says. Setters
 * return the object itself. Not for use by several threads at once.
 */
public final class Options {
  /** The cores on which an engine's threads may run. */
  public enum CpuAffinity {
    NONE,
    BIG_ONLY,
    LITTLE_ONLY,
    HIGH_PERFORMANCE,
    POWER_SAVE
  }

  /** Hints for Qualcomm Adreno GPUs. */
  public enum GpuHint {
    DEFAULT,
    LOW,
    NORMAL,
    HIGH
  }

  final Map<String, String> settings = new TreeMap<>();
  private final Map<Device, Double> required = new TreeMap<>();
  Device device = Device.CPU;
  List<String> outputs = Collections.emptyList();
  List<String> opLibraries = Collections.emptyList();
  MaceEngine shareWith;
  boolean intoMemory;
  private String gpuFolder = "";
  private String gpuTuning = "";
  private List<File> gpuBinaries = Collections.emptyList();

  /** Any setting, by the name and in the words of docs/converter.md. */
  public Options set(String name, String value) {
    if (name == null || value == null) {
      throw new IllegalArgumentException("the name and the value of a setting are not null");
    }
    settings.put(name, value);
    return this;
  }

  public Options setDevice(Device value) {
    device = Native.need("device", value);
    return this;
  }

  /** At most 1024; -1: one for each core. */
  public Options setNumThreads(int threads) {
    return set("num_threads", Integer.toString(threads));
  }

  public Options setCpuAffinity(CpuAffinity policy) {
    return set(
        "cpu_affinity_policy", Integer.toString(Native.need("policy", policy).ordinal()));
  }

  /** How tensors share memory: "AUTO", "GREEDY_BY_SIZE", "PRESERVE_ALL", ... */
  public Options setMemoryStrategy(String strategy) {
    return set("memory_strategy", strategy);
  }

  /**
   * The most anonymous bytes that the engine may allocate for tensors; mapped weights do not count.
   * 0: three quarters of what is available.
   */
  public Options setMemoryLimit(long bytes) {
    return set("memory_limit", Long.toString(bytes));
  }

  /**
   * A helper program that tries the driver of the GPU or DSP before its first use in this process:
   * a driver that crashes there, does not answer in time or computes wrongly is not used. On
   * Android it is a file of the app's folder of native libraries, libmace_driver_probe.so.
   */
  public Options setDriverProbe(File program, int timeoutMillis) {
    set("driver_probe_ms", Integer.toString(timeoutMillis));
    return set("driver_probe", program == null ? "" : program.getPath());
  }

  /**
   * The least share of the model's multiply-adds that must run on a device, from 0 to 1: creating
   * an engine fails where fewer are placed there, with the nodes and the reasons.
   */
  public Options setRequire(Device device, double share) {
    if (device == null) {
      throw new IllegalArgumentException("the device of a required share is null");
    }
    required.put(device, share);
    StringBuilder all = new StringBuilder();
    for (Map.Entry<Device, Double> entry : required.entrySet()) {
      all.append(all.length() == 0 ? "" : ",");
      all.append(entry.getKey().name().toLowerCase(Locale.ROOT)).append('=');
      all.append(entry.getValue());
    }
    return set("require", all.toString());
  }

  /** The engine and this one use the same memory in turn. */
  public Options shareMemoryWith(MaceEngine engine) {
    shareWith = engine;
    return this;
  }

  /**
   * Reads the weights of a model's file into memory instead of mapping it, so that the engine stays
   * right when the file is changed, cut short or removed. Otherwise a file that is cut short while
   * an engine uses it ends the process; replace it by renaming a new file over it, which is safe.
   */
  public Options setLoadIntoMemory(boolean intoMemory) {
    this.intoMemory = intoMemory;
    return this;
  }

  /** Any tensors of the model, instead of its outputs. */
  public Options setOutputs(List<String> names) {
    outputs = new ArrayList<>(Native.need("names", names));
    return this;
  }

  /**
   * Operators of the app, in shared libraries that the app packs: each exports {@code mace_status_t
   * mace_register_ops(mace_op_resolver_t*)}, which calls {@code mace_op_resolver_add_custom} of
   * mace_c.h for its ops. A library stays loaded.
   *
   * @param libraries paths, or names that the system's linker finds, such as "libmy_ops.so"
   */
  public Options setCustomOps(List<String> libraries) {
    opLibraries = new ArrayList<>(Native.need("libraries", libraries));
    return this;
  }

  /** "fp16_fp32" (the default) or "fp32_fp32". */
  public Options setGpuDataType(String type) {
    return set("gpu_data_type", type);
  }

  public Options setGpuHints(GpuHint performance, GpuHint priority) {
    set("gpu_perf_hint", Integer.toString(Native.need("performance", performance).ordinal()));
    return set("gpu_priority_hint", Integer.toString(Native.need("priority", priority).ordinal()));
  }

  /** Keeps a screen smooth: parts of kernels take at most so many microseconds (0: any). */
  public Options setGpuLimits(int kernelMicros, int queueWindow) {
    set("gpu_kernel_micros", Integer.toString(kernelMicros));
    return set("gpu_queue_window", Integer.toString(queueWindow));
  }

  /** A folder that exists, where compiled programs are kept: an app's cache folder. */
  public Options setGpuStorageFolder(File folder) {
    gpuFolder = Native.need("folder", folder).getPath();
    return this;
  }

  /** Files of programs that were compiled beforehand; the first that exists is used. */
  public Options setGpuBinaryFiles(List<File> files) {
    gpuBinaries = new ArrayList<>(Native.need("files", files));
    return this;
  }

  /** The file of the GPU's tuning results. */
  public Options setGpuParameterFile(File file) {
    gpuTuning = Native.need("file", file).getPath();
    return this;
  }

  /** How long kernels are measured when a plan is made, and the file that keeps the results. */
  public Options setTuning(int milliseconds, File file) {
    set("tuning_ms", Integer.toString(milliseconds));
    return file == null ? this : set("tuning_file", file.getPath());
  }

  byte[][] words() {
    List<String> words = new ArrayList<>();
    for (Map.Entry<String, String> entry : settings.entrySet()) {
      words.add(entry.getKey());
      words.add(entry.getValue());
    }
    return Native.utf8(words);
  }

  /** The folder, the tuning file, and the binaries; null without any. */
  byte[][] gpuPaths() {
    List<String> paths = new ArrayList<>();
    paths.add(gpuFolder);
    paths.add(gpuTuning);
    for (File file : gpuBinaries) {
      paths.add(Native.need("a file of programs", file).getPath());
    }
    boolean none = paths.size() == 2 && gpuFolder.isEmpty() && gpuTuning.isEmpty();
    return none ? null : Native.utf8(paths);
  }
}
