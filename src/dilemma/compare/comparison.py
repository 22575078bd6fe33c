"""What a comparison found: plain data with a versioned JSON form, and the questions it answers."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dilemma.compare import analysis, table
from dilemma.compare.measures import AXES, Axis, Curve, gap, primal_integral
from dilemma.compare.profiles import Profile
from dilemma.encoding import decode, encode, read_document
from dilemma.errors import FormatError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SCHEMA = "dilemma.comparison"
SCHEMA_VERSION = 1
BUDGETS: dict[Axis, str] = {"seconds": "time_limit", "nodes": "max_nodes", "iterations": "max_iter"}


@dataclass(frozen=True)
class Outcome:
    """One run.

    Attributes
    ----------
    problem, strategy, seed : str, str, int
        Which run.
    energy, greedy_energy, bound, optimal, stop_reason, iterations, nodes, seconds
        As in `dilemma.Result`; ``seconds`` is its ``runtime``.
    cpu_seconds : float
        Processor time of the run (without worker processes).
    order : int
        When the run was made: 0 first.
    repeated : bool
        A copy of the run with the first seed: the strategy draws nothing and the budget counts steps.
    error : str or None
        What went wrong, if the run failed and ``on_error="record"``; its energy is then inf.
    curve : Curve
        The incumbent against effort.
    """

    problem: str
    strategy: str
    seed: int
    energy: float
    greedy_energy: float
    bound: float
    optimal: bool
    stop_reason: str
    iterations: int
    nodes: int
    seconds: float
    cpu_seconds: float
    order: int
    repeated: bool = False
    error: str | None = None
    curve: Curve = field(default_factory=Curve, repr=False, compare=False)


@dataclass(frozen=True)
class Comparison:
    """The runs of `dilemma.compare`, and what follows from them.

    Printing it shows the table. `rows` are tidy, `to_frame` makes a data frame of them.

    Attributes
    ----------
    problems, strategies, seeds : tuple
        What was compared, in the order given.
    budget : dict
        ``time_limit``, ``max_nodes`` and ``max_iter``, None where not given.
    best_known : dict of str to float
        Per problem, where it was given.
    baseline : str
        The strategy others are counted against.
    outcomes : tuple of Outcome
        Every run, in the order made.
    interrupted : bool
        Whether Ctrl-C ended it early. Only problems and seeds every strategy finished count in averages.
    environment : dict
        Versions and machine.
    """

    problems: tuple[str, ...]
    strategies: tuple[str, ...]
    seeds: tuple[int, ...]
    budget: dict[str, float | None]
    best_known: dict[str, float]
    baseline: str
    outcomes: tuple[Outcome, ...] = field(repr=False)
    interrupted: bool = False
    environment: dict[str, str] = field(default_factory=dict, repr=False)

    # -- the runs ----------------------------------------------------------------------------------------

    @property
    def axis(self) -> Axis:
        """What the budget counts: seconds, nodes or iterations, the first that was given."""
        return next((a for a in AXES if self.budget.get(BUDGETS[a]) is not None), "iterations")

    @cached_property
    def runs(self) -> dict[tuple[str, int, str], Outcome]:
        """Every run by (problem, seed, strategy)."""
        return {(o.problem, o.seed, o.strategy): o for o in self.outcomes}

    @cached_property
    def blocks(self) -> list[tuple[str, int]]:
        """Every (problem, seed) that all strategies finished: only these can be compared."""
        return [
            (p, s)
            for p in self.problems
            for s in self.seeds
            if all((p, s, name) in self.runs for name in self.strategies)
        ]

    @cached_property
    def references(self) -> dict[str, float]:
        """Per problem the energy that gaps are measured from: the best known, or else the best found."""
        found: dict[str, float] = dict.fromkeys(self.problems, math.inf)
        for outcome in self.outcomes:
            found[outcome.problem] = min(found[outcome.problem], outcome.energy)
        return {**found, **self.best_known}

    def effort(self, outcome: Outcome) -> float:
        """Return the budget of a run on `axis`; without one, what the longest run of its problem took."""
        limit = self.budget.get(BUDGETS[self.axis])
        if limit is not None:
            return float(limit)
        return float(max(getattr(o, self.axis) for o in self.outcomes if o.problem == outcome.problem))

    def gap(self, outcome: Outcome) -> float:
        """Return a run's gap to the reference of its problem, as a share of it."""
        return gap(outcome.energy, self.references[outcome.problem])

    def integral(self, outcome: Outcome) -> float:
        """Return a run's primal integral as a share of the budget: the mean gap over it, between 0 and 1."""
        reference = self.references[outcome.problem]
        return primal_integral(outcome.curve, reference, self.effort(outcome), self.axis)

    @property
    def rows(self) -> list[dict[str, Any]]:
        """One dict a run: all of `Outcome` but the curve, with reference, gap and primal integral."""
        names = [f.name for f in fields(Outcome) if f.name != "curve"]
        return [
            {
                **{name: getattr(outcome, name) for name in names},
                "reference": self.references[outcome.problem],
                "gap": self.gap(outcome),
                "primal_integral": self.integral(outcome),
            }
            for outcome in self.outcomes
        ]

    def __iter__(self) -> Iterator[Outcome]:
        return iter(self.outcomes)

    def __len__(self) -> int:
        return len(self.outcomes)

    # -- what follows from them --------------------------------------------------------------------------

    def summary(self) -> list[analysis.Row]:
        """Return one row a strategy: gaps, primal integral, rank, wins and losses; see `analysis.Row`."""
        return analysis.summary(self)

    def versus(
        self, strategy: str, baseline: str | None = None, *, unit: str = "auto", test: str = "wilcoxon"
    ) -> analysis.Versus:
        """Return wins, ties and losses of a strategy against another, with a paired test.

        Parameters
        ----------
        strategy, baseline : str
            Who against whom; the comparison's baseline by default.
        unit : {"auto", "problem", "run"}
            What makes a pair. Runs of one problem with several seeds are not independent evidence about
            other problems, so pairs are problems (gaps averaged over seeds), unless there is only one.
        test : {"wilcoxon", "sign"}
            Signed ranks of the gaps' differences, or their signs alone.
        """
        return analysis.versus(self, strategy, baseline, unit=unit, test=test)

    def performance_profile(self, *, within: float = 0.01, axis: Axis | None = None) -> Profile:
        """Return Dolan and Moré's profile of the effort until the gap is at most `within` (1 %)."""
        return analysis.time_profile(self, within, axis)

    def gap_profile(self) -> Profile:
        """Return, per strategy, the share of runs whose final gap is at most x."""
        return analysis.gap_profile(self)

    def curves(self, *, axis: Axis | None = None, points: int = 200) -> dict[str, list[float]]:
        """Return the mean primal gap at efforts spaced evenly on a log scale: ``{axis: [...], name: [...]}``."""
        return analysis.curves(self, axis, points)

    def table(self, by: str = "strategy", *, markdown: bool = False) -> str:
        """Return a table to print: one line a strategy, or with ``by="problem"`` one line a problem."""
        return table.render(self, by, markdown=markdown)

    def __str__(self) -> str:
        return self.table()

    def plot(self, path: str | Path | None = None) -> Figure:
        """Draw anytime curves, the performance profile and the gaps; needs matplotlib."""
        from dilemma.report.figures import plot_comparison

        return plot_comparison(self, path)

    def report(self, path: str | Path, *, title: str | None = None) -> Path:
        """Write a page about the comparison, one HTML file that needs no network; return its path."""
        from dilemma.report.page import comparison_page, write

        return write(comparison_page(self, title=title), path)

    # -- in and out --------------------------------------------------------------------------------------

    def to_frame(self, kind: str | None = None) -> Any:
        """Return `rows` as a data frame of pandas or polars: `kind`, or whichever is installed."""
        return table.frame(self.rows, kind)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data that JSON can hold."""
        return {
            "schema": SCHEMA,
            "version": SCHEMA_VERSION,
            "problems": list(self.problems),
            "strategies": list(self.strategies),
            "seeds": list(self.seeds),
            "budget": self.budget,
            "best_known": {name: encode(value) for name, value in self.best_known.items()},
            "baseline": self.baseline,
            "interrupted": self.interrupted,
            "environment": self.environment,
            "outcomes": [
                {f.name: encode(getattr(o, f.name)) for f in fields(Outcome) if f.name != "curve"}
                | {"curve": o.curve.to_dict()}
                for o in self.outcomes
            ],
        }

    def to_json(self, path: str | Path | None = None, *, indent: int | None = None) -> str:
        """Return the comparison as JSON, and write it to `path` if one is given."""
        text = json.dumps(self.to_dict(), allow_nan=False, indent=indent)
        if path is not None:
            Path(path).write_text(text, encoding="utf-8")
        return text

    @classmethod
    def from_json(cls, source: str | Path) -> Comparison:
        """Read what `to_json` wrote: a path to a file, or the text itself."""
        return cls.from_dict(read_document(source, "comparison"))

    @classmethod
    def from_dict(cls, data: Any) -> Comparison:
        """Return the comparison whose `to_dict` this is."""
        if not isinstance(data, dict) or data.get("schema") != SCHEMA:
            raise FormatError(
                f"comparison: expected an object with schema {SCHEMA!r}; this is some other JSON"
            )
        if data.get("version") != SCHEMA_VERSION:
            raise FormatError(
                f"comparison: expected version {SCHEMA_VERSION}, got {data.get('version')!r}; "
                f"read it with the version of dilemma that wrote it"
            )
        try:
            made = cls(
                problems=tuple(map(str, data["problems"])),
                strategies=tuple(map(str, data["strategies"])),
                seeds=tuple(map(int, data["seeds"])),
                budget={k: None if v is None else _limit(v) for k, v in data["budget"].items()},
                best_known={str(k): float(decode(v)) for k, v in data["best_known"].items()},
                baseline=str(data["baseline"]),
                outcomes=tuple(_outcome(row) for row in data["outcomes"]),
                interrupted=bool(data["interrupted"]),
                environment={str(k): str(v) for k, v in data["environment"].items()},
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise FormatError(f"comparison: malformed field ({type(error).__name__}: {error})") from None
        strays = {o.problem for o in made} - set(made.problems) | {o.strategy for o in made} - set(
            made.strategies
        )
        if strays or made.baseline not in made.strategies:
            raise FormatError(
                f"comparison: runs of problems or strategies it does not list: {sorted(strays)}"
            )
        return made


def _limit(value: Any) -> float:
    """A budget as it was written: whole numbers stay whole."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"budget: expected a number, got {value!r}")
    return value


_KINDS: dict[str, Any] = {"int": int, "float": float, "bool": bool, "str": str}


def _outcome(row: dict[str, Any]) -> Outcome:
    values: dict[str, Any] = {}
    for f in fields(Outcome):
        if f.name == "curve":
            values[f.name] = Curve.from_dict(row["curve"])
        elif f.name == "error":
            values[f.name] = None if row["error"] is None else str(row["error"])
        else:
            values[f.name] = _KINDS[str(f.type)](decode(row[f.name]))
    return Outcome(**values)
