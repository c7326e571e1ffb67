// Tokenizers and generators, with the bundled decoder.
// SPDX-License-Identifier: Apache-2.0
package org.mace;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.File;
import java.io.IOException;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.Test;

public class GeneratorTest {
  private static final String PROMPT = "And it came to pass";

  private static MaceTokenizer tokenizer() {
    return new MaceTokenizer(Models.file("verses.tokenizer"));
  }

  private static MaceGenerator generator() {
    try (MaceTokenizer tokenizer = tokenizer()) {
      return new MaceGenerator(Models.file("verses.pb"), tokenizer, new Options());
    }
  }

  private static GenerationOptions options(int tokens) {
    return new GenerationOptions().setMaxNewTokens(tokens);
  }

  /** Each of a run of an engine that has seen all tokens before it at once. */
  private static int[] greedy(int[] prompt, int count) {
    int[] found = prompt.clone();
    try (MaceEngine engine = new MaceEngine(Models.file("verses.pb"))) {
      for (int i = 0; i < count; i++) {
        long[][] ids = {Arrays.stream(found).asLongStream().toArray()};
        engine.resizeInput(0, new int[] {1, found.length});
        engine.resizeInput(1, new int[] {1});
        engine.resetState();
        float[][][] logits = new float[1][1][1024];
        Map<Integer, Object> outputs = new HashMap<>();
        outputs.put(0, logits);
        engine.runForMultipleInputsOutputs(new Object[] {ids, new long[] {-1}}, outputs);
        found = Arrays.copyOf(found, found.length + 1);
        found[found.length - 1] = Models.best(logits[0][0]);
      }
    }
    return Arrays.copyOfRange(found, prompt.length, found.length);
  }

  @Test
  public void tokensAndTexts() {
    try (MaceTokenizer tokenizer = tokenizer()) {
      int[] ids = tokenizer.encode(PROMPT);
      assertEquals(PROMPT, tokenizer.decode(ids));
      assertEquals(1024, tokenizer.vocabSize());
      assertArrayEquals(new int[] {0}, tokenizer.encode("<|endoftext|>", false, true));
      assertTrue(tokenizer.encode("<|endoftext|>", false, false).length > 1);
      assertEquals("<|endoftext|>", tokenizer.decode(new int[] {0}, false));
      assertEquals("40", tokenizer.property("top_k"));
      assertThrows(IllegalArgumentException.class, () -> tokenizer.decode(1024));
    }
    assertThrows(
        IllegalArgumentException.class, () -> new MaceTokenizer(new File("/nowhere")));
  }

  @Test
  public void greedyTokensAreThoseOfWholeRuns() {
    StringBuilder streamed = new StringBuilder();
    try (MaceTokenizer tokenizer = tokenizer();
        MaceGenerator generator = generator()) {
      Generation made =
          generator.generate(
              PROMPT,
              options(16)
                  .setListener(
                      part -> {
                        streamed.append(part);
                        return true;
                      }));
      assertArrayEquals(greedy(tokenizer.encode(PROMPT), 16), made.tokens());
      assertEquals(made.text(), streamed.toString());
      assertEquals(Generation.FinishReason.LENGTH, made.finishReason());
      assertEquals(16, made.newTokens());
      assertTrue(made.firstTokenMillis() > 0 && made.newTokensPerSecond() > 0);
      assertTrue(made.memoryBytes() > 0 && made.totalMillis() >= made.firstTokenMillis());
      assertTrue(made.promptTokens() == 5 && made.promptTokensPerSecond() > 0);
      assertEquals(512, generator.contextLength());
    }
  }

  @Test
  public void optionsChooseTokens() {
    try (MaceGenerator generator = generator()) {
      GenerationOptions recommended = options(20).setRecommended(true).setSeed(1);
      String text = generator.generate(PROMPT, recommended).text();
      assertEquals(text, generator.generate(PROMPT, recommended).text());
      assertNotEquals(text, generator.generate(PROMPT, recommended.setSeed(2)).text());
      GenerationOptions explicit =
          options(20).setTemperature(0.8f).setTopK(40).setTopP(0.95f).setSeed(1);
      assertEquals(text, generator.generate(PROMPT, explicit).text());
      String greedy = generator.generate(PROMPT, options(20)).text();
      assertEquals(
          greedy, generator.generate(PROMPT, options(20).setTemperature(2).setMinP(1)).text());
      assertNotEquals(
          greedy, generator.generate(PROMPT, options(20).setRepetitionPenalty(1.5f, 0)).text());
      GenerationOptions biased =
          options(20).setLogitBias(12, Float.NEGATIVE_INFINITY).addStopToken(5).addStop("the ");
      Generation made = generator.generate(PROMPT, biased);
      assertFalse(made.text().contains(",") || made.text().contains("the "));
      assertThrows(
          IllegalArgumentException.class,
          () -> generator.generate(PROMPT, options(1).setTopP(2)));
      assertThrows(
          IllegalArgumentException.class,
          () -> generator.generate(new int[513], options(1)));
      GenerationOptions on = options(2).setLogitBias(0, 1000).setIgnoreStopTokens(true);
      assertEquals(2, generator.generate(PROMPT, on).newTokens());
      List<MaceGenerator.Message> messages =
          Collections.singletonList(new MaceGenerator.Message("user", "a"));
      // The model has no chat template.
      assertThrows(IllegalArgumentException.class, () -> generator.renderChat(messages));
      assertThrows(IllegalArgumentException.class, () -> generator.chat(messages, null));
    }
  }

  @Test
  public void listenersAndCancellationsEndATextAndItsExceptionComesThrough() {
    try (MaceGenerator generator = generator();
        MaceCancellation passed = new MaceCancellation().setDeadline(0, TimeUnit.SECONDS);
        MaceCancellation cancelled = new MaceCancellation()) {
      Generation made = generator.generate(PROMPT, options(9).setListener(part -> false));
      assertEquals(Generation.FinishReason.CALLBACK, made.finishReason());
      cancelled.cancel();
      made = generator.generate(PROMPT, options(9).setCancellation(cancelled));
      assertEquals(Generation.FinishReason.CANCELLED, made.finishReason());
      made = generator.generate(PROMPT, options(9).setCancellation(passed));
      assertEquals(Generation.FinishReason.DEADLINE, made.finishReason());
      TextListener fails =
          part -> {
            throw new UnsupportedOperationException("mine");
          };
      assertThrows(
          UnsupportedOperationException.class,
          () -> generator.generate(PROMPT, options(9).setListener(fails)));
    }
  }

  @Test
  public void aSavedSequenceGoesOn() throws IOException {
    File file = File.createTempFile("sequence", null);
    try (MaceGenerator generator = generator();
        MaceGenerator other = generator()) {
      generator.generate(PROMPT, options(9));
      generator.save(file);
      other.restore(file);
      assertArrayEquals(generator.tokens(), other.tokens());
      int[] longer = Arrays.copyOf(generator.tokens(), generator.tokens().length + 1);
      Generation made = other.generate(longer, options(9));
      assertEquals(longer.length - 1, made.reusedTokens());
      assertArrayEquals(generator.generate(longer, options(9)).tokens(), made.tokens());
      other.reset();
      assertEquals(0, other.tokens().length);
      assertThrows(IllegalArgumentException.class, () -> other.restore(Models.file("digits.pb")));
    } finally {
      file.delete();
    }
  }

  @Test
  public void perplexityAndEmbedding() {
    try (MaceGenerator generator = generator()) {
      double likely = generator.perplexity("In the beginning God created the heaven.");
      double unlikely = generator.perplexity("Purple of zzz Java qqq in a the it.");
      assertTrue(1 < likely && likely < unlikely);
      float[] found = generator.embed("In the beginning", "block.3/sum.1");
      double sum = 0;
      for (float x : found) {
        sum += (double) x * x;
      }
      assertEquals(128, found.length);
      assertEquals(1, sum, 1e-5);
    }
  }

  @Test
  public void otherModelsAndClosedGeneratorsAreRefused() {
    try (MaceTokenizer tokenizer = tokenizer()) {
      assertThrows(
          IllegalArgumentException.class,
          () -> new MaceGenerator(Models.file("digits.pb"), tokenizer, null));
    }
    MaceGenerator generator = generator();
    generator.close();
    assertThrows(IllegalStateException.class, () -> generator.generate(PROMPT, null));
  }
}
