"""`simanneal`: its own automatic schedule over orders; moves reverse, shift or swap."""

from __future__ import annotations

import os
import random
from typing import Any

from generic_decoders import DECODERS, true_energy
from simanneal import Annealer


class Orders(Annealer):
    """An order, a decoder, and a place to report to."""

    copy_strategy = "slice"
    updates = 0

    def __init__(self, family: str, decoder: Any, run: Any) -> None:
        self.family, self.decoder, self.run = family, decoder, run
        super().__init__(decoder.start)

    def move(self) -> None:
        i, j = sorted(random.sample(range(len(self.state)), 2))
        kind = random.randrange(3)
        if kind == 0:
            self.state[i : j + 1] = self.state[i : j + 1][::-1]
        elif kind == 1:
            self.state.insert(i, self.state.pop(j))
        else:
            self.state[i], self.state[j] = self.state[j], self.state[i]

    def energy(self) -> float:
        energy, answer = self.decoder.decode(self.state)
        self.run.report(true_energy(self.family, energy), answer)
        return float(energy)


def solve(family: str, data: dict[str, Any], run: Any) -> None:
    """Let the tool find its temperatures in a tenth of the budget, and cool down in the rest."""
    annealer = Orders(family, DECODERS[family](data), run)
    trial = run.used()
    for _ in range(5):
        annealer.move()
        annealer.energy()
    cost = max((run.used() - trial) / 5, 1e-6)
    annealer.state = list(annealer.decoder.start)
    explore = max(5, min(2000, int(0.1 * run.budget / cost / 15)))  # `auto` makes about 15 such explorations
    with open(os.devnull, "w") as quiet:
        import contextlib

        with contextlib.redirect_stderr(quiet):
            schedule = annealer.auto(minutes=run.budget / 60, steps=explore)
    annealer.set_schedule({**schedule, "updates": 0, "steps": max(10, int(0.95 * run.left() / cost))})
    annealer.Tmin = max(annealer.Tmin, 1e-6)
    annealer.Tmax = max(annealer.Tmax, 10 * annealer.Tmin)
    annealer.state = list(annealer.decoder.start)
    annealer.anneal()
