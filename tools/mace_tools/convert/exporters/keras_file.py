"""Copies a Keras model for Keras, with what is known of it.

SPDX-License-Identifier: Apache-2.0

Keras tells formats by the end of a file's name, and we by its contents, so the copy has the name
that fits; of an archive, it has only the entries that Keras writes.
"""

import re
import shutil
import zipfile
from pathlib import Path

from mace_tools.support.errors import ModelError
from mace_tools.support.limits import BadArchive, open_archive, open_file, size_of
from mace_tools.support.model_format import KERAS, KERAS_H5, detect

_ENTRIES = re.compile(r"config\.json|metadata\.json|model\.weights\.h5|assets/[\w/.\-]+")


def copy(path: Path, folder: Path) -> Path:
    """The copy, in `folder`. Errors: ModelError."""
    try:
        kind = detect(path)
        if kind is KERAS_H5:
            target = folder / "model.h5"
            with open_file(path) as source, target.open("wb") as out:
                size_of(source, path)
                shutil.copyfileobj(source, out)
            return target
        if kind is not KERAS:
            raise ModelError(f"{path}: it holds {kind.name if kind else 'no Keras model'}; give a "
                             ".keras or .h5 file that Keras has saved")
        target = folder / "model.keras"
        with (open_archive(path) as archive,
              zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as out):  # fmt: skip
            for name in archive.entries:
                if _ENTRIES.fullmatch(name) and ".." not in name:
                    out.writestr(name, archive.read(name))
        return target
    except OSError as e:
        raise ModelError(f"{path}: cannot be read: {e.strerror or e}") from e
    except BadArchive as e:
        raise ModelError(f"{path}: {e}") from e
