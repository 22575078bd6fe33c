"""``dilemma solve``: solve an instance from a file and print what came of it."""

from __future__ import annotations

import argparse
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dilemma.knapsack.formats import FORMATS, read
from dilemma.knapsack.kernel import KERNELS
from dilemma.knapsack.result import KnapsackResult
from dilemma.knapsack.solver import solve_instance

if TYPE_CHECKING:
    from dilemma.knapsack.instance import Instance, Number


def add_parser(subparsers: Any) -> None:
    """Add ``solve`` and its problems."""
    parser = subparsers.add_parser("solve", help="solve an instance from a file", allow_abbrev=False)
    problems = parser.add_subparsers(title="problems", metavar="PROBLEM", required=True)
    _add_knapsack(problems)


def _add_knapsack(problems: Any) -> None:
    parser = problems.add_parser(
        "knapsack",
        help="0-1 knapsack: greedy, improved for as long as you let it, to proof",
        description="Improve the greedy choice of a 0-1 knapsack, and prove the optimum when time allows. Without "
        "a limit the search goes on to the proof, or until its memory limit ends the hope of one; Ctrl-C shows "
        "the best so far.",
        allow_abbrev=False,
    )
    parser.add_argument("file", type=Path, help="the instance")
    parser.add_argument("--format", choices=("auto", *FORMATS), default="auto", help="default: auto")
    parser.add_argument("--capacity", type=_number, metavar="W", help="in place of the file's")
    parser.add_argument(
        "--index", type=int, default=0, metavar="K", help="instance K of a pisinger file with several, from 0"
    )
    parser.add_argument("--time-limit", type=float, metavar="S", help="seconds, without reading the file")
    parser.add_argument("--max-iter", type=int, metavar="N", help="candidates; the greedy is the first")
    parser.add_argument("--target", type=_number, metavar="V", help="stop when the value reaches this")
    parser.add_argument("--kernel", choices=KERNELS, default="auto", help="default: the fastest")
    parser.add_argument("--json", type=Path, metavar="OUT", help="write the result, items and trace included")
    parser.set_defaults(func=run_knapsack)


def run_knapsack(args: argparse.Namespace) -> int:
    """Read, solve, print; write JSON if asked."""
    if args.json is not None and not args.json.parent.is_dir():  # said before the work, not after it
        raise ValueError(f"--json: expected a file in a folder that exists (got {str(args.json)!r})")
    instance = read(args.file, format=args.format, capacity=args.capacity, index=args.index)
    result = solve_instance(
        instance,
        time_limit=args.time_limit,
        max_iter=args.max_iter,
        target=args.target,
        kernel=args.kernel,
    )
    print(table(args.file.name, instance, result))
    if args.json is not None:
        result.to_json(args.json)
        print(f"  written    {args.json}")
    return 0


def table(name: str, instance: Instance, result: KnapsackResult) -> str:
    """Return the result as aligned lines."""
    proof = "proved optimal" if result.optimal else f"gap {_percent(result.gap)}"
    gained = f"+{show(result.improvement)}"
    if result.greedy_value:
        gained += f" ({_percent(float(result.improvement) / float(result.greedy_value))})"
    lines = [
        ("greedy", show(result.greedy_value), ""),
        ("best", show(result.value), gained if result.improvement else "the greedy"),
        ("bound", show(result.bound), proof),
        ("weight", show(result.weight), f"of {show(instance.capacity)}"),
        ("items", f"{len(result.items):,}", f"of {instance.n:,}"),
        ("candidates", f"{result.iterations:,}", f"in {result.runtime:.3f} s, kernel {result.kernel}"),
    ]
    width = max(len(number) for _, number, _ in lines)
    body = [f"  {label:10} {number:>{width}}  {note}".rstrip() for label, number, note in lines]
    stopped = f"  {'stopped':10} {result.stop_reason}: {result.advice}"
    return "\n".join([f"{name}: {instance.n:,} items, capacity {show(instance.capacity)}", *body, stopped])


def show(number: Number) -> str:
    """Return a number for people: thousands apart, floats to 15 digits."""
    if isinstance(number, float):
        return f"{number:,.15g}"
    return f"{number:,}" if isinstance(number, (int, Decimal)) else str(number)


def _percent(part: float) -> str:
    return f"{100 * part:.2g} %" if 100 * abs(part) < 0.1 else f"{100 * part:.2f} %"


def _number(text: str) -> Number:
    exact = Decimal(text) if _is_number(text) else None
    if exact is None or not exact.is_finite():
        raise argparse.ArgumentTypeError(f"expected a number (got {text!r})")
    return int(exact) if exact == exact.to_integral_value() and len(text) < 4000 else exact


def _is_number(text: str) -> bool:
    try:
        Decimal(text)
    except ArithmeticError:
        return False
    return True
