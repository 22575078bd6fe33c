"""Two queues over one explored tree, taking turns: the tree search of the default.

One follows a key without constants to tune, regret/σ_gap + one per deviation + (E_parent − E_0)/σ_E, whose scales
are estimated from the run itself; the other takes the fewest deviations first and the smallest gap among those.
The first trusts scores and energies, the second neither, and each corrects the other; queues that take turns: Röger
and Helmert, ICAPS 2010. Cost: one regrowth a candidate, and the memory of two queues. When to use: a proof is
wanted, or few candidates fit into the budget. Deviations: our own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dilemma.likelihood import FLOOR
from dilemma.strategies.best_first import BestFirst, Key, Scales
from dilemma.strategies.explored import FloatArray, Met

WORST = 10.0  # standard deviations of energy; a candidate that is not feasible counts as this bad


@dataclass(frozen=True, kw_only=True)
class TwoQueues(BestFirst):
    """Scaled regret, and fewest deviations, in turn; see the module's text.

    Parameters
    ----------
    max_queue, normalise, partition
        See `BestFirst`.
    """

    name: ClassVar[str] = "two_queues"
    adaptive: ClassVar[bool] = True

    def keys(self) -> tuple[Key, ...]:
        return scaled_regret, few_deviations


def scaled_regret(met: Met, scales: Scales) -> FloatArray:
    """Return regret, deviations and the energy of the candidate left, each on its own scale."""
    key = (met.regret + met.gap) / scales.gap + met.deviations + 1.0
    if math.isfinite(scales.greedy_energy):
        key += np.minimum((met.energy - scales.greedy_energy) / scales.energy, WORST)
    return key


def few_deviations(met: Met, scales: Scales) -> FloatArray:
    """Return the number of deviations, parted by the local gap."""
    return met.deviations + met.gap / (2.0 * FLOOR)
