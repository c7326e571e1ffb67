// The part of the example app that does without Android, on this machine.
// SPDX-License-Identifier: Apache-2.0
import java.io.File
import java.io.FileInputStream
import java.nio.ByteBuffer
import java.nio.ByteOrder
import java.nio.channels.FileChannel
import org.mace.Device
import org.mace.example.Classifier
import org.mace.example.MemoryPlan

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
  for (library in listOf(dspLibrary, "libmissing.so")) {
    val quantized = "${model}_int8"
    Classifier(mapped("$quantized.pb"), mapped("$quantized.data"), Device.DSP, File(cache), library).use {
      println("${it.classify(input).label} ${"on DSP" in it.steps} ${it.steps.lines().first()}")
    }
  }
}
