"""`mcts`: UCT over a problem's own actions, the best few at each state, with noisy greedy play-outs."""

from __future__ import annotations

import random
from typing import Any

from generic_families import FAMILIES
from mcts import mcts

from dilemma.problem import offered

WIDTH, NOISE = 5, 0.1


class State:
    """A state as `mcts` wants it."""

    def __init__(self, game: Game, state: Any) -> None:
        self.game, self.state = game, state
        self.actions = game.ranked(state)

    def getCurrentPlayer(self) -> int:
        return 1

    def getPossibleActions(self) -> list[Any]:
        return self.actions

    def takeAction(self, action: Any) -> State:
        return State(self.game, self.game.problem.apply(self.state, action))

    def isTerminal(self) -> bool:
        return not self.actions

    def getReward(self) -> float:
        return self.game.reward(self.state)


class Game:
    """The problem, its ranking, and rewards between 0 and 1 round the greedy's energy."""

    def __init__(self, family: str, data: dict[str, Any], run: Any) -> None:
        self.kind, self.run = FAMILIES[family], run
        self.problem = self.kind.problem(data)
        self.first: float | None = None

    def ranked(self, state: Any) -> list[Any]:
        actions, scores = offered(self.problem.actions(state))
        order = sorted(range(len(actions)), key=lambda i: -scores[i])[:WIDTH]
        return [actions[i].item() if hasattr(actions[i], "item") else actions[i] for i in order]

    def reward(self, state: Any) -> float:
        energy = self.problem.energy(state)
        self.run.report(energy, lambda: self.kind.answer(self.problem, state))
        self.first = energy if self.first is None else self.first
        return min(1.0, max(0.0, 0.5 + 5 * (self.first - energy) / max(1e-9, abs(self.first))))


def noisy_greedy(state: State) -> float:
    game, at, actions, steps = state.game, state.state, state.actions, 0
    greedy = game.first is None
    while actions:
        choice = random.choice(actions) if not greedy and random.random() < NOISE else actions[0]
        at = game.problem.apply(at, choice)
        actions = game.ranked(at)
        steps += 1
    return game.reward(at)


def solve(family: str, data: dict[str, Any], run: Any) -> None:
    """Rounds from the root until the budget is spent."""
    game = Game(family, data, run)
    root = State(game, game.problem.initial())
    noisy_greedy(root)
    searcher = mcts(timeLimit=1000 * 60 * 60, rolloutPolicy=lambda state: stop_or_play(state, run))
    try:
        searcher.search(root)
    except TimeoutError:
        return


def stop_or_play(state: State, run: Any) -> float:
    if run.left() <= 0:
        raise TimeoutError
    return noisy_greedy(state)
