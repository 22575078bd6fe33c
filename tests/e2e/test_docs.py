"""The pages keep their word: links lead somewhere, sessions run as shown, nothing is left to be written."""

import doctest
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")] + sorted(
    (ROOT / "docs").glob("*.md")
)
UNFINISHED = re.compile(r"\b(?:TODO|TBD|FIXME)\b|^(?:[A-Z]{5,}|soon)$", re.MULTILINE)
each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


def prose(page):
    return re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)


def anchors(page):
    """Slugs of a page's headings, as GitHub and MyST make them."""
    headings = re.findall(r"^#+ +(.+?) *$", prose(page), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@each_page
def test_links_lead_somewhere(page):
    for link in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        if re.match(r"\w+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{page.name}: {link}"
        if anchor and target.suffix == ".md":
            assert anchor in anchors(target), f"{page.name}: {link}"


@each_page
def test_sessions_run_as_shown(page):
    result = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert not result.failed


@each_page
def test_nothing_is_left_to_be_written(page):
    assert not UNFINISHED.findall(prose(page))
