// The model on one device, and how long it takes. Free of Android's classes.
// SPDX-License-Identifier: Apache-2.0
package org.mace.example

import java.io.File
import java.nio.Buffer
import java.nio.ByteBuffer
import org.mace.Device
import org.mace.MaceEngine
import org.mace.Options

/** What a picture shows, and the milliseconds of each step. */
class Answer(
    val label: Int,
    val probability: Float,
    val createMillis: Double,
    val firstMillis: Double,
    val medianMillis: Double,
)

/**
 * A digits model in direct buffers, such as mapped assets. A DSP takes one in int8.
 *
 * [cache] keeps the GPU's programs. [dspLibrary] is the vendor's library for DSPs, which the app or
 * the phone has.
 */
class Classifier(
    graph: ByteBuffer,
    data: ByteBuffer,
    device: Device,
    cache: File,
    dspLibrary: String = "libhexagon_controller.so",
) : AutoCloseable {
  private val began = System.nanoTime()
  private val engine = MaceEngine(graph, data, options(device, cache, dspLibrary))
  private val createMillis = millisSince(began)

  /** Where each tensor lies in memory, for [MemoryPlan]. */
  val memory: String
    get() = engine.dump("memory_json")

  /** The steps, their devices and kernels. */
  val steps: String
    get() = engine.dump("plan")

  fun classify(pixels: Buffer, rounds: Int = 20): Answer {
    val probabilities = Array(1) { FloatArray(10) }
    val times =
        List(rounds + 1) {
          val start = System.nanoTime()
          engine.run(pixels, probabilities)
          millisSince(start)
        }
    val best = probabilities[0].indices.maxByOrNull { probabilities[0][it] } ?: 0
    val median = times.drop(1).sorted().let { if (it.isEmpty()) times[0] else it[it.size / 2] }
    return Answer(best, probabilities[0][best], createMillis, times[0], median)
  }

  override fun close() = engine.close()

  private fun options(device: Device, cache: File, dspLibrary: String): Options {
    val options = Options().setDevice(device)
    if (device == Device.GPU) options.setGpuStorageFolder(cache)
    // The model is so small that the CPU would be faster.
    if (device == Device.DSP) options.set("dsp_library", dspLibrary).set("dsp_takes_all", "1")
    return options
  }

  private fun millisSince(start: Long) = (System.nanoTime() - start) / 1e6
}
