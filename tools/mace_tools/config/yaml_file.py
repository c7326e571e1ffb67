"""A YAML file as plain Python values, with the line of every key.

SPDX-License-Identifier: Apache-2.0
"""

import warnings
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import AliasEvent, CollectionEndEvent, CollectionStartEvent, ScalarEvent

from mace_tools.config.problems import ConfigError, Problem
from mace_tools.support.limits import read_text
from mace_tools.support.os_errors import explain

Key = str | int
DRAFTS = "`tools/converter.py init MODEL` drafts one"
MAX_BYTES = 1 << 20  # deployment files are much shorter; this is another kind of file
MAX_DEPTH = 100
MAX_VALUES = 20_000  # keys and values, which every reader of the file walks through
MAX_ALIASES = 10_000  # and values with those that aliases repeat


class YamlFile:
    """The parsed contents. Errors: ConfigError if the file is not a YAML mapping."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.data: Any = self._parse(self._read())
        if not isinstance(self.data, dict):
            kind = "empty" if self.data is None else f"a {_kind(self.data)}"
            self._fail(1, f"the file is {kind}, not a mapping of keys to values",
                       "library_name: my_models")

    def line(self, *keys: Key) -> int:
        """The line of a key (its own, or of the nearest key around it that is in the file)."""
        node, line = self.data, 1
        for key in keys:
            marks = getattr(node, "lc", None)
            if marks is None or not isinstance(node, dict | list):
                break
            known = (marks.data or {}).get(key)
            if known is not None:
                line = known[0] + 1
            try:
                node = node[key]
            except (KeyError, IndexError, TypeError):
                break
        return line

    def _read(self) -> str:
        try:
            if not self.path.is_file():
                state = "is a folder" if self.path.is_dir() else (
                    "is not a regular file" if self.path.exists() else "does not exist")
                self._fail(None, f"the deployment file {state}; give the path of a .yml file: "
                                 f"{DRAFTS}")
            if self.path.stat().st_size > MAX_BYTES:
                self._fail(None, f"the file has {self.path.stat().st_size} bytes: too large for a "
                                 f"deployment file; did you name the model instead? {DRAFTS}")
            return read_text(self.path, "utf-8-sig")
        except UnicodeDecodeError as e:
            byte = f"byte {e.start} is 0x{e.object[e.start]:02x}"
            self._fail(None, f"the file is not text in UTF-8 ({byte}); did you name the model "
                             f"instead? {DRAFTS}")
        except OSError as e:
            self._fail(None, f"cannot read the file: {explain(e)}")

    def _parse(self, text: str) -> Any:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # about repeated anchors, which are legal
                self._check_events(text)
                data = YAML(typ="rt").load(text)
                self._check_aliases(data)
                return data
        except MarkedYAMLError as e:
            mark = e.problem_mark or e.context_mark
            what = " ".join(str(part) for part in (e.context, e.problem) if part)
            self._fail(mark.line + 1 if mark else None, f"this is not valid YAML: {what}")
        except YAMLError as e:
            self._fail(None, f"this is not valid YAML: {' '.join(str(e).split())}")
        except (ValueError, TypeError) as e:  # ruamel does not catch a month 13, for example
            self._fail(None, f"a value cannot be read: {e}")
        except (RecursionError, AttributeError):  # of ruamel's merge, for the latter
            self._fail(None, "an alias stands for what contains it; write out what is meant")

    def _check_events(self, text: str) -> None:
        """Counts, before objects are made. Errors: ConfigError."""
        values = aliases = depth = 0
        for event in YAML(typ="safe").parse(text):
            if isinstance(event, ScalarEvent):
                values += 1
                self._check_characters(event)
            aliases += isinstance(event, AliasEvent)
            depth += isinstance(event, CollectionStartEvent) - isinstance(event, CollectionEndEvent)
            if depth > MAX_DEPTH:
                self._fail(event.start_mark.line + 1, "the file is nested too deeply")
            if values > MAX_VALUES or aliases > MAX_ALIASES:
                what, most = ("values", MAX_VALUES) if values > MAX_VALUES else (
                    "aliases", MAX_ALIASES)
                self._fail(event.start_mark.line + 1, f"the file has more than {most} {what}; put "
                           "models into files of their own")

    def _check_characters(self, event: ScalarEvent) -> None:
        r"""JSON writes characters beyond \uFFFF as two escapes, which YAML does not join."""
        try:
            event.value.encode()
        except UnicodeEncodeError as e:
            self._fail(event.start_mark.line + 1,
                       f"a text has half a character, {ascii(e.object[e.start])}; write the "
                       "character itself, in UTF-8")

    def _check_aliases(self, data: Any) -> None:
        """Counts the values that aliases repeat, each as often as it is read. Errors:
        ConfigError."""
        counts: dict[int, int] = {}

        def count(part: Any) -> int:
            parts = list(part.values()) if isinstance(part, dict) else (
                part if isinstance(part, list) else ())
            if parts and id(part) not in counts:
                counts[id(part)] = 1 + sum(map(count, parts))
            return counts[id(part)] if parts else 1

        if (total := count(data)) > MAX_VALUES + MAX_ALIASES:
            self._fail(None, f"its aliases stand for {total} values; at most "
                       f"{MAX_VALUES + MAX_ALIASES} are read")

    def _fail(self, line: int | None, message: str, example: str = "") -> Any:
        raise ConfigError(self.path, [Problem(line, "", message, example)])


def _kind(value: Any) -> str:
    return {list: "list", str: "text", int: "number", float: "number"}.get(type(value)) or (
        "list" if isinstance(value, list) else "single value")
