"""Runs one tool on one instance, in a process of its own: ``python generic_worker.py TOOL INSTANCE BUDGET SEED``.

TOOL names a module ``generic_TOOL.py`` with a function ``solve(family, data, run)``. Every better answer is printed
at once as a line of JSON with the processor time it took, so that nothing is lost when the budget ends: the kernel
ends the process then, whatever the tool is doing. The clock starts when the tool is imported and the instance read.
"""

from __future__ import annotations

import importlib
import json
import math
import random
import signal
import sys
import time
from pathlib import Path
from typing import Any

GRACE = 0.02  # of the budget, for what is on its way when it ends; later answers do not count


class Run:
    """What an adapter may ask, and where it reports.

    Attributes
    ----------
    budget : float
        Processor seconds.
    seed : int
        For the tool's random numbers.
    best : float
        The least energy reported.
    """

    def __init__(self, budget: float, seed: int) -> None:
        self.budget, self.seed, self.best = budget, seed, math.inf
        self._start = time.process_time()

    def used(self) -> float:
        """Processor seconds since the start, all threads together."""
        return time.process_time() - self._start

    def left(self) -> float:
        """Processor seconds of the budget that are left."""
        return self.budget - self.used()

    def report(self, energy: float, answer: Any) -> None:
        """Tell of an answer; only better ones are written. `answer` may be a function that makes it."""
        if energy < self.best:
            self.best = energy
            made = answer() if callable(answer) else answer
            print(
                json.dumps({"cpu": self.used(), "energy": float(energy), "answer": plain(made)}), flush=True
            )


def plain(answer: Any) -> Any:
    """Return an answer as lists of ints."""
    return [plain(a) for a in answer] if hasattr(answer, "__iter__") else int(answer)


def main() -> None:
    """Run the tool."""
    tool, path, budget, seed = sys.argv[1], Path(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])
    module = importlib.import_module(f"generic_{tool}")
    instance = json.loads(path.read_text())
    random.seed(seed)
    signal.setitimer(signal.ITIMER_PROF, budget * (1 + GRACE))  # SIGPROF ends the process
    module.solve(instance["family"], instance["data"], Run(budget, seed))
    print(json.dumps({"done": time.process_time()}), flush=True)


if __name__ == "__main__":
    main()
