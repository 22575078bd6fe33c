"""Turn any greedy heuristic into an anytime search.

Four methods describe a problem; `minimize` improves its greedy for as long as you let it run:

>>> import dilemma
>>> class Coins:
...     commutative = True
...     def initial(self): return ()
...     def actions(self, state): return [(c, c) for c in (7, 5, 4) if sum(state) + c <= 13]
...     def apply(self, state, action): return (*state, action)
...     def energy(self, state): return 13 - sum(state)
>>> result = dilemma.minimize(Coins())
>>> result.greedy_energy, result.energy, result.optimal
(1.0, 0.0, True)

The subpackages `knapsack`, `problems`, `tree`, `strategies`, `data`, `likelihood` and `testing` are imported when
they are first used: ``dilemma.knapsack.solve(...)`` needs no further import.
"""

from importlib import import_module
from types import ModuleType

from dilemma.check import Report, check_problem
from dilemma.compare import Comparison, compare
from dilemma.errors import DilemmaError, FormatError, ProblemError, WorkerError
from dilemma.problem import Problem
from dilemma.result import Result, Trace
from dilemma.search import Event, Search, minimize, search
from dilemma.stop import StopReason

__version__ = "0.1.0"

_LAZY = ("data", "knapsack", "likelihood", "problems", "strategies", "testing", "tree")

__all__ = [
    "Comparison",
    "DilemmaError",
    "Event",
    "FormatError",
    "Problem",
    "ProblemError",
    "Report",
    "Result",
    "Search",
    "StopReason",
    "Trace",
    "WorkerError",
    "check_problem",
    "compare",
    "minimize",
    "search",
]


def __getattr__(name: str) -> ModuleType:
    if name in _LAZY:
        return import_module(f"dilemma.{name}")
    raise AttributeError(f"module 'dilemma' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})
