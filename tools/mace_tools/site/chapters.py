"""The chapters of the site in their order. A page of docs/ that is in none is an error.

SPDX-License-Identifier: Apache-2.0
"""

from pathlib import Path

# Pages by the repository's paths, with a title for the navigation where the page's own says too
# little beside the others. Those of api/ are generated.
CHAPTERS = {
    "Start": {"docs/introduction.md": "", "docs/first_app.md": "", "docs/faq.md": "",
              "docs/contents.md": "All pages"},
    "Models": {
        "docs/converter.md": "", "docs/untrusted_files.md": "",
        "docs/front_ends.md": "Supported operators of each format",
        "docs/quantization.md": "", "docs/language_models.md": "", "docs/dynamic_shapes.md": "",
        "docs/custom_ops.md": "", "docs/ops.md": "", "docs/zoo.md": "",
        "models/digits/README.md": "The bundled model",
        "models/verses/README.md": "The bundled language model"},
    "Build and deploy": {
        "docs/library.md": "", "docs/engine.md": "", "docs/pictures.md": "",
        "docs/tokenizers.md": "", "docs/sealed_models.md": "",
        "docs/devices.md": "", "docs/docker.md": "",
        "docs/install.md": "", "docs/python.md": "", "docs/java.md": "",
        "mace/examples/android/README.md": "An example app for Android"},
    "Devices, memory, speed": {
        "docs/gpu.md": "GPUs", "docs/dsp.md": "", "docs/memory_planning.md": "",
        "docs/memory_layout.md": "", "docs/performance.md": "", "docs/performance_arm.md": ""},
    "API": {"api/cpp.md": "C++", "api/c.md": "C", "api/python.md": "Python", "api/java.md": "Java"},
    "Extend MACE": {
        "docs/add_an_op.md": "", "docs/add_an_importer_op.md": "",
        "docs/add_a_micro_kernel.md": "", "docs/add_a_device.md": "", "docs/add_a_setting.md": "",
        "docs/add_a_memory_strategy.md": "", "docs/releasing.md": ""},
    "Internals": {
        "docs/architecture.md": "", "docs/walkthrough.md": "", "docs/model_format.md": "",
        "docs/robustness.md": "", "SECURITY.md": "",
        "third_party/README.md": "", "CONTRIBUTING.md": "", "CHANGELOG.md": ""},
}  # fmt: skip


def pages() -> list[str]:
    """The pages of the repository that are in the site, README.md first."""
    listed = [page for pages in CHAPTERS.values() for page in pages]
    return ["README.md", *(page for page in listed if not page.startswith("api/"))]


def have_api() -> bool:
    return any(page.startswith("api/") for pages in CHAPTERS.values() for page in pages)


def missing(root: Path) -> list[str]:
    """Pages of docs/ that no chapter has, and pages of chapters that are not there."""
    listed = set(pages())
    there = {str(path.relative_to(root)) for path in root.glob("docs/*.md")}
    return [f"{page}: in no chapter of tools/mace_tools/site/chapters.py"
            for page in sorted(there - listed)] + [
            f"{page}: a chapter of tools/mace_tools/site/chapters.py has it, and it is not there"
            for page in sorted(listed) if not (root / page).is_file()]


def write(root: Path, place: Path) -> None:
    """Adds the chapters to the staged index page."""
    trees = []
    for caption, names in CHAPTERS.items():
        found = [f"{title} <{name.removesuffix('.md')}>" if title else name.removesuffix(".md")
                 for name, title in names.items()
                 if name.startswith("api/") or (root / name).is_file()]
        trees += ["", "```{toctree}", ":hidden:", f":caption: {caption}", *found, "```"]
    index = place / "index.md"
    index.write_text(index.read_text(encoding="utf-8") + "\n".join(trees) + "\n", encoding="utf-8")
