"""Where rollouts are grown: here, in a process pool, or through any ``concurrent.futures``-like executor.

All give the same rollouts in the same order; only the time differs.
"""

from dilemma.executors.inline import Inline
from dilemma.executors.processes import Futures, Processes, executor_for

__all__ = ["Futures", "Inline", "Processes", "executor_for"]
