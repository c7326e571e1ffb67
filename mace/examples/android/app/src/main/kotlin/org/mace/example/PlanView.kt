// The plan of an engine's memory as a picture: steps from left to right, bytes from bottom to top.
// SPDX-License-Identifier: Apache-2.0
package org.mace.example

import android.content.Context
import android.graphics.Canvas
import android.graphics.Color
import android.graphics.Paint
import android.view.View
import org.json.JSONObject

/** A tensor in the arena: steps [first] to [last], [size] bytes from [offset] on. */
class Placed(val name: String, val first: Int, val last: Int, val offset: Long, val size: Long)

/** What MaceEngine.dump("memory_json") says. */
class MemoryPlan(json: String) {
  val tensors: List<Placed>
  val steps: Int
  val bytes: Long

  init {
    val properties = JSONObject(json)
    val records = properties.optJSONArray("records")
    val offsets = properties.optJSONArray("offsets")
    tensors =
        (0 until (records?.length() ?: 0)).map {
          val record = records!!.getJSONObject(it)
          Placed(
              record.getString("name"),
              record.getInt("first"),
              record.getInt("last"),
              offsets?.optLong(it) ?: 0,
              record.getLong("size"))
        }
    steps = (tensors.map { it.last }.maxOrNull() ?: 0) + 1
    bytes = tensors.map { it.offset + it.size }.maxOrNull() ?: 1
  }
}

/** Draws it. */
class PlanView(context: Context) : View(context) {
  private val fill = Paint()
  private val edge = Paint().apply { style = Paint.Style.STROKE }
  private var plan: MemoryPlan? = null

  fun show(shown: MemoryPlan?) {
    plan = shown
    invalidate()
  }

  override fun onDraw(canvas: Canvas) {
    super.onDraw(canvas)
    val drawn = plan ?: return
    val wide = width.toFloat() / drawn.steps
    val high = height.toFloat() / drawn.bytes
    drawn.tensors.forEachIndexed { i, tensor ->
      val left = tensor.first * wide
      val right = (tensor.last + 1) * wide
      val top = height - (tensor.offset + tensor.size) * high
      val bottom = height - tensor.offset * high
      fill.color = Color.HSVToColor(floatArrayOf((i * 67 % 360).toFloat(), 0.4f, 0.95f))
      canvas.drawRect(left, top, right, bottom, fill)
      canvas.drawRect(left, top, right, bottom, edge)
    }
  }
}
