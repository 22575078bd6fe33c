"""The whole reproduction: run what is missing, then draw, judge and write."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dilemma
from dilemma.experiments import figure2, figure3, figure_theory, page
from dilemma.experiments.beyond import headline, knapsack_rows, tree_rows
from dilemma.experiments.claims import judge
from dilemma.experiments.curves import csv_of
from dilemma.experiments.drawing import save, svg_text
from dilemma.experiments.loading import folders_for, load, origins
from dilemma.experiments.panels import PANELS
from dilemma.experiments.provenance import commit, machine, made
from dilemma.experiments.queue_cost import heap_alone, measure
from dilemma.experiments.runs import mode, read_kept, records_in, run_all, tasks, write_json
from dilemma.experiments.table1 import build as build_table
from dilemma.experiments.theory_report import simulate

Record = dict[str, Any]
Say = Callable[[str], None]
TARGETS = ("figure2", "figure3", "table1", "theory", "all")
SCHEMA = "dilemma.reproduction"
_PARTS = ("theory", "table1", "queue")


def reproduce(
    target: str = "all",
    *,
    data: str | os.PathLike[str] | None = None,
    out: str | os.PathLike[str] = "reproduction",
    quick: bool = False,
    jobs: int = 1,
    command: str | None = None,
    say: Say = print,
) -> Path:
    """Recompute a part of the paper, or all of it, and return the page.

    What was computed before into `out`, on the same data with the same version, is not computed again.

    Parameters
    ----------
    target : str
        One of `TARGETS`.
    data : path, optional
        Where data sets are, at any depth.
    out : path
        Where to write.
    quick : bool
        Few candidates and runs.
    jobs : int
        Panels run at once.
    command : str, optional
        What was typed, to be told on the page.
    say : callable
        Called with a line of progress now and then.

    Raises
    ------
    ValueError
        If the target is none.
    FileNotFoundError, FormatError
        If the data are not there, or not what they should be.
    OSError
        If `out` cannot be written.
    """
    if target not in TARGETS:
        raise ValueError(f"target: expected one of {', '.join(TARGETS)}, got {target!r}")
    commit()  # of the code that was read just now, whatever is checked out later
    folder = Path(out)
    source = None if data is None else str(data)
    wanted = set(TARGETS[:-1]) if target == "all" else {target}
    if "figure3" in wanted:  # wrong data are found before anything runs
        for title, loaded in origins(source, quick=quick).items():
            say(f"data: {title}: {loaded.origin}" + ("" if loaded.real else ", a stand-in"))
    else:
        folders_for(source, quick=quick)
    prepare(folder)
    if "figure2" in wanted:
        say("figure 2")
        _figure2(folder)
    if "theory" in wanted:
        _kept(folder / "theory.json", quick, lambda: simulate(quick=quick, say=say), say)
    if "table1" in wanted:
        say("table I")
        _kept(folder / "table1.json", quick, build_table, say)
    if "figure3" in wanted:
        run_all(tasks(list(PANELS), data=source, out=folder, quick=quick), jobs=jobs, say=say)
        _kept(folder / "queue.json", quick, lambda: _queue(source, quick, say), say)
    say("drawing and judging")
    return write(folder, quick=quick, command=command, say=say)


def prepare(folder: Path) -> None:
    """Make the folder that is written to, and see that it can be written.

    Raises
    ------
    OSError
        If it is a file, or cannot be made or written.
    """
    trial = folder / f".{os.getpid()}.part"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        trial.touch()
        trial.unlink()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise OSError(f"--out: expected a folder that can be written, got {folder} ({reason})") from None


def _kept(path: Path, quick: bool, compute: Callable[[], Any], say: Say) -> None:
    """Compute something unless the same version already did."""
    kept, why = read_kept(path, "mark", mode(quick))
    if kept is not None:
        say(f"{path.name}: there already")
        return
    if why:
        say(f"{why}, computed again")
    begin = time.process_time()
    content = compute()
    spent = time.process_time() - begin
    write_json(path, {"mark": mode(quick), "made": made(), "cpu_seconds": spent, "content": content})


def _queue(source: str | None, quick: bool, say: Say) -> list[Record]:
    rows = []
    for key in ("mnist", "medium", "large"):
        say(f"queue's share: {key}")
        panel = PANELS[key]
        arena = load(panel, panel.readings[0], folders_for(source, quick=quick), quick=quick).make()
        rows.append(measure(key, arena, panel.quick if quick else panel.iterations))
    return [*rows, *heap_alone()]


def _figure2(folder: Path) -> None:
    frames = figure2.frames()
    chosen = [frames[0], frames[1], frames[2], frames[3]]
    save(figure2.strip(chosen), folder / "figures" / "figure2")
    for number, frame in enumerate(frames, start=1):
        save(figure2.single(frame), folder / "figures" / f"figure2_step{number:02d}")


def write(folder: Path, *, quick: bool, command: str | None = None, say: Say = print) -> Path:
    """Draw and judge what is in a folder, and write the page; returns its path."""
    records = records_in(folder, quick=quick, say=say)
    parts = {name: read_kept(folder / f"{name}.json", "mark", mode(quick)) for name in _PARTS}
    for _, why in parts.values():
        if why:
            say(f"{why}, left out")
    theory, table, queue = (None if kept is None else kept["content"] for kept, _ in parts.values())
    figures: list[tuple[str, str, Path]] = []
    if records:
        drawn = save(figure3.draw(records), folder / "figures" / "figure3")
        caption = (
            "The best so far against iterations; iteration 0 is the greedy. Black: dilemma first (mended; "
            "partition "
            "tree for knapsacks, sequences for decision trees). Red: random state selection. The energy of "
            "trees is "
            "their errors on rows they were not grown on. Beyond the paper: blue, this library's default "
            "strategy on "
            "the same problem; orange and violet, AND/OR trees, where an iteration tries one split of one node. "
            "With an energy on held-out rows they start below the greedy, because splits that do not pay on "
            "these rows "
            "are dropped at once; by default they look at training rows alone, and may get worse on others."
        )
        figures.append(("Figure 3", caption, drawn[0]))
        for key in dict.fromkeys(r["panel"] for r in records.values()):
            drawn = save(figure3.draw_readings(records, key), folder / "figures" / f"figure3_{key}_readings")
            figures.append(
                (
                    f"{PANELS[key].title}: every reading",
                    "By form of the tree and reading of the protocol.",
                    drawn[0],
                )
            )
        for name, record in records.items():
            (folder / "curves").mkdir(parents=True, exist_ok=True)
            (folder / "curves" / f"{name}.csv").write_text(csv_of(record), encoding="utf-8")
    if theory is not None:
        drawn = save(figure_theory.draw(theory), folder / "figures" / "theory")
        figures.append(("Theory", "Trees whose P is known; derivations in docs/theory.", drawn[0]))
    claims = [c.as_dict() for c in judge(records, theory, queue, table)]
    beyond = {"Decision trees": tree_rows(records), "Knapsacks": knapsack_rows(records)}
    facts = [
        {
            "data": name,
            "origin": r["origin"],
            "real": r["real"],
            "candidates_a_run": r["max_iter"],
            **_flat(r["facts"]),
        }
        for name, r in records.items()
    ]
    done = [*records.values(), *(kept for kept, _ in parts.values() if kept is not None)]
    dates = [part["made"]["date"] for part in done]
    provenance = {
        "command": command,
        "version": dilemma.__version__,
        "commit": sorted({str(own) for part in done for own in _commits(part)}),
        "computed": " to ".join(f(dates) for f in (min, max)) if dates else None,
        "machine": machine(),
        "cpu_minutes": sum(part["cpu_seconds"] for part in done) / 60,
    }
    write_json(folder / "claims.json", {
        "schema": SCHEMA, "version": 2, "quick": quick, "provenance": provenance,
        "data": facts, "claims": claims, "beyond": beyond,
    })  # fmt: skip
    steps = sorted((folder / "figures").glob("figure2_step*.svg"))
    frames = [svg_text(path, f"step{number}-") for number, path in enumerate(steps)]
    target = folder / "index.html"
    target.write_text(
        page.build(
            claims=claims,
            frames=frames,
            figures=figures,
            table=table,
            beyond=beyond,
            headline=headline(records),
            facts=facts,
            provenance=provenance,
            quick=quick,
        ),
        encoding="utf-8",
    )
    return target


def _commits(part: Record) -> set[str | None]:
    """Return the commits a result was computed at: one, unless it was stopped and went on later."""
    methods = part.get("methods", {}).values()
    return {part["made"]["commit"], *(m["commit"] for m in methods if "commit" in m)}


def _flat(facts: Record) -> Record:
    """Leave out what other tables tell."""
    told = {"cold_ms", "greedy_errors", "scikit_learn_errors", "greedy_energy"}
    return {k: v for k, v in facts.items() if k not in told}
