"""``dilemma strategies``: every search method and what it needs, as the paper's Table I."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from typing import Any


def add_parser(subparsers: Any) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "strategies", help="every search method: what it needs and what it promises"
    )
    parser.add_argument("--format", choices=("text", "markdown", "json"), default="text")
    parser.set_defaults(func=run)


def run(args: argparse.Namespace) -> int:
    """Print the table."""
    from dilemma.strategies import table
    from dilemma.strategies.overview import as_markdown, as_text

    rows = table()
    if args.format == "json":
        print(json.dumps([asdict(row) for row in rows], indent=2))
    else:
        print(as_markdown(rows).rstrip("\n") if args.format == "markdown" else as_text(rows))
    return 0
