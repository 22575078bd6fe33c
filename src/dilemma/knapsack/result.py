"""What `solve` returns: the best choice, what is known about it, and its JSON form."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dilemma.encoding import read_document
from dilemma.errors import FormatError

from .instance import Number

if TYPE_CHECKING:
    import os

    import numpy.typing as npt

SCHEMA = "dilemma.knapsack"
SCHEMA_VERSION = 1

ADVICE = {
    "optimal": "No better choice exists: nothing is left to do.",
    "time_limit": "The time limit was reached: raise time_limit to go on.",
    "max_iter": "The candidates allowed were used: raise max_iter to go on.",
    "target": "The target was reached: raise it, or leave it out, to go on.",
    "interrupted": "Interrupted: this is the best choice so far.",
    "stalled": "The widest exact pass could not close the gap: raise max_states (memory), or give a time_limit "
    "to let the search go on.",
}


class TraceRow(NamedTuple):
    """One candidate: the greedy, each improvement, or each one of all with ``trace="all"``."""

    iteration: int  # 1 is the greedy
    nodes: int
    seconds: float
    value: Number


@dataclass(frozen=True, eq=False)
class KnapsackResult:
    """The best choice found and what is known about it.

    Attributes
    ----------
    items : numpy.ndarray
        Indices of the chosen items, ascending.
    value, weight : number
        Exact sums over them, rounded once for floats.
    greedy_value : number
        What the plain greedy (best value per weight that fits) reaches: candidate 1.
    bound : number
        No choice is worth more.
    optimal : bool
        Whether `value` is proved to be the most possible.
    stop_reason : str
        ``"optimal"``, ``"time_limit"``, ``"max_iter"``, ``"target"``, ``"interrupted"`` or ``"stalled"``.
    iterations : int
        Completed solutions evaluated.
    nodes : int
        Decisions reversed and core states kept.
    runtime : float
        Seconds since the call, set-up included.
    kernel : str
        ``"native64"``, ``"native128"`` or ``"python"``.
    trace : list of TraceRow
    """

    items: npt.NDArray[np.int64]
    value: Number
    weight: Number
    greedy_value: Number
    bound: Number
    optimal: bool
    stop_reason: str
    iterations: int
    nodes: int
    runtime: float
    kernel: str
    trace: list[TraceRow] = field(repr=False)

    @property
    def gap(self) -> float:
        """How far `value` can be from the optimum, as a part of `bound`: 0.0 when proved."""
        if self.optimal or self.bound == 0:
            return 0.0
        return float((self.bound - self.value) / self.bound)  # type: ignore[operator]

    @property
    def improvement(self) -> Number:
        """What was gained over the greedy."""
        return self.value - self.greedy_value  # type: ignore[operator]

    @property
    def advice(self) -> str:
        """What to do next, in a sentence."""
        return ADVICE[self.stop_reason]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON; Decimal and Fraction become strings."""
        out: dict[str, Any] = {"schema": SCHEMA, "schema_version": SCHEMA_VERSION}
        for name in ("value", "weight", "greedy_value", "bound"):
            out[name] = _plain(getattr(self, name))
        for name in ("optimal", "stop_reason", "iterations", "nodes", "runtime", "kernel"):
            out[name] = getattr(self, name)
        out["items"] = self.items.tolist()
        out["trace"] = [[r.iteration, r.nodes, r.seconds, _plain(r.value)] for r in self.trace]
        return out

    def to_json(self, path: str | os.PathLike[str]) -> None:
        """Write `to_dict` to a file."""
        fields = (f" {json.dumps(key)}: {json.dumps(value)}" for key, value in self.to_dict().items())
        Path(path).write_text("{\n" + ",\n".join(fields) + "\n}\n", encoding="utf-8")

    @classmethod
    def from_json(cls, source: str | Path) -> KnapsackResult:
        """Read what `to_json` wrote: a path to a file, or the text itself."""
        return cls.from_dict(read_document(source, "knapsack result"))

    @classmethod
    def from_dict(cls, data: Any) -> KnapsackResult:
        """Return the result whose `to_dict` this is."""
        if not isinstance(data, dict) or data.get("schema") != SCHEMA:
            raise FormatError(
                f"knapsack result: expected an object with schema {SCHEMA!r}; this is some other JSON"
            )
        if data.get("schema_version") != SCHEMA_VERSION:
            raise FormatError(
                f"knapsack result: expected schema_version {SCHEMA_VERSION}, got {data.get('schema_version')!r}; "
                f"read it with the version of dilemma that wrote it"
            )
        try:
            numbers = {name: _number(data[name]) for name in ("value", "weight", "greedy_value", "bound")}
            return cls(
                items=np.array([int(i) for i in data["items"]], dtype=np.int64),
                **numbers,
                optimal=bool(data["optimal"]),
                stop_reason=str(data["stop_reason"]),
                iterations=int(data["iterations"]),
                nodes=int(data["nodes"]),
                runtime=float(data["runtime"]),
                kernel=str(data["kernel"]),
                trace=[TraceRow(int(i), int(n), float(s), _number(v)) for i, n, s, v in data["trace"]],
            )
        except (KeyError, TypeError, ValueError, ArithmeticError) as error:
            raise FormatError(f"knapsack result: malformed field ({type(error).__name__}: {error})") from None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, KnapsackResult) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]


def _plain(number: Number) -> int | float | str:
    if isinstance(number, Fraction):
        return f"{number.numerator}/{number.denominator}"
    return number if isinstance(number, (int, float)) else str(number)


def _number(plain: object) -> Number:
    if isinstance(plain, str):
        return Fraction(plain) if "/" in plain else Decimal(plain)
    if isinstance(plain, bool) or not isinstance(plain, (int, float)):
        raise TypeError(f"expected a number, got {type(plain).__name__}")
    return plain
