"""What all phases of one run share: budgets, the incumbent, the trace (twin of ``knapsack_run.hpp``)."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import perf_counter

STOPS = ("none", "time_limit", "interrupted", "max_iter", "target")


@dataclass
class Run:
    """Budgets, incumbent and trace of one run."""

    time_limit: float = -1.0  # seconds; negative: none
    max_iter: int = -1  # negative: none
    target: int | None = None
    trace_all: bool = False
    start: float = field(default_factory=perf_counter)
    stop: str = "none"
    iterations: int = 0
    nodes: int = 0
    best: int = -1
    trace: list[tuple[int, int, float, int]] = field(default_factory=list)

    def candidate(self, value: int) -> bool:
        """Count one candidate; return whether it is the new best."""
        self.iterations += 1
        better = value > self.best
        if better:
            self.best = value
        if better or self.trace_all:
            self.trace.append((self.iterations, self.nodes, perf_counter() - self.start, value))
        if self.stop == "none":
            if self.target is not None and self.best >= self.target:
                self.stop = "target"
            elif 0 <= self.max_iter <= self.iterations:
                self.stop = "max_iter"
        return better

    def poll(self) -> bool:
        """Look at the clock; return whether the run has to stop."""
        if self.stop == "none" and 0 <= self.time_limit <= perf_counter() - self.start:
            self.stop = "time_limit"
        return self.stop != "none"
