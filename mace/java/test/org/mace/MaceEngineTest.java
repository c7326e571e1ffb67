// Arrays, buffers, quantized values, shapes and settings, by the bundled model and small ones.
// SPDX-License-Identifier: Apache-2.0
package org.mace;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import org.junit.Test;

public class MaceEngineTest {
  @Test
  public void arraysAndBuffersGiveTheSameBits() throws Exception {
    try (MaceEngine engine = Models.digits()) {
      for (int digit : new int[] {3, 7}) {
        FloatBuffer pixels = Models.pixels(digit);
        float[][] array = new float[1][10];
        engine.run(Models.array(pixels), array);
        assertEquals(digit, Models.best(array[0]));
        FloatBuffer direct = Models.floats(10);
        engine.run(pixels, direct);
        float[] values = new float[10];
        direct.get(values);
        assertArrayEquals(array[0], values, 0);
        float[] flat = new float[10];
        ByteBuffer bytes = Models.bytes(4 * 64);
        bytes.asFloatBuffer().put(Models.pixels(digit));
        engine.run(bytes, flat);
        assertArrayEquals(array[0], flat, 0);
      }
    }
  }

  @Test
  public void buffersCountFromTheirPositionToTheirLimit() throws Exception {
    try (MaceEngine engine = Models.digits()) {
      FloatBuffer wide = Models.floats(64 + 5);
      wide.position(3);
      wide.put(Models.pixels(4));
      wide.position(3).limit(67);
      FloatBuffer out = Models.floats(12);
      out.position(2);
      engine.run(wide, out);
      assertEquals(2, out.position());
      float[] values = new float[12];
      out.rewind();
      out.get(values);
      assertEquals(0, values[0] + values[1], 0);
      assertEquals(4, Models.best(values) - 2);
    }
  }

  @Test
  public void tensorsAreDescribed() {
    try (MaceEngine engine = Models.digits();
        MaceEngine quantized = new MaceEngine(Models.file("quantized.pb"))) {
      TensorInfo input = engine.getInputTensor(engine.getInputIndex("input"));
      assertEquals("input FLOAT32 [1, 1, 8, 8]", input.toString());
      assertEquals("NCHW", input.dataFormat());
      assertEquals(256, input.numBytes());
      assertFalse(input.isQuantized());
      assertEquals(0, engine.getOutputIndex("probabilities"));
      assertEquals(1, engine.getInputTensorCount());
      assertEquals(1, engine.getOutputTensorCount());
      TensorInfo x = quantized.getInputTensor(0);
      assertEquals(DataType.INT8, x.dataType());
      assertEquals(0.1f, x.scale(), 0);
      assertEquals(3, x.zeroPoint());
      assertTrue(MaceEngine.version().startsWith("1."));
    }
  }

  @Test
  public void quantizedAndFloatTensors() {
    try (MaceEngine engine = new MaceEngine(Models.file("quantized.pb"))) {
      byte[][] out = new byte[1][4];
      engine.run(new byte[][] {{-128, 3, 13, 127}}, out);
      assertArrayEquals(new byte[] {3, 3, 13, 127}, out[0]);
      float[] real = new float[4];
      engine.run(new float[][] {{-5, 0, 1, 12}}, real);
      assertArrayEquals(new float[] {0, 0, 1, 12}, real, 1e-6f);
      ByteBuffer bytes = Models.bytes(4);
      bytes.put(new byte[] {-1, 4, 5, 6}).rewind();
      ByteBuffer result = Models.bytes(4);
      engine.run(bytes, result);
      assertEquals(3, result.get(0));
      assertEquals(6, result.get(3));
    }
  }

  @Test
  public void severalInputsAndOutputsByTheirIndices() {
    try (MaceEngine engine = new MaceEngine(Models.file("two.pb"))) {
      float[][] a = {{1, 2, 3}, {4, 5, 6}};
      float[][] b = {{1, 1, 1}, {2, 2, 2}};
      float[][] difference = new float[2][3];
      float[][] sum = new float[2][3];
      Object[] inputs = new Object[2];
      inputs[engine.getInputIndex("a")] = a;
      inputs[engine.getInputIndex("b")] = b;
      Map<Integer, Object> outputs = new HashMap<>();
      outputs.put(engine.getOutputIndex("difference"), difference);
      outputs.put(engine.getOutputIndex("sum"), sum);
      engine.runForMultipleInputsOutputs(inputs, outputs);
      assertArrayEquals(new float[] {6, 7, 8}, sum[1], 0);
      assertArrayEquals(new float[] {2, 3, 4}, difference[1], 0);
      engine.runForMultipleInputsOutputs(inputs, Collections.emptyMap());
    }
  }

  @Test
  public void inputsAreResized() {
    try (MaceEngine engine = new MaceEngine(Models.file("two.pb"))) {
      float[][] larger = new float[5][3];
      Arrays.fill(larger[4], 2);
      float[][] sum = new float[5][3];
      engine.runForMultipleInputsOutputs(
          new Object[] {larger, larger}, Collections.singletonMap(0, sum));
      assertEquals(4, sum[4][2], 0);
      assertArrayEquals(new int[] {5, 3}, engine.getOutputTensor(0).shape());
      assertArrayEquals(new int[] {2, 3}, engine.getInputTensor(0).shape());
      engine.resizeInput(0, new int[] {4, 3});
      engine.resizeInput(1, new int[] {4, 3});
      assertArrayEquals(new int[] {4, 3}, engine.getInputTensor(1).shape());
      FloatBuffer direct = Models.floats(12);
      direct.put(11, 5);
      FloatBuffer out = Models.floats(12);
      engine.runForMultipleInputsOutputs(
          new Object[] {direct, direct}, Collections.singletonMap(0, out));
      assertEquals(10, out.get(11), 0);
    }
  }

  @Test
  public void integersOf32And64Bits() {
    try (MaceEngine engine = new MaceEngine(Models.file("indices.pb"))) {
      int[][] out32 = new int[1][1];
      long[][] out64 = new long[1][1];
      float[][] x = {{0, 3, 9, 1}};
      TensorInfo info = engine.getOutputTensor(0);
      Object out = info.dataType() == DataType.INT64 ? out64 : out32;
      engine.run(x, out);
      assertEquals(2, info.dataType() == DataType.INT64 ? out64[0][0] : out32[0][0]);
    }
  }

  @Test
  public void modelsInMappedMemory() throws Exception {
    FloatBuffer pixels = Models.pixels(6);
    float[] out = new float[10];
    try (MaceEngine engine =
        new MaceEngine(Models.mapped("digits.pb"), Models.mapped("digits.data"), new Options())) {
      System.gc();
      engine.run(pixels, out);
      assertEquals(6, Models.best(out));
    }
  }

  @Test
  public void settings() throws Exception {
    Options options =
        new Options()
            .setDevice(Device.CPU)
            .setNumThreads(2)
            .setCpuAffinity(Options.CpuAffinity.NONE)
            .setMemoryStrategy("GREEDY_BY_SIZE")
            .setMemoryLimit(1 << 30)
            .setGpuDataType("fp32_fp32")
            .setGpuHints(Options.GpuHint.HIGH, Options.GpuHint.LOW)
            .setGpuLimits(1000, 4)
            .setGpuStorageFolder(Models.file("digits.pb").getParentFile())
            .setGpuBinaryFiles(Collections.singletonList(Models.file("digits.data")))
            .setGpuParameterFile(new File(Models.file("digits.pb").getParentFile(), "tuning"))
            .setTuning(0, null)
            .set("winograd", "0");
    try (MaceEngine engine = new MaceEngine(Models.file("digits.pb"), options);
        MaceEngine second =
            new MaceEngine(Models.file("digits.pb"), new Options().shareMemoryWith(engine))) {
      float[] out = new float[10];
      engine.run(Models.pixels(1), out);
      assertEquals(1, Models.best(out));
      second.run(Models.pixels(2), out);
      assertEquals(2, Models.best(out));
      second.releaseMemory();
      engine.run(Models.pixels(8), out);
      assertEquals(8, Models.best(out));
      assertTrue(engine.dump("plan").contains("Conv2d"));
    }
    float milliseconds = Device.CPU.measure(1);
    assertTrue(milliseconds > 0 && milliseconds < 1e5);
  }

  @Test
  public void tracingKeepsSpansOfRunsAndOps() throws IOException {
    try (MaceEngine engine =
        new MaceEngine(Models.file("digits.pb"), new Options().set("tracing", "1"))) {
      engine.run(Models.pixels(1), new float[10]);
      String trace = engine.dump("trace");
      assertTrue(trace.contains("\"name\": \"run\""));
      assertTrue(trace.contains("\"name\": \"Conv2d "));
    }
  }

  @Test
  public void anyTensorIsAnOutput() {
    Options options = new Options().setOutputs(Collections.singletonList("difference"));
    try (MaceEngine engine = new MaceEngine(Models.file("two.pb"), options)) {
      float[] out = new float[6];
      float[][] a = {{1, 2, 3}, {4, 5, 6}};
      engine.runForMultipleInputsOutputs(new Object[] {a, a}, Collections.singletonMap(0, out));
      assertEquals(0, out[5], 0);
      assertEquals("difference", engine.getOutputTensor(0).name());
    }
  }
}
