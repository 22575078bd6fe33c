"""Entry point: parses the command line, runs one subcommand, and turns errors into exit codes.

====  ==========================================================
0     done
1     the run itself failed (a worker died, a problem broke a promise)
2     bad input: arguments, files, values
130   interrupted by Ctrl-C before there was anything to show
====  ==========================================================
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence

import dilemma
from dilemma.errors import DilemmaError

# Modules of `dilemma.cli`, in the order `--help` shows them; each has ``add_parser(subparsers)``.
COMMANDS = ("info", "strategies", "demo", "solve", "generate", "data", "compare", "reproduce")


def build_parser() -> argparse.ArgumentParser:
    """Return the parser with every subcommand."""
    parser = argparse.ArgumentParser(
        prog="dilemma", description="Turn any greedy heuristic into an anytime search.", allow_abbrev=False
    )
    parser.add_argument("--version", action="version", version=f"dilemma {dilemma.__version__}")
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name in COMMANDS:
        importlib.import_module(f"dilemma.cli.{name}").add_parser(subparsers)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    args = build_parser().parse_args(argv)
    try:
        code: int = args.func(args)
        sys.stdout.flush()
        return code
    except BrokenPipeError:  # the reader, such as head, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        print("dilemma: interrupted", file=sys.stderr)
        return 130
    except (ValueError, TypeError, OSError, ImportError) as error:
        file = error.filename if isinstance(error, OSError) else None
        text = error if file is None else f"{file}: {error.strerror}"  # type: ignore[union-attr]
        print(f"dilemma: error: {text}", file=sys.stderr)
        return 2
    except DilemmaError as error:
        print(f"dilemma: error: {error}", file=sys.stderr)
        return 1
