#!/usr/bin/env python3
"""Trains the bundled digits classifier and writes every file of this folder that holds numbers.

SPDX-License-Identifier: Apache-2.0

usage (from the repository root; Python 3.11):
  /usr/bin/python3 -m venv /tmp/train && /tmp/train/bin/pip install -r tools/requirements/train.txt
  /tmp/train/bin/python models/digits/train.py
"""

import argparse
import hashlib
import json
import os
import re
import sys
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import numpy as np
import tensorflow as tf
from export import (
    OUTPUT_NAME,
    predict_onnx,
    predict_tf,
    predict_tflite,
    write_onnx,
    write_tf,
    write_tflite,
)
from PIL import Image
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

FOLDER = Path(__file__).resolve().parent
SEED = 20240611
TEST_SHARE = 0.25
EPOCHS = 60
REQUIRED_ACCURACY = 0.98
MAX_MODEL_BYTES = 500_000


def load_pixels() -> tuple[np.ndarray, np.ndarray]:
    """The 1797 digits as 8-bit grey pixels [n, 8, 8] (0 is paper, 255 is ink) and their labels."""
    data = load_digits()
    return np.rint(data.images * (255.0 / 16.0)).astype(np.uint8), data.target


def preprocess(pixels: np.ndarray) -> np.ndarray:
    """What the `preprocess` keys of the deployment files say: NHWC, one channel, pixel / 255."""
    return pixels[..., None].astype(np.float32) / np.float32(255)


def build_model() -> tf.keras.Model:
    layers = tf.keras.layers
    x = image = layers.Input(shape=(8, 8, 1), batch_size=1, name="input")
    x = layers.Conv2D(16, 3, padding="same", use_bias=False, name="conv1")(x)
    x = layers.BatchNormalization(name="bn1")(x)
    x = layers.ReLU(name="relu1")(x)
    x = layers.DepthwiseConv2D(3, padding="same", use_bias=False, name="depthwise2")(x)
    x = layers.BatchNormalization(name="bn2")(x)
    x = layers.ReLU(name="relu2")(x)
    x = layers.Conv2D(32, 1, name="pointwise2")(x)
    x = layers.ReLU(name="relu3")(x)
    x = layers.MaxPooling2D(2, name="pool2")(x)
    x = layers.Conv2D(64, 3, padding="same", name="conv3")(x)
    x = layers.ReLU(name="relu4")(x)
    x = layers.MaxPooling2D(2, name="pool3")(x)
    x = layers.Flatten(name="flatten")(x)
    x = layers.Dropout(0.3, name="dropout")(x)
    x = layers.Dense(10, name="dense")(x)
    return tf.keras.Model(image, layers.Softmax(name=OUTPUT_NAME)(x))


def shifted(images: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Each image moved by up to one pixel in each direction."""
    padded = np.pad(images, ((0, 0), (1, 1), (1, 1), (0, 0)))
    moves = rng.integers(0, 3, size=(len(images), 2))
    return np.stack([p[y : y + 8, x : x + 8] for p, (y, x) in zip(padded, moves)])


def train(images: np.ndarray, labels: np.ndarray) -> tf.keras.Model:
    """A fixed number of epochs, so that nothing of the test split guides the training."""
    model = build_model()
    # The exported model has batch 1; the trainer shares its layers at batch 32.
    batch = tf.keras.layers.Input(shape=(8, 8, 1))
    outputs = batch
    for layer in model.layers[1:]:
        outputs = layer(outputs)
    trainer = tf.keras.Model(batch, outputs)
    steps = -(-len(images) // 32) * EPOCHS
    rate = tf.keras.optimizers.schedules.CosineDecay(3e-3, steps)
    trainer.compile(tf.keras.optimizers.Adam(rate), "sparse_categorical_crossentropy")
    rng = np.random.default_rng(SEED)
    for epoch in range(EPOCHS):
        history = trainer.fit(shifted(images, rng), labels, batch_size=32, verbose=0)
        if epoch % 10 == 9:
            print(f"epoch {epoch + 1}: loss {history.history['loss'][0]:.4f}")
    return model


def write_pictures(pixels: np.ndarray, labels: np.ndarray) -> list[str]:
    """The first image of each class in the test split, and an enlarged strip of all ten."""
    names, chosen = [], []
    for digit in range(10):
        picture = pixels[np.flatnonzero(labels == digit)[0]]
        names.append(f"images/{digit}.png")
        Image.fromarray(picture).save(FOLDER / names[-1], optimize=True)
        chosen.append(np.pad(np.kron(255 - picture, np.ones((8, 8), np.uint8)), 4,
                             constant_values=255))
    Image.fromarray(np.hstack(chosen)).save(FOLDER / "images" / "all.png", optimize=True)
    return names


def update_checksum(config: Path, model: Path) -> None:
    digest = hashlib.sha256(model.read_bytes()).hexdigest()
    text, count = re.subn(r"(model_sha256_checksum: )\w+", rf"\g<1>{digest}", config.read_text())
    if count != 1:
        raise ValueError(f"{config}: expected one model_sha256_checksum, found {count}")
    config.write_text(text)


def main() -> int:
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    tf.keras.utils.set_random_seed(SEED)
    tf.config.experimental.enable_op_determinism()
    pixels, labels = load_pixels()
    train_x, test_x, train_y, test_y = train_test_split(
        pixels, labels, test_size=TEST_SHARE, random_state=SEED, stratify=labels)
    model = train(preprocess(train_x), train_y)

    inputs = preprocess(test_x)
    pictures = write_pictures(test_x, test_y)
    shown = preprocess(np.stack([np.asarray(Image.open(FOLDER / name)) for name in pictures]))
    formats = [("tf", "digits.pb", write_tf, predict_tf),
               ("onnx", "digits.onnx", write_onnx, predict_onnx),
               ("tflite", "digits.tflite", write_tflite, predict_tflite)]
    expected: dict[str, object] = {"images": pictures, "labels": list(range(10))}
    for name, file, write, predict in formats:
        path = FOLDER / file
        write(model, path)
        accuracy = float(np.mean(predict(path, inputs).argmax(axis=1) == test_y))
        size = path.stat().st_size
        print(f"{file}: {size} bytes, {accuracy:.2%} of {len(test_y)} test digits")
        if accuracy < REQUIRED_ACCURACY or size > MAX_MODEL_BYTES:
            print(f"{file}: needs {REQUIRED_ACCURACY:.0%} and at most {MAX_MODEL_BYTES} bytes",
                  file=sys.stderr)
            return 1
        update_checksum(FOLDER / f"digits_{name}.yml", path)
        expected[name] = [[float(f"{p:.8g}") for p in row] for row in predict(path, shown)]
    (FOLDER / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
