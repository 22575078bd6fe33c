"""Figure 2: a search tree drawn step by step, from a real run on a small problem.

Four jobs go to two machines, in the order given; the first is on machine A. P(A|S) is proportional to one over
the load a machine would have; the energy is the larger load. The greedy ends at 10; the first dilemma revisited
leads to the optimum, 9.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from dilemma.experiments.drawing import GREEN, GREY, INK, LIGHT, RED, new_figure, title
from dilemma.experiments.whole import minimize
from dilemma.likelihood import p_opt, p_opt_partial
from dilemma.strategies import DilemmaFirst

JOBS = (3, 4, 5, 6)
Path = tuple[str, ...]


class TwoMachines:
    """Jobs one after the other, each on machine A or B."""

    normalise = "proportional"

    def __init__(self, jobs: tuple[int, ...] = JOBS) -> None:
        self.jobs = jobs

    def initial(self) -> Path:
        return ("A",)

    def actions(self, state: Path) -> list[tuple[str, float]]:
        if len(state) == len(self.jobs):
            return []
        return [(m, 1.0 / (self.load(state, m) + self.jobs[len(state)])) for m in "AB"]

    def apply(self, state: Path, action: str) -> Path:
        return (*state, action)

    def energy(self, state: Path) -> float:
        return float(max(self.load(state, "A"), self.load(state, "B")))

    def load(self, state: Path, machine: str) -> int:
        """Return the sum of the jobs on a machine."""
        return sum(job for job, where in zip(self.jobs, state, strict=False) if where == machine)


class _Recording(TwoMachines):
    """The same, noting every complete state whose energy was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.candidates: list[Path] = []

    def energy(self, state: Path) -> float:
        self.candidates.append(state)
        return super().energy(state)


@dataclass(frozen=True)
class Frame:
    """One picture: what is explored, and where the search turns next.

    Attributes
    ----------
    title : str
        What has happened.
    explored : frozenset of states
        States the search stood in, and leaves it evaluated.
    latest : state or None
        The candidate grown last.
    dilemma : state or None
        The state to be revisited next.
    """

    title: str
    explored: frozenset[Path]
    latest: Path | None
    dilemma: Path | None


def frames() -> list[Frame]:
    """Return the steps of a run to the end."""
    problem = _Recording()
    minimize(problem, strategy=DilemmaFirst(gap="log"))
    candidates = problem.candidates
    found = [Frame("Nothing explored: only the root is known", frozenset(), None, None)]
    explored: set[Path] = set()
    best = math.inf
    for number, leaf in enumerate(candidates):
        branch = _branch(leaf, explored)
        if number:
            found.append(
                Frame(
                    f"{number}. The dilemma: {_name(branch)}",
                    frozenset(explored),
                    candidates[number - 1],
                    branch,
                )
            )
        explored |= {leaf[:k] for k in range(1, len(leaf) + 1)}
        energy = problem.load(leaf, "A"), problem.load(leaf, "B")
        improved = max(energy) < best
        best = min(best, max(energy))
        what = "The greedy candidate" if not number else f"{number}. Its next-best action, then greedily on"
        told = "the best so far" if improved else f"not better than {best}"
        found.append(Frame(f"{what}: energy {max(energy)}, {told}", frozenset(explored), leaf, None))
    return found


def _branch(leaf: Path, explored: set[Path]) -> Path:
    """Return the deepest explored state on the way to a leaf."""
    return max((leaf[:k] for k in range(1, len(leaf)) if leaf[:k] in explored), key=len, default=leaf[:1])


def _name(state: Path) -> str:
    return "where job 2 goes" if len(state) == 1 else f"jobs on {' '.join(state)}, where does the next go?"


def draw(frame: Frame, axis: Any) -> None:
    """Draw one step."""
    problem = TwoMachines()
    depth = len(JOBS) - 1
    axis.set_axis_off()
    axis.set_xlim(-1.1, 2**depth - 0.5)
    axis.set_ylim(-depth - 0.95, 0.55)
    title(axis, frame.title)
    for height, text in ((0.3, "P_opt"), (0.52, "E")):
        axis.text(-0.45, -depth - height, text, fontsize=8, color=GREY, ha="right")
    stack: list[Path] = [("A",)]
    while stack:
        state = stack.pop()
        x, y = _place(state, depth)
        if len(state) <= depth:
            offer = problem.actions(state)
            total = sum(score for _, score in offer)
            for action, score in offer:
                child = (*state, action)
                stack.append(child)
                cx, cy = _place(child, depth)
                walked = state in frame.explored
                taken = frame.latest is not None and frame.latest[: len(child)] == child
                axis.plot(
                    [x, cx],
                    [y, cy],
                    color=INK if taken else GREY if walked else LIGHT,
                    lw=2 if taken else 1,
                    zorder=1,
                )
                if walked:  # P is known in explored states only
                    box = {"fc": "white", "ec": "none", "pad": 0.6}
                    where = {"ha": "center", "va": "center", "zorder": 2, "bbox": box}
                    axis.text(
                        (x + cx) / 2, (y + cy) / 2, f"{score / total:.2f}", fontsize=8, color=INK, **where
                    )
        _draw_state(axis, frame, problem, state, depth)


def _draw_state(axis: Any, frame: Frame, problem: TwoMachines, state: Path, depth: int) -> None:
    x, y = _place(state, depth)
    known, leaf = state in frame.explored, len(state) == depth + 1
    turning = state == frame.dilemma
    marker = "s" if turning else "o"
    face = GREEN if known else "white"
    axis.scatter([x], [y], s=340 if turning else 290, marker=marker, facecolor=face, zorder=3, lw=1.4,
                 edgecolor=RED if turning else INK if known else GREY)  # fmt: skip
    loads = f"{problem.load(state, 'A')}|{problem.load(state, 'B')}"
    if known:  # blank where unexplored
        axis.text(x, y, loads, fontsize=6.2, ha="center", va="center", color="white", zorder=4)
    if leaf:
        p = _likelihood(problem, state, frame.explored, depth)
        axis.text(x, y - 0.3, f"{p:.3f}", fontsize=8, ha="center", color=INK)
        if known:
            weight = "bold" if state == frame.latest else "normal"
            axis.text(
                x, y - 0.52, f"{problem.energy(state):.0f}", fontsize=8, ha="center", color=INK, weight=weight
            )


def _likelihood(problem: TwoMachines, leaf: Path, explored: frozenset[Path], depth: int) -> float:
    """Return Eq. 1 of a leaf whose path is explored, Eq. 2 otherwise."""
    along = []
    for k in range(1, depth + 1):
        if leaf[:k] not in explored:
            break
        offer = dict(problem.actions(leaf[:k]))
        along.append(offer[leaf[k]] / sum(offer.values()))
    return p_opt(along) if len(along) == depth else p_opt_partial(along, depth=depth, branching=2)


def _place(state: Path, depth: int) -> tuple[float, float]:
    """Return where a state is drawn: leaves side by side, parents above their middle."""
    index = sum(2 ** (depth - k - 1) for k, action in enumerate(state[1:]) if action == "B")
    return index + (2 ** (depth - len(state) + 1) - 1) / 2, -float(len(state) - 1)


def strip(chosen: list[Frame]) -> Any:
    """Return some steps, two a row: what the paper's three pictures show."""
    rows = (len(chosen) + 1) // 2
    figure, axes = new_figure(12.5, 4.1 * rows, rows, 2)
    for frame, axis in zip_longest(chosen, axes.ravel()):
        if frame is None:
            axis.set_axis_off()
        else:
            draw(frame, axis)
    return figure


def single(frame: Frame) -> Any:
    """Return one step as a figure."""
    figure, axis = new_figure(6.4, 4.2, layout=None)
    axis.set_position((0.01, 0.0, 0.98, 0.93))
    draw(frame, axis)
    return figure
