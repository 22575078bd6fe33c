"""What a run returns: plain data, with a versioned JSON form."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dilemma.encoding import decode, encode, read_document
from dilemma.errors import FormatError
from dilemma.stop import StopReason
from dilemma.trace import Trace, TraceRow

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from dilemma.compare.measures import Axis

__all__ = ["Result", "Trace", "TraceRow"]

SCHEMA = "dilemma.result"
SCHEMA_VERSION = 1


@dataclass(slots=True, eq=False)
class Result:
    """The best solution found, and how it was found.

    Attributes
    ----------
    solution : Any
        The best complete state.
    actions : tuple
        The actions that lead to it; if it was polished and the problem cannot tell its decisions, those that lead
        to what was polished.
    energy : float
        Its energy, lower is better.
    greedy_energy : float
        The energy of the plain greedy's solution. Where the problem has a `polish`, candidate 0 is that solution
        polished, and may already be better.
    bound : float
        No solution is below this; ``-inf`` when nothing is known.
    optimal : bool
        Whether `energy` is proved to be the least possible.
    stop_reason : StopReason
        Why the run ended; ``stop_reason.advice`` says what to do next.
    iterations, nodes, distinct : int
        Candidates evaluated, decisions taken, and different solutions among the candidates.
    runtime : float
        Seconds since the call.
    trace : Trace
        Every candidate.
    strategy : str
        The name of the strategy.
    random_state : int or None
        The seed, if one was given.
    names : tuple of str or None
        The actions' names, when the problem describes them.
    """

    solution: Any
    actions: tuple[Any, ...]
    energy: float
    greedy_energy: float
    bound: float
    optimal: bool
    stop_reason: StopReason
    iterations: int
    nodes: int
    distinct: int
    runtime: float
    trace: Trace = field(repr=False)
    strategy: str = ""
    random_state: int | None = None
    names: tuple[str, ...] | None = field(default=None, repr=False)

    @property
    def improvement(self) -> float:
        """How much energy was saved over the greedy: at least 0, in the energy's own units."""
        if self.energy == self.greedy_energy:
            return 0.0
        return self.greedy_energy - self.energy

    @property
    def gap(self) -> float:
        """Relative distance to the bound, abs(energy − bound) / abs(energy); 0 when proved, inf when unknown."""
        if self.optimal or self.energy == self.bound:
            return 0.0
        if not math.isfinite(self.bound) or self.energy == 0:
            return math.inf
        return abs(self.energy - self.bound) / abs(self.energy)

    def __eq__(self, other: object) -> bool:
        """Return whether all fields are equal; arrays in the solution are compared by what they hold."""
        return isinstance(other, Result) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        proof = "proved optimal" if self.optimal else f"bound {self.bound:.10g}"
        return (
            f"energy {self.energy:.10g} ({proof}); greedy {self.greedy_energy:.10g}, improved by "
            f"{self.improvement:.10g}\n{self.iterations} candidates, {self.nodes} decisions, "
            f"{self.runtime:.3g} s; strategy {self.strategy}\nstopped: {self.stop_reason.value}. "
            f"{self.stop_reason.advice}"
        )

    def plot(self, path: str | Path | None = None, *, axis: Axis = "iterations", ax: Any = None) -> Figure:
        """Draw the candidates and the best so far, and save the picture if a path is given.

        Parameters
        ----------
        path : str or Path, optional
            Where to save it; the suffix says how (``.png``, ``.svg``, ``.pdf``).
        axis : {"iterations", "nodes", "seconds"}
            Against what.
        ax : matplotlib Axes, optional
            Draw into these instead of a new figure.
        """
        from dilemma.report.figures import plot_result

        return plot_result(self, path, axis=axis, ax=ax)

    def report(self, path: str | Path, *, title: str | None = None) -> Path:
        """Write a page about the run, one HTML file that needs neither network nor scripts; return its path."""
        from dilemma.report.page import result_page, write

        return write(result_page(self, title=title), path)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data that JSON can hold; see `to_json`."""
        return {
            "schema": SCHEMA,
            "version": SCHEMA_VERSION,
            "solution": encode(self.solution),
            "actions": encode(list(self.actions)),
            "energy": encode(self.energy),
            "greedy_energy": encode(self.greedy_energy),
            "bound": encode(self.bound),
            "optimal": self.optimal,
            "stop_reason": self.stop_reason.value,
            "iterations": self.iterations,
            "nodes": self.nodes,
            "distinct": self.distinct,
            "runtime": self.runtime,
            "strategy": self.strategy,
            "random_state": self.random_state,
            "names": None if self.names is None else list(self.names),
            "trace": self.trace.to_dict(),
        }

    def to_json(self, path: str | Path | None = None, *, indent: int | None = None) -> str:
        """Return the result as JSON, and write it to `path` if one is given.

        Tuples, sets and NumPy arrays come back as they were. Other objects are kept as their ``repr`` and
        come back as `dilemma.encoding.Opaque`: nothing is executed on loading.
        """
        text = json.dumps(self.to_dict(), allow_nan=False, indent=indent)
        if path is not None:
            Path(path).write_text(text, encoding="utf-8")
        return text

    @classmethod
    def from_json(cls, source: str | Path) -> Result:
        """Read what `to_json` wrote: a path to a file, or the text itself."""
        return cls.from_dict(read_document(source, "result"))

    @classmethod
    def from_dict(cls, data: Any) -> Result:
        """Return the result whose `to_dict` this is."""
        if not isinstance(data, dict) or data.get("schema") != SCHEMA:
            raise FormatError(f"result: expected an object with schema {SCHEMA!r}; this is some other JSON")
        if data.get("version") != SCHEMA_VERSION:
            raise FormatError(
                f"result: expected version {SCHEMA_VERSION}, got {data.get('version')!r}; "
                f"read it with the version of dilemma that wrote it"
            )
        try:
            return cls(
                solution=decode(data["solution"]),
                actions=tuple(decode(data["actions"])),
                energy=float(decode(data["energy"])),
                greedy_energy=float(decode(data["greedy_energy"])),
                bound=float(decode(data["bound"])),
                optimal=bool(data["optimal"]),
                stop_reason=StopReason(data["stop_reason"]),
                iterations=int(data["iterations"]),
                nodes=int(data["nodes"]),
                distinct=int(data["distinct"]),
                runtime=float(data["runtime"]),
                strategy=str(data["strategy"]),
                random_state=data["random_state"],
                names=None if data["names"] is None else tuple(map(str, data["names"])),
                trace=Trace.from_dict(data["trace"]),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise FormatError(f"result: malformed field ({type(error).__name__}: {error})") from None
