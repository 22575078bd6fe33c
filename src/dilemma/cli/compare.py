"""``dilemma compare``: strategies against each other on problems of the gallery."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

EXAMPLES = """
A problem is NAME:FILE in the literature's format, or NAME:random(n=..., seed=...):

  dilemma compare --problem tsp:berlin52.tsp --problem "set_cover:random(n=300, seed=1)" \\
      --strategy auto --strategy dilemma_first --time-limit 1 --seeds 5 --plot compare.png
"""


def add_parser(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "compare",
        help="run strategies against each other and say who wins",
        description="Run strategies on problems, all in one go and taking turns, and print who wins.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--problem", action="append", metavar="SPEC", help="a problem; give several")
    parser.add_argument(
        "--strategy",
        action="append",
        metavar="NAME",
        help="a strategy; give several (default: all that can run)",
    )
    parser.add_argument("--time-limit", type=float, metavar="S", help="seconds a run")
    parser.add_argument("--max-nodes", type=int, metavar="N", help="decisions a run: the same on any machine")
    parser.add_argument("--max-iter", type=int, metavar="N", help="candidates a run")
    parser.add_argument("--seeds", type=int, default=5, metavar="N", help="seeds 0 to N-1 (default 5)")
    parser.add_argument(
        "--best-known", action="append", default=[], metavar="NAME=E",
        help="best known energy of a problem, by its spec or file name; give several",
    )  # fmt: skip
    parser.add_argument("--baseline", metavar="NAME", help="count wins against this one (default: the first)")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="runs at once (default 1)")
    parser.add_argument("--json", type=Path, metavar="OUT", help="write all runs")
    parser.add_argument(
        "--plot", type=Path, metavar="OUT", help="draw curves and profiles (.png, .svg, .pdf)"
    )
    parser.add_argument("--report", type=Path, metavar="OUT", help="write one HTML page")
    parser.add_argument("--markdown", action="store_true", help="print tables as Markdown")
    parser.add_argument("--list", action="store_true", help="list problems and strategies, and end")
    parser.add_argument("--quiet", action="store_true", help="no progress on stderr")
    parser.set_defaults(func=run)


def run(args: argparse.Namespace) -> int:
    """Run the comparison and return the exit code."""
    from dilemma.cli.specs import gallery, problem_of
    from dilemma.compare import compare
    from dilemma.strategies import names

    if args.list:
        print("problems:  ", ", ".join(gallery()))
        print("strategies:", ", ".join(names()))
        return 0
    if not args.problem:
        raise ValueError(
            "compare: expected at least one --problem; `dilemma compare --list` shows their names"
        )
    for path in (args.json, args.plot, args.report):
        if path is not None and not path.absolute().parent.is_dir():
            raise ValueError(f"{path}: expected an existing folder, there is no {path.absolute().parent}")
    problems = dict(named := [problem_of(spec) for spec in args.problem])
    if len(problems) < len(named):
        twice = sorted({name for name, _ in named if sum(name == other for other, _ in named) > 1})
        raise ValueError(f"--problem: expected different problems, got {', '.join(twice)} more than once")
    comparison = compare(
        problems,
        args.strategy if args.strategy else "all",
        time_limit=args.time_limit,
        max_nodes=args.max_nodes,
        max_iter=args.max_iter,
        seeds=args.seeds,
        best_known=_best_known(args.best_known, args.problem, list(problems)),
        baseline=args.baseline,
        n_jobs=args.jobs,
        verbose=0 if args.quiet else 1,
    )
    if args.json:
        comparison.to_json(args.json)  # first: nothing may be lost
    print(comparison.table(markdown=args.markdown))
    if len(problems) > 1:
        print()
        print(comparison.table("problem", markdown=args.markdown))
    if args.report:
        comparison.report(args.report)
    if args.plot:
        comparison.plot(args.plot)
    for path in (args.json, args.report, args.plot):
        if path is not None:
            print(f"wrote {path}", file=sys.stderr)
    return 130 if comparison.interrupted else 0


def _best_known(given: list[str], specs: list[str], problems: list[str]) -> dict[str, float]:
    """Return energies by problem from texts NAME=E, where NAME is a spec or the name the table shows."""
    shown = {**dict(zip(specs, problems, strict=True)), **{name: name for name in problems}}
    known = {}
    for text in given:
        name, equals, value = text.rpartition("=")
        try:
            number = float(value)
        except ValueError:
            equals = ""
        if not equals or name.strip() not in shown:
            raise ValueError(
                f"--best-known: expected NAME=ENERGY with NAME one of {', '.join(problems)}; got {text!r}"
            )
        known[shown[name.strip()]] = number
    return known
