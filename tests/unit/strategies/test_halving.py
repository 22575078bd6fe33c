"""Equal-effort halving: who gets how much effort, and that nothing is left out."""

import numpy as np
import pytest
from lns_problems import Pack, Tour

import dilemma
from dilemma.problem import Model
from dilemma.rollout import grow
from dilemma.strategies import Halving


def run_for(model, candidates, count=1, **options):
    run, energies = Halving(**options).start(model, np.random.default_rng(0)), []
    while len(energies) < candidates and (proposals := run.ask(count)):
        for proposal in proposals:
            rollout = grow(model, proposal)
            run.tell(rollout)
            energies.append(rollout.energy)
    return run, energies


def test_more_effort_goes_to_rivals_whose_equals_found_nothing_better():
    run, _ = run_for(Model(Tour(12)), 400)
    rivals = run._root.rivals
    efforts = {rival.effort for rival in rivals}
    assert len(efforts) > 2
    for effort in sorted(efforts)[:-1]:
        more = [r.best for r in rivals if r.effort > effort]
        assert np.median(more) < np.median([r.best for r in rivals if r.effort <= effort])
    # the better a group is treated, the smaller it is
    sizes = [sum(r.effort >= effort for r in rivals) for effort in sorted(efforts)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > 1.5 * sizes[1]


def test_the_best_found_below_is_backed_up_to_the_root():
    run, energies = run_for(Model(Tour(10)), 300)
    assert run._root.best == min(energies)


@pytest.mark.parametrize("count", [1, 3, 64])
def test_every_solution_is_grown_once_whatever_is_asked_for_at_once(count):
    run, energies = run_for(Model(Tour(6)), 10_000, count)
    assert len(energies) == 120  # 5!
    assert run.proves()
    assert not run.ask(count)


def test_sets_are_grown_once_where_order_does_not_matter():
    problem = Pack(9)
    result = dilemma.minimize(problem, strategy="halving")
    assert result.optimal
    assert result.iterations == result.distinct
    assert result.energy == dilemma.minimize(problem, strategy="two_queues").energy


@pytest.mark.parametrize("breadth", [1, 0.5, -2, float("nan")])
def test_a_breadth_that_does_not_narrow_is_refused(breadth):
    with pytest.raises(ValueError, match="breadth: expected"):
        Halving(breadth=breadth)
