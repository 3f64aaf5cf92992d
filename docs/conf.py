# SPDX-License-Identifier: MIT
"""Sphinx's settings: `make site` builds build/site from these pages, without a warning."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import ClassVar

from pygments.lexer import RegexLexer, bygroups
from pygments.token import Generic, Text
from sphinx.application import Sphinx

from mpipp import __version__

project = "mpipp"
author = copyright = "The mpipp developers"
release = version = __version__

extensions = ["myst_parser", "sphinx_external_toc", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["man"]
external_toc_path = "toc.yml"
myst_heading_anchors = 4  # GitHub's anchors

nitpick_ignore_regex = [("py:class", r"collections\.abc\..*")]  # of Python's own manual
default_role = "literal"  # of docstrings
autodoc_typehints_format = "short"
autodoc_member_order = "bysource"

smartquotes = False  # -- is an option, and no dash

html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_title = "mpipp"
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False


# Pages of the site whose text is a file at the root, where GitHub looks for it. In docs/ they are
# links to it.
ROOT_FILES = {
    "contributing/index": "CONTRIBUTING.md",
    "contributing/security": "SECURITY.md",
    "contributing/conduct": "CODE_OF_CONDUCT.md",
    "changelog": "CHANGELOG.md",
}


class Session(RegexLexer):
    """A session of gdb or IPython: prompts, commands and output."""

    name = "session"
    tokens: ClassVar = {
        "root": [
            (
                r"^(\(gdb\) |In \[\d+\]: |   \.\.\.: ?)(.*\n)",
                bygroups(Generic.Prompt, Generic.Strong),
            ),
            (r".*\n", Text),
        ]
    }


def read_root_file(app: Sphinx, page: str, source: list[str]) -> None:
    """Replace such a page by the text of its file, with links from the place of the page."""
    if page not in ROOT_FILES:
        return
    path = Path(app.srcdir).parent / ROOT_FILES[page]
    app.env.note_dependency(str(path))

    def moved(link: re.Match[str]) -> str:
        places = {name: f"docs/{page}.md" for page, name in ROOT_FILES.items()}
        return "](" + os.path.relpath(places.get(link[1], link[1]), f"docs/{page}/..")

    source[0] = re.sub(r"\]\((?!https?:|#)([^)#]+)", moved, path.read_text("utf-8"))


def setup(app: Sphinx) -> None:
    """Read pages from files at the root; name the languages of sessions, which Pygments lacks."""
    app.connect("source-read", read_root_file)
    for language in ("gdb", "ipython"):
        app.add_lexer(language, Session)
