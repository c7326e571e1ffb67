"""The pages of the API in four languages, from the public headers and classes.

SPDX-License-Identifier: Apache-2.0
"""

from pathlib import Path

from mace_tools.site import headers, java, python_api
from mace_tools.site.entries import Page, markdown, targets_of

# Of this header apps use nothing by themselves.
_INNER = {"mace_api"}
_INTRO = {
    "cpp": ("C++", "`mace.h` includes all of these but `mace_async.h`, `mace_generator.h`, "
                   "`mace_image.h` and `mace_tokenizer.h`. "
                   "[The library in an app](../docs/library.md) explains how to link it."),
    "c": ("C", "`mace_c.h` includes all of these but `mace_c_async.h`, `mace_c_generator.h` and "
               "`mace_c_op.h`. "
               "[The library in an app](../docs/library.md#from-c) has a whole program."),
}  # fmt: skip


def pages(root: Path) -> dict[str, list[Page]]:
    """By language: cpp, c, java, python."""
    found: dict[str, list[Page]] = {"cpp": [], "c": []}
    for path in sorted((root / "mace" / "public").glob("*.h")):
        if path.stem not in _INNER:
            page = headers.header_page(path, root)
            found[page.language].append(page)
    folder = root / "mace" / "java"
    classes = [*folder.glob("src/**/*.java"), *folder.glob("android/**/*.java")]
    found["java"] = [java.package_page(classes)]
    found["python"] = [python_api.package_page(root / "mace" / "python" / "mace")]
    return found


def _first_sentence(page: Page) -> str:
    return page.intro.split("\n\n")[0].replace("\n", " ").replace("|", "\\|")


def _list(language: str, found: list[Page]) -> str:
    """The page that lists the headers of a language."""
    name, intro = _INTRO[language]
    rows = [f"| [{page.name}.h]({language}/{page.name}.md) | {_first_sentence(page)} |"
            for page in found]
    tree = [f"{page.name}.h <{language}/{page.name}>" for page in found]
    return "\n".join([f"# {name}: the headers", "", intro, "", "| header | |", "|---|---|", *rows,
                      "", "```{toctree}", ":hidden:", *tree, "```", ""])


def write(root: Path, place: Path) -> None:
    """All pages below `place`."""
    for language, found in pages(root).items():
        targets = targets_of(found)
        listed = language in _INTRO
        folder = place / language if listed else place
        folder.mkdir(parents=True, exist_ok=True)
        for page in found:
            (folder / f"{page.name}.md").write_text(markdown(page, targets), encoding="utf-8")
        if listed:
            (place / f"{language}.md").write_text(_list(language, found), encoding="utf-8")
