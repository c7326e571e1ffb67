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
import org.mace.AsyncRuns
import org.mace.Device
import org.mace.MaceEngine
import org.mace.example.Classifier
import org.mace.example.MemoryPlan
import org.mace.example.await

fun mapped(path: String): ByteBuffer =
    FileInputStream(path).use {
      it.channel.map(FileChannel.MapMode.READ_ONLY, 0, it.channel.size())
    }

fun main(arguments: Array<String>) {
  val (folder, pixels, cache, dspLibrary) = arguments
  val input = ByteBuffer.allocateDirect(256).order(ByteOrder.nativeOrder())
  input.put(File(pixels).readBytes()).rewind()
  val model = "$folder/digits"
  Classifier(mapped("$model.pb"), mapped("$model.data"), Device.CPU, File(cache)).use {
    val answer = it.classify(input)
    val plan = MemoryPlan(it.memory)
    println("${answer.label} ${answer.medianMillis > 0 && answer.createMillis > 0}")
    println("${plan.steps} ${plan.bytes} ${plan.tensors.size} ${"Softmax" in it.steps}")
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
      println("${it.classify(input).label} ${"on DSP" in it.steps} ${it.steps.lines().first()}")
    }
  }
}
