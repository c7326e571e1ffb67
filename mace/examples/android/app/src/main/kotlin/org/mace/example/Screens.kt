// The three screens: digits in images and in frames of the camera, a benchmark, and text.
// SPDX-License-Identifier: Apache-2.0
package org.mace.example

import android.content.Intent
import android.graphics.Bitmap
import android.graphics.BitmapFactory
import android.media.Image
import android.os.Build
import android.view.View
import android.widget.Button
import android.widget.EditText
import android.widget.ImageView
import android.widget.LinearLayout
import android.widget.TextView
import org.mace.Device
import org.mace.MaceCancellation
import org.mace.Picture
import org.mace.android.Pictures

/** A column of views; [hide] is called when another screen takes its place. */
abstract class Screen(protected val app: MainActivity) {
  val column = LinearLayout(app).apply { orientation = LinearLayout.VERTICAL }

  open fun hide() {}

  protected fun words() = TextView(app).apply { setTextIsSelectable(true) }.also(column::addView)

  protected fun row(vararg buttons: Pair<String, () -> Unit>) {
    val row = LinearLayout(app)
    for ((name, action) in buttons) {
      val button = Button(app)
      button.text = name
      button.setOnClickListener { action() }
      row.addView(button)
    }
    column.addView(row)
  }

  protected fun add(view: View, width: Int, height: Int) =
      column.addView(view, LinearLayout.LayoutParams(width, height))
}

/** One of ten images, or what the camera sees, on each device. */
class DigitsScreen(app: MainActivity) : Screen(app) {
  private val shown = ImageView(app)
  private val message: TextView
  private var digit = 3
  private var camera: Camera? = null
  private var viewer: Viewer? = null // of the camera's thread

  init {
    val edge = app.resources.displayMetrics.widthPixels / 2
    add(shown, edge, edge)
    row("Other image" to { pick((digit + 1) % Classifier.DIGITS) }, "Camera" to { openCamera() })
    row(*Device.values().map { it.name to { classify(it) } }.toTypedArray())
    message = words()
    pick(digit)
  }

  override fun hide() {
    camera?.close {
      viewer?.close()
      viewer = null
    }
    camera = null
  }

  fun openCamera() {
    if (camera != null || !app.mayUseCamera()) return
    val opened = Camera(app, ::onFrame, ::say)
    camera = opened
    opened.open(app.displayDegrees())
  }

  private fun onFrame(frame: Image, degrees: Int) {
    try {
      show(Pictures.of(frame, degrees))
    } catch (e: RuntimeException) { // of the engine: the message says what to do
      say(e.message ?: e.toString())
    }
  }

  private fun show(frame: Picture) {
    val open = viewer ?: Viewer(app.classifier(Device.CPU)).also { viewer = it }
    val start = System.nanoTime()
    val answer = open.view(frame)
    val millis = millisSince(start)
    val edge = Viewer.EDGE
    val bitmap = Bitmap.createBitmap(open.colors, edge, edge, Bitmap.Config.ARGB_8888)
    app.runOnUiThread {
      if (camera != null) {
        shown.setImageBitmap(bitmap)
        message.text = "%d, probability %.2f, %.2f ms a frame"
            .format(answer.label, answer.probability, millis)
      }
    }
  }

  private fun pick(next: Int) {
    hide()
    digit = next
    shown.setImageBitmap(bitmap())
    message.text = ""
  }

  private fun bitmap(): Bitmap = app.assets.open("$digit.png").use { BitmapFactory.decodeStream(it) }

  private fun classify(device: Device) {
    hide()
    val image = bitmap()
    shown.setImageBitmap(image)
    app.work(message, "$device ...") {
      app.classifier(device).use {
        val answer = it.classify(Pictures.of(image))
        // A device that is not there: the first of the steps says why the CPU takes over.
        "$device: ${answer.label}, probability ${answer.probability}\n${it.engine.dump("plan")}"
      }
    }
  }

  private fun say(text: String) = app.runOnUiThread { message.text = text }
}

/** Each device in turn, the memory plan, and the results as JSON for other apps. */
class BenchmarkScreen(app: MainActivity) : Screen(app) {
  private val message: TextView
  private val plan = PlanView(app)
  private var json: String? = null

  init {
    row("Benchmark" to { run() }, "Share JSON" to { share() })
    message = words()
    val edge = app.resources.displayMetrics.widthPixels
    add(plan, edge, edge / 2)
  }

  private fun run() {
    app.work(message, "...") {
      val results = mutableListOf<Measured>()
      val failures = mutableMapOf<Device, String>()
      val image = app.assets.open("3.png").use { BitmapFactory.decodeStream(it) }
      val input = app.pixels(image)
      for (device in Device.values()) {
        try {
          results += measure(device, input, ROUNDS) { app.classifier(device) }
        } catch (e: RuntimeException) { // of the engine: the message says what to do
          failures[device] = e.message ?: e.toString()
        }
      }
      val memory = app.classifier(Device.CPU).use { MemoryPlan(it.engine.dump("memory_json")) }
      json = report(app.phone(), results, failures)
      app.runOnUiThread { plan.show(memory) }
      (results.map { it.toString() } + failures.map { (device, text) -> "$device: $text" })
          .joinToString("\n\n")
    }
  }

  private fun share() {
    val text = json
    if (text == null) {
      message.text = "Run the benchmark first."
      return
    }
    val send = Intent(Intent.ACTION_SEND).setType("text/plain").putExtra(Intent.EXTRA_TEXT, text)
    app.startActivity(Intent.createChooser(send, "Benchmark of ${Build.MODEL}"))
  }

  private companion object {
    const val ROUNDS = 100
  }
}

/** A text field, and the model's continuation as it comes. */
class TextScreen(app: MainActivity) : Screen(app) {
  private val prompt = EditText(app).apply { setText("And it came to pass") }
  private val message: TextView
  private var cancellation: MaceCancellation? = null

  init {
    column.addView(prompt)
    row("Generate" to { generate() }, "Stop" to { hide() })
    message = words()
  }

  override fun hide() {
    cancellation?.cancel()
  }

  private fun generate() {
    hide()
    val began = prompt.text.toString()
    val ending = MaceCancellation()
    cancellation = ending
    app.work(message, began) {
      Writer(app.modelFolder(Writer.FILES)).use { writer ->
        val made =
            writer.write(began, TOKENS, ending) { part ->
              app.runOnUiThread { message.append(part) }
              true
            }
        "$began${made.text()}\n\n%d tokens, %.0f a second; first after %.0f ms; %d KB"
            .format(
                made.newTokens(),
                made.newTokensPerSecond(),
                made.firstTokenMillis(),
                made.memoryBytes() / 1024)
      }
    }
  }

  private companion object {
    const val TOKENS = 64
  }
}
