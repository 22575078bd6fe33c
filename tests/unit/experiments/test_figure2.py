"""The steps of Figure 2: what is explored, and which state is the dilemma."""

import itertools

from dilemma import minimize
from dilemma.experiments.figure2 import JOBS, TwoMachines, frames


def test_the_greedy_is_improved_to_the_optimum_by_the_first_dilemma() -> None:
    result = minimize(TwoMachines())
    assert (result.greedy_energy, result.energy, result.optimal) == (10.0, 9.0, True)
    assert "energy 9, the best so far" in frames()[3].title


def test_frames_follow_a_real_run() -> None:
    steps = frames()
    assert steps[0].explored == frozenset()
    candidates = [f.latest for f in steps if f.latest is not None and f.dilemma is None]
    assert len(candidates) == len(set(candidates)) == 2 ** (len(JOBS) - 1)
    for before, after in itertools.pairwise(steps):
        assert before.explored <= after.explored
        if before.dilemma is not None:  # its next-best action is taken, and greedily on
            assert before.dilemma in before.explored
            assert after.latest is not None
            assert after.latest[: len(before.dilemma)] == before.dilemma
            assert after.latest[: len(before.dilemma) + 1] not in before.explored
    assert len(steps[-1].explored) == 2 ** len(JOBS) - 1
