// Sealed models: the right key, wrong ones, and what a source of keys may do.
// SPDX-License-Identifier: Apache-2.0
package org.mace;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertThrows;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.Test;

public class SealedTest {
  private static ByteBuffer sealed() throws IOException {
    byte[] bytes = new byte[(int) Models.file("digits.sealed").length()];
    try (FileInputStream in = new FileInputStream(Models.file("digits.sealed"))) {
      assertEquals(bytes.length, in.read(bytes));
    }
    ByteBuffer direct = Models.bytes(bytes.length);
    direct.put(bytes);
    direct.rewind();
    return direct;
  }

  private static float[] run(MaceEngine engine) throws IOException {
    float[][] probabilities = new float[1][10];
    engine.run(Models.pixels(3), probabilities);
    return probabilities[0];
  }

  @Test
  public void runsAsThePlainModel() throws IOException {
    List<String> asked = new ArrayList<>();
    KeySource keys =
        name -> {
          asked.add(name);
          return Models.key();
        };
    try (MaceEngine plain = Models.digits();
        MaceEngine file = MaceEngine.openSealed(Models.file("digits.sealed"), keys, null);
        MaceEngine memory = MaceEngine.openSealed(sealed(), keys, new Options())) {
      assertEquals(3, Models.best(run(plain)));
      assertArrayEquals(run(plain), run(file), 0);
      assertArrayEquals(run(plain), run(memory), 0);
    }
    assertEquals(Arrays.asList("k7", "k7"), asked);
  }

  @Test
  public void theArrayOfTheKeyIsOverwritten() {
    byte[] key = Models.key();
    MaceEngine.openSealed(Models.file("digits.sealed"), name -> key, null).close();
    assertArrayEquals(new byte[32], key);
  }

  @Test
  public void wrongKeysAndFilesAreRefused() throws IOException {
    KeySource right = name -> Models.key();
    Models.assertSays(
        IllegalArgumentException.class,
        "the app gave another key than the key 'k7'",
        () -> MaceEngine.openSealed(sealed(), name -> new byte[32], null));
    Models.assertSays(
        IllegalArgumentException.class,
        "the key 'k7' of a sealed model: KeySource gave 31 bytes; a key has 32",
        () -> MaceEngine.openSealed(sealed(), name -> new byte[31], null));
    Models.assertSays(
        IllegalArgumentException.class,
        "KeySource gave null",
        () -> MaceEngine.openSealed(sealed(), name -> null, null));
    ByteBuffer changed = sealed();
    changed.put(5000, (byte) (changed.get(5000) + 1));
    Models.assertSays(
        IllegalArgumentException.class,
        "the content of the sealed model is not what was sealed",
        () -> MaceEngine.openSealed(changed, right, null));
    ByteBuffer shorter = sealed();
    shorter.limit(shorter.limit() - 1);
    Models.assertSays(
        IllegalArgumentException.class,
        "cut short",
        () -> MaceEngine.openSealed(shorter, right, null));
    Models.assertSays(
        IllegalArgumentException.class,
        "not a sealed model",
        () -> MaceEngine.openSealed(Models.file("digits.pb"), right, null));
    Models.assertSays(
        IllegalArgumentException.class,
        "the model is sealed: load it by",
        () -> new MaceEngine(Models.file("digits.sealed")));
    Models.assertSays(
        IllegalArgumentException.class,
        "keys is null",
        () -> MaceEngine.openSealed(Models.file("digits.sealed"), null, null));
    Models.assertSays(
        IllegalArgumentException.class,
        "sealed is null",
        () -> MaceEngine.openSealed((ByteBuffer) null, right, null));
  }

  @Test
  public void whatASourceThrowsComesThrough() {
    IllegalStateException locked = new IllegalStateException("the keystore is locked");
    assertSame(
        locked,
        assertThrows(
            IllegalStateException.class,
            () ->
                MaceEngine.openSealed(
                    Models.file("digits.sealed"),
                    name -> {
                      throw locked;
                    },
                    null)));
  }
}
