"""Running every method of every panel, kept as it goes: a run that was stopped goes on where it stood."""

from __future__ import annotations

import hashlib
import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import dilemma
from dilemma.experiments.loading import folders_for, load
from dilemma.experiments.methods import OTHERS, RUNS, Method, methods_for
from dilemma.experiments.panels import PANELS, Panel
from dilemma.experiments.provenance import commit, made

Record = dict[str, Any]
Say = Callable[[str], None]
QUICK_RUNS = 8
_LONG = ("mnist", "large")
SCHEMA = 3


@dataclass(frozen=True)
class Task:
    """One panel under one reading."""

    panel: str
    reading: str
    data: str | None
    out: str
    quick: bool

    @property
    def name(self) -> str:
        """For files and for progress."""
        return f"{self.panel}.{self.reading}" if self.reading else self.panel


def write_json(path: Path, content: Any) -> None:
    """Write JSON so that a reader never sees half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    part.write_text(json.dumps(content, indent=1, allow_nan=False, default=float) + "\n", encoding="utf-8")
    part.replace(path)


def read_kept(path: Path, key: str, mark: Any) -> tuple[Record | None, str]:
    """Return what `write_json` wrote, if its entry `key` is `mark`; otherwise None, and why not.

    There is no reason to tell if there is no such file.
    """
    if not path.is_file():
        return None, ""
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        return None, f"{path.name}: damaged"
    if not isinstance(kept, dict) or key not in kept:
        return None, f"{path.name}: not of this program"
    if kept[key] != mark:
        return None, f"{path.name}: of another version, other data or other settings"
    return kept, ""


def tasks(panels: list[str], *, data: str | None, out: Path, quick: bool) -> list[Task]:
    """Return what is to be run: what Figure 3 shows first, and of that the longest first."""
    found = [
        (bool(number), key not in _LONG, Task(key, reading, data, str(out), quick))
        for key in panels
        for number, reading in enumerate(PANELS[key].readings)
    ]
    return [task for *_, task in sorted(found, key=lambda row: row[:2])]


def runs_of(task: Task) -> int:
    """Return how often a task repeats what is random."""
    if task.quick:
        return QUICK_RUNS
    return RUNS if task.reading == PANELS[task.panel].readings[0] else OTHERS


def run_all(todo: list[Task], *, jobs: int = 1, say: Say = print) -> None:
    """Run tasks, in this process or in several; what is there already is not computed again."""
    if jobs == 1:
        for task in todo:
            for line in run_task(task):
                say(line)
        return
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")  # read when a worker starts: a core each, not all cores for each
    context = get_context("spawn")
    lines = context.SimpleQueue()
    pool = ProcessPoolExecutor(
        max_workers=jobs, mp_context=context, initializer=_begin_worker, initargs=(lines, os.getpid())
    )
    over = threading.Event()
    teller = threading.Thread(target=_tell, args=(lines, over, say), daemon=True)
    teller.start()
    waiting: list[Future[None]] = []
    try:
        waiting += [pool.submit(_run_in_worker, task) for task in todo]
        for future in as_completed(waiting):
            future.result()
    finally:
        for process in list((getattr(pool, "_processes", None) or {}).values()):
            if not all(f.done() for f in waiting):
                process.terminate()
        pool.shutdown(wait=True, cancel_futures=True)
        over.set()  # not said through the queue: a worker that was ended half-way may hold its lock for ever,
        teller.join(timeout=5.0)  # or may have left half a line in it


def _tell(lines: Any, over: threading.Event, say: Say) -> None:
    """Say what the workers report until there is no more."""
    while True:
        if not lines.empty():
            say(lines.get())
        elif over.wait(0.05) and lines.empty():
            return


_worker: dict[str, Any] = {}


def _begin_worker(lines: Any, parent: int) -> None:
    """Note where to report to, and who is waiting."""
    _worker.update(lines=lines, parent=parent)
    commit()  # of the code that was read just now, whatever is checked out later


def _run_in_worker(task: Task) -> None:
    for line in run_task(task):
        if os.getppid() != _worker["parent"]:  # nobody is waiting any more
            return
        _worker["lines"].put(line)


def run_task(task: Task) -> Iterator[str]:
    """Run one panel under one reading, yielding a line a method."""
    begin = time.process_time()
    panel, folder = PANELS[task.panel], Path(task.out) / "runs"
    loaded = load(panel, task.reading, folders_for(task.data, quick=task.quick), quick=task.quick)
    max_iter = panel.quick if task.quick else panel.iterations
    own = methods_for(panel.kind, runs_of(task))
    mark = _fingerprint(loaded.digest, task, max_iter)
    path = folder / f"{task.name}.json"
    kept, why = read_kept(path, "fingerprint", mark)
    if why:
        yield f"{why}, computed again"
    if kept is not None and "beyond" in kept and set(kept["methods"]) >= {m.key for m in own}:
        yield f"{task.name}: there already"
        return
    arena = loaded.make()
    if kept is None:
        kept = {
            "schema": SCHEMA, "fingerprint": mark, "panel": task.panel, "reading": task.reading,
            "title": panel.title, "kind": panel.kind, "real": loaded.real, "origin": loaded.origin,
            "max_iter": max_iter, "mode": mode(task.quick), "facts": arena.facts(),
            "made": made(), "cpu_seconds": 0.0, "methods": {},
        }  # fmt: skip
    if "beyond" not in kept:
        kept["beyond"] = arena.beyond(0.3 if task.quick else 5.0)
    for method in own:
        if method.key in kept["methods"]:
            continue
        start = time.perf_counter()
        records = [arena.run(method, seed, max_iter) for seed in range(method.runs)]
        spec = {"title": method.title, **_spec(method), "commit": commit()}
        kept["methods"][method.key] = {**spec, "runs": records}
        now = time.process_time()
        kept["cpu_seconds"], begin = kept["cpu_seconds"] + now - begin, now
        write_json(path, kept)
        best = min(r["energy"] for r in records)
        yield (
            f"{task.name}: {method.title}: best {best:.10g} of {len(records)} run(s), "
            f"greedy {records[0]['greedy']:.10g}, {time.perf_counter() - start:.1f} s"
        )


def _spec(method: Method) -> Record:
    return {"tree": method.tree, "order": method.order, "constant": method.constant}


def _fingerprint(digest: str, task: Task, max_iter: int) -> str:
    text = json.dumps([SCHEMA, dilemma.__version__, digest, task.reading, task.quick, max_iter])
    return hashlib.sha256(text.encode()).hexdigest()


def mode(quick: bool) -> Record:
    """Return what must be alike for results to stand side by side on a page."""
    return {"schema": SCHEMA, "version": dilemma.__version__, "quick": quick}


def records_in(out: Path, *, quick: bool, say: Say = print) -> dict[str, Record]:
    """Return the records of an output folder, by name of panel and reading, in the order of the figure.

    Those of another version or mode, and damaged ones, are left out, and said to be.
    """
    found = {}
    for key, panel in PANELS.items():
        for reading in panel.readings:
            name = f"{key}.{reading}" if reading else key
            kept, why = read_kept(out / "runs" / f"{name}.json", "mode", mode(quick))
            if kept is not None and not kept["methods"].keys() >= {m.key for m in methods_for(panel.kind)}:
                kept, why = None, f"{name}.json: not complete"
            if why:
                say(f"{why}, left out")
            if kept is not None:
                found[name] = kept
    return found


def panel_of(record: Record) -> Panel:
    """Return the panel a record belongs to."""
    return PANELS[record["panel"]]
