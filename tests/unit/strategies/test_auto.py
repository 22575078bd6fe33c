"""The default: one tree, one incumbent, effort where it pays, proofs kept."""

import pytest
from lns_problems import Dispatch, Pack, Tour

import dilemma
from dilemma.strategies import Auto
from dilemma.strategies.auto import LEAST


class BoundedPack(Pack):
    def bound(self, state):
        room = self.room - sum(self.w[i] for i in state)
        value = float(sum(self.v[i] for i in state))
        for i in sorted(set(range(len(self.w))) - state, key=lambda i: -self.v[i] / self.w[i]):
            part = min(1.0, room / self.w[i])
            value, room = value + part * self.v[i], room - part * self.w[i]
            if room <= 0:
                break
        return -value - 1e-9


def test_is_the_default():
    assert dilemma.minimize(Tour(), max_iter=2).strategy == "auto"


def test_begins_as_the_tree_search_does():
    both = [dilemma.minimize(Tour(), strategy=s, max_iter=16, random_state=0) for s in ("auto", "two_queues")]
    assert both[0].trace.energy.tolist() == both[1].trace.energy.tolist()


@pytest.mark.parametrize("problem", [Tour(6), Pack(9), Dispatch(3, 2), BoundedPack(14)])
def test_proves_the_optimum_when_the_tree_is_covered(problem):
    result = dilemma.minimize(problem, random_state=0)
    assert result.optimal
    assert result.energy == pytest.approx(dilemma.minimize(problem, strategy="backtracking").energy)


def test_a_bound_still_proves_quickly_beside_the_neighbourhood_search():
    tree = dilemma.minimize(BoundedPack(15), strategy="two_queues")
    both = dilemma.minimize(BoundedPack(15), random_state=0)
    assert both.optimal
    assert both.energy == tree.energy
    assert both.nodes < 6 * tree.nodes


def test_dropped_dilemmas_are_no_proof():
    result = dilemma.minimize(Pack(12), strategy=Auto(max_queue=4), random_state=0, max_iter=5000)
    assert not result.optimal


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_the_answer_does_not_depend_on_workers(n_jobs):
    here = dilemma.minimize(Tour(), max_iter=200, random_state=3)
    there = dilemma.minimize(Tour(), max_iter=200, random_state=3, n_jobs=n_jobs)
    assert here.trace.energy.tolist() == there.trace.energy.tolist()


@pytest.mark.parametrize("problem", [Tour(25, 2), Pack(40, 1), Dispatch(8, 6, 1)])
def test_beats_the_tree_search_where_that_stalls(problem):
    tree = dilemma.minimize(problem, strategy="two_queues", max_iter=1500)
    both = dilemma.minimize(problem, max_iter=1500, random_state=0)
    assert both.energy <= tree.energy


def test_the_tree_search_never_starves():
    searching = dilemma.search(Tour(25, 2), random_state=0, max_iter=1500)
    for _ in searching:
        pass
    tree, other = searching._run._sides
    assert tree.spent > 0.8 * LEAST * (tree.spent + other.spent)
    assert other.spent > 0.4 * (tree.spent + other.spent)


def test_a_warm_start_is_where_the_neighbourhood_search_goes_on():
    problem = Tour(25, 2)
    good = dilemma.minimize(problem, max_iter=1500, random_state=0)
    again = dilemma.minimize(problem, max_iter=40, warm_start=good.actions, random_state=1)
    assert again.energy <= good.energy


def test_what_the_neighbourhood_search_finds_prunes_the_tree():
    searching = dilemma.search(BoundedPack(30, 3), random_state=0, max_iter=600)
    for event in searching:
        assert searching._run.tree.incumbent.energy <= event.incumbent


@pytest.mark.parametrize("max_queue", [0, 1, -3])
def test_a_queue_must_have_room(max_queue):
    with pytest.raises(ValueError, match="max_queue"):
        Auto(max_queue=max_queue)
