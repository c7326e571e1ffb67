// Times, placement and memory of a model on each device, as text and as JSON. Free of Android's
// screens.
// SPDX-License-Identifier: Apache-2.0
package org.mace.example

import java.nio.Buffer
import org.json.JSONArray
import org.json.JSONObject
import org.mace.Device
import org.mace.MaceEngine
import org.mace.NodePlacement

/** What one engine took, in milliseconds and bytes. */
class Measured(
    val device: Device,
    val createMillis: Double,
    val runMillis: List<Double>,
    val placement: List<NodePlacement>,
    val arenaBytes: Long,
    val anonymousBytes: Long,
    val mappedBytes: Long,
    val categories: Map<String, Long>,
) {
  val firstMillis = runMillis.first()
  private val warm = runMillis.drop(1).ifEmpty { runMillis }.sorted()
  val medianMillis = quantile(0.5)

  /** How many nodes run on each device. */
  val nodes: Map<String, Int> = placement.groupingBy { it.device() }.eachCount()

  /** Why nodes do not run on the device, and how many. */
  val reasons: Map<String, Int> =
      placement.map { it.reason() }.filter { it.isNotEmpty() }.groupingBy { it }.eachCount()

  /** The run that this part of all runs but the first took no longer than. */
  fun quantile(part: Double): Double = warm[((warm.size - 1) * part).toInt()]

  fun json(): JSONObject {
    val times = JSONObject()
    times.put("create", createMillis).put("first", firstMillis)
    for ((name, part) in listOf("min" to 0.0, "median" to 0.5, "p90" to 0.9, "max" to 1.0)) {
      times.put(name, quantile(part))
    }
    val memory = JSONObject()
    memory.put("arena", arenaBytes).put("anonymous", anonymousBytes).put("mapped", mappedBytes)
    for ((name, bytes) in categories) memory.put(name, bytes)
    val placed = JSONArray()
    for (node in placement) {
      val row = JSONObject()
      row.put("node", node.node()).put("op", node.type()).put("device", node.device())
      row.put("kernel", node.kernel()).put("reason", node.reason())
      placed.put(row)
    }
    return JSONObject()
        .put("device", device.name)
        .put("runs", runMillis.size)
        .put("milliseconds", times)
        .put("bytes", memory)
        .put("nodes", placed)
  }

  override fun toString(): String {
    val lines = mutableListOf<String>()
    lines += "%s: %.3f ms (p90 %.3f), create %.1f ms, first run %.1f ms"
        .format(device, medianMillis, quantile(0.9), createMillis, firstMillis)
    lines += "nodes: " + nodes.entries.joinToString { (name, count) -> "$count on $name" }
    for ((reason, count) in reasons) lines += "$count not on $device: $reason"
    lines += "memory: ${kilobytes(anonymousBytes)}, of which ${kilobytes(arenaBytes)} for " +
        "activations; ${kilobytes(mappedBytes)} mapped"
    return lines.joinToString("\n")
  }

  private fun kilobytes(bytes: Long) = "${(bytes + 1023) / 1024} KB"
}

/** Creates an engine, runs it `rounds` times after the first time, and asks where its nodes are. */
fun measure(device: Device, input: Buffer, rounds: Int, open: () -> Classifier): Measured {
  val began = System.nanoTime()
  return open().use { classifier ->
    val created = millisSince(began)
    val times =
        List(rounds + 1) {
          val start = System.nanoTime()
          classifier.classify(input)
          millisSince(start)
        }
    val memory = classifier.engine.memoryUsage
    Measured(
        device,
        created,
        times,
        classifier.engine.placement,
        memory.arenaBytes(),
        memory.anonymousBytes(),
        memory.mappedBytes(),
        memory.categories())
  }
}

/** What an app shares: the phone and what each device took, or why it could not run. */
fun report(phone: Map<String, Any>, results: List<Measured>, failures: Map<Device, String>): String {
  val described = JSONObject()
  for ((name, value) in phone) described.put(name, value)
  val failed = JSONObject()
  for ((device, message) in failures) failed.put(device.name, message)
  val devices = JSONArray()
  for (result in results) devices.put(result.json())
  return JSONObject()
      .put("mace", MaceEngine.version())
      .put("model", "digits")
      .put("phone", described)
      .put("devices", devices)
      .put("failed", failed)
      .toString(2)
}

fun millisSince(start: Long): Double = (System.nanoTime() - start) / 1e6
