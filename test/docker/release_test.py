"""Releases where they are used (suite `docker`): docs/install.md to the letter, in clean chroots of
Debian's releases; and two releases of two users, in two folders and time zones, to the bit.

SPDX-License-Identifier: Apache-2.0
"""

import os
import re
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import dockerfile
import pytest

from mace_tools.package.library import bundle
from mace_tools.setup import maven
from mace_tools.support.protos import REPO, cache_dir
from mace_tools.testing.documents import code_of

PAGE = REPO / "docs" / "install.md"
USER = 12345  # who has no entry in /etc/passwd
SECONDS = 300  # that the page promises
# The first line of a program's block names its file.
NAME = re.compile(r"(?:#|//|/\*) (\w+\.\w+)")
SECTIONS = ("python", "cpp", "c", "java")
# What Gradle does for an app in Java: by the rules in the jar and those of the app.
SHRINK = """\
printf -- '-keep class Classify {{ public static void main(java.lang.String[]); }}\\n' >app.pro
java -cp {r8} com.android.tools.r8.R8 --release --classfile --pg-conf app.pro --output app.jar \\
  --lib $(dirname $(dirname $(readlink -f $(command -v javac)))) {jar} Classify.class
java -cp app.jar -Djava.library.path=$(echo mace-*-linux-x86_64/lib/host) Classify
"""

pytestmark = [
    pytest.mark.deep,
    pytest.mark.skipif(os.environ.get("MACE_TEST_DOCKER") != "all",
                       reason="covered elsewhere: tools/test.sh docker"),
]


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    out = tmp_path_factory.mktemp("release") / "release"
    subprocess.run([REPO / "tools" / "release.sh", "--abis=host", f"--output={out}"], check=True)
    return out


@pytest.fixture(scope="module", params=dockerfile.SUITES)
def bare(request, tmp_path_factory):
    """Debian as debootstrap leaves it."""
    assert not dockerfile.can_build()
    return dockerfile.bare(request.param, tmp_path_factory.mktemp(request.param) / "root")


def blocks(kind):
    """What a section of the page has: files by their names, and the commands."""
    code = list(code_of(PAGE))
    (first,) = [k for k, c in enumerate(code) if NAME.match(c.text) and c.language == kind]
    start = max(k for k, c in enumerate(code[:first]) if c.language == "sh")
    end = next((k for k, c in enumerate(code[first:], first) if c.language == "sh"), len(code))
    files = {found[1]: c.text + "\n" for c in code[start:end] if (found := NAME.match(c.text))}
    return files, code[start].text


@pytest.mark.parametrize("section", SECTIONS)
def test_an_image_goes_through_a_model_within_five_minutes(release, bare, tmp_path, section):
    image = dockerfile.copy(bare, tmp_path / "root")
    image.folder = "/release"
    shutil.copytree(release, image.root / "release")
    files, commands = blocks(section)
    (unpack,) = [c.text for c in code_of(PAGE) if "example.tar.gz" in c.text]
    for name, text in files.items():
        (image.root / "release" / name).write_text(text)
    # Not on the page: a proxy's certificate, and the lists of packages, which an image of Debian
    # lacks.
    script = f"set -e; apt-get update -qq\n{unpack}\n{commands}\n"
    script = script.replace("1.0.0", bundle.version())
    begin = time.monotonic()
    done = dockerfile.run(image, ["/bin/sh", "-c", script], capture_output=True)
    seconds = time.monotonic() - begin
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert done.stdout.splitlines()[-1] == "3", done.stdout
    print(f"\n{section} in Debian {image.arguments['DEBIAN']}: {seconds:.0f} s")
    if section == "java":
        check_shrunk(image)


def check_shrunk(image):
    jar = maven.need("r8")
    shutil.copy(jar, image.root / "release")
    (own,) = (image.root / "release" / "maven").rglob(f"mace-{bundle.version()}.jar")
    script = SHRINK.format(r8=jar.name, jar=own.relative_to(image.root / "release"))
    done = dockerfile.run(image, ["/bin/sh", "-ec", script], capture_output=True)
    assert (done.returncode, done.stdout) == (0, "3\n"), f"{done.stdout}\n{done.stderr}"


def test_the_debian_package_serves_cmake(release, bare, tmp_path):
    image = dockerfile.copy(bare, tmp_path / "root")
    image.folder = "/release"
    shutil.copytree(release, image.root / "release")
    for name, text in blocks("cpp")[0].items():
        (image.root / "release" / name).write_text(text)
    script = ("apt-get update -qq; tar xf mace-*-example.tar.gz --strip-components=1; apt-get "
              "install --yes --no-install-recommends ./libmace_*.deb cmake make g++; cmake -S . -B "
              "out; cmake --build out; out/classify; apt-get remove --yes libmace; ! ls "
              "/usr/lib/*/libmace.so /usr/include/mace")
    done = dockerfile.run(image, ["/bin/sh", "-ec", script], capture_output=True)
    assert done.returncode == 0 and "\n3\n" in done.stdout, f"{done.stdout}\n{done.stderr}"


def test_two_releases_of_two_users_have_the_same_bytes(release, tmp_path):
    clone = tmp_path / "another_folder" / "mace"
    names = subprocess.run(["git", "ls-files"], cwd=REPO, check=True, capture_output=True,
                           text=True).stdout.splitlines()
    for name in names:
        (clone / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(REPO / name, clone / name)
    cache, home = tmp_path / "cache", tmp_path / "home"
    for folder in (cache / "venv", home):
        folder.mkdir(parents=True)
    subprocess.run(["chown", "-R", f"{USER}:{USER}", clone.parent, cache, home], check=True)
    for parent in (tmp_path, *tmp_path.parents):
        if parent.is_relative_to(tempfile.gettempdir()):
            parent.chmod(parent.stat().st_mode | 0o011)
    # Nothing that the first user compiled is used again; the set-up's packages are.
    script = (f"mount --bind {cache_dir() / 'venv'} {cache / 'venv'} && umask 077 && exec setpriv "
              f"--reuid={USER} --regid={USER} --clear-groups \"$@\"")
    subprocess.run(
        ["unshare", "--mount", "--propagation", "private", "/bin/sh", "-c", script, "sh",
         clone / "tools" / "release.sh", "--abis=host"], check=True, cwd=home,
        env={**os.environ, "HOME": str(home), "MACE_CACHE": str(cache), "TZ": "Asia/Tokyo",
             "LC_ALL": "C", "USER": "another"})
    made = clone / "build" / "release"
    assert files_of(made) == files_of(release)
    assert (made / bundle.SUMS).read_bytes() == (release / bundle.SUMS).read_bytes()
    different = [name for name in files_of(made)
                 if (made / name).read_bytes() != (release / name).read_bytes()]
    assert not different


def files_of(folder: Path) -> list[str]:
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())
