// The activity: it shows one of the screens, and has what they share.
// SPDX-License-Identifier: Apache-2.0
package org.mace.example

import android.Manifest
import android.app.Activity
import android.content.pm.PackageManager
import android.graphics.Bitmap
import android.os.Build
import android.os.Bundle
import android.view.Surface
import android.widget.Button
import android.widget.LinearLayout
import android.widget.ScrollView
import android.widget.TextView
import java.io.File
import java.io.IOException
import java.nio.ByteBuffer
import java.nio.FloatBuffer
import java.nio.channels.FileChannel
import java.util.concurrent.Executors
import org.mace.Device
import org.mace.android.Bitmaps

class MainActivity : Activity() {
  private val worker = Executors.newSingleThreadExecutor()
  private lateinit var page: LinearLayout
  private lateinit var digits: DigitsScreen
  private lateinit var shown: Screen

  override fun onCreate(state: Bundle?) {
    super.onCreate(state)
    page = LinearLayout(this).apply { orientation = LinearLayout.VERTICAL }
    digits = DigitsScreen(this)
    val screens =
        listOf("Digits" to digits, "Benchmark" to BenchmarkScreen(this), "Text" to TextScreen(this))
    val row = LinearLayout(this)
    for ((name, screen) in screens) {
      val button = Button(this)
      button.text = name
      button.setOnClickListener { show(screen) }
      row.addView(button)
    }
    val all = LinearLayout(this).apply { orientation = LinearLayout.VERTICAL }
    all.addView(row)
    all.addView(page)
    shown = digits
    show(digits)
    // Since targetSdk 35 a window reaches below the bars of the system.
    setContentView(ScrollView(this).apply { fitsSystemWindows = true; addView(all) })
  }

  override fun onPause() {
    super.onPause()
    shown.hide() // the camera belongs to the app in front
  }

  override fun onDestroy() {
    super.onDestroy()
    worker.shutdown()
  }

  override fun onRequestPermissionsResult(request: Int, names: Array<String>, granted: IntArray) {
    super.onRequestPermissionsResult(request, names, granted)
    if (granted.firstOrNull() == PackageManager.PERMISSION_GRANTED) digits.openCamera()
  }

  private fun show(screen: Screen) {
    shown.hide()
    shown = screen
    page.removeAllViews()
    page.addView(screen.column)
  }

  /** Whether it may; otherwise the user is asked. Before API 23 the installation has asked. */
  fun mayUseCamera(): Boolean {
    if (Build.VERSION.SDK_INT < Build.VERSION_CODES.M) return true
    val found = checkSelfPermission(Manifest.permission.CAMERA)
    if (found != PackageManager.PERMISSION_GRANTED) {
      requestPermissions(arrayOf(Manifest.permission.CAMERA), 1)
    }
    return found == PackageManager.PERMISSION_GRANTED
  }

  fun displayDegrees(): Int {
    @Suppress("DEPRECATION") val rotation = windowManager.defaultDisplay.rotation
    return when (rotation) {
      Surface.ROTATION_90 -> 90
      Surface.ROTATION_180 -> 180
      Surface.ROTATION_270 -> 270
      else -> 0
    }
  }

  /** Does something on a thread of its own; `words` shows its text, or the message of an error. */
  fun work(words: TextView, first: String, action: () -> String) {
    words.text = first
    worker.execute {
      val text =
          try {
            action()
          } catch (e: RuntimeException) { // of the engine: the message says what to do
            e.message ?: e.toString()
          } catch (e: IOException) { // of an asset
            "$e"
          }
      runOnUiThread { words.text = text }
    }
  }

  fun classifier(device: Device): Classifier {
    val model = if (device == Device.DSP) "digits_int8" else "digits"
    return Classifier(mapped("$model.pb"), mapped("$model.data"), device, cacheDir)
  }

  fun pixels(image: Bitmap): FloatBuffer {
    val scale = floatArrayOf(1 / 255f)
    return Bitmaps.toFloats(
        image, Classifier.EDGE, Classifier.EDGE, floatArrayOf(0f), scale, true)
  }

  /** Assets as files, which a generator maps. */
  fun modelFolder(names: List<String>): File {
    val installed = packageManager.getPackageInfo(packageName, 0).lastUpdateTime
    val folder = File(cacheDir, "models-$installed")
    folder.mkdirs()
    for (name in names) {
      val file = File(folder, name)
      if (file.exists()) continue
      val unfinished = File(folder, "$name.part")
      assets.open(name).use { from -> unfinished.outputStream().use { from.copyTo(it) } }
      if (!unfinished.renameTo(file)) throw IOException("$unfinished cannot become $file")
    }
    return folder
  }

  fun phone(): Map<String, Any> {
    val found = mutableMapOf<String, Any>(
        "model" to "${Build.MANUFACTURER} ${Build.MODEL}",
        "android" to Build.VERSION.SDK_INT,
        "abi" to Build.SUPPORTED_ABIS.first(),
        "cores" to Runtime.getRuntime().availableProcessors())
    if (Build.VERSION.SDK_INT >= Build.VERSION_CODES.S) found["soc"] = Build.SOC_MODEL
    return found
  }

  /** An asset that is stored as it is (noCompress), without a copy. */
  private fun mapped(name: String): ByteBuffer =
      assets.openFd(name).use { asset ->
        asset.createInputStream().use { stream ->
          stream.channel.map(
              FileChannel.MapMode.READ_ONLY, asset.startOffset, asset.declaredLength)
        }
      }
}
