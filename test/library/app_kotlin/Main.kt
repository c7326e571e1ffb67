// The part of the example app that does without Android, on this machine.
// SPDX-License-Identifier: Apache-2.0
import java.io.File
import java.io.FileInputStream
import java.nio.ByteBuffer
import java.nio.ByteOrder
import java.nio.channels.FileChannel
import java.util.concurrent.LinkedBlockingQueue
import kotlin.coroutines.Continuation
import kotlin.coroutines.EmptyCoroutineContext
import kotlin.coroutines.startCoroutine
import org.json.JSONObject
import org.mace.AsyncRuns
import org.mace.Device
import org.mace.MaceCancellation
import org.mace.MaceEngine
import org.mace.Picture
import org.mace.example.Classifier
import org.mace.example.MemoryPlan
import org.mace.example.Viewer
import org.mace.example.Writer
import org.mace.example.await
import org.mace.example.measure
import org.mace.example.report

fun mapped(path: String): ByteBuffer =
    FileInputStream(path).use {
      it.channel.map(FileChannel.MapMode.READ_ONLY, 0, it.channel.size())
    }

/** A digit in dark ink on bright paper, in the middle of a frame that lies on its side. */
fun frame(digit: ByteBuffer): Picture {
  val (width, height, edge) = listOf(128, 96, 8)
  val luma = ByteBuffer.allocateDirect(width * height)
  val block = height / edge
  for (y in 0 until height) {
    for (x in 0 until width) {
      val (row, column) = (x - 16) / block to edge - 1 - y / block
      val isInside = x in 16 until 16 + height
      val bright = if (isInside) digit.getFloat(4 * (row * edge + column)) else 0f
      luma.put(y * width + x, (235 - 219 * bright).toInt().toByte())
    }
  }
  val chroma = ByteBuffer.allocateDirect(width * height / 4)
  for (i in 0 until chroma.capacity()) chroma.put(i, 128.toByte())
  return Picture(Picture.Format.YUV420, width, height)
      .setPlane(0, luma, width, 1)
      .setPlane(1, chroma, width / 2, 1)
      .setPlane(2, chroma, width / 2, 1)
      .setOrientation(Picture.turned(90, false))
}

fun main(arguments: Array<String>) {
  val (folder, pixels, cache, dspLibrary, verses) = arguments
  val input = ByteBuffer.allocateDirect(256).order(ByteOrder.nativeOrder())
  input.put(File(pixels).readBytes()).rewind()
  val model = "$folder/digits"
  val open = { Classifier(mapped("$model.pb"), mapped("$model.data"), Device.CPU, File(cache)) }
  open().use {
    println(it.classify(input).label)
    val plan = MemoryPlan(it.engine.dump("memory_json"))
    val steps = it.engine.dump("plan")
    println("${plan.steps} ${plan.bytes} ${plan.tensors.size} ${"Softmax" in steps}")
  }
  Viewer(open()).use {
    val label = it.view(frame(input)).label
    val colors = it.colors.toSet()
    println("$label ${colors.all { color -> color ushr 24 == 255 }} ${colors.size > 10}")
  }
  val failures = mapOf(Device.GPU to "no driver")
  val measured = measure(Device.CPU, input, 5, open)
  println(JSONObject(report(mapOf("cores" to 2), listOf(measured), failures)))
  println(measured.toString().lines().drop(1).joinToString(" | "))
  Writer(File(verses)).use {
    val parts = StringBuilder()
    val made =
        it.write("And it came to pass", 12, MaceCancellation()) { part ->
          parts.append(part)
          true
        }
    val stopped = it.write("And", 12, MaceCancellation().apply { cancel() }) { true }
    println("${made.newTokens()} ${made.text() == parts.toString()} ${stopped.finishReason()}")
  }
  val ended = LinkedBlockingQueue<Result<String>>()
  MaceEngine(File("$model.pb")).use { engine ->
    AsyncRuns(engine, 2).use { runs ->
      suspend {
            val output = Array(1) { FloatArray(10) }
            runs.await(input, output)
            val wrong = runCatching { runs.await(FloatArray(3), output) }
            val best = output[0].indices.maxByOrNull { output[0][it] }
            "$best ${wrong.exceptionOrNull() is IllegalArgumentException}"
          }
          .startCoroutine(Continuation(EmptyCoroutineContext) { ended.add(it) })
      println(ended.take().getOrThrow())
    }
  }
  for (library in listOf(dspLibrary, "libmissing.so")) {
    val quantized = "${model}_int8"
    Classifier(mapped("$quantized.pb"), mapped("$quantized.data"), Device.DSP, File(cache), library).use {
      val steps = it.engine.dump("plan")
      println("${it.classify(input).label} ${"on DSP" in steps} ${steps.lines().first()}")
    }
  }
}
