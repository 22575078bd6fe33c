"""``dilemma reproduce``: every figure, table and claim of the paper, recomputed."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import time
from pathlib import Path
from typing import Any

TARGETS = ("figure2", "figure3", "table1", "theory", "all")


def add_parser(subparsers: Any) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "reproduce",
        help="recompute the paper's figures, table and claims",
        description="Recompute the paper's figures, table and claims, each claim with its verdict. What was "
        "computed before into the same folder is not computed again, so a run that was stopped goes on where it "
        "stood. Needs matplotlib (the 'plot' extra).",
    )
    parser.add_argument("target", nargs="?", default="all", choices=TARGETS, help="what (default: all)")
    parser.add_argument(
        "--data",
        type=Path,
        metavar="DIR",
        help="where MNIST, facades and knapsacks are, at any depth; what is missing there is taken from the cache "
        "of `dilemma data`, else generated",
    )
    parser.add_argument(
        "--out", type=Path, default=Path("reproduction"), metavar="DIR", help="where to write"
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help="a minute or so: few candidates and runs, on small generated data unless --data is given",
    )
    parser.add_argument(
        "--jobs",
        type=_count,
        default=min(4, cores()),
        metavar="N",
        help="panels run at once, up to a gigabyte each (default: the cores there are, at most 4)",
    )
    parser.set_defaults(func=run)


def cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _count(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"expected at least 1, got {value}")
    return value


def run(args: argparse.Namespace) -> int:
    """Run the subcommand."""
    from dilemma.experiments.reproduce import reproduce

    start = time.perf_counter()

    def say(line: str) -> None:
        print(f"[{time.perf_counter() - start:7.1f} s] {line}", file=sys.stderr, flush=True)

    try:
        written = reproduce(
            args.target,
            data=args.data,
            out=args.out,
            quick=args.quick,
            jobs=args.jobs,
            command=shlex.join(["dilemma", *sys.argv[1:]]),
            say=say,
        )
    except KeyboardInterrupt:
        print(
            f"stopped; what is done is kept in {args.out}, and the same command goes on there",
            file=sys.stderr,
        )
        raise
    print(f"page: {written}\nclaims: {written.with_name('claims.json')}")
    return 0
