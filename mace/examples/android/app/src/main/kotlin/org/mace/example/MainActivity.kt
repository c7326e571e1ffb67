// The screen: a picture to pick, a button for each device, the times, and the plan.
// SPDX-License-Identifier: Apache-2.0
package org.mace.example

import android.app.Activity
import android.graphics.Bitmap
import android.graphics.BitmapFactory
import android.os.Bundle
import android.view.View
import android.widget.Button
import android.widget.ImageView
import android.widget.LinearLayout
import android.widget.ScrollView
import android.widget.TextView
import java.nio.ByteBuffer
import java.nio.channels.FileChannel
import java.util.concurrent.Executors
import org.mace.Device
import org.mace.android.Bitmaps

class MainActivity : Activity() {
  private val worker = Executors.newSingleThreadExecutor()
  private lateinit var picture: ImageView
  private lateinit var words: TextView
  private lateinit var plan: PlanView
  private var digit = 3

  override fun onCreate(state: Bundle?) {
    super.onCreate(state)
    picture = ImageView(this)
    words = TextView(this)
    plan = PlanView(this)
    val column = LinearLayout(this).apply { orientation = LinearLayout.VERTICAL }
    val edge = resources.displayMetrics.widthPixels / 2
    column.addView(picture, LinearLayout.LayoutParams(edge, edge))
    column.addView(row("Other picture" to { pick((digit + 1) % 10) }))
    column.addView(row(*Device.values().map { it.name to { classify(it) } }.toTypedArray()))
    column.addView(words)
    column.addView(plan, LinearLayout.LayoutParams(2 * edge, edge))
    // Since targetSdk 35 a window reaches below the bars of the system.
    setContentView(ScrollView(this).apply { fitsSystemWindows = true; addView(column) })
    pick(digit)
  }

  override fun onDestroy() {
    super.onDestroy()
    worker.shutdown()
  }

  private fun row(vararg buttons: Pair<String, () -> Unit>): View {
    val row = LinearLayout(this)
    for ((name, action) in buttons) {
      val button = Button(this)
      button.text = name
      button.setOnClickListener { action() }
      row.addView(button)
    }
    return row
  }

  private fun pick(next: Int) {
    digit = next
    picture.setImageBitmap(bitmap(next))
    words.text = ""
    plan.show(null)
  }

  private fun bitmap(digit: Int): Bitmap =
      assets.open("$digit.png").use { BitmapFactory.decodeStream(it) }

  /** An asset that is stored as it is (noCompress), without a copy. */
  private fun mapped(name: String): ByteBuffer =
      assets.openFd(name).use { asset ->
        asset.createInputStream().use { stream ->
          stream.channel.map(
              FileChannel.MapMode.READ_ONLY, asset.startOffset, asset.declaredLength)
        }
      }

  private fun classify(device: Device) {
    words.text = "$device ..."
    val shown = bitmap(digit)
    worker.execute {
      var memory: MemoryPlan? = null
      val text =
          try {
            val pixels =
                Bitmaps.toFloats(shown, 8, 8, floatArrayOf(0f), floatArrayOf(1 / 255f), true)
            val model = if (device == Device.DSP) "digits_int8" else "digits"
            Classifier(mapped("$model.pb"), mapped("$model.data"), device, cacheDir).use {
              val answer = it.classify(pixels)
              memory = MemoryPlan(it.memory)
              val times =
                  "create %.2f ms, first run %.2f ms, then %.3f ms"
                      .format(answer.createMillis, answer.firstMillis, answer.medianMillis)
              // A device that is not there: the first of the steps says why the CPU takes over.
              "$device: ${answer.label}, probability ${answer.probability}\n$times\n${it.steps}"
            }
          } catch (e: RuntimeException) { // of the engine: the message says what to do
            "$device: ${e.message}"
          }
      runOnUiThread {
        words.text = text
        plan.show(memory)
      }
    }
  }
}
