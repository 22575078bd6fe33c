"""Knapsack: the paper's first problem, from the readable greedy to a solver that proves its optima."""

from .formats import FORMATS, read, write
from .generators import CLASSES, generate
from .instance import Instance
from .kernel import kernel
from .problem import Knapsack
from .result import KnapsackResult, TraceRow
from .solver import solve, solve_instance

__all__ = [
    "CLASSES",
    "FORMATS",
    "Instance",
    "Knapsack",
    "KnapsackResult",
    "TraceRow",
    "generate",
    "kernel",
    "read",
    "solve",
    "solve_instance",
    "write",
]
