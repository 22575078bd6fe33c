"""Runs that are whole: what Ctrl-C cut short is the user's best so far, and no record of a method."""

from __future__ import annotations

from typing import Any

from dilemma.result import Result
from dilemma.search import minimize as stoppable
from dilemma.stop import StopReason


def minimize(problem: Any, **options: Any) -> Result:
    """Return `dilemma.minimize`'s result, but let Ctrl-C through."""
    result = stoppable(problem, **options)
    if result.stop_reason is StopReason.INTERRUPTED:
        raise KeyboardInterrupt
    return result


def run_tree(tree_search: Any, **limits: Any) -> None:
    """Let a tree search go on within some limits, and let Ctrl-C through."""
    tree_search.run(**limits)
    if tree_search.stop_reason == "interrupt":
        raise KeyboardInterrupt
