"""The page of a reproduction: one HTML file, no scripts, nothing fetched, everything escaped."""

from __future__ import annotations

import base64
import html
from pathlib import Path
from typing import Any

import dilemma
from dilemma.report.style import CSS

Record = dict[str, Any]

_COLOURS = {
    "holds": "#2f8f5b", "holds in part": "#b97700", "does not hold": "#b3261e", "cannot be tested": "#6b6b6b",
}  # fmt: skip
_OWN = """
main { max-width: 1180px; }
table { border-collapse: collapse; font-size: .78rem; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .25rem .6rem .25rem 0; border-bottom: 1px solid var(--line);
  vertical-align: top; }
.scroll { overflow-x: auto; } .says { min-width: 18rem; }
.verdict { color: #fff; border-radius: 6px; padding: .1rem .55rem; font-size: .8rem; white-space: nowrap; }
.claim { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: .8rem 1rem;
  margin: .7rem 0; }
h3 { font-size: 1rem; margin: 1rem 0 .3rem; }
.claim h3 { margin: 0 0 .3rem; font-size: 1rem; } .claim p { margin: .3rem 0; } .where { color: var(--soft); }
a { color: inherit; }
figure img, figure svg { width: 100%; height: auto; background: #fff; border-radius: 6px; }
.film > input { position: absolute; opacity: 0; }
.film label { display: inline-block; min-width: 1.9rem; padding: .15rem .5rem; margin: 0 .2rem .4rem 0;
  cursor: pointer; text-align: center; border: 1px solid var(--line); border-radius: 6px; font-size: .8rem; }
.labels { display: flex; flex-wrap: wrap; }
.film > input:focus-visible ~ .labels { outline: 2px solid currentColor; outline-offset: 2px; }
.frames { display: grid; max-width: 760px; } .frame { grid-area: 1 / 1; visibility: hidden; background: #fff; }
summary { cursor: pointer; color: var(--soft); }
@media (max-width: 720px) {
  .claims tr:first-child { display: none; } .claims tr { display: block; padding: .5rem 0;
    border-bottom: 1px solid var(--line); }
  .claims td { display: block; border: 0; padding: .15rem 0; } .says { min-width: 0; }
}
"""


_SYMBOLS = (
    "Four jobs (3, 4, 5, 6) go to two machines in that order, the first to machine A; left: machine A, right: "
    "machine "
    "B. In a state: the loads of both. On the edges P(A|S), where the state is explored; below the leaves P_opt "
    "(Eq. 1, "
    "or Eq. 2 where the path is not explored) and the energy, the larger load. Blank: unexplored. Red square: the "
    "dilemma, the state that is revisited. Bold: the candidate grown last."
)
_BEYOND = (
    "The paper's search beside this library's, on the same data. Searches with an energy on validation or test "
    "rows "
    "choose by these rows, so that only errors on rows they have not seen compare fairly; the tree engine, left "
    "to its "
    "defaults, looks at training rows alone."
)


def build(
    *,
    claims: list[Record],
    frames: list[str],
    figures: list[tuple[str, str, Path]],
    table: Record | None,
    beyond: dict[str, list[Record]],
    headline: list[str],
    facts: list[Record],
    provenance: Record,
    quick: bool,
) -> str:
    """Return the page.

    Parameters
    ----------
    claims : list of dict
        As `Claim.as_dict` gives them.
    frames : list of str
        Figure 2, step by step, as SVG made by this package.
    figures : list of (title, caption, path of a PNG or SVG)
        The other pictures, put into the page.
    table : dict, optional
        Table I.
    beyond : dict of str to list of dict
        Tables of what this library reaches beyond the paper, by heading.
    headline : list of str
        The same in a few sentences.
    facts : list of dict
        What the data were.
    provenance : dict
        Command, commit, machine and the like.
    quick : bool
        Whether it was a quick run.
    """
    kicker = "Dilemma First Search for effortless optimization of NP-hard problems, ICPR 2016"
    parts = [f"<header><p class='kicker'>{kicker}</p><h1>The paper, recomputed</h1></header>"]
    if quick:
        parts.append(
            "<p class='banner'><b>A quick run:</b> few candidates and few random runs, on generated data unless "
            "folders "
            "were named. It shows that everything works; the numbers are those of <code>dilemma reproduce --data "
            "DIR</code>.</p>"
        )
    if claims:
        parts += ["<h2>Claims and verdicts</h2>", _summary(claims)]
    if frames:
        parts += ["<h2>Figure 2: a search tree, step by step</h2>", _film(frames)]
    for title, caption, path in figures:
        shown = f"<figure>{_picture(path)}<figcaption>{_text(caption)}</figcaption></figure>"
        parts.append(f"<h2>{_text(title)}</h2>{shown}")
    if table is not None:
        parts += ["<h2>Table I</h2>", _table_one(table)]
    if any(beyond.values()):
        parts += ["<h2>Beyond the paper</h2>", f"<p>{_BEYOND}</p>"]
        parts.append("<ul>" + "".join(f"<li>{_text(line)}</li>" for line in headline) + "</ul>")
        for heading, rows in beyond.items():
            parts += [f"<h3>{_text(heading)}</h3>", rows_table(rows)] if rows else []
    if claims:
        parts += ["<h2>The numbers</h2>", *(_claim(c) for c in claims)]
    if facts:
        parts += ["<h2>Data</h2>", rows_table(facts)]
    told = [{"": key.replace("_", " "), "value": value} for key, value in provenance.items() if value]
    parts += ["<h2>How this was made</h2>", rows_table(told)]
    return _document("The paper, recomputed", "\n".join(parts), len(frames))


def _text(value: object) -> str:
    return html.escape(str(value), quote=True)


def _verdict(verdict: str) -> str:
    return f"<span class='verdict' style='background:{_COLOURS[verdict]}'>{_text(verdict)}</span>"


def _where(text: object) -> str:
    name = str(text) if str(text).startswith("Abstract") else f"Section {text}"
    return f"<span class='where'>{_text(name)}</span>"


def _scroll(head: str, body: str) -> str:
    return f"<div class='scroll'><table><tr>{head}</tr>{body}</table></div>"


def _summary(claims: list[Record]) -> str:
    rows = []
    for c in claims:
        says = f"<a href='#{_text(c['key'])}'>{_text(c['says'])}</a><br>{_where(c['where'])}"
        rows.append(
            f"<tr><td class='says'>{says}</td><td>{_verdict(c['verdict'])}</td><td>{_text(c['because'])}</td></tr>"
        )
    table = _scroll("<th>The paper says</th><th>Verdict</th><th>Because</th>", "".join(rows))
    return f"<div class='claims'>{table}</div>"


def _claim(claim: Record) -> str:
    rows = claim["numbers"]
    folded = f"<details><summary>{len(rows)} rows</summary>{rows_table(rows)}</details>" if rows else ""
    head = f"<h3>{_text(claim['says'])}</h3><p>{_verdict(claim['verdict'])} {_where(claim['where'])}</p>"
    body = f"<p>{_text(claim['because'])}</p>{folded}"
    return f"<section class='claim' id='{_text(claim['key'])}'>{head}{body}</section>"


def rows_table(rows: list[Record]) -> str:
    """Return rows as a table; columns in the order they first occur."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    head = "".join(f"<th>{_text(c.replace('_', ' '))}</th>" for c in columns)
    body = ("<tr>" + "".join(f"<td>{_cell(row.get(c))}</td>" for c in columns) + "</tr>" for row in rows)
    return _scroll(head, "".join(body))


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 1e4 else f"{value:,.0f}"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, (list, tuple)):
        return " to ".join(_cell(v) for v in value)
    if isinstance(value, dict):
        return ", ".join(f"{_text(k)}: {_cell(v)}" for k, v in value.items())
    return _text(value)


_SIGNS = {"x": "✓", "-": "–"}


def _table_one(table: Record) -> str:
    names = list(dict.fromkeys(r["method"] for r in table["rows"]))
    titles = list(dict.fromkeys(r["row"] for r in table["rows"]))
    cells = {(r["row"], r["method"]): _mark(r) for r in table["rows"]}
    head = "<th></th>" + "".join(f"<th>{_text(n)}</th>" for n in names)
    body = ("<tr><td>" + _text(t) + "</td>" + "".join(cells[t, n] for n in names) + "</tr>" for t in titles)
    note = (
        "Measured on four small trees (b = 3, d = 5, 400 candidates) where a row can be measured, declared by the "
        "strategy otherwise; in red where it differs from the paper. Only the method that needs a bound is "
        "given one."
    )
    details = rows_table([{"method": n, **d} for n, d in table["details"].items()])
    return f"{_scroll(head, ''.join(body))}<p>{note}</p>{details}"


def _mark(row: Record) -> str:
    found = row["measured"] if row["measured"] is not None else row["declared"]
    text = _text(_SIGNS.get(found, found))
    if row["agrees"]:
        return f"<td>{text}</td>"
    paper = _text(_SIGNS.get(row["paper"], row["paper"]))
    return f"<td><b style='color:#b3261e'>{text}</b> <span class='where'>(paper {paper})</span></td>"


def _film(frames: list[str]) -> str:
    """Return the frames with buttons, playing by themselves at first: style sheets only."""
    numbers = range(len(frames))
    inputs = "".join(f"<input type='radio' name='film' id='film-{i}'>" for i in numbers)
    labels = "".join(f"<label for='film-{i}'>{i + 1}</label>" for i in numbers)
    shown = "".join(f"<div class='frame f{i}'>{frame}</div>" for i, frame in enumerate(frames))
    return (
        f"<figure class='film'><input type='radio' name='film' id='film-play' checked>{inputs}"
        f"<div class='labels'><label for='film-play'>play</label>{labels}</div>"
        f"<div class='frames'>{shown}</div><figcaption>{_text(_SYMBOLS)}</figcaption></figure>"
    )


def _film_style(count: int) -> str:
    if not count:
        return ""
    seconds, part = 2 * count, 100 / count
    chosen = "{ background: var(--ink); color: var(--paper); }"
    rules = [
        f"@keyframes film {{ 0%, {part:.3f}% {{ visibility: visible }} "
        f"{part + 0.001:.3f}%, 100% {{ visibility: hidden }} }}",
        "@media print { .film .frame { position: static; visibility: visible; } }",
        f"#film-play:checked ~ .labels label[for='film-play'] {chosen}",
    ]
    for i in range(count):
        play = f"animation: film {seconds}s step-end {2 * i}s infinite;"
        rules.append(f"#film-play:checked ~ .frames .f{i} {{ {play} }}")
        rules.append(f"#film-{i}:checked ~ .frames .f{i} {{ visibility: visible; }}")
        rules.append(f"#film-{i}:checked ~ .labels label[for='film-{i}'] {chosen}")
    return "\n".join(rules)


def _picture(path: Path) -> str:
    kind = "svg+xml" if path.suffix == ".svg" else "png"
    data = base64.b64encode(path.read_bytes()).decode("ascii")
    return f"<img alt='{_text(path.stem)}' src='data:image/{kind};base64,{data}'>"


def _document(title: str, body: str, frames: int) -> str:
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{_text(title)}</title>
<style>{CSS}{_OWN}{_film_style(frames)}</style>
</head>
<body>
<main>
{body}
<footer>Written by dilemma {_text(dilemma.__version__)} (dilemma reproduce). This page needs no network.</footer>
</main>
</body>
</html>
"""
