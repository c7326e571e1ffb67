"""The documentation as a site: the pages of docs/, and the API from the headers, by Sphinx.

SPDX-License-Identifier: Apache-2.0
"""

import io
import shutil
import tempfile
from pathlib import Path

from mace_tools.site import api, chapters, stage
from mace_tools.support.protos import REPO

_HERE = Path(__file__).parent
# Sphinx's settings: Markdown as GitHub reads it, and every broken reference a warning.
_SETTINGS = {
    "project": "MACE", "author": "the authors of MACE",
    "copyright": "the authors of MACE, Apache-2.0",
    "extensions": ["myst_parser"], "root_doc": "index", "source_suffix": {".md": "markdown"},
    "myst_heading_anchors": 4, "nitpicky": True, "highlight_language": "text",
    "html_theme": "furo", "html_title": "MACE", "html_css_files": ["site.css"],
    "html_static_path": [str(_HERE / "assets")], "html_copy_source": False,
    "html_show_sphinx": False, "smartquotes": False, "templates_path": [],
    # Examples leave out what is not their subject.
    "suppress_warnings": ["misc.highlighting_failure", "config.cache"],
    "myst_html_meta": {"viewport": "width=device-width, initial-scale=1"},
}  # fmt: skip


def build(output: Path, root: Path = REPO) -> list[str]:
    """Writes the site of the checkout `root` to the folder `output`, replacing what was there, and
    returns what is wrong: broken links and anchors, pages outside the chapters. Then nothing is
    written."""
    from sphinx.application import Sphinx  # noqa: PLC0415
    from sphinx.util.console import nocolor  # noqa: PLC0415
    from sphinx.util.docutils import docutils_namespace, patch_docutils  # noqa: PLC0415

    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        source, made = work / "pages", work / "site"
        problems = chapters.missing(root) + stage.write(root, source)
        if chapters.have_api():
            api.write(root, source / "api")
        chapters.write(root, source)
        nocolor()
        warnings = io.StringIO()
        with patch_docutils(), docutils_namespace():
            Sphinx(str(source), None, str(made), str(work / "doctrees"), "html",
                   confoverrides=_SETTINGS, status=None, warning=warnings, freshenv=True).build()
        problems += [line.replace(f"{source}/", "") for line in warnings.getvalue().splitlines()
                     if line.strip()]
        if not problems:
            shutil.rmtree(output, ignore_errors=True)
            output.parent.mkdir(parents=True, exist_ok=True)
            shutil.copytree(made, output)
        return problems
