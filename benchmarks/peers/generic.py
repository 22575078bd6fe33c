"""dilemma against the tools that improve greedies or search, on eleven families, one process a run.

Set up the tools once, in an environment of their own, and run::

    python -m venv PEERS && PEERS/bin/pip install -r benchmarks/peers/requirements-generic.txt
    python benchmarks/peers/generic.py --python PEERS/bin/python            # about an hour of one core
    python benchmarks/peers/generic.py --python PEERS/bin/python --quick    # about 4 minutes: does it all work?

Every run gets the same processor seconds, from the moment its tool is imported and the instance read; the tools
take turns on each instance, so that noise is shared. One run of the largest budget serves the smaller ones too, by
what it had reported until then; tools that plan their schedule for the budget run once for each. With ``--store
FILE`` finished runs are kept, and the same command goes on where it stopped (``--minutes`` stops it in time).
Every tool is given the greedy's answer; what it does with it
is in its adapter, ``generic_TOOL.py``: the shortest code its users would naturally write. Answers are verified by
`generic_families.check`. Results go to ``benchmarks/recorded/generic.json`` and ``generic.md``.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE), str(ROOT / "benchmarks")]

from generic_families import FAMILIES, FILES, SEEDS, check, drawn, read  # noqa: E402
from generic_lines import code_lines  # noqa: E402
from record import RECORDED, provenance, record  # noqa: E402

from dilemma.compare import Comparison, Curve, Outcome  # noqa: E402
from dilemma.compare.measures import gap  # noqa: E402
from dilemma.compare.table import percent  # noqa: E402

# name -> (adapter, environment); the first two run in this interpreter
TOOLS: dict[str, tuple[str, dict[str, str]]] = {
    "dilemma": ("dilemma", {}),
    "dilemma, all hooks": ("dilemma", {"GENERIC_HOOKS": "1"}),
    "alns": ("alns", {}),
    "simanneal": ("simanneal", {}),
    "deap": ("deap", {}),
    "pymoo": ("pymoo", {}),
    "mcts": ("mcts", {}),
    "treesearchsolverpy": ("treesearch", {}),
    "didppy": ("didppy", {}),
    "CP-SAT": ("cpsat", {}),
    "OR-Tools routing": ("routing", {}),
}
ROUTING = ("tsp", "vehicle_routing")
SCHEDULED = (
    "alns",
    "simanneal",
)  # cool down over the budget, so what they have at a tenth of it says nothing
AFTER = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)  # processor seconds at which energies are recorded


@dataclass(frozen=True)
class Instance:
    """One instance on disk."""

    name: str
    family: str
    data: dict[str, Any]
    path: Path
    best_known: float | None = None


def instances(args: argparse.Namespace, folder: Path) -> Iterator[Instance]:
    """Yield drawn instances of every family, then the files of the literature if they are there."""
    for family in args.families:
        size = FAMILIES[family].sizes[0 if args.quick else 1]
        for seed in list(SEEDS[args.set])[: args.instances]:
            yield _stored(f"{family}-{size}-{args.set}{seed}", family, drawn(family, size, seed), folder)
    if args.data is not None and not args.quick:
        taken = dict.fromkeys(args.families, 0)
        for family, file, best, options in FILES:
            if taken.get(family, args.files) < args.files and (args.data / file).exists():
                taken[family] += 1
                name = Path(file).stem + "".join(f"#{v}" for v in options.values())
                yield _stored(name, family, read(family, args.data / file, options), folder, float(best))


def _stored(
    name: str, family: str, data: dict[str, Any], folder: Path, best: float | None = None
) -> Instance:
    path = folder / f"{len(list(folder.iterdir()))}.json"
    path.write_text(json.dumps({"family": family, "data": data}))
    return Instance(name, family, data, path, best)


def run_tool(
    tool: str, instance: Instance, budgets: list[float], seed: int, args: argparse.Namespace
) -> dict[float, dict[str, Any]]:
    """Run one tool for the largest budget; return what it had at each: verified energy, curve, error."""
    adapter, extra = TOOLS[tool]
    budget = max(budgets)
    python = sys.executable if adapter == "dilemma" else args.python
    limits = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    paths = {} if adapter == "dilemma" else {"PYTHONPATH": str(ROOT / "src")}
    command = [python, "-W", "ignore", str(HERE / "generic_worker.py"), adapter, str(instance.path)]
    try:
        done = subprocess.run(
            [*command, str(budget), str(seed)], capture_output=True, text=True, check=False,
            env={**os.environ, **limits, **paths, **extra}, timeout=120 + 30 * budget,
        )  # fmt: skip
        out, err, code = done.stdout, done.stderr, done.returncode
    except subprocess.TimeoutExpired as expired:
        raw = expired.stdout or b""
        out, err, code = raw.decode() if isinstance(raw, bytes) else raw, "timed out", -1
    lines = [
        json.loads(line) for line in out.splitlines() if line.startswith('{"cpu"') and line.endswith("}")
    ]
    error = None
    if code not in (0, -27):  # 27: SIGPROF, the budget's end
        error = (err.strip().splitlines() or [f"exit code {code}"])[-1][:300]
    return {b: _verified(instance, [line for line in lines if line["cpu"] <= b], error) for b in budgets}


def _verified(instance: Instance, lines: list[dict[str, Any]], error: str | None) -> dict[str, Any]:
    """Return the last of a run's lines as its energy, if its answer holds."""
    result: dict[str, Any] = {"energy": math.inf, "cpu": [], "energies": [], "error": error}
    if lines:
        try:
            energy = check(instance.family, instance.data, lines[-1]["answer"])
        except ValueError as wrong:
            return {**result, "error": f"wrong answer: {wrong}"}
        claimed = [line["energy"] for line in lines]
        if not math.isclose(energy, claimed[-1], rel_tol=1e-6, abs_tol=1e-6):
            # A schedule may be shorter than was claimed, when what is behind a wait can start earlier.
            if energy > claimed[-1]:
                return {**result, "error": f"claimed {claimed[-1]}, is {energy}"}
            claimed[-1] = energy
        result.update(energy=energy, cpu=[line["cpu"] for line in lines], energies=claimed)
    return result


class Store:
    """Finished runs, one a line, in a file that a later call goes on with."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.runs: dict[tuple[str, str], dict[str, Any]] = {}
        if path is not None and path.exists():
            for text in path.read_text().splitlines():
                run = json.loads(text)
                self.runs[run["key"], run["made_by"]] = run["got"]

    def get(self, key: str, made_by: str) -> dict[str, Any] | None:
        """Return a run that was made before, by the same code."""
        return self.runs.get((key, made_by))

    def put(self, key: str, made_by: str, got: dict[str, Any]) -> None:
        """Keep a run."""
        self.runs[key, made_by] = got
        if self.path is not None:
            with self.path.open("a") as file:
                file.write(json.dumps({"key": key, "made_by": made_by, "got": got}) + "\n")


def maker(tool: str, instance: Instance) -> str:
    """Return what a run depends on: the instance and the tool's adapter, or dilemma's commit."""
    adapter = TOOLS[tool][0]
    digest = hashlib.sha256(instance.path.read_bytes())
    for name in (adapter, "decoders", "worker"):
        digest.update((HERE / f"generic_{name}.py").read_bytes())
    return digest.hexdigest()[:16] + (f" {provenance()['commit']}" if adapter == "dilemma" else "")


def outcome(
    tool: str, instance: Instance, seed: int, budget: float, order: int, got: dict[str, Any]
) -> Outcome:
    """Return a run as `dilemma.compare` knows them."""
    count = np.arange(1.0, len(got["cpu"]) + 1)
    greedy = check(instance.family, instance.data, instance.data["greedy"])
    return Outcome(
        problem=instance.name, strategy=tool, seed=seed, energy=got["energy"], greedy_energy=greedy,
        bound=-math.inf, optimal=False, stop_reason="time_limit", iterations=len(count), nodes=0, seconds=budget,
        cpu_seconds=budget, order=order, error=got["error"],
        curve=Curve(np.array(got["cpu"]), count, count, np.array(got["energies"])),
    )  # fmt: skip


def run_all(args: argparse.Namespace) -> tuple[list[Instance], dict[float, list[Outcome]]]:
    """Run everything, tools taking turns on each instance, and return the outcomes by budget."""
    outcomes: dict[float, list[Outcome]] = {budget: [] for budget in args.budgets}
    store, began = Store(args.store), time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        problems = list(instances(args, Path(folder)))
        turns = itertools.product(enumerate(problems), range(args.runs))
        for turn, ((k, instance), seed) in enumerate(turns):
            tools = [t for t in args.tools if t != "OR-Tools routing" or instance.family in ROUTING]
            first = turn % len(tools)
            for tool in tools[first:] + tools[:first]:
                apart, made_by = tool in SCHEDULED, maker(tool, instance)
                for budgets in [[b] for b in args.budgets] if apart else [args.budgets]:
                    key = f"{instance.name} | {tool} | {seed} | {' '.join(f'{b:g}' for b in budgets)}"
                    if (got := store.get(key, made_by)) is None:
                        if time.monotonic() - began > 60 * args.minutes:
                            raise SystemExit("out of minutes: the same command goes on here")
                        made = run_tool(tool, instance, budgets, seed, args)
                        store.put(key, made_by, got := {f"{b:g}": result for b, result in made.items()})
                    for b in budgets:
                        ran = outcome(tool, instance, seed, b, len(outcomes[b]), got[f"{b:g}"])
                        outcomes[b].append(ran)
                        print(
                            f"{k + 1}/{len(problems)} {instance.name} {b:g} s {tool}: {ran.energy:.10g}"
                            + (f"  ({ran.error})" if ran.error else ""),
                            file=sys.stderr,
                        )
    return problems, outcomes


# -- what is written --------------------------------------------------------------------------------------


def comparisons(
    problems: list[Instance], outcomes: dict[float, list[Outcome]], args: argparse.Namespace
) -> dict[float, Comparison]:
    """Return a comparison a budget, all with the same references: best known, or best found at any budget."""
    best: dict[str, float] = {}
    for instance in problems:
        found = [o.energy for runs in outcomes.values() for o in runs if o.problem == instance.name]
        best[instance.name] = min(found) if instance.best_known is None else instance.best_known
    everywhere = [t for t in args.tools if t != "OR-Tools routing"]
    return {
        budget: Comparison(
            problems=tuple(i.name for i in problems), strategies=tuple(everywhere), seeds=tuple(range(args.runs)),
            budget={"time_limit": budget, "max_nodes": None, "max_iter": None},
            best_known={name: value for name, value in best.items() if math.isfinite(value)},
            baseline=everywhere[0], outcomes=tuple(o for o in runs if o.strategy in everywhere),
        )
        for budget, runs in outcomes.items()
    }  # fmt: skip


def family_table(
    problems: list[Instance], runs: list[Outcome], references: dict[str, float], tools: list[str]
) -> list[list[str]]:
    """Return mean gaps in per cent, one line a tool and one column a family; "none" where an answer is missing."""
    of = {i.name: i.family for i in problems}
    families = list(dict.fromkeys(of.values()))
    gaps: dict[tuple[str, str], list[float]] = {}
    for run in runs:
        gaps.setdefault((run.strategy, of[run.problem]), []).append(gap(run.energy, references[run.problem]))
    for run in runs:
        gaps.setdefault(("the greedy", of[run.problem]), []).append(
            gap(run.greedy_energy, references[run.problem])
        )
    means = {key: sum(values) / len(values) for key, values in gaps.items()}
    lines = [["mean gap %", *families]]
    for tool in [*tools, "the greedy"]:
        row = [tool]
        for family in families:
            mean = means.get((tool, family))
            if mean is None:
                row.append("")
                continue
            least = min(v for (t, f), v in means.items() if f == family)
            text = percent(mean) if math.isfinite(mean) else "none"
            row.append(f"**{text}**" if mean <= least + 1e-12 else text)
        lines.append(row)
    return lines


def markdown(lines: list[list[str]]) -> str:
    """Return a Markdown table."""
    rows = ["| " + " | ".join(line) + " |" for line in lines]
    return "\n".join([rows[0], "|---|" + "---:|" * (len(lines[0]) - 1), *rows[1:]])


def _energy_at(outcome: Outcome, seconds: float) -> float | None:
    """Return the least energy reported by then."""
    known = outcome.curve.energy[outcome.curve.seconds <= seconds]
    return float(known[-1]) if len(known) else None


def write(problems: list[Instance], outcomes: dict[float, list[Outcome]], args: argparse.Namespace) -> None:
    """Write the JSON and the Markdown."""
    made = comparisons(problems, outcomes, args)
    references = next(iter(made.values())).references
    facts = provenance()
    parts = [
        "# dilemma and its peers on eleven families",
        f"`{facts['command']}`, commit {facts['commit']}, {facts['date']}; {facts['machine']['cpu']}, "
        f"{facts['machine']['cores']} cores, Python {facts['machine']['python']}.",
        "Gaps are to the best known value of a file, and to the best answer of any run here for drawn instances. "
        "Processor seconds, set-up included; one run of the largest budget serves all budgets, but for "
        f"{' and '.join(SCHEDULED)}, which plan for theirs. *dilemma* has the four methods alone, *all hooks* all "
        "the gallery's classes offer.",
    ]
    tables = {}
    for budget, comparison in made.items():
        tables[f"{budget:g}"] = family_table(problems, outcomes[budget], references, args.tools)
        parts += [f"## {budget:g} s", markdown(tables[f"{budget:g}"]), comparison.table(markdown=True)]
    counts = code_lines()
    families = [*FAMILIES, "in common"]
    lines = [["lines of code", *families]]
    lines += [[tool, *(str(per.get(f, "")) for f in families)] for tool, per in counts.items()]
    parts += ["## Lines of code a user writes", markdown(lines)]
    wrong = sorted(
        {f"{o.strategy} on {o.problem}: {o.error}" for runs in outcomes.values() for o in runs if o.error}
    )
    if wrong:
        parts += ["## What went wrong", "\n".join(f"- {text}" for text in wrong)]
    text = "\n\n".join(parts) + "\n"
    print(text)
    if args.record:
        path = record(args.record, {
            "tables": tables, "code_lines": counts, "problems": {"wrong": wrong},
            "references": references, "after": AFTER,
            "runs": [
                [o.problem, o.strategy, o.seed, budget, *(_energy_at(o, t) for t in AFTER if t <= budget)]
                for budget, runs in outcomes.items() for o in runs
                if o.strategy in SCHEDULED or budget == max(outcomes)
            ],
        }, compact=True)  # fmt: skip
        (RECORDED / f"{args.record}.md").write_text(text, encoding="utf-8")
        print(f"wrote {path.relative_to(ROOT)} and {args.record}.md", file=sys.stderr)


def main() -> None:
    """Run and write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--python", required=True, help="the interpreter of the peers' environment")
    parser.add_argument(
        "--quick", action="store_true", help="small instances, a third of a second, one of each"
    )
    parser.add_argument("--budgets", type=float, nargs="+", help="processor seconds (default 1 10)")
    parser.add_argument(
        "--families", nargs="+", choices=list(FAMILIES), default=list(FAMILIES), metavar="FAMILY"
    )
    parser.add_argument("--tools", nargs="+", choices=list(TOOLS), default=list(TOOLS), metavar="TOOL")
    parser.add_argument("--set", choices=list(SEEDS), default="holdout", help="which seeds to draw from")
    parser.add_argument("--instances", type=int, default=1, help="drawn instances a family (default 1)")
    parser.add_argument("--files", type=int, default=2, help="at most so many files a family (default 2)")
    parser.add_argument("--store", type=Path, help="keep finished runs here, and go on with them")
    parser.add_argument("--minutes", type=float, default=math.inf, help="start no run after so many minutes")
    parser.add_argument(
        "--runs", type=int, default=1, help="runs an instance, each with its seed (default 1)"
    )
    parser.add_argument(
        "--data", type=Path, help="folder of the literature's files, in sub-folders as in `FILES`"
    )
    parser.add_argument("--record", metavar="NAME", help="write recorded/NAME.json and .md (default: generic, or "
                        "generic_quick)")  # fmt: skip
    args = parser.parse_args()
    sys.argv = [
        {args.python: "PEERS/bin/python", str(args.data): "DATA", str(args.store): "STORE"}.get(a, a)
        for a in sys.argv
    ]  # as the record shows the command
    args.budgets = args.budgets or ([0.3] if args.quick else [1.0, 10.0])
    args.budgets = sorted(args.budgets)
    args.record = args.record or ("generic_quick" if args.quick else "generic")
    if min(args.budgets) <= 0 or args.instances < 1 or args.runs < 1:
        parser.error("--budgets, --instances and --runs: expected positive numbers")
    problems, outcomes = run_all(args)
    write(problems, outcomes, args)


if __name__ == "__main__":
    main()
