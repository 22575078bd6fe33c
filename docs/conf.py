"""Sphinx: `make docs` builds these pages into docs/_build."""

import re
import shutil
from pathlib import Path

import dilemma

project = "dilemma"
author = "The dilemma developers"
release = version = dilemma.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build", "reproduction", "gallery"]
myst_heading_anchors = 3
html_theme = "pydata_sphinx_theme"
html_title = "dilemma"
html_theme_options = {"show_prev_next": False, "navigation_with_keys": False}
html_show_sourcelink = False
html_static_path = ["_static"]
html_css_files = ["tables.css"]
autodoc_typehints = "none"  # the docstrings say it in words
autodoc_member_order = "bysource"
napoleon_google_docstring = False
napoleon_use_rtype = False


# docs/reproduction holds a finished page with its figures: copied as it is, and linked to rather than downloaded.
_PAGE = re.compile(r"\[([^\]]*)\]\((reproduction/index\.html(?:#[\w-]+)?)\)")


def link_page(app, docname, source):
    """Turn links to the page into plain HTML ones, which keep their anchors."""
    source[0] = _PAGE.sub(r'<a href="\2">\1</a>', source[0])


def copy_page(app, error):
    """Copy the page and what belongs to it beside the built pages."""
    page = Path(app.srcdir) / "reproduction"
    if error is None and app.builder.format == "html" and page.is_dir():
        skip = shutil.ignore_patterns("runs")  # what a stopped run goes on from
        shutil.copytree(page, Path(app.outdir) / "reproduction", dirs_exist_ok=True, ignore=skip)


def setup(app):
    """Connect the two."""
    app.connect("source-read", link_page)
    app.connect("build-finished", copy_page)
