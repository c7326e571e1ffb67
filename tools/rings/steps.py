"""The three kinds of steps of which suites consist: `bazel test`, pytest, and a script.

SPDX-License-Identifier: Apache-2.0

Steps are plain values, the same on every machine: `{cache}` and `{data}` stand for the folders of
the cache and of MACE_TEST_DATA until a step runs.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Bazel:
    """Runs the test targets among `targets` that `tags` (of --test_tag_filters) lets through."""

    targets: tuple[str, ...]
    tags: str = ""
    flags: tuple[str, ...] = ()
    driver: str = ""  # a file that not every distribution has; without it the step is skipped


@dataclass(frozen=True)
class Pytest:
    """Runs the cases of a ring and of those inside it. `build` are targets that they use."""

    arguments: tuple[str, ...]
    ring: str = "deep"
    environment: tuple[str, ...] = ()  # NAME=value
    build: tuple[str, ...] = ()


@dataclass(frozen=True)
class Script:
    """Runs a command that ends with an error where it finds a fault; counts as one case."""

    command: tuple[str, ...]


Step = Bazel | Pytest | Script


@dataclass(frozen=True)
class Suite:
    """A suite of the quick and the full ring."""

    name: str
    about: str
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Slice:
    """A part of a deep suite that runs in at most 30 minutes on 2 cores from cold caches.

    `inputs` says which files its result depends on: `folder/` is everything below it, other words
    are patterns of fnmatch, in which `*` crosses folders, and `!` excludes what follows it.
    """

    suite: str
    name: str
    steps: tuple[Step, ...]
    inputs: tuple[str, ...]

    @property
    def label(self) -> str:
        return f"{self.suite}/{self.name}"
