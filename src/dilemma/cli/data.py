"""``dilemma data``: fetch public data sets, or import local copies, into the cache."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any


def add_parser(subparsers: Any) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "data",
        help="fetch or import the data sets of the paper",
        description="Fetch public data sets once, with their sums checked, or import local copies.",
    )
    parser.set_defaults(func=run)
    kinds = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    listing = kinds.add_parser("list", help="what there is, and what is in the cache")
    fetching = kinds.add_parser("fetch", help="download what is missing (needs pooch: the 'data' extra)")
    importing = kinds.add_parser("import", help="read local files, and copy them into the cache")
    for one in (fetching, importing):
        one.add_argument("name", nargs="+", help="mnist, fashion-mnist, ecp2011 or knapsack")
    fetching.add_argument(
        "--from", dest="origin", type=Path, metavar="DIR", help="import instead of download"
    )
    importing.add_argument(
        "--from", dest="origin", type=Path, metavar="DIR", required=True, help="local files"
    )
    for one in (listing, fetching, importing):
        one.add_argument(
            "--to", type=Path, metavar="DIR", help="cache folder (default: $DILEMMA_DATA, or the user's)"
        )


def run(args: argparse.Namespace) -> int:
    """Run the subcommand."""
    from dilemma.data.fetch import cache_folder, fetch, import_local
    from dilemma.data.sources import SOURCES, source

    folder: Path = args.to or cache_folder()
    if args.action == "list":
        print(f"cache: {folder}")
        for one in SOURCES.values():
            held = sorted(p.name for p in (folder / one.name).glob("*") if p.is_file())
            print(f"\n{one.name}: {one.title}\n  import: {one.imports}")
            print(f"  in the cache: {', '.join(held) if held else 'nothing'}")
            if one.note:
                print(f"  {one.note}")
        return 0
    for one in [source(name) for name in args.name]:
        local = args.origin is not None
        paths = import_local(one, args.origin, folder, say=print) if local else fetch(one, folder, say=print)
        print(f"{one.name}: {len(paths)} files in {folder / one.name}")
    return 0
