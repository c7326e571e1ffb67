"""Reads docker/Dockerfile, and runs its steps in a folder that debootstrap makes, without Docker.

SPDX-License-Identifier: Apache-2.0

Only the instructions that the Dockerfile uses are known; another one is an error, so that this does
not pass what Docker would do otherwise.
"""

import json
import os
import shlex
import shutil
import subprocess
from dataclasses import dataclass, field, replace
from pathlib import Path

FROM = "debian:${DEBIAN}-slim"
SUITES = {"12": "bookworm", "13": "trixie"}
# What Debian's slim images leave out.
SLIM = ("usr/share/doc", "usr/share/info", "usr/share/locale", "usr/share/man",
        "usr/share/groff", "usr/share/linda", "usr/share/lintian")  # fmt: skip
# Certificates that this machine trusts: networks with a proxy need theirs, as Docker's do.
TRUSTED = Path("/etc/ssl/certs/ca-certificates.crt")
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


@dataclass(frozen=True)
class Step:
    """An instruction with its words, and the line where it begins."""

    line: int
    name: str
    text: str


@dataclass
class Image:
    """What the steps so far made of an image."""

    root: Path
    environment: dict[str, str] = field(default_factory=lambda: {"PATH": PATH})
    arguments: dict[str, str] = field(default_factory=dict)
    folder: str = "/"
    command: list[str] = field(default_factory=list)


def read(path: Path) -> list[Step]:
    """The instructions, with lines that continue put together. Errors: ValueError."""
    steps, pending, begin = [], "", 0
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.lstrip().startswith("#") or not (line.strip() or pending):
            continue
        begin = begin if pending else number
        pending += line.strip().removesuffix("\\").strip() + " "
        if line.rstrip().endswith("\\"):
            continue
        name, _, text = pending.strip().partition(" ")
        if name not in RUNNERS:
            raise ValueError(f"{path}:{begin}: this check does not know the instruction {name}")
        steps.append(Step(begin, name, text.strip()))
        pending = ""
    first = next((s for s in steps if s.name != "ARG"), None)
    if pending or first is None or (first.name, first.text) != ("FROM", FROM):
        raise ValueError(f"{path}: it must begin with `FROM {FROM}` and end with a whole "
                         "instruction")
    return steps


def build(steps: list[Step], context: Path, root: Path, given: dict[str, str]) -> Image:
    """The image of these steps in the folder `root`, which does not exist yet. given: values of
    ARG. Takes root's rights. Errors: CalledProcessError, ValueError."""
    image = Image(root, arguments=dict(given))
    for step in steps:
        print(f"{step.name} {step.text}", flush=True)
        RUNNERS[step.name](image, context, step.text)
    return image


def run(image: Image, words: list[str], user: int = 0, **options: object
        ) -> subprocess.CompletedProcess[str]:
    """Runs a program in the image as `docker run -u` does."""
    command = ["chroot", f"--userspec={user}:{user}", str(image.root), "/bin/sh", "-c",
               f"cd {shlex.quote(image.folder)} && exec \"$@\"", "sh", *words]
    return subprocess.run(_apart(image.root, command), env=image.environment, text=True,
                          **options)  # type: ignore[call-overload, no-any-return]


def _apart(root: Path, command: list[str]) -> list[str]:
    """The command where /proc and /dev of the image are there, and for it only."""
    script = (f"mount -t proc proc {shlex.quote(str(root))}/proc && "
              f"mount --rbind /dev {shlex.quote(str(root))}/dev && exec \"$@\"")
    return ["/usr/bin/unshare", "--mount", "--propagation", "private", "/bin/sh", "-c", script,
            "sh", *command]


def bare(debian: str, root: Path) -> Image:
    """Nothing but Debian, in a folder that does not exist yet; programs trust what this machine
    trusts, which is set up as a user would behind a proxy."""
    image = Image(root, arguments={"DEBIAN": debian})
    _bootstrap(image)
    shutil.copy("/etc/resolv.conf", root / "etc/resolv.conf")
    shutil.copy(TRUSTED, root / "tmp" / TRUSTED.name)
    image.environment["PIP_CERT"] = f"/tmp/{TRUSTED.name}"
    return image


def copy(image: Image, root: Path) -> Image:
    """The same in another folder."""
    subprocess.run(["cp", "--archive", image.root, root], check=True)
    return replace(image, root=root, environment=dict(image.environment))


def _bootstrap(image: Image) -> None:
    subprocess.run(["debootstrap", "--variant=minbase", SUITES[image.arguments["DEBIAN"]],
                    str(image.root)], check=True, stdout=subprocess.DEVNULL)


def _from(image: Image, context: Path, text: str) -> None:
    _bootstrap(image)
    for folder in SLIM:
        shutil.rmtree(image.root / folder, ignore_errors=True)
    # As apt of the image does, which has no package lists.
    shutil.rmtree(image.root / "var/lib/apt/lists", ignore_errors=True)
    shutil.copy("/etc/resolv.conf", image.root / "etc/resolv.conf")
    shutil.copy(TRUSTED, image.root / "tmp" / TRUSTED.name)


def _arg(image: Image, context: Path, text: str) -> None:
    name, _, value = text.partition("=")
    image.arguments.setdefault(name, value)


def _env(image: Image, context: Path, text: str) -> None:
    for word in shlex.split(text):
        name, equals, value = word.partition("=")
        if not equals:
            raise ValueError(f"ENV {text}: write NAME=VALUE")
        image.environment[name] = value


def _copy(image: Image, context: Path, text: str) -> None:
    *sources, target = text.split()
    for source in map(context.joinpath, sources):
        place = image.root / target.lstrip("/")
        if source.is_dir():
            shutil.copytree(source, place, dirs_exist_ok=True)
        else:
            place = place / source.name if target.endswith("/") else place
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, place)


def _run(image: Image, context: Path, text: str) -> None:
    command = ["chroot", str(image.root), "/bin/sh", "-c",
               f"cd {shlex.quote(image.folder)} && {text}"]
    subprocess.run(_apart(image.root, command), check=True,
                   env={**image.environment, **image.arguments,
                        "PIP_CERT": f"/tmp/{TRUSTED.name}"})


def _workdir(image: Image, context: Path, text: str) -> None:
    image.folder = text
    (image.root / text.lstrip("/")).mkdir(parents=True, exist_ok=True)


def _cmd(image: Image, context: Path, text: str) -> None:
    image.command = json.loads(text)


RUNNERS = {"FROM": _from, "ARG": _arg, "ENV": _env, "COPY": _copy, "RUN": _run,
           "WORKDIR": _workdir, "CMD": _cmd}  # fmt: skip


def can_build() -> str:
    """Why this machine cannot run the steps; empty if it can."""
    if os.geteuid() != 0:
        return "only root may change the root folder"
    return "" if shutil.which("debootstrap") else "debootstrap is not installed"
