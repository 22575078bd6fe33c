"""Where the large-neighbourhood search stands: a solution's decisions, the states between, the alternatives."""

from __future__ import annotations

from itertools import islice
from typing import Any, TypeAlias

import numpy as np

from dilemma.likelihood import Likelihood
from dilemma.problem import Action, Model, State, offered
from dilemma.ranking import ranked

TOP = 12  # alternatives looked at in one state
REFRESH = 16  # uses of a remembered ranking before the state is ranked anew
Memory: TypeAlias = "dict[Action | None, list[Any]]"  # decision -> [position, options behind it, uses]


class Path:
    """A solution as a sequence of decisions, with the states between them kept where they are known."""

    __slots__ = (
        "actions", "at", "energy", "likelihood", "memory", "model", "options_at", "states",
        "sure",
    )  # fmt: skip

    def __init__(
        self,
        model: Model,
        likelihood: Likelihood,
        actions: tuple[Action, ...],
        energy: float,
        memory: Memory | None = None,
        sure: bool = True,
    ) -> None:
        self.model, self.likelihood, self.sure = model, likelihood, sure
        self.memory: Memory = {} if memory is None else memory
        self.actions, self.energy = actions, energy
        self.states: list[State] = [None] * (len(actions) + 1)
        self.states[0] = model.initial()
        self.options_at: dict[int, list[tuple[float, Action]]] = {}
        self.at: dict[Action, int] | None = None

    def __len__(self) -> int:
        return len(self.actions)

    def state(self, at: int) -> State:
        """Return the state before the decision of a position."""
        states = self.states
        known = at
        while states[known] is None:
            known -= 1
        state = states[known]
        for position in range(known, at):
            state = self.model.apply(state, self.actions[position])
            states[position + 1] = state
        return state

    def position(self, action: Action) -> int | None:
        """Return where an action is taken, if it is."""
        if self.at is None:
            self.at = {a: i for i, a in enumerate(self.actions)}
        return self.at.get(action)

    def options(self, at: int) -> list[tuple[float, Action]]:
        """Return the best other actions of a state, with what each loses against the best (log-score)."""
        known = self.options_at.get(at)
        if known is not None:
            return known
        before = self.actions[at - 1] if at else None
        if not self.model.commutative:
            stale = self.memory.get(before)
            if stale is not None and abs(stale[0] - at) <= len(self.actions) // 5 and stale[2] < REFRESH:
                stale[2] += 1
                here = self.actions[at]
                return [option for option in stale[1] if option[1] != here]
        try:
            actions, scores = offered(self.model.actions(self.state(at)))
        except Exception:
            if self.sure:
                raise
            return []  # a path built on trust may lead to states that do not exist
        names = actions.tolist() if isinstance(actions, np.ndarray) else actions
        found: list[tuple[float, Action]] = []
        if len(names) > 1:
            if self.model.commutative:
                self.position(None)
                taken: Any = self.at
            else:
                taken = (self.actions[at],)
            order = ranked(actions, scores)
            best = list(islice((i for i in order if names[i] not in taken), TOP))
            if best:
                top = np.full(len(best), float(scores[order[0]]))
                gaps = self.likelihood.gap(top, np.array([float(scores[i]) for i in best])).tolist()
                found = [(gap, names[i]) for gap, i in zip(gaps, best, strict=True)]
        if self.model.commutative:
            self.options_at[at] = found
        else:
            self.memory[before] = [at, found, 0]
        return found

    def followed(
        self,
        actions: tuple[Action, ...],
        energy: float,
        start: int,
        states: list[State] | None,
        sure: bool = True,
    ) -> Path:
        """Return a path that shares its first `start` decisions with this one."""
        path = Path(self.model, self.likelihood, actions, energy, self.memory, sure)
        path.states[: start + 1] = self.states[: start + 1]
        if states is not None and len(states) == len(actions) - start:
            path.states[start + 1 :] = states
        return path
