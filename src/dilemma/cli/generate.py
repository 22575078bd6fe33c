"""``dilemma generate``: draw an instance of a published class."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from dilemma.knapsack.formats import FORMATS, write
from dilemma.knapsack.generators import ALIASES, CLASSES, generate


def add_parser(subparsers: Any) -> None:
    """Add ``generate`` and its problems."""
    parser = subparsers.add_parser(
        "generate", help="draw an instance of a published class", allow_abbrev=False
    )
    problems = parser.add_subparsers(title="problems", metavar="PROBLEM", required=True)
    _add_knapsack(problems)


def _add_knapsack(problems: Any) -> None:
    classes = "\n".join(f"  {name:22} {(kernel.__doc__ or '').strip()}" for name, kernel in CLASSES.items())
    parser = problems.add_parser(
        "knapsack",
        help="0-1 knapsack, Pisinger's classes",
        description="Draw a 0-1 knapsack instance of one of Pisinger's classes.",
        epilog=f"classes:\n{classes}\nAlso: "
        + ", ".join(f"{short} = {name}" for short, name in ALIASES.items())
        + ".\nSources: Pisinger, Operations Research 47 (1999) 570 and Computers & OR 32 (2005) 2271.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "--class", dest="instance_class", required=True, choices=(*CLASSES, *ALIASES), metavar="CLASS"
    )
    parser.add_argument("--n", type=int, required=True, metavar="N", help="items")
    parser.add_argument(
        "--seed", type=int, required=True, metavar="S", help="the same seed, the same instance"
    )
    parser.add_argument(
        "--range", type=int, default=1000, metavar="R", help="size of the numbers; default 1000"
    )
    parser.add_argument(
        "--fill",
        type=float,
        default=0.5,
        metavar="F",
        help="capacity as a part of the total weight; default 0.5",
    )
    parser.add_argument("--format", choices=FORMATS, default="kp", help="default: kp")
    parser.add_argument("--out", type=Path, metavar="FILE", help="default: standard output")
    parser.set_defaults(func=run_knapsack)


def run_knapsack(args: argparse.Namespace) -> int:
    """Draw the instance and write it."""
    instance = generate(args.instance_class, args.n, seed=args.seed, range=args.range, fill=args.fill)
    text = write(instance, args.out, format=args.format)
    if args.out is None:
        sys.stdout.write(text)
    else:
        print(f"{args.out}: {instance.n:,} items, capacity {instance.capacity:,}")
    return 0
