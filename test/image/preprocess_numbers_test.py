"""The library makes the same numbers of an image as `preprocess` of a deployment file, bit by bit.

SPDX-License-Identifier: Apache-2.0
"""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from mace_tools.config.load import load
from mace_tools.config.sections import Preprocess
from mace_tools.run.preprocess import from_picture
from mace_tools.support.protos import REPO
from mace_tools.testing.built import build

pytestmark = pytest.mark.full
DIGITS = REPO / "models" / "digits"
# As mace_image.h and mace_tensor.h number them.
FORMATS = {"RGBA": 0, "RGB": 2, "L": 4}
FILTERS = {"nearest": 0, "bilinear": 1, "bicubic": 2}
CHANNELS = {"rgb": 0, "bgr": 1, "gray": 2}
TYPES = {"float32": 1, "uint8": 2, "int8": 8}
LAYOUTS = {"NHWC": 1, "NCHW": 2}
ORIENTATION = 0x0112  # of EXIF


@pytest.fixture(scope="module")
def program():
    return build("//test/image:convert_pictures")


@dataclass(frozen=True)
class Job:
    """An image and what is made of it."""

    file: Path
    preprocess: Preprocess
    height: int
    width: int
    data_format: str = "NHWC"
    dtype: str = "float32"

    @property
    def shape(self) -> tuple[int, ...]:
        channels = 1 if self.preprocess.channels == "gray" else 3
        nhwc = (1, self.height, self.width, channels)
        return nhwc if self.data_format == "NHWC" else (1, channels, self.height, self.width)

    def by_tool(self) -> np.ndarray:
        return from_picture(self.file, self.preprocess, self.shape, self.data_format,
                            np.dtype(self.dtype), "picture")

    def line(self, folder: Path, number: int) -> str:
        """For convert_pictures. Writes the pixels as they are stored, and not upright."""
        with Image.open(self.file) as picture:
            turned = picture.getexif().get(ORIENTATION, 1)
            pixels = folder / f"{number}.pixels"
            pixels.write_bytes(np.asarray(picture).tobytes())
            words = [pixels, *picture.size, FORMATS[picture.mode], turned]
        p = self.preprocess
        mean, scale = (v * (3 if len(v) == 1 else 1) for v in (list(p.mean), list(p.scale)))
        words += [self.width, self.height, FILTERS[p.interpolation], CHANNELS[p.channels],
                  TYPES[self.dtype], LAYOUTS[self.data_format]]
        words += [repr(v) for v in (mean + mean)[:3] + (scale + scale)[:3]]
        return " ".join(map(str, [*words, folder / f"{number}.tensor"]))


def compare(program, folder, jobs):
    lines = [job.line(folder, i) for i, job in enumerate(jobs)]
    done = subprocess.run([program], input="\n".join(lines), text=True, capture_output=True,
                          check=False)
    assert done.returncode == 0, done.stderr
    for i, job in enumerate(jobs):
        made = np.fromfile(folder / f"{i}.tensor", np.dtype(job.dtype)).reshape(job.shape)
        wanted = job.by_tool()
        different = int((made != wanted).sum())
        assert different == 0, f"{job}: {different} of {made.size} differ: {lines[i]}"


def random_picture(file, random, side):
    mode = random.choice(list(FORMATS))
    size = tuple(int(random.integers(1, side)) for _ in range(2))
    channels = {"L": (), "RGB": (3,), "RGBA": (4,)}[mode]
    picture = Image.fromarray(random.integers(0, 256, (*size, *channels), np.uint8), mode)
    exif = Image.Exif()
    exif[ORIENTATION] = int(random.integers(1, 9))
    picture.save(file, exif=exif)


def random_job(file, random, side):
    channels = str(random.choice(list(CHANNELS)))
    many = 1 if channels == "gray" else int(random.choice([1, 3]))
    numbers = {key: [float(v) for v in random.uniform(low, high, many)]
               for key, low, high in (("mean", -50, 200), ("scale", 0.001, 1.5))}
    height, width = (int(random.integers(1, side)) for _ in range(2))
    preprocess = Preprocess(resize=[height, width], channels=channels,
                            interpolation=str(random.choice(list(FILTERS))), **numbers)
    return Job(file, preprocess, height, width, str(random.choice(list(LAYOUTS))),
               str(random.choice(list(TYPES))))


# How many images, and the largest sides of an image and of a tensor.
@pytest.mark.parametrize("count, stored, wanted", [(400, 30, 30), (60, 400, 60), (60, 60, 400)])
def test_random_pictures(program, tmp_path, count, stored, wanted):
    random = np.random.default_rng(count + stored)
    jobs = []
    for i in range(count):
        file = tmp_path / f"{i}.png"
        random_picture(file, random, stored)
        jobs.append(random_job(file, random, wanted))
    assert {job.preprocess.interpolation for job in jobs} == set(FILTERS)
    compare(program, tmp_path, jobs)


def test_all_sizes_to_all_sizes(program, tmp_path):
    """Where rounding decides, each ratio of small numbers is another case."""
    random, jobs = np.random.default_rng(5), []
    for stored in range(1, 20):
        file = tmp_path / f"{stored}.png"
        Image.fromarray(random.integers(0, 256, (stored, 2 * stored), np.uint8)).save(file)
        for wanted in range(1, 40):
            preprocess = Preprocess(resize=[wanted, 41 - wanted], channels="gray",
                                    interpolation=list(FILTERS)[wanted % 3])
            jobs.append(Job(file, preprocess, wanted, 41 - wanted))
    compare(program, tmp_path, jobs)


def test_cameras_pictures(program, tmp_path):
    random = np.random.default_rng(6)
    file = tmp_path / "camera.png"
    Image.fromarray(random.integers(0, 256, (720, 1280, 3), np.uint8)).save(file)
    compare(program, tmp_path, [
        Job(file, Preprocess(resize=[224, 224], interpolation=name, mean=127.5, scale=1 / 127.5),
            224, 224) for name in FILTERS])


def test_photographs(program, tmp_path):
    data = Path(os.environ.get("MACE_TEST_DATA") or REPO.parent / "shared") / "models" / "images"
    if not data.is_dir():
        pytest.skip(f"test data: no {data}; MACE_TEST_DATA names the folder of models and such")
    files = sorted(data.glob("*.jpg"))
    assert files
    compare(program, tmp_path, [
        Job(file, Preprocess(resize=[height, width], channels=channels, interpolation=name), height,
            width) for file in files for channels, height, width in
        (("rgb", 224, 224), ("bgr", 128, 97), ("gray", 33, 300)) for name in FILTERS])


def test_the_bundled_pictures(program, tmp_path):
    jobs = []
    for config in sorted(DIGITS.glob("*.yml")):
        for model in load(config).library.models.values():
            preprocess = model.extra("preprocess")
            if preprocess is not None:
                height, width = preprocess.resize
                jobs += [Job(file, preprocess, height, width)
                         for file in sorted((DIGITS / "images").glob("*.png"))]
    assert len(jobs) >= 10
    compare(program, tmp_path, jobs)
