"""Sphinx: `make docs` builds these pages into docs/_build."""

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
autodoc_typehints = "none"  # the docstrings say it in words
autodoc_member_order = "bysource"
napoleon_google_docstring = False
napoleon_use_rtype = False
