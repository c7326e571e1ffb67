// The digits model on one device. Free of Android's classes.
// SPDX-License-Identifier: Apache-2.0
package org.mace.example

import java.io.File
import java.nio.Buffer
import java.nio.ByteBuffer
import org.mace.Device
import org.mace.ImageConverter
import org.mace.MaceEngine
import org.mace.Options
import org.mace.Picture

/** What an image shows. */
class Answer(val label: Int, val probability: Float)

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
  val engine = MaceEngine(graph, data, options(device, cache, dspLibrary))
  private val frames = converter(inverted = true)
  private val images = converter(inverted = false)
  private val tensor = frames.newTensor()

  /** An image of a digit, bright on dark as those of the data set. */
  fun classify(image: Picture): Answer = classify(image, images)

  /** A frame of a camera: a digit in dark ink on bright paper. */
  fun classifyFrame(frame: Picture): Answer = classify(frame, frames)

  fun classify(pixels: Buffer): Answer {
    val probabilities = Array(1) { FloatArray(DIGITS) }
    engine.run(pixels, probabilities)
    val best = probabilities[0].indices.maxByOrNull { probabilities[0][it] } ?: 0
    return Answer(best, probabilities[0][best])
  }

  override fun close() {
    engine.close()
    frames.close()
    images.close()
  }

  private fun classify(picture: Picture, converter: ImageConverter): Answer {
    converter.convert(picture, tensor)
    return classify(tensor)
  }

  private fun converter(inverted: Boolean): ImageConverter {
    val (mean, scale) = if (inverted) 255.0 to -1 / 255.0 else 0.0 to 1 / 255.0
    return ImageConverter.Builder(EDGE, EDGE)
        .setResize(ImageConverter.Fit.CROP, ImageConverter.Filter.AREA)
        .setChannels(
            ImageConverter.Channels.GRAY, doubleArrayOf(mean), doubleArrayOf(scale))
        .setChannelsFirst(true)
        .build()
  }

  private fun options(device: Device, cache: File, dspLibrary: String): Options {
    val options = Options().setDevice(device)
    if (device == Device.GPU) options.setGpuStorageFolder(cache)
    // The model is so small that the CPU would be faster.
    if (device == Device.DSP) options.set("dsp_library", dspLibrary).set("dsp_takes_all", "1")
    return options
  }

  companion object {
    const val EDGE = 8
    const val DIGITS = 10
  }
}

/** Classifies frames of a camera, and makes a picture of each for the screen. */
class Viewer(private val classifier: Classifier) : AutoCloseable {
  private val preview =
      ImageConverter.Builder(EDGE, EDGE)
          .setResize(ImageConverter.Fit.CROP, ImageConverter.Filter.BILINEAR)
          .setChannels(ImageConverter.Channels.GRAY, doubleArrayOf(0.0), doubleArrayOf(1.0))
          .build()
  private val gray = preview.newTensor()

  /** The pixels of the latest frame, ARGB, [EDGE] in each of as many rows. */
  val colors = IntArray(EDGE * EDGE)

  fun view(frame: Picture): Answer {
    val answer = classifier.classifyFrame(frame)
    preview.convert(frame, gray)
    val levels = gray.asFloatBuffer()
    for (i in colors.indices) colors[i] = OPAQUE or (levels[i].toInt() * 0x010101)
    return answer
  }

  override fun close() {
    preview.close()
    classifier.close()
  }

  companion object {
    const val EDGE = 192
    const val OPAQUE = 0xff shl 24
  }
}
