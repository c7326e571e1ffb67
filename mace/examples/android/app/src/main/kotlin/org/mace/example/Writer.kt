// A language model that writes text. Free of Android's classes.
// SPDX-License-Identifier: Apache-2.0
package org.mace.example

import java.io.File
import org.mace.Generation
import org.mace.GenerationOptions
import org.mace.MaceCancellation
import org.mace.MaceGenerator
import org.mace.MaceTokenizer
import org.mace.Options

/** The model verses.pb with its weights and its tokenizer, in a [folder]. */
class Writer(folder: File) : AutoCloseable {
  private val generator =
      MaceTokenizer(File(folder, "verses.tokenizer")).use {
        MaceGenerator(File(folder, "verses.pb"), it, Options())
      }

  /**
   * Continues a [prompt]; [onText] gets the text as it comes, and says whether to go on. Another
   * thread may end it by [cancellation].
   */
  fun write(
      prompt: String,
      tokens: Int,
      cancellation: MaceCancellation,
      onText: (String) -> Boolean,
  ): Generation {
    val options = GenerationOptions().setMaxNewTokens(tokens).setRecommended(true)
    options.setSeed(prompt.hashCode().toLong())
    options.setCancellation(cancellation).setListener { onText(it) }
    return generator.generate(prompt, options)
  }

  override fun close() = generator.close()

  companion object {
    val FILES = listOf("verses.pb", "verses.data", "verses.tokenizer")
  }
}
